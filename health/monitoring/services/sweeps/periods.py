"""The period of sweeps as it is: kept in one row, brought up to date with every question whether a sweep is due."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from core.database import prepared
from core.models import Site
from health.machines import hooks
from health.monitoring import sweep_period
from health.monitoring.models.sweeps import Sweep, SweepPeriod, SweepShard
from health.monitoring.sweep_period import Period
from live.events import emit

SHARD_LIMIT_S = 90  # the hard limit of a task: what runs longer was lost
ROW = 1
EVENT = "sweep.period_changed"
TODO = "Give the server more processors, or set RACKSIDE_SWEEP_PERIOD_S higher. Nothing is left out meanwhile."
log = structlog.get_logger(__name__)

TOOK = """
SELECT sweep.site_id, extract(epoch FROM max(shard.finished_at) - sweep.started_at)::float8
FROM (
    SELECT id, site_id, started_at, row_number() OVER (PARTITION BY site_id ORDER BY id DESC) AS place
    FROM health_sweep
    WHERE kind = 'scheduled' AND status = 'finished' AND started_at BETWEEN %(since)s AND %(now)s
) sweep
JOIN health_sweepshard shard ON shard.sweep_id = sweep.id AND shard.lane = 'fast'
WHERE sweep.place <= %(compared)s
GROUP BY sweep.site_id, sweep.id, sweep.started_at
HAVING max(shard.attempts) <= 1
"""
"""Without the machines that kept us waiting, and without sweeps whose worker died: neither tells how fast we are."""


def in_force() -> Period:
    """The period now; what was set until the first sweep of that setting. One query."""
    return _of(SweepPeriod.objects.filter(pk=ROW).first())


def _of(row: SweepPeriod | None) -> Period:
    if row is None or row.set_s != settings.SWEEP_PERIOD_S:
        return sweep_period.as_set(settings.SWEEP_PERIOD_S)
    return Period(row.set_s, row.period_s, row.takes_s, row.longest_s)


def counted_s() -> float:
    """The period by which the age of what a sweep brought is counted. One query."""
    return in_force().counted_s


def under_way(now: datetime, period: Period) -> QuerySet[Sweep]:
    """Scheduled sweeps that are still at machines that answer. Those in the slow lane hold back nobody.

    One in which nothing begins any more is lost. One that lies ahead began before the clock was set back.
    """
    may_take = timedelta(seconds=max(period.period_s, SHARD_LIMIT_S))
    shards = SweepShard.objects.filter(sweep=OuterRef("pk"))
    left = shards.filter(lane=SweepShard.Lane.FAST, status__in=[SweepShard.Status.WAITING, SweepShard.Status.RUNNING])
    return Sweep.objects.filter(
        Q(started_at__gte=now - may_take) | Exists(shards.filter(started_at__gte=now - may_take)),
        Exists(left),
        kind=Sweep.Kind.SCHEDULED,
        status=Sweep.Status.RUNNING,
        started_at__lte=now + may_take,
    )


def follow(now: datetime) -> Period:
    """Bring the period up to date with the last sweeps, and tell every site when it became another. Three queries."""
    before = in_force()
    began = under_way(now, before).aggregate(first=Min("started_at"))["first"]
    since = (now - began).total_seconds() if began else 0.0
    after = sweep_period.follow(before, settings.SWEEP_PERIOD_S, _took(now, before).values(), since)
    if after != before:
        _keep(after)
    return after


def _took(now: datetime, period: Period) -> dict[int, list[float]]:
    """Seconds until the last machine that answers, of the last sweeps of each site that is still swept."""
    recent = timedelta(seconds=2 * sweep_period.COMPARED * (period.counted_s + SHARD_LIMIT_S))
    found: dict[int, list[float]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(TOOK, {"now": now, "since": now - recent, "compared": sweep_period.COMPARED})
        for site, seconds in cursor.fetchall():
            if seconds is not None and seconds > 0:
                found[site].append(seconds)
    return found


@transaction.atomic
def _keep(period: Period) -> None:
    """Keep it, and tell it when it became another."""
    unset = _values(sweep_period.as_set(period.set_s))
    row, _ = SweepPeriod.objects.select_for_update().get_or_create(pk=ROW, defaults=unset)
    changed = period.period_s != _of(row).period_s
    for name, value in _values(period).items():
        setattr(row, name, value)
    if changed:
        row.since = timezone.now()
    row.save()
    if changed:
        log.info("sweep_period", every_s=period.period_s, set_s=period.set_s, takes_s=period.takes_s)
        for site in Site.objects.order_by("id").values_list("pk", flat=True):
            _tell(site, period)


def _values(period: Period) -> dict[str, float | None]:
    return {
        "set_s": period.set_s, "period_s": period.period_s, "takes_s": period.takes_s, "longest_s": period.longest_s,
    }  # fmt: skip


def _tell(site_id: int, period: Period) -> None:
    data = {
        "period_s": period.period_s,
        "set_period_s": period.set_s,
        "takes_s": period.takes_s,
        "text": sweep_period.words(period),
    }
    emit(EVENT, site_id=site_id, subject=f"site:{site_id}", data=data, actor="sweep")
    emit("notice.changed", site_id=site_id, subject=f"site:{site_id}", data={"notices": hooks.notices_of(site_id)})


IS_STRETCHED = "SELECT EXISTS (SELECT FROM health_sweepperiod WHERE id = %s AND period_s > set_s)"


def notices_of(site_id: int) -> list[dict[str, Any]]:
    """The message above the floor map while sweeps are further apart than they were set. One query, and one more then:
    every floor asks."""
    ((is_stretched,),) = prepared.rows(IS_STRETCHED, [ROW])
    row = SweepPeriod.objects.filter(pk=ROW).first() if is_stretched else None
    period = _of(row)
    if row is None or not period.is_stretched:
        return []
    return [
        {
            "kind": "sweep_period",
            "level": "info",
            "text": sweep_period.words(period),
            "since": row.since.isoformat(),
            "what_to_do": TODO,
            "link": "/checks/sweeps",
        }
    ]
