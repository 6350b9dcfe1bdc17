"""Reading the history: one point over time, from the coarsest table that is fine enough, up to now.

The newest minutes are not in the coarse tables yet, so each range is read in pieces: days as far as they are made, then
quarters, minutes, and readings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection

from facility.history.rollup import floored
from facility.history.tables import SERIES

MOST_STEPS = 500
WIDTHS = tuple(timedelta(seconds=s) for s in (10, 30, 60, 300, 900, 3_600, 4 * 3_600, 86_400, 7 * 86_400))
FINEST = {"reading": timedelta(seconds=10), "minute": timedelta(minutes=1), "quarter": timedelta(minutes=15),
          "day": timedelta(hours=1)}  # fmt: skip

# The same point may have another place in another layout of its meter.
_PLACES = "JOIN unnest(%(layouts)s::bigint[], %(places)s::int[]) AS place (layout, n) ON place.layout = told.layout_id"
_WHEN = "told.meter_id = %(meter)s AND told.at >= %(begin)s AND told.at < %(end)s"
_ROLLED = f"""
SELECT date_bin(%(step)s, told.at, %(first)s), sum(told.mean[n] * told.covered[n]) / nullif(sum(told.covered[n]), 0),
    min(told.low[n]), max(told.high[n]), coalesce(sum(told.covered[n]), 0)
FROM facility_{{name}} told {_PLACES} WHERE {_WHEN} GROUP BY 1
"""
PIECES = {
    "reading": f"""
SELECT at, weighted / nullif(covered, 0), low, high, covered FROM (
    SELECT date_bin(%(step)s, told.at, %(first)s) AS at, sum(told.vals[n] * told.covered_s) AS weighted,
        min(told.vals[n]) AS low, max(told.vals[n]) AS high,
        coalesce(sum(told.covered_s) FILTER (WHERE told.vals[n] IS NOT NULL), 0) AS covered
    FROM facility_reading told {_PLACES} WHERE {_WHEN} GROUP BY 1
) step
""",
    "minute": _ROLLED.format(name="minute"),
    "quarter": _ROLLED.format(name="quarter"),
    # Lowest and highest are those of the day; steps of hours have their mean alone. The 24 hours are cut out once a
    # day: to pick them one by one reads all points of the day 24 times.
    "day": f"""
SELECT date_bin(%(step)s, day.at + (hour - 1) * interval '1 hour', %(first)s),
    sum(mean * covered) / nullif(sum(covered), 0),
    CASE WHEN %(step)s >= interval '1 day' THEN min(low) ELSE min(mean) END,
    CASE WHEN %(step)s >= interval '1 day' THEN max(high) ELSE max(mean) END, sum(covered)
FROM (
    SELECT told.at, told.mean[(n - 1) * 24 + 1 : n * 24] AS hours, told.covered[(n - 1) * 24 + 1 : n * 24] AS covers,
        told.low[n] AS low, told.high[n] AS high
    FROM facility_day told {_PLACES} WHERE {_WHEN} OFFSET 0
) day CROSS JOIN unnest(day.hours, day.covers) WITH ORDINALITY AS each (mean, covered, hour)
WHERE day.at + (hour - 1) * interval '1 hour' >= %(since)s AND day.at + (hour - 1) * interval '1 hour' < %(end)s
GROUP BY 1
""",
}
# Layouts of other meters are many, and to look into each takes longer than the chart. What was told for minutes only is
# among the readings until it is a quarter.
LAYOUTS = """
SELECT layout.id, point.n - 1 FROM facility_layout layout
CROSS JOIN LATERAL jsonb_array_elements(layout.points) WITH ORDINALITY AS point (told, n)
WHERE point.told = jsonb_build_array(%(part)s::text, %(name)s::text, %(quantity)s::text) AND layout.id IN (
    SELECT layout_id FROM facility_meterstate WHERE meter_id = %(meter)s
    UNION SELECT layout_id FROM facility_reading WHERE meter_id = %(meter)s
    UNION SELECT layout_id FROM facility_quarter WHERE meter_id = %(meter)s
    UNION SELECT layout_id FROM facility_day WHERE meter_id = %(meter)s
)
"""
YEAR = f"""
SELECT told.at, told.mean[(n - 1) * 24 + 1 : n * 24], told.covered[(n - 1) * 24 + 1 : n * 24]
FROM facility_day told {_PLACES} WHERE {_WHEN}
"""


_Hours = tuple[tuple[float | None, int], ...]
"""Of a row of a day: the mean of each hour and the seconds in which it was known."""


class Point(NamedTuple):
    """One point of one meter, by its place in each of the layouts that the meter had."""

    meter_id: int
    places: Mapping[int, int]
    """Id of a layout to the place in it, counted from 0."""


class Values(NamedTuple):
    """Of one step. `covered_s`: the seconds in which the value was known, which may be more than the step has."""

    mean: float | None
    low: float | None
    high: float | None
    covered_s: int


NOTHING = Values(None, None, None, 0)


class Hour(NamedTuple):
    """`coverage`: the part of it in which the value was known, from 0 to 1."""

    mean: float | None
    coverage: float


class Series(NamedTuple):
    """Values at `begin`, `begin + step`, ...; None where nothing was known."""

    begin: datetime
    step: timedelta
    mean: list[float | None]
    low: list[float | None]
    high: list[float | None]


def layouts_with(meter_id: int, part: str, name: str, quantity: str) -> Point:
    """A point of a meter in all the layouts that the meter had. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(LAYOUTS, {"meter": meter_id, "part": part, "name": name, "quantity": quantity})
        return Point(meter_id, dict(cursor.fetchall()))


