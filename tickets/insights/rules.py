"""What is counted how, of repairs. Pure: rows of numbers in, numbers out; all times are seconds since 1970.

A time counts when it ends: a repair that was verified in March is March's, whenever its ticket opened.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from tickets.insights.statistics import Share, Spread, chance_of_at_least, spread

DAY_S = 86_400.0
WEEK = timedelta(days=7)
COMES_BACK_S = 7 * DAY_S
"""The same fault of the same part within this time was not repaired the first time."""
POOR_CHANCE = 0.01
POOR_LEAST = 3
"""A group of parts is poor when so many failed, and chance alone brings as many in one of a hundred such groups."""

MEASURES: dict[str, str] = {
    "acknowledged": "opened to acknowledged",
    "hands_on": "opened to hands on",
    "verified": "opened to verified",
}
GROUPS: dict[str, str] = {
    "fault": "class of fault",
    "part": "part",
    "vendor": "vendor",
    "rack": "rack",
    "shift": "shift in which it opened",
}
AGES: tuple[tuple[str, float], ...] = (
    ("under a day", DAY_S),
    ("1 to 3 days", 3 * DAY_S),
    ("3 to 7 days", 7 * DAY_S),
    ("7 to 14 days", 14 * DAY_S),
    ("over 14 days", float("inf")),
)
PRIORITIES = ("P1", "P2", "P3")
NO_SHIFT = "outside every shift"
NOT_PLACED = "not in a rack"
UNKNOWN_VENDOR = "not recorded"


class Row(NamedTuple):
    """A ticket that was open some time in the span. Times are None for what has not happened."""

    site: int
    opened: float
    closed: float | None
    priority: str
    fault_class: str
    vendor: str
    rack: str
    acknowledged: float | None
    hands_on: float | None
    verified: float | None
    failed_verifications: int
    reopened: float | None
    next_same: float | None
    """When the same fault of the same part opened the next ticket."""


class ShiftHours(NamedTuple):
    """Hours of a shift by the clock of its site; one that ends before it begins goes over midnight."""

    name: str
    begins: time
    ends: time

    def covers(self, at: time) -> bool:
        if self.begins < self.ends:
            return self.begins <= at < self.ends
        return at >= self.begins or at < self.ends


@dataclass(frozen=True)
class SiteHours:
    """The clock and the shifts of a site."""

    zone: ZoneInfo
    shifts: tuple[ShiftHours, ...] = ()

    def shift_of(self, at: float) -> str:
        local = datetime.fromtimestamp(at, self.zone).time()
        return next((shift.name for shift in self.shifts if shift.covers(local)), NO_SHIFT)


@dataclass(frozen=True)
class Group:
    """Tickets with one value of one thing, such as one vendor."""

    by: str
    name: str
    times: Mapping[str, Spread]


# ---- times ----


def times_of(rows: Iterable[Row], begin: float, end: float) -> dict[str, Spread]:
    """Each measure over the tickets that reached its end in the span."""
    found: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    for row in rows:
        for measure, at in zip(MEASURES, (row.acknowledged, row.hands_on, row.verified), strict=True):
            if at is not None and begin <= at < end:
                found[measure].append(max(0.0, at - row.opened))
    return {measure: spread(values) for measure, values in found.items()}


def part_of(fault_class: str) -> str:
    """The part of a class of fault: `gpu` of `gpu.gone`."""
    return fault_class.partition(".")[0]


def grouped(rows: Sequence[Row], hours: Mapping[int, SiteHours], begin: float, end: float) -> list[Group]:
    """Each way of grouping, the most tickets first. Without shifts at a site its tickets are in no group of them."""
    keys: dict[str, Callable[[Row], str | None]] = {
        "fault": lambda row: row.fault_class,
        "part": lambda row: part_of(row.fault_class),
        "vendor": lambda row: row.vendor or UNKNOWN_VENDOR,
        "rack": lambda row: row.rack or NOT_PLACED,
        "shift": lambda row: _shift(row, hours),
    }
    found = []
    for by in GROUPS:
        parts: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            name = keys[by](row)
            if name is not None:
                parts[name].append(row)
        groups = [Group(by, name, times_of(part, begin, end)) for name, part in parts.items()]
        groups = [group for group in groups if any(each.n for each in group.times.values())]
        found += sorted(groups, key=lambda group: (-max(each.n for each in group.times.values()), group.name))
    return found


def _shift(row: Row, hours: Mapping[int, SiteHours]) -> str | None:
    site = hours.get(row.site)
    return site.shift_of(row.opened) if site is not None and site.shifts else None


# ---- weeks ----


def weeks_between(begin: datetime, end: datetime, zone: ZoneInfo) -> list[tuple[datetime, datetime]]:
    """Every week of the span, Monday 0:00 to Monday 0:00 by the clock of the site: 167 or 169 hours where clocks are
    changed. The first and the last are whole."""
    local = begin.astimezone(zone)
    monday = local.date() - timedelta(days=local.weekday())
    found: list[tuple[datetime, datetime]] = []
    while True:
        first, following = _midnight(monday, zone), _midnight(monday + WEEK, zone)
        if first >= end:
            return found
        found.append((first, following))
        monday += WEEK


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def weekly_times(rows: Sequence[Row], weeks: Sequence[tuple[datetime, datetime]]) -> list[dict[str, Spread]]:
    """The same as `times_of`, of each week: every row is looked at once."""
    place = _placer(weeks)
    found: list[dict[str, list[float]]] = [{measure: [] for measure in MEASURES} for _ in weeks]
    for row in rows:
        for measure, at in zip(MEASURES, (row.acknowledged, row.hands_on, row.verified), strict=True):
            if at is not None and (n := place(at)) is not None:
                found[n][measure].append(max(0.0, at - row.opened))
    return [{measure: spread(values) for measure, values in each.items()} for each in found]


def opened_and_closed(rows: Iterable[Row], weeks: Sequence[tuple[datetime, datetime]]) -> list[tuple[int, int]]:
    """How many tickets opened and how many closed in each week."""
    place = _placer(weeks)
    opened, closed = [0] * len(weeks), [0] * len(weeks)
    for row in rows:
        if (n := place(row.opened)) is not None:
            opened[n] += 1
        if row.closed is not None and (n := place(row.closed)) is not None:
            closed[n] += 1
    return list(zip(opened, closed, strict=True))


def _placer(weeks: Sequence[tuple[datetime, datetime]]) -> Callable[[float], int | None]:
    """Which week a time lies in; weeks follow on each other."""
    bounds = [first.timestamp() for first, _ in weeks] + [weeks[-1][1].timestamp()] if weeks else [0.0]

    def place(at: float) -> int | None:
        n = bisect_right(bounds, at) - 1
        return n if 0 <= n < len(weeks) else None

    return place


# ---- what comes back ----


def came_back(row: Row) -> bool:
    """A person reopened it, or the same fault of the same part had another ticket soon after."""
    if row.reopened is not None:
        return True
    return row.closed is not None and row.next_same is not None and row.next_same - row.closed <= COMES_BACK_S


def reopen_rate(rows: Iterable[Row], begin: float, end: float) -> Share:
    """Of the tickets that closed in the span, those that came back; one that is open again counts when it came back."""
    ended = ((row, row.reopened if row.closed is None else row.closed) for row in rows)
    closed = [row for row, at in ended if at is not None and begin <= at < end]
    return Share(sum(came_back(row) for row in closed), len(closed))


def first_time_fix(rows: Iterable[Row], begin: float, end: float) -> Share:
    """Of the repairs verified in the span, those without a failed verification before, that did not come back."""
    verified = [row for row in rows if row.verified is not None and begin <= row.verified < end]
    return Share(sum(not row.failed_verifications and not came_back(row) for row in verified), len(verified))


def ageing(rows: Iterable[Row], now: float) -> list[dict[str, int]]:
    """Open tickets by age, as {priority: number} for each of `AGES`."""
    found = [dict.fromkeys(PRIORITIES, 0) for _ in AGES]
    for row in rows:
        if row.closed is None:
            band = next(n for n, (_, limit) in enumerate(AGES) if now - row.opened < limit)
            found[band][row.priority] += 1
    return found


# ---- parts ----


class Lives(NamedTuple):
    """Parts of one kind in a span: by maker and part number, batch or firmware; days installed, and how many failed."""

    by: str
    kind: str
    name: str
    parts: int
    days: float
    failed: int


@dataclass(frozen=True)
class PoorLife:
    """`usual` is the rate of all parts of the kind, both per 1,000 days; `chance` of so many by chance alone."""

    lives: Lives
    rate: float | None
    usual: float | None
    chance: float | None

    @property
    def poor(self) -> bool:
        return self.lives.failed >= POOR_LEAST and self.chance is not None and self.chance < POOR_CHANCE


def part_lives(rows: Iterable[Lives], usual: Mapping[str, tuple[float, int]]) -> list[PoorLife]:
    """Groups against all parts of their kind (`usual`: days and failures of the kind), the least likely first."""
    found = []
    for row in rows:
        days, failed = usual.get(row.kind, (0.0, 0))
        others, others_failed = days - row.days, failed - row.failed
        rate = 1000 * row.failed / row.days if row.days > 0 else None
        # Against the others: a poor batch must not hide in the mean that it makes. Without others there is no usual.
        expected = row.days * others_failed / others if others > 0 and others_failed > 0 else None
        chance = chance_of_at_least(row.failed, expected) if expected is not None else None
        found.append(PoorLife(row, rate, 1000 * failed / days if days > 0 else None, chance))
    return sorted(found, key=lambda each: (not each.poor, -each.lives.failed, each.lives.kind, each.lives.name))
