"""What a scheduler runs: the floor by job, the machines of a job, its history. Each a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from core.database import prepared
from health.machines.models.machines import MachineHealth
from health.schedulers.models import (
    SchedulerChange,
    SchedulerJob,
    SchedulerMachine,
    SchedulerReservation,
    SchedulerSource,
)

MOST_CHANGES = 200

JOBS_NOW = """
SELECT job.id, coalesce(nullif(job.label, ''), job.job_id), job.name, job.user, job.account, job.partition, job.gpus,
    job.started_at, job.time_limit_s, job.machine_count, job.machine_ids
FROM health_schedulerjob job JOIN health_schedulersource source ON source.id = job.source_id
WHERE source.site_id = %s AND job.ended_at IS NULL
ORDER BY job.machine_count DESC, job.id
"""
PARTITIONS_NOW = """
SELECT part.name, part.state, part.machine_ids
FROM health_schedulerpartition part JOIN health_schedulersource source ON source.id = part.source_id
WHERE source.site_id = %s ORDER BY cardinality(part.machine_ids) DESC, part.name
"""
NAMED = """
SELECT named.machine_id FROM health_schedulermachine named
JOIN health_schedulersource source ON source.id = named.source_id
WHERE source.site_id = %s AND named.machine_id IS NOT NULL
"""
SOURCE = "SELECT kind, enabled, state, last_read_at FROM health_schedulersource WHERE site_id = %s"
FLOOR_JOB = (
    "id", "label", "name", "user", "account", "partition", "gpus", "started_at", "time_limit_s", "machine_count",
    "machines",
)  # fmt: skip
USER_AT = FLOOR_JOB.index("user")


def floor(site: int, *, users: bool) -> dict[str, Any]:
    """What runs where on the floor of a site: jobs and partitions with the ids of their machines. Four statements."""
    source = prepared.rows(SOURCE, [site])
    jobs = prepared.rows(JOBS_NOW, [site])
    if not users:
        jobs = [(*row[:USER_AT], None, *row[USER_AT + 1 :]) for row in jobs]
    return {
        "scheduler": dict(zip(("kind", "enabled", "state", "last_read_at"), source[0], strict=True))
        if source
        else None,
        "jobs": {"columns": FLOOR_JOB, "rows": jobs},
        "partitions": [
            {"name": name, "state": state, "machines": machines}
            for name, state, machines in prepared.rows(PARTITIONS_NOW, [site])
        ],
        "named": [row[0] for row in prepared.rows(NAMED, [site])],
    }


def ends_by(job: SchedulerJob) -> datetime | None:
    """When its time limit ends it; None where there is none, or it ended."""
    if job.ended_at is not None or job.time_limit_s is None:
        return None
    return job.started_at + timedelta(seconds=min(job.time_limit_s, 10**9))


def machines_of(job: SchedulerJob) -> list[dict[str, Any]]:
    """Our machines of a job with their state and where they stand, by name."""
    rack = "machine__device__placement__rack"
    rows = MachineHealth.objects.filter(machine_id__in=job.machine_ids).order_by("machine__device__name")
    found = rows.values_list(
        "machine_id", "machine__device__name", "cell", "state", "ticket_key", f"{rack}_id", f"{rack}__name",
        f"{rack}__room_id",
    )  # fmt: skip
    names = ("machine", "name", "cell", "state", "ticket", "rack", "rack_name", "room")
    return [dict(zip(names, row, strict=True)) for row in found]


def history_of(job: SchedulerJob) -> dict[str, Any]:
    """The runs of the same job, the newest first, what happened at the scheduler to its machines meanwhile, and the
    steps of this run."""
    runs = SchedulerJob.objects.filter(source=job.source_id, job_id=job.job_id).order_by("-started_at")
    changes = SchedulerChange.objects.filter(
        machine_id__in=job.machine_ids, at__gte=job.started_at, at__lte=job.ended_at or timezone.now()
    ).select_related("machine__device")
    return {"runs": list(runs[:100]), "changes": list(changes.order_by("-id")[:MOST_CHANGES]), "steps": job.steps}


PARTITIONS = """
SELECT part.id, source.site_id, part.name, part.state, part.default, part.max_time_s, part.priority_tier,
    part.machine_count, named.busy, named.closed, named.gpus,
    (SELECT count(*) FROM health_schedulerjob job
     WHERE job.source_id = part.source_id AND job.ended_at IS NULL AND job.partition = part.name),
    (SELECT count(*) FROM health_waitingjob job
     WHERE job.source_id = part.source_id AND part.name = ANY(string_to_array(job.partition, ',')))
FROM health_schedulerpartition part JOIN health_schedulersource source ON source.id = part.source_id
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE jobs > 0) AS busy, count(*) FILTER (WHERE closed OR state = 'down') AS closed,
        coalesce(sum(gpus), 0) AS gpus
    FROM health_schedulermachine named
    WHERE named.source_id = part.source_id AND named.machine_id = ANY(part.machine_ids)
) named
WHERE (%(sites)s::bigint[] IS NULL OR source.site_id = ANY(%(sites)s::bigint[]))
    AND (%(site)s::bigint IS NULL OR source.site_id = %(site)s)
ORDER BY source.site_id, part.default DESC, part.name
"""
PARTITION = (
    "id", "site", "name", "state", "default", "max_time_s", "priority_tier", "machines", "busy", "closed", "gpus",
    "running", "waiting",
)  # fmt: skip


def partitions(sites: list[int] | None, site: int | None) -> list[dict[str, Any]]:
    """Partitions of these sites (None: of all) with what runs and waits in each. One statement."""
    rows = prepared.rows(PARTITIONS, {"sites": sites, "site": site})
    return [dict(zip(PARTITION, row, strict=True)) for row in rows]


def unended(rows: QuerySet[SchedulerReservation], now: datetime) -> QuerySet[SchedulerReservation]:
    return rows.filter(Q(ends_at=None) | Q(ends_at__gt=now))


# ---- who is hurt ----
def running_on(machine_ids: Iterable[int]) -> list[SchedulerJob]:
    """The jobs that run on any of these machines, the largest first."""
    rows = SchedulerJob.objects.filter(ended_at=None, machine_ids__overlap=list(machine_ids)).select_related("source")
    return list(rows.order_by("-machine_count", "pk"))


def heard(machine_ids: Iterable[int]) -> tuple[bool, datetime | None]:
    """Whether the schedulers of these machines answer, so that no job means that none runs; and the oldest of their
    last answers."""
    ids = set(machine_ids)
    named = SchedulerMachine.objects.filter(machine_id__in=ids, source__enabled=True)
    rows = list(named.values_list("machine_id", "source__state", "source__last_read_at"))
    good = {machine for machine, state, _ in rows if state == SchedulerSource.State.GOOD}
    return bool(ids) and good == ids, min((at for _, _, at in rows if at is not None), default=None)
