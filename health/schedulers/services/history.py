"""Past runs and their steps from a scheduler's accounting: what ran before this service looked, and how runs ended that
its list had forgotten.

The list of the scheduler has the say while it names a run; the accounting adds runs that are not known, and the end of
those that were listed no more. A scheduler without accounting, or a login that may not ask it, keeps nothing else from
being read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog

from drivers.scheduler import Job, Scheduler, SchedulerError
from health.schedulers.models import SchedulerJob, SchedulerSource
from health.schedulers.services import jobs

log = structlog.get_logger(__name__)
BACK = timedelta(days=30)
"""How far back the first questions go."""
AT_ONCE = timedelta(days=3)
"""The longest span of one question: a busy cluster runs thousands of jobs a day, slurmrestd tells 16 kB of each."""
EVERY = timedelta(minutes=10)
LATE = timedelta(hours=2)
"""Asked again each time: slurmdbd may learn of an end late, its controller keeps what it could not send."""
GUESSED = ("unknown", "requeued", "node_fail")
"""Ends of runs that were listed no more (`jobs`): the accounting knows better."""
STEP = ("id", "name", "state", "exit_status", "signal", "machines", "gpus")
NONE = "none is kept; past jobs are those that were seen here."


def is_due(source: SchedulerSource, now: datetime) -> bool:
    """Every ten minutes; at once while it lags behind by more."""
    since = source.history_tried_at if source.history_message else source.history_read_to
    return since is None or now - since >= EVERY


def read(source: SchedulerSource, driver: Scheduler, ours: Mapping[str, int], now: datetime) -> int:
    """Ask for the next span and keep it; returns how many rows were written. Never raises for what the scheduler says.

    `ours`: the scheduler's names to our machines.
    """
    known_to = source.history_read_to or now - BACK
    begin = max(known_to - LATE, now - BACK)
    end = min(begin + AT_ONCE, now)
    fields: dict[str, Any] = {"history_tried_at": now}
    written = 0
    try:
        past = asyncio.run(driver.past(round((now - begin).total_seconds()), round((now - end).total_seconds())))
    except (SchedulerError, ValueError) as error:
        log.warning("accounting_not_read", source=source.pk, error=str(error))
        fields["history_message"] = str(error)[:500]
    else:
        fields["history_message"] = NONE if past is None else ""
        if past is not None:
            written = keep(source, past, ours)
            fields["history_read_to"] = end
    SchedulerSource.objects.filter(pk=source.pk).update(**fields)
    return written


def keep(source: SchedulerSource, past: Sequence[Job], ours: Mapping[str, int]) -> int:
    """Add runs that are not known, correct the guessed end of others, and keep the steps. Three statements whatever
    the number of runs; the same answer again changes nothing."""
    told = [job for job in past if job.started and (job.running or job.ended)]
    ran = [job for job in told if any(name in ours for name in job.machines)]
    rows = {(row.job_id, row.started_at): row for row in (_row(source, job, ours) for job in ran[-jobs.MOST :])}
    begins = [begin for _, begin in rows]
    known = SchedulerJob.objects.filter(source=source, started_at__gte=min(begins), started_at__lte=max(begins)) \
        if begins else []  # fmt: skip
    new, corrected, stepped = dict(rows), [], []
    for old in known:
        row = new.pop((old.job_id, old.started_at), None)
        if row is None:
            continue
        if row.ended_at is not None and old.state in GUESSED and old.exit_status is None and _differs(old, row):
            row.pk = old.pk
            corrected.append(row)
        elif row.steps and row.steps != old.steps:
            old.steps = row.steps
            stepped.append(old)
    # One that runs is told by the list first: its row is made there.
    added = [row for row in new.values() if row.ended_at is not None]
    SchedulerJob.objects.bulk_create(added, ignore_conflicts=True)
    SchedulerJob.objects.bulk_update(corrected, ["ended_at", "state", "exit_status", "signal", "why", "steps"])
    SchedulerJob.objects.bulk_update(stepped, ["steps"])
    return len(added) + len(corrected) + len(stepped)


def _row(source: SchedulerSource, job: Job, ours: Mapping[str, int]) -> SchedulerJob:
    row = jobs.row_of(source, job, ours, jobs.time_of(job.ended or 0))
    row.steps = [
        {"started_at": _written(step.started), "ended_at": _written(step.ended)}
        | {name: getattr(step, name) for name in STEP}
        for step in job.steps
    ]
    return row


def _written(seconds: int | None) -> str | None:
    return jobs.time_of(seconds).isoformat() if seconds else None


def _differs(old: SchedulerJob, row: SchedulerJob) -> bool:
    return any(getattr(old, name) != getattr(row, name) for name in ("ended_at", "state", "exit_status", "signal"))
