"""GPU-hours in which clocks were held down, by cause, out of the history of racks."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection

from facility.facts import Part, Quantity
from facility.history.rollup import floored
from facility.overview.sums import UNKNOWN

DAY = timedelta(days=1)
CAUSES = {"hot": Quantity.SLOWED_HOT, "braked": Quantity.SLOWED_BRAKED, "capped": Quantity.SLOWED_CAPPED}
_POINTS = """
JOIN facility_meter meter ON meter.id = told.meter_id AND meter.kind = 'rack' AND meter.site_id = %(site)s
JOIN facility_layout layout ON layout.id = told.layout_id
CROSS JOIN LATERAL jsonb_array_elements(layout.points) WITH ORDINALITY AS point (told, n)
"""
_THESE = "point.told ->> 0 = %(part)s AND point.told ->> 2 = ANY(%(quantities)s)"
DAYS_MADE = "SELECT until FROM facility_rolledup WHERE name = 'day'"
# A reading may stand for more than the time of its row. How many GPUs a rack does not know of stands beside those that
# are slowed; a rack whose meter itself has gaps was added up too seldom. Sums are made once a minute: one that comes a
# little late is no gap.
STATEMENT = f"""
SELECT quantity, sum(slowed_s) / 3600, bool_or(unknown_s > 0 OR told_s < 0.95 * span_s) FROM (
    SELECT meter_id, quantity, sum(mean * covered) FILTER (WHERE name = '') AS slowed_s,
        coalesce(sum(mean * covered) FILTER (WHERE name = %(unknown)s), 0) AS unknown_s,
        coalesce(sum(covered) FILTER (WHERE name = %(unknown)s), 0) AS told_s,
        extract(epoch FROM max(at + width) - min(at)) AS span_s
    FROM (
        SELECT told.meter_id, point.told ->> 1 AS name, point.told ->> 2 AS quantity, told.at,
            interval '15 minutes' AS width, told.mean[n] AS mean, least(900, told.covered[n]) AS covered
        FROM facility_quarter told {_POINTS} WHERE told.at >= %(quarters)s AND told.at < %(end)s AND {_THESE}
        UNION ALL
        SELECT told.meter_id, point.told ->> 1, point.told ->> 2, told.at + (hour - 1) * interval '1 hour',
            interval '1 hour', each.mean, least(3600, each.covered)
        FROM facility_day told {_POINTS}
        CROSS JOIN LATERAL unnest(
            told.mean[(n - 1) * 24 + 1 : n * 24], told.covered[(n - 1) * 24 + 1 : n * 24]
        ) WITH ORDINALITY AS each (mean, covered, hour)
        WHERE told.at >= %(day)s AND told.at < %(quarters)s AND {_THESE}
            AND told.at + (hour - 1) * interval '1 hour' >= %(begin)s
            AND told.at + (hour - 1) * interval '1 hour' < %(end)s
    ) piece WHERE covered > 0 GROUP BY 1, 2
) rack GROUP BY 1
"""


class SlowedHours(NamedTuple):
    """GPU-hours; None where nothing was measured, at least so many where some of it was not. `capped` GPUs stood at
    their power limit, which costs nothing that the limit is not meant to; whether it is the wanted one is not in the
    history."""

    hot: float | None
    braked: float | None
    capped: float | None
    hot_at_least: bool
    braked_at_least: bool
    capped_at_least: bool


def slowed_hours(site_id: int, begin: datetime, end: datetime, now: datetime) -> SlowedHours:
    """By quarters as long as they are kept, else by the hours of each day that is made, and by quarters after it. Two
    statements.
    """
    kept: timedelta = settings.KEPT["meter_quarters"]
    params: dict[str, Any] = {
        "site": site_id, "begin": begin, "end": end, "part": str(Part.MACHINE),
        "quantities": [str(each) for each in CAUSES.values()], "unknown": UNKNOWN,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(DAYS_MADE)
        made = cursor.fetchone()
        old = now - begin > kept and made is not None
        first = (
            {"day": floored(begin, DAY), "quarters": max(begin, made[0])} if old else {"day": begin, "quarters": begin}
        )
        cursor.execute(STATEMENT, params | first)
        found = {quantity: (hours, at_least) for quantity, hours, at_least in cursor.fetchall()}
    told = [found.get(str(quantity), (None, False)) for quantity in CAUSES.values()]
    return SlowedHours(*(hours for hours, _ in told), *(at_least for _, at_least in told))