def series(point: Point, begin: datetime, end: datetime, now: datetime, period_s: int = 10) -> Series:
    """A point of a meter that is read every so many seconds, over time, in at most MOST_STEPS steps.

    One statement, and one for each table that has a part of it.
    """
    step = max(step_for(end - begin), kept_at(now - begin), step_for(timedelta(seconds=period_s) * MOST_STEPS))
    first = floored(begin, step) if step <= timedelta(days=1) else floored(begin, timedelta(days=1))
    count = max(0, -(-(end - first) // step))
    found = _read(point, first, end, step)
    rows = [found.get(first + n * step, NOTHING) for n in range(count)]
    return Series(first, step, [each.mean for each in rows], [each.low for each in rows], [each.high for each in rows])


def _read(point: Point, first: datetime, end: datetime, step: timedelta) -> dict[datetime, Values]:
    """Mean, lowest and highest by the time at which each step begins."""
    found: dict[datetime, Values] = {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, until FROM facility_rolledup")
        made = dict(cursor.fetchall())
        for table, since, until in pieces(first, end, step, made):
            begin = floored(since, timedelta(days=1)) if table == "day" else since  # where the row begins
            params = {"step": step, "first": first, "since": since}
            cursor.execute(PIECES[table], _where(point, begin, until) | params)
            for at, *told in cursor.fetchall():
                values = Values(*told)
                found[at] = _joined(found[at], values) if at in found else values
    return found


def hourly(point: Point, begin: datetime, end: datetime) -> dict[datetime, Hour]:
    """The mean of every hour and how much of it is known, from the first whole one on; of the last hour as far as it is
    over."""
    hour = timedelta(hours=1)
    found = _read(point, floored(begin, hour), end, hour)
    count = -(-(end - floored(begin, hour)) // hour)
    hours = {}
    for at in (floored(begin, hour) + n * hour for n in range(count)):
        told = found.get(at, NOTHING)
        hours[at] = Hour(told.mean, min(1.0, told.covered_s / hour.total_seconds()))
    return hours


def step_for(span: timedelta) -> timedelta:
    """The finest step that gives no more than MOST_STEPS."""
    return next((width for width in WIDTHS if span / width <= MOST_STEPS), WIDTHS[-1])


def kept_at(age: timedelta) -> timedelta:
    """How fine what is so old is kept."""
    fine = (FINEST[each.table.removeprefix("facility_")] for each in SERIES if age <= each.kept)
    return next(fine, FINEST["day"])


def pieces(
    begin: datetime, end: datetime, step: timedelta, made: Mapping[str, datetime]
) -> list[tuple[str, datetime, datetime]]:
    """Which table to read from when to when: the coarsest that is fine enough first, as far as it is made."""
    tables = [name for name in ("day", "quarter", "minute") if FINEST[name] <= step and name in made]
    found, at = [], begin
    for name in tables:
        until = min(end, made[name])
        if until > at:
            found.append((name, at, until))
            at = until
    if at < end:
        found.append(("reading", at, end))
    return found


def year(point: Point, first: date, days: int) -> list[list[float | None] | None]:
    """The 24 hourly means of each day; None for a day of which nothing is known. One statement."""
    begin = datetime(first.year, first.month, first.day, tzinfo=UTC)
    told: defaultdict[date, list[_Hours]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(YEAR, _where(point, begin, begin + timedelta(days=days)))
        for at, means, covers in cursor.fetchall():
            told[at.date()].append(tuple(zip(means, covers, strict=True)))
    return [
        [_mean(hour) for hour in zip(*rows, strict=True)] if (rows := told.get(first + timedelta(days=n))) else None
        for n in range(days)
    ]


def _mean(rows: Iterable[tuple[float | None, int]]) -> float | None:
    """Of an hour: a day on which the layout changed has a row of each, and the change may be within the hour."""
    known = [(mean, covered) for mean, covered in rows if mean is not None]
    covered_s = sum(covered for _, covered in known)
    return sum(mean * covered for mean, covered in known) / covered_s if covered_s else None


def _where(point: Point, begin: datetime, end: datetime) -> dict[str, Any]:
    """The parameters of every piece. PostgreSQL counts places from 1."""
    places = [place + 1 for place in point.places.values()]
    return {"meter": point.meter_id, "layouts": list(point.places), "places": places, "begin": begin, "end": end}


def _joined(one: Values, other: Values) -> Values:
    """A step that lies in two tables."""
    both = (one, other)
    covered = one.covered_s + other.covered_s
    weighted = sum(each.mean * each.covered_s for each in both if each.mean is not None)
    return Values(
        weighted / covered if covered else None,
        min((each.low for each in both if each.low is not None), default=None),
        max((each.high for each in both if each.high is not None), default=None),
        covered,
    )
