"""Reliability over time: spans cut into days or weeks, rates, and where nothing is known. Pure.

A point is a value with what it was made of: `count` of `base`. Without a base nothing is known and the value is None,
which is not nought; no failures in many hours is a rate of nought, and a time between failures that is only known to
be longer than those hours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

SIZES = {"day": timedelta(days=1), "week": timedelta(days=7)}
DAY_S = 86_400
STAGES = {
    "drain": "confirmed to drained",
    "repair": "drained to repaired",
    "verify": "repaired to verified",
    "total": "confirmed to verified",
}


@dataclass(frozen=True)
class Buckets:
    """Equal spans in UTC that cover a time; days begin at midnight, weeks on Monday. The first and last are whole, what
    is counted in them is what lies between `begin` and `end`."""

    begin: datetime
    end: datetime
    size: timedelta
    first: datetime

    @property
    def count(self) -> int:
        return -(-(self.end - self.first) // self.size)

    @property
    def starts(self) -> list[datetime]:
        return [self.first + n * self.size for n in range(self.count)]


def buckets(begin: datetime, end: datetime, word: str) -> Buckets:
    """The buckets of a span. Raises KeyError for a word that is no size."""
    first = begin.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if word == "week":
        first -= timedelta(days=first.weekday())
    return Buckets(begin, end, SIZES[word], first)


@dataclass(frozen=True)
class Point:
    """`value` is None where nothing is known. `count` and `base` are what it was made of."""

    at: datetime
    value: float | None
    count: float
    base: float


@dataclass(frozen=True)
class Series:
    """One line of a chart: what is measured, of which group, in which unit."""

    what: str
    group: str
    title: str
    unit: str
    points: tuple[Point, ...]


def filled(cut: Buckets, ends: Iterable[tuple[int, float, float, float, float]]) -> Iterator[tuple[float, float]]:
    """Seconds of each bucket and the same by weight, from what begins and ends in some: (number of the bucket, seconds
    in it, spans that fill from here on wholly less those that no longer do, and both by weight)."""
    known = {n: told for n, *told in ends}
    size, spans, weight = cut.size.total_seconds(), 0.0, 0.0
    for n in range(cut.count):
        seconds, more, weighed, more_weight = known.get(n, (0.0, 0.0, 0.0, 0.0))
        spans, weight = spans + more, weight + more_weight
        yield seconds + spans * size, weighed + weight * size


Filled = Mapping[tuple[str, int], float]
"""(group, number of the bucket) to a sum."""


def rates(cut: Buckets, what: str, unit: str, counts: Filled, base: Sequence[float], per: float) -> list[Series]:
    """Counts by group over a base that all groups share, as `per` times their ratio."""
    found = []
    for group in groups(counts):
        points = []
        for n, at in enumerate(cut.starts):
            count = counts.get((group, n), 0.0)
            points.append(Point(at, per * count / base[n] if base[n] else None, count, base[n]))
        found.append(Series(what, group, group, unit, tuple(points)))
    return found


def shares(cut: Buckets, what: str, unit: str, parts: Filled, wholes: Filled) -> list[Series]:
    """Sums by group over the group's own base; a bucket in which the group had none is not known."""
    found = []
    for group in groups(wholes):
        points = []
        for n, at in enumerate(cut.starts):
            part, whole = parts.get((group, n), 0.0), wholes.get((group, n), 0.0)
            points.append(Point(at, part / whole if whole else None, part, whole))
        found.append(Series(what, group, group, unit, tuple(points)))
    return found


def between_failures(cut: Buckets, hours: Sequence[float], failures: Sequence[float]) -> Series:
    """Hours in service for each failure; None while there was none, then `base` says in how many hours."""
    points = tuple(
        Point(at, hours[n] / failures[n] if failures[n] else None, failures[n], hours[n])
        for n, at in enumerate(cut.starts)
    )
    return Series("mtbf", "all", "mean time between failures", "machine-hours", points)


def groups(filled: Iterable[tuple[str, int]]) -> list[str]:
    return sorted({group for group, _ in filled})


def rows(series: Iterable[Series]) -> list[dict[str, Any]]:
    """The series as they are answered."""
    return [
        {
            "what": each.what,
            "group": each.group,
            "title": each.title,
            "unit": each.unit,
            "points": [
                {"at": point.at, "value": point.value, "count": point.count, "base": point.base}
                for point in each.points
            ],
        }
        for each in series
    ]
