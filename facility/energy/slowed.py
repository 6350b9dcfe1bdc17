"""GPU-hours in which clocks were held down, by cause, out of the history of racks."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection

from facility.facts import Part, Quantity

CAUSES = {"hot": Quantity.SLOWED_HOT, "braked": Quantity.SLOWED_BRAKED, "capped": Quantity.SLOWED_CAPPED}
_POINTS = """
JOIN facility_meter meter ON meter.id = told.meter_id AND meter.kind = 'rack' AND meter.site_id = %(site)s
JOIN facility_layout layout ON layout.id = told.layout_id
CROSS JOIN LATERAL jsonb_array_elements(layout.points) WITH ORDINALITY AS point (told, n)
WHERE told.at >= %(begin)s AND told.at < %(end)s AND point.told ->> 0 = %(part)s
    AND point.told ->> 2 = ANY(%(quantities)s)
GROUP BY 1
"""
QUARTERS = f"""
SELECT point.told ->> 2, sum(told.mean[n] * least(900, told.covered_s)) / 3600 FROM facility_quarter told {_POINTS}
"""
DAYS = f"""
SELECT point.told ->> 2, sum((SELECT sum(h) FROM unnest(told.mean[(n - 1) * 24 + 1 : n * 24]) AS h))
FROM facility_day told {_POINTS}
"""


class SlowedHours(NamedTuple):
    """GPU-hours; None where nothing was measured. `capped` GPUs stood at their power limit, which costs nothing that
    the limit is not meant to."""

    hot: float | None
    braked: float | None
    capped: float | None


def slowed_hours(site_id: int, begin: datetime, end: datetime, now: datetime) -> SlowedHours:
    """By quarters as long as they are kept, else by whole days. One statement."""
    kept: timedelta = settings.KEPT["meter_quarters"]
    statement = QUARTERS if now - begin <= kept else DAYS
    params: dict[str, Any] = {
        "site": site_id, "begin": begin, "end": end, "part": str(Part.MACHINE),
        "quantities": [str(each) for each in CAUSES.values()],
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        found = dict(cursor.fetchall())
    return SlowedHours(*(found.get(str(CAUSES[name])) for name in SlowedHours._fields))
