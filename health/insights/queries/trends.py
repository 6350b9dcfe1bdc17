"""Reliability of a fleet over time, summed up in the database: failures, repairs, and machines' time in service.

The numbers come from faults (confirmed, cleared), changes of state and verifications. Machines count while they are
neither new nor retired, and only from their first recorded change of state on: what was before is not known. Pool and
model are those of now.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db import connection
from django.utils import timezone

from health.insights import trends
from health.insights.trends import Buckets, Filled, Series

NO_POOL = "no pool"

# A change of state lasts until the next one of the same machine. Each adds its seconds to the buckets of its two ends,
# and to `whole` one where it begins to fill buckets wholly and minus one where it no longer does: the running sum says
# how many fill a bucket, and a span costs the same whether it covers two buckets or a year of them. Materialized, since
# PostgreSQL would otherwise work out the ends of a span anew at each mention.
TIMES = """
WITH steps AS (
    SELECT change.machine_id, transition.to_state AS state, change.at AS began,
        lead(change.at, 1, %(now)s) OVER (PARTITION BY change.machine_id ORDER BY change.at, change.id) AS ended
    FROM health_lifecyclechange change
    JOIN health_lifecycletransition transition ON transition.id = change.transition_id
    JOIN inventory_device device ON device.id = change.machine_id
    WHERE change.at < %(end)s AND (%(sites)s::bigint[] IS NULL OR device.site_id = ANY(%(sites)s))
        AND (%(site)s::bigint IS NULL OR device.site_id = %(site)s)
), lasting AS MATERIALIZED (
    SELECT machine_id, state = 'ready' AS ready, date_part('epoch', greatest(began, %(begin)s) - %(first)s) AS began,
        date_part('epoch', least(ended, %(end)s) - %(first)s) AS ended
    FROM steps WHERE state NOT IN ('new', 'retired') AND ended > %(begin)s AND ended > began
), placed AS MATERIALIZED (
    SELECT health.pool_id, ready, began, ended, floor(began / %(size_s)s)::int AS head,
        ceil(ended / %(size_s)s)::int - 1 AS tail, coalesce(model.gpu_count, 0) AS gpus
    FROM lasting
    JOIN inventory_device device ON device.id = lasting.machine_id
    JOIN inventory_devicemodel model ON model.id = device.model_id
    LEFT JOIN health_machinehealth health ON health.machine_id = lasting.machine_id
), ends AS (
    SELECT pool_id, ready, head AS n, sum(least(ended, (head + 1) * %(size_s)s) - began) AS seconds, 0 AS whole,
        sum(gpus * (least(ended, (head + 1) * %(size_s)s) - began)) AS gpu_seconds, 0 AS gpu_whole
    FROM placed GROUP BY 1, 2, 3
    UNION ALL
    SELECT pool_id, ready, head + 1, 0, count(*), 0, sum(gpus) FROM placed WHERE head < tail GROUP BY 1, 2, 3
    UNION ALL
    SELECT pool_id, ready, tail, sum(ended - tail * %(size_s)s), -count(*), sum(gpus * (ended - tail * %(size_s)s)),
        -sum(gpus)
    FROM placed WHERE head < tail GROUP BY 1, 2, 3
)
SELECT coalesce(pool.role || ' · ' || model.slug, %(no_pool)s), ends.ready, ends.n, sum(ends.seconds),
    sum(ends.whole)::float8, sum(ends.gpu_seconds), sum(ends.gpu_whole)::float8
FROM ends
LEFT JOIN health_pool pool ON pool.id = ends.pool_id
LEFT JOIN inventory_devicemodel model ON model.id = pool.model_id
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
FAILURES = """
SELECT fault.fault_class, floor(extract(epoch FROM fault.confirmed_at - %(first)s) / %(size_s)s)::int, count(*)
FROM health_fault fault JOIN inventory_device device ON device.id = fault.machine_id
WHERE fault.led_by_id IS NULL AND fault.announced_at IS NOT NULL
    AND fault.confirmed_at >= %(begin)s AND fault.confirmed_at < %(end)s
    AND (%(sites)s::bigint[] IS NULL OR device.site_id = ANY(%(sites)s))
    AND (%(site)s::bigint IS NULL OR device.site_id = %(site)s)
GROUP BY 1, 2
"""
# A repair counts in the bucket of its end. Faults that a person dismissed, or that passed by themselves while the
# machine stayed in service, were not repaired; those without a drain have no time to drain, and so on.
REPAIRS = """
WITH repaired AS (
    SELECT fault.id, fault.machine_id, fault.confirmed_at, fault.cleared_at, verification.requested_at
    FROM health_fault fault JOIN inventory_device device ON device.id = fault.machine_id
    JOIN LATERAL (
        SELECT max(verification.requested_at) AS requested_at FROM health_verification verification
        JOIN health_verification_faults link ON link.verification_id = verification.id
        WHERE link.fault_id = fault.id AND verification.status = 'passed'
            AND verification.requested_at <= fault.cleared_at
    ) verification ON verification.requested_at IS NOT NULL
    WHERE fault.led_by_id IS NULL AND fault.announced_at IS NOT NULL AND fault.confirmed_at IS NOT NULL
        AND fault.cleared_at >= %(begin)s AND fault.cleared_at < %(end)s
        AND (%(sites)s::bigint[] IS NULL OR device.site_id = ANY(%(sites)s))
        AND (%(site)s::bigint IS NULL OR device.site_id = %(site)s)
), staged AS (
    SELECT repaired.*, drained.at AS drained_at FROM repaired LEFT JOIN LATERAL (
        SELECT min(change.at) AS at FROM health_lifecyclechange change
        WHERE change.machine_id = repaired.machine_id
            AND change.transition_id = ANY(ARRAY(SELECT id FROM health_lifecycletransition WHERE to_state = 'drained'))
            AND change.at >= repaired.confirmed_at AND change.at <= repaired.requested_at
    ) drained ON true
)
SELECT stage, n, count(*), sum(seconds) FROM (
    SELECT floor(extract(epoch FROM cleared_at - %(first)s) / %(size_s)s)::int AS n, stage,
        extract(epoch FROM until - since)::float8 AS seconds
    FROM staged CROSS JOIN LATERAL (VALUES
        ('drain', confirmed_at, drained_at), ('repair', drained_at, requested_at),
        ('verify', requested_at, cleared_at), ('total', confirmed_at, cleared_at)
    ) AS stages (stage, since, until)
    WHERE since IS NOT NULL AND until IS NOT NULL
) each_stage
GROUP BY 1, 2
"""


