"""GPU-hours in which clocks were held down, by cause, out of the history of racks."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection

from facility.facts import Part, Quantity
from facility.history.rollup import floored

DAY = timedelta(days=1)
CAUSES = {"hot": Quantity.SLOWED_HOT, "braked": Quantity.SLOWED_BRAKED, "capped": Quantity.SLOWED_CAPPED}
_POINTS = """
JOIN facility_meter meter ON meter.id = told.meter_id AND meter.kind = 'rack' AND meter.site_id = %(site)s
JOIN facility_layout layout ON layout.id = told.layout_id
CROSS JOIN LATERAL jsonb_array_elements(layout.points) WITH ORDINALITY AS point (told, n)
"""
_THESE = "point.told ->> 0 = %(part)s AND point.told ->> 2 = ANY(%(quantities)s)"
DAYS_MADE = "SELECT until FROM facility_rolledup WHERE name = 'day'"
# A reading may stand for more than the time of its row.
STATEMENT = f"""
SELECT quantity, sum(slowed_s) / 3600 FROM (
    SELECT point.told ->> 2 AS quantity, told.mean[n] * least(900, told.covered[n]) AS slowed_s
    FROM facility_quarter told {_POINTS} WHERE told.at >= %(quarters)s AND told.at < %(end)s AND {_THESE}
    UNION ALL
    SELECT point.told ->> 2, each.mean * least(3600, each.covered)
    FROM facility_day told {_POINTS}
    CROSS JOIN LATERAL unnest(
        told.mean[(n - 1) * 24 + 1 : n * 24], told.covered[(n - 1) * 24 + 1 : n * 24]
    ) WITH ORDINALITY AS each (mean, covered, hour)
    WHERE told.at >= %(day)s AND told.at < %(quarters)s AND {_THESE}
        AND told.at + (hour - 1) * interval '1 hour' >= %(begin)s
        AND told.at + (hour - 1) * interval '1 hour' < %(end)s
) piece GROUP BY 1
"""


class SlowedHours(NamedTuple):
    """GPU-hours; None where nothing was measured. `capped` GPUs stood at their power limit, which costs nothing that
    the limit is not meant to; whether it is the wanted one is not in the history."""

    hot: float | None
    braked: float | None
    capped: float | None


def slowed_hours(site_id: int, begin: datetime, end: datetime, now: datetime) -> SlowedHours:
    """By quarters as long as they are kept, else by the hours of each day that is made, and by quarters after it. Two
    statements.
    """
    kept: timedelta = settings.KEPT["meter_quarters"]
    params: dict[str, Any] = {
        "site": site_id, "begin": begin, "end": end, "part": str(Part.MACHINE),
        "quantities": [str(each) for each in CAUSES.values()],
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(DAYS_MADE)
        made = cursor.fetchone()
        old = now - begin > kept and made is not None
        first = (
            {"day": floored(begin, DAY), "quarters": max(begin, made[0])} if old else {"day": begin, "quarters": begin}
        )
        cursor.execute(STATEMENT, params | first)
        found = dict(cursor.fetchall())
    return SlowedHours(*(found.get(str(CAUSES[name])) for name in SlowedHours._fields))
