"""The history of meters: a row for each reading, and rows of a minute, a quarter of an hour and a day made from them.

A row holds all points of a meter, in the order of its layout, as arrays: 60 points of a PDU are one row of 300 bytes.
What was not known is null in them, and a time in which nothing was heard has no row.

| table | a row is | kept | values of a point |
| --- | --- | --- | --- |
| facility_reading | one reading (10 s at most) | 6 h | one |
| facility_minute | a minute | 1 day | mean, lowest, highest |
| facility_quarter | 15 minutes | 18 days | mean, lowest, highest |
| facility_day | a day (UTC) | 5 years | the mean of each hour, lowest and highest of the day |

`covered_s` of a reading is how long it stands for: the period of its meter. `covered` of the others lies beside `mean`
and says in how many seconds that value was known (of a day, in each hour): a meter goes on telling its power while a
probe is gone. It may be more than the row is long, where a meter is read less often than that, and ends at 32,767.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import structlog
from django.db import OperationalError, connection
from django.utils import timezone

from health.monitoring.services.partitions import (
    Series,
    day_start,
    hour_start,
    is_made,
    maintain_series,
    month_start,
    next_day,
    next_hour,
    next_month,
)

log = structlog.get_logger(__name__)

LOCK = 7_204
HOUR = timedelta(hours=1)
READINGS = Series("facility_reading", hour_start, next_hour, "%Y%m%d%H", 6 * HOUR, ahead=24 * HOUR)
SERIES = (
    READINGS,
    # By the hour, as a whole day more of these rows is a fifth of all that is kept.
    Series("facility_minute", hour_start, next_hour, "%Y%m%d%H", "meter_minutes", ahead=24 * HOUR),
    Series("facility_quarter", day_start, next_day, "%Y%m%d", "meter_quarters"),
    Series("facility_day", month_start, next_month, "%Y%m", "meter_days"),
)
WRITE = """
INSERT INTO facility_reading (meter_id, at, layout_id, covered_s, vals) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT DO NOTHING
"""


class Reading(NamedTuple):
    """What a meter told at one time. `stands_for_s`: the seconds until its next reading is due."""

    meter_id: int
    at: datetime
    layout_id: int
    stands_for_s: int
    values: Sequence[float | None]


def write(readings: Iterable[Reading]) -> None:
    """Add readings. One that is there already stays as it is."""
    rows = [(meter, at, layout, covered, list(values)) for meter, at, layout, covered, values in readings]
    with connection.cursor() as cursor:
        cursor.executemany(WRITE, rows)


def maintain(now: datetime | None = None) -> dict[str, list[str]]:
    """Make the partitions of the coming time, move strayed rows into theirs, drop what expired."""
    return maintain_series(SERIES, LOCK, now or timezone.now()) or {"made": [], "dropped": []}


def ensure() -> bool:
    """Maintain where the partition of the next hour is missing. One query when it is there."""
    if is_made(READINGS):
        return False
    try:
        maintain()
    except OperationalError as error:  # the default partition takes the rows meanwhile
        log.warning("meter_partitions_not_maintained", error=str(error))
        return False
    return True
