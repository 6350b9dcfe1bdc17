"""The jobs that ran on our machines, from what a scheduler lists: kept once for each run.

A scheduler lists a job for a while after its end (Slurm: MinJobAge, 300 s unless told). A run that disappears before
its end was read ends `unknown`, which is no failure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import structlog
from django.conf import settings

from drivers.scheduler import Job, MachineState, View
from health.schedulers.models import SchedulerJob, SchedulerSource

log = structlog.get_logger(__name__)
MOST = 50_000
"""Runs of one answer that are looked at, the newest; a controller holds 10,000 jobs unless told (MaxJobCount)."""
STORED = (
    "ended_at", "state", "exit_status", "signal", "why", "partition", "account", "machine_count", "machine_ids",
    "label", "component", "restarts", "gpus", "name", "user", "qos", "reservation", "submitted_at", "time_limit_s",
    "containers",
)  # fmt: skip
NOT_SEEN = ("unknown", "requeued")
"""Ends of runs that were listed no more."""
Key = tuple[str, datetime]


def keep(source: SchedulerSource, view: View, ours: Mapping[str, int], at: datetime) -> int:
    """Store the runs that are new or changed; returns how many. `ours`: the scheduler's names to our machines.

    Two statements whatever the number of jobs, three of Kubernetes; the same answer again changes nothing.
    """
    listed = _listed(source, view, ours, at)
    if source.kind == SchedulerSource.Kind.KUBERNETES:
        listed = _continued(source, listed)
    listed = {key: row for key, row in listed.items() if row.machine_ids}
    ends = [row.ended_at for row in listed.values() if row.ended_at is not None]
    rows = SchedulerJob.objects.filter(source=source)
    rows = rows.filter(ended_at=None) | rows.filter(ended_at__gte=min(ends, default=at))
    known = {(row.job_id, row.started_at): row for row in rows}
    changed = [row for key, row in listed.items() if key not in known or _differs(known[key], row)]
    lost = [row for key, row in known.items() if row.ended_at is None and key not in listed]
    again = {job.id for job in view.jobs}
    down = {ours[name] for name, facts in view.machines.items() if facts.state is MachineState.DOWN and name in ours}
    for row in lost:
        row.pk, row.ended_at, row.state = None, at, _end_of(row, again, down)
    SchedulerJob.objects.bulk_create(
        [*changed, *lost],
        update_conflicts=True,
        unique_fields=["source", "job_id", "started_at"],
        update_fields=STORED,
    )
    return len(changed) + len(lost)


def _listed(source: SchedulerSource, view: View, ours: Mapping[str, int], at: datetime) -> dict[Key, SchedulerJob]:
    """The runs of an answer that had machines. One that waits for its machines to boot has no start that stays."""
    began = (job for job in view.jobs if job.started is not None and job.state != "configuring")
    ran = [job for job in began if job.machines]
    if len(ran) > MOST:
        log.warning("scheduler_jobs_left_out", source=source.pk, jobs=len(ran), kept=MOST)
        ran = sorted(ran, key=lambda job: job.started or 0)[-MOST:]
    rows = (row_of(source, job, ours, at) for job in ran)
    return {(row.job_id, row.started_at): row for row in rows}


def _continued(source: SchedulerSource, listed: Mapping[Key, SchedulerJob]) -> dict[Key, SchedulerJob]:
    """The same runs with the start and the number that they were first seen with, and the end that was seen first.

    Kubernetes keeps none of these: they follow from the pods that it still has, and a job that ends clears some of them
    away at once. What has a container in common with a run that is known is that run.
    """
    known: dict[str, list[SchedulerJob]] = defaultdict(list)
    for row in SchedulerJob.objects.filter(source=source, job_id__in={job_id for job_id, _ in listed}):
        known[row.job_id].append(row)
    rows = []
    for row in listed.values():
        rows.append(_known_as(row, known[row.job_id]))
        known[row.job_id].append(rows[-1])
    return {(row.job_id, row.started_at): row for row in rows}


def _known_as(row: SchedulerJob, known: Sequence[SchedulerJob]) -> SchedulerJob:
    same = [old for old in known if set(old.containers) & set(row.containers)]
    same += [old for old in known if old.started_at == row.started_at]
    if not same:
        row.restarts = max([row.restarts, *(old.restarts + 1 for old in known if old.started_at < row.started_at)])
    elif row.ended_at is not None:
        return _ended(row, same[0])
    else:
        row.started_at, row.restarts = same[0].started_at, same[0].restarts
    return row


def _ended(row: SchedulerJob, old: SchedulerJob) -> SchedulerJob:
    """A run that ended with what is known of it: also the machines and GPUs whose pods are gone by now."""
    if old.ended_at is not None and old.state not in NOT_SEEN:
        return old
    row.started_at, row.restarts = old.started_at, old.restarts
    row.machine_ids = sorted({*row.machine_ids, *old.machine_ids})
    row.containers = sorted({*row.containers, *old.containers})
    row.machine_count, row.gpus = max(row.machine_count, old.machine_count), max(row.gpus or 0, old.gpus or 0)
    return row


def row_of(source: SchedulerSource, job: Job, ours: Mapping[str, int], at: datetime) -> SchedulerJob:
    """A run that began, as it is stored. `at`: its end where it is over and the scheduler does not say since when."""
    ended = None if job.running else (time_of(job.ended) if job.ended is not None else at)
    return SchedulerJob(
        source=source,
        job_id=job.id[:40],
        started_at=time_of(job.started or 0),
        ended_at=ended,
        state=job.state[:20],
        exit_status=job.exit_status if ended is not None else None,
        signal=job.signal if ended is not None else None,
        why=job.why[:60],
        partition=job.partition[:60],
        account=job.account[:60],
        machine_count=len(job.machines),
        machine_ids=sorted(ours[name] for name in job.machines if name in ours),
        label=(job.label or job.id)[:60],
        component=job.component,
        restarts=job.restarts,
        gpus=job.gpus,
        name=job.asked.name[:120],
        user=job.asked.user[:64],
        qos=job.asked.qos[:60],
        reservation=job.asked.reservation[:120],
        submitted_at=time_of(job.asked.submitted) if job.asked.submitted is not None else None,
        time_limit_s=job.asked.time_limit_s,
        containers=sorted(job.containers),
    )


def time_of(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _differs(old: SchedulerJob, new: SchedulerJob) -> bool:
    return any(getattr(old, name) != getattr(new, name) for name in STORED)


def _end_of(row: SchedulerJob, again: set[str], down: set[int]) -> str:
    """How a run ended that is listed no more. Slurm puts a job whose machine failed back in the queue and forgets the
    run: the job is there again, and its machine is down."""
    if row.job_id in again:
        return "node_fail" if down.intersection(row.machine_ids) else "requeued"
    return "unknown"


def forget(now: datetime) -> None:
    """Delete what ended too long ago."""
    SchedulerJob.objects.filter(ended_at__lt=now - settings.KEPT["scheduler_jobs"]).delete()
