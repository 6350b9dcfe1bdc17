"""What waits, partitions and reservations, as a scheduler said last: rows are replaced by those of the next answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import structlog
from django.db import models, transaction

from drivers.scheduler import Job, Partition, Reservation, View
from health.schedulers.models import SchedulerPartition, SchedulerReservation, SchedulerSource, WaitingJob

log = structlog.get_logger(__name__)
MOST = 20_000
"""Waiting jobs that are kept, the first of the queue."""
WAITS = frozenset({"pending", "requeued", "requeue_fed", "requeue_hold", "special_exit", "resv_del_hold"})
FAR = 4_102_444_800
"""2100, in seconds since 1970: an end beyond it is none."""


def keep(source: SchedulerSource, view: View, ours: Mapping[str, int]) -> bool:
    """Store what an answer says. Whether anything changed that a page shows, a priority that only grew with the time
    left out. `ours`: the scheduler's names to our machines. A fixed number of statements."""
    waiting = _waiting(source, view.jobs)
    changed = [
        _replace(source, WaitingJob, ("job_id", "label"), waiting, quiet=("priority", "expected_at")),
        _replace(source, SchedulerPartition, ("name",), _partitions(source, view, ours)),
        _replace(source, SchedulerReservation, ("name",), _reservations(source, view.reservations, ours)),
    ]  # fmt: skip
    return any(changed)


def _replace(
    source: SchedulerSource,
    model: type[models.Model],
    key: tuple[str, ...],
    rows: Iterable[Any],
    quiet: Sequence[str] = (),
) -> bool:
    names = [field.attname for field in model._meta.concrete_fields if not field.primary_key]
    stored = [name for name in names if name not in ("source_id", *key)]
    manager: models.Manager[Any] = model._default_manager

    def of(row: Any, fields: Iterable[str]) -> tuple[Any, ...]:
        return tuple(getattr(row, name) for name in fields)

    loud = [name for name in stored if name not in quiet]
    with transaction.atomic():
        before = {of(row, key): row for row in manager.filter(source=source)}
        now = {of(row, key): row for row in rows}
        gone = [row.pk for each, row in before.items() if each not in now]
        changed = [
            row for each, row in now.items() if each not in before or of(before[each], stored) != of(row, stored)
        ]
        heard = any(
            of(row, key) not in before or of(before[of(row, key)], loud) != of(row, loud) for row in changed
        )  # fmt: skip
        if gone:
            manager.filter(pk__in=gone).delete()
        if changed:
            manager.bulk_create(
                changed, update_conflicts=True, unique_fields=["source", *key], update_fields=stored
            )  # fmt: skip
    return bool(gone) or heard


def _waiting(source: SchedulerSource, jobs: Iterable[Job]) -> list[WaitingJob]:
    found = [job for job in jobs if not job.running and job.started is None and job.state in WAITS]
    if len(found) > MOST:
        log.warning("waiting_jobs_left_out", source=source.pk, jobs=len(found), kept=MOST)
        found = sorted(found, key=lambda job: -(job.asked.priority or 0))[:MOST]
    return [
        WaitingJob(
            source=source,
            job_id=job.id[:40],
            label=(job.label or job.id)[:60],
            component=job.component,
            name=job.asked.name[:120],
            user=job.asked.user[:64],
            account=job.account[:60],
            partition=job.partition[:120],
            qos=job.asked.qos[:60],
            reservation=job.asked.reservation[:120],
            priority=job.asked.priority,
            why=job.why[:120],
            machine_count=job.asked.machines,
            gpus=job.gpus,
            submitted_at=_time(job.asked.submitted),
            expected_at=_time(job.asked.expected),
            time_limit_s=job.asked.time_limit_s,
        )
        for job in found
    ]


def _partitions(source: SchedulerSource, view: View, ours: Mapping[str, int]) -> list[SchedulerPartition]:
    """Machines name their partitions themselves, so these are known also where the scheduler tells no more of them."""
    machines: dict[str, list[str]] = {each.name: [] for each in view.partitions or ()}
    for facts in view.machines.values():
        for name in facts.partitions:
            machines.setdefault(name, []).append(facts.name)
    told: dict[str, Partition] = {each.name: each for each in view.partitions or ()}
    found = []
    for name, within in machines.items():
        about = told.get(name) or Partition(name)
        found.append(
            SchedulerPartition(
                source=source,
                name=name[:60],
                state=about.state[:20],
                default=about.default,
                max_time_s=about.max_time_s,
                priority_tier=about.priority_tier,
                machine_count=len(within),
                machine_ids=sorted(ours[each] for each in within if each in ours),
            )
        )
    return found


def _reservations(
    source: SchedulerSource, reservations: Iterable[Reservation], ours: Mapping[str, int]
) -> list[SchedulerReservation]:
    return [
        SchedulerReservation(
            source=source,
            name=each.name[:120],
            holders=each.by[:300],
            starts_at=_time(each.starts) or datetime.fromtimestamp(0, UTC),
            ends_at=_time(each.ends) if each.ends < FAR else None,
            machine_count=len(each.machines),
            machine_ids=sorted(ours[name] for name in each.machines if name in ours),
        )
        for each in reservations
    ]


def _time(seconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(min(seconds, FAR), UTC) if seconds is not None else None
