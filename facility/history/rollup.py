"""Makes minutes from readings, quarters of an hour from minutes, days from quarters. Each step may run again.

A period is made once it is over and a little later, so that a reading which took its time is in it. What a step made
is remembered in `facility_rolledup`; one that did not run for a day catches up in pieces.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

LOCK = 7_205
GRACE = timedelta(seconds=90)
"""A sweep writes what it saw up to a minute ago."""

_MINUTES = """
INSERT INTO facility_minute (meter_id, at, layout_id, covered_s, mean, low, high)
SELECT meter_id, bucket, layout_id, max(covered), array_agg(mean ORDER BY n), array_agg(low ORDER BY n),
    array_agg(high ORDER BY n)
FROM (
    SELECT r.meter_id, date_trunc('minute', r.at) AS bucket, r.layout_id, each.n, sum(r.covered_s) AS covered,
        avg(each.value) AS mean, min(each.value) AS low, max(each.value) AS high
    FROM facility_reading r CROSS JOIN LATERAL unnest(r.vals) WITH ORDINALITY AS each (value, n)
    WHERE r.at >= %(begin)s AND r.at < %(end)s
    GROUP BY 1, 2, 3, 4
) point GROUP BY 1, 2, 3
ON CONFLICT (meter_id, at, layout_id) DO UPDATE SET covered_s = excluded.covered_s, mean = excluded.mean,
    low = excluded.low, high = excluded.high
"""
_QUARTERS = """
INSERT INTO facility_quarter (meter_id, at, layout_id, covered_s, mean, low, high)
SELECT meter_id, bucket, layout_id, max(covered), array_agg(mean ORDER BY n), array_agg(low ORDER BY n),
    array_agg(high ORDER BY n)
FROM (
    SELECT m.meter_id, date_bin('15 minutes', m.at, 'epoch') AS bucket, m.layout_id, each.n,
        sum(m.covered_s) AS covered, avg(each.mean) AS mean, min(each.low) AS low, max(each.high) AS high
    FROM facility_minute m CROSS JOIN LATERAL unnest(m.mean, m.low, m.high) WITH ORDINALITY AS each (mean, low, high, n)
    WHERE m.at >= %(begin)s AND m.at < %(end)s
    GROUP BY 1, 2, 3, 4
) point GROUP BY 1, 2, 3
ON CONFLICT (meter_id, at, layout_id) DO UPDATE SET covered_s = excluded.covered_s, mean = excluded.mean,
    low = excluded.low, high = excluded.high
"""
# `mean` of a day has 24 values for each point, one after the other; an hour without any is null.
_DAYS = """
WITH hours AS (
    SELECT q.meter_id, q.layout_id, date_trunc('day', q.at, 'UTC') AS day, each.n,
        extract(hour FROM q.at AT TIME ZONE 'UTC')::int AS hour, sum(q.covered_s) AS covered, avg(each.mean) AS mean,
        min(each.low) AS low, max(each.high) AS high
    FROM facility_quarter q
    CROSS JOIN LATERAL unnest(q.mean, q.low, q.high) WITH ORDINALITY AS each (mean, low, high, n)
    WHERE q.at >= %(begin)s AND q.at < %(end)s
    GROUP BY 1, 2, 3, 4, 5
), points AS (
    SELECT meter_id, layout_id, day, n, sum(covered) AS covered, min(low) AS low, max(high) AS high,
        (SELECT array_agg(told.mean ORDER BY slot) FROM generate_series(0, 23) slot
            LEFT JOIN unnest(array_agg(hours.hour), array_agg(hours.mean)) AS told (hour, mean) ON told.hour = slot
        ) AS means
    FROM hours GROUP BY 1, 2, 3, 4
)
INSERT INTO facility_day (meter_id, at, layout_id, covered_s, mean, low, high)
SELECT meter_id, day, layout_id, max(covered),
    array(SELECT m FROM unnest(array_agg(means ORDER BY n)) AS m), array_agg(low ORDER BY n), array_agg(high ORDER BY n)
FROM points GROUP BY 1, 2, 3
ON CONFLICT (meter_id, at, layout_id) DO UPDATE SET covered_s = excluded.covered_s, mean = excluded.mean,
    low = excluded.low, high = excluded.high
"""


class Step(NamedTuple):
    """One table from the one before it. `most`: how much it makes at once."""

    name: str
    source: str
    width: timedelta
    most: timedelta
    statement: str


STEPS = (
    Step("minute", "reading", timedelta(minutes=1), timedelta(minutes=30), _MINUTES),
    Step("quarter", "minute", timedelta(minutes=15), timedelta(hours=6), _QUARTERS),
    Step("day", "quarter", timedelta(days=1), timedelta(days=2), _DAYS),
)


def roll_up(now: datetime | None = None) -> dict[str, datetime]:
    """Make what is over; returns up to when each table is made. Nothing where another process is at it."""
    now = now or timezone.now()
    done: dict[str, datetime] = {}
    ends = now - GRACE
    for step in STEPS:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LOCK])
            if not cursor.fetchone()[0]:
                return done
            ends = _step(cursor, step, ends)
            done[step.name] = ends
    return done


def _step(cursor: CursorWrapper, step: Step, sources_end: datetime) -> datetime:
    """One step as far as its source is made; returns up to when this table is made then."""
    cursor.execute("SELECT until FROM facility_rolledup WHERE name = %s", [step.name])
    row = cursor.fetchone()
    if row is None:
        cursor.execute(f"SELECT min(at) FROM facility_{step.source}")
        row = cursor.fetchone()
    begin = floored(row[0] or sources_end, step.width)
    end = min(floored(sources_end, step.width), begin + step.most)
    if end <= begin:
        return begin
    cursor.execute(step.statement, {"begin": begin, "end": end})
    cursor.execute(
        "INSERT INTO facility_rolledup VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET until = excluded.until",
        [step.name, end],
    )
    return end


def floored(at: datetime, width: timedelta) -> datetime:
    """The start of the period that a time is in, counted in UTC."""
    seconds = width.total_seconds()
    return datetime.fromtimestamp(at.timestamp() // seconds * seconds, UTC)