def _asked(cut: Buckets, sites: list[int] | None, site: int | None) -> dict[str, Any]:
    return {
        "begin": cut.begin,
        "end": cut.end,
        "first": cut.first,
        "size_s": cut.size.total_seconds(),
        "now": timezone.now(),
        "sites": sites,
        "site": site,
        "no_pool": NO_POOL,
    }


class Times:
    """How long machines and their GPUs were counted, and how long of that they were in service, by bucket."""

    def __init__(self, rows: Iterable[tuple[str, bool, int, float, float, float, float]], cut: Buckets) -> None:
        self.gpu_days, self.ready_hours, self.hours = ([0.0] * cut.count for _ in range(3))
        self.ready: dict[tuple[str, int], float] = defaultdict(float)
        self.all: dict[tuple[str, int], float] = defaultdict(float)
        for (pool, ready), ends in groupby(rows, key=lambda row: row[:2]):
            for n, (seconds, gpu_seconds) in enumerate(trends.filled(cut, (end[2:] for end in ends))):
                if not seconds:
                    continue
                self.gpu_days[n] += gpu_seconds / trends.DAY_S
                self.hours[n] += seconds / 3600
                self.all[pool, n] += seconds
                if ready:
                    self.ready_hours[n] += seconds / 3600
                    self.ready[pool, n] += seconds


def times(cut: Buckets, sites: list[int] | None, site: int | None = None) -> Times:
    """One query."""
    with connection.cursor() as cursor:
        cursor.execute(TIMES, _asked(cut, sites, site))
        return Times(cursor.fetchall(), cut)


def failures(cut: Buckets, sites: list[int] | None, site: int | None = None) -> Filled:
    """Confirmed leading faults by class and bucket. One query."""
    with connection.cursor() as cursor:
        cursor.execute(FAILURES, _asked(cut, sites, site))
        return {(group, n): float(count) for group, n, count in cursor.fetchall()}


def repairs(cut: Buckets, sites: list[int] | None, site: int | None = None) -> tuple[Filled, Filled]:
    """Seconds and number of repairs by stage and bucket. One query."""
    with connection.cursor() as cursor:
        cursor.execute(REPAIRS, _asked(cut, sites, site))
        rows = cursor.fetchall()
    return {(stage, n): seconds for stage, n, _, seconds in rows}, {(stage, n): float(c) for stage, n, c, _ in rows}


def availability(cut: Buckets, sites: list[int] | None, site: int | None = None) -> list[Series]:
    """Share of machine-time in service, by pool. One query."""
    told = times(cut, sites, site)
    return trends.shares(cut, "availability", "share of machine-time", told.ready, told.all)


def all_series(cut: Buckets, sites: list[int] | None, site: int | None = None) -> list[Series]:
    """Every series of these sites (None: all). Three queries."""
    told = times(cut, sites, site)
    by_class = failures(cut, sites, site)
    by_part: dict[tuple[str, int], float] = defaultdict(float)
    totals = [0.0] * cut.count
    for (fault_class, n), count in by_class.items():
        by_part[fault_class.partition(".")[0], n] += count
        totals[n] += count
    per = "per 1,000 GPU-days"
    seconds, counts = repairs(cut, sites, site)
    return [
        *trends.rates(cut, "failures_by_part", per, by_part, told.gpu_days, 1000),
        *trends.rates(cut, "failures_by_class", per, by_class, told.gpu_days, 1000),
        trends.between_failures(cut, told.ready_hours, totals),
        *repair_series(cut, seconds, counts),
        *trends.shares(cut, "availability", "share of machine-time", told.ready, told.all),
    ]


def repair_series(cut: Buckets, seconds: Filled, counts: Filled) -> list[Series]:
    """Mean time of each stage of a repair, in hours."""
    hours = {key: value / 3600 for key, value in seconds.items()}
    found = {each.group: each for each in trends.shares(cut, "mttr", "hours", hours, counts)}
    return [
        Series("mttr", stage, title, "hours", found[stage].points)
        for stage, title in trends.STAGES.items()
        if stage in found
    ]


CSV_HEAD = ("what", "group", "unit", "at", "value", "count", "base")


def csv_rows(series: Sequence[Series]) -> Iterator[tuple[Any, ...]]:
    """The series as lines of a table; what is not known is empty."""
    for each in series:
        for point in each.points:
            value: float | str = "" if point.value is None else point.value
            yield each.what, each.group, each.unit, _text(point.at), value, point.count, point.base


def _text(at: datetime) -> str:
    return at.isoformat()
