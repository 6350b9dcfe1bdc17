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

# Means are weighted by the seconds in which a value was known; `covered` of a value that never was is 0.
_REPLACE = """
ON CONFLICT (meter_id, at, layout_id) DO UPDATE SET covered = excluded.covered, mean = excluded.mean,
    low = excluded.low, high = excluded.high
"""
_POINTS = """
SELECT meter_id, bucket, layout_id, array_agg(least(covered, 32767)::smallint ORDER BY n),
    array_agg(weighted / nullif(covered, 0) ORDER BY n), array_agg(low ORDER BY n), array_agg(high ORDER BY n)
"""
_MINUTES = f"""
INSERT INTO facility_minute (meter_id, at, layout_id, covered, mean, low, high)
{_POINTS} FROM (
    SELECT r.meter_id, date_trunc('minute', r.at) AS bucket, r.layout_id, each.n,
        coalesce(sum(r.covered_s) FILTER (WHERE each.value IS NOT NULL), 0) AS covered,
        sum(each.value * r.covered_s) AS weighted, min(each.value) AS low, max(each.value) AS high
    FROM facility_reading r CROSS JOIN LATERAL unnest(r.vals) WITH ORDINALITY AS each (value, n)
    WHERE r.at >= %(begin)s AND r.at < %(end)s
    GROUP BY 1, 2, 3, 4
) point GROUP BY 1, 2, 3 {_REPLACE}
"""
_QUARTERS = f"""
INSERT INTO facility_quarter (meter_id, at, layout_id, covered, mean, low, high)
{_POINTS} FROM (
    SELECT m.meter_id, date_bin('15 minutes', m.at, 'epoch') AS bucket, m.layout_id, each.n,
        sum(each.covered) AS covered, sum(each.mean * each.covered) AS weighted, min(each.low) AS low,
        max(each.high) AS high
    FROM facility_minute m
    CROSS JOIN LATERAL unnest(m.covered, m.mean, m.low, m.high) WITH ORDINALITY AS each (covered, mean, low, high, n)
    WHERE m.at >= %(begin)s AND m.at < %(end)s
    GROUP BY 1, 2, 3, 4
) point GROUP BY 1, 2, 3 {_REPLACE}
"""
# `mean` and `covered` of a day have 24 values for each point, one after the other; an hour without any is null and 0.
_DAYS = f"""
WITH hours AS (
    SELECT q.meter_id, q.layout_id, date_trunc('day', q.at, 'UTC') AS day, each.n,
        extract(hour FROM q.at AT TIME ZONE 'UTC')::int AS hour, least(sum(each.covered), 32767) AS covered,
        sum(each.mean * each.covered) / nullif(sum(each.covered), 0) AS mean, min(each.low) AS low,
        max(each.high) AS high
    FROM facility_quarter q
    CROSS JOIN LATERAL unnest(q.covered, q.mean, q.low, q.high) WITH ORDINALITY AS each (covered, mean, low, high, n)
    WHERE q.at >= %(begin)s AND q.at < %(end)s
    GROUP BY 1, 2, 3, 4, 5
), points AS (
    SELECT meter_id, layout_id, day, n, min(low) AS low, max(high) AS high,
        (SELECT array_agg(told.mean ORDER BY slot) FROM generate_series(0, 23) slot
            LEFT JOIN unnest(array_agg(hours.hour), array_agg(hours.mean)) AS told (hour, mean) ON told.hour = slot
        ) AS means,
        (SELECT array_agg(coalesce(told.covered, 0)::smallint ORDER BY slot) FROM generate_series(0, 23) slot
            LEFT JOIN unnest(array_agg(hours.hour), array_agg(hours.covered)) AS told (hour, covered)
            ON told.hour = slot
        ) AS covers
    FROM hours GROUP BY 1, 2, 3, 4
)
INSERT INTO facility_day (meter_id, at, layout_id, covered, mean, low, high)
SELECT meter_id, day, layout_id, array(SELECT c FROM unnest(array_agg(covers ORDER BY n)) AS c),
    array(SELECT m FROM unnest(array_agg(means ORDER BY n)) AS m), array_agg(low ORDER BY n), array_agg(high ORDER BY n)
FROM points GROUP BY 1, 2, 3 {_REPLACE}
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
    made, over = row[0] if row else None, floored(sources_end, step.width)
    if made is not None and made >= over:
        return floored(made, step.width)
    begin = _first(cursor, step, made, over)
    end = min(over, begin + step.most)
    if begin < end:
        cursor.execute(step.statement, {"begin": begin, "end": end})
    elif made is None:
        return begin
    cursor.execute(
        "INSERT INTO facility_rolledup VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET until = excluded.until",
        [step.name, end],
    )
    return end


def _first(cursor: CursorWrapper, step: Step, made: datetime | None, over: datetime) -> datetime:
    """Where there is something to make, else the end: after a pause of days, new rows would expire while empty hours
    are made piece by piece."""
    since = "WHERE at >= %s" if made is not None else ""
    cursor.execute(f"SELECT min(at) FROM facility_{step.source} {since}", [made] if made is not None else None)
    (first,) = cursor.fetchone()
    return min(over, floored(first, step.width)) if first is not None else over


def floored(at: datetime, width: timedelta) -> datetime:
    """The start of the period that a time is in, counted in UTC."""
    seconds = width.total_seconds()
    return datetime.fromtimestamp(at.timestamp() // seconds * seconds, UTC)
