"""When a ticket is due. Pure: no database, and no clock of its own.

Hours count around the clock, or only while people work at the site: from one time of its day to another, on its work
days, but not on days off. Hours are hours of the real world, so the night of a clock change costs what it costs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

MOST_DAYS = 20_000
"""Beyond it a calendar has no time to work; 54 years hold 2,000 hours of the shortest one."""


class NoTimeToWork(ValueError):
    """The calendar never opens."""


@dataclass(frozen=True)
class Calendar:
    """When people work at a site: from `opens` until `closes` in its time zone, on `work_days` (0 is Monday)."""

    zone: str = "UTC"
    opens: time = time(8)
    closes: time = time(18)
    work_days: frozenset[int] = frozenset(range(5))
    days_off: Collection[date] = ()

    def shift(self, day: date) -> tuple[datetime, datetime] | None:
        """Begin and end of work on this day, in UTC; None on a day off."""
        if day.weekday() not in self.work_days or day in self.days_off:
            return None
        zone = ZoneInfo(self.zone)
        begin, end = (datetime.combine(day, at, zone).astimezone(UTC) for at in (self.opens, self.closes))
        return (begin, end) if begin < end else None  # a clock change may swallow a very short day


@dataclass(frozen=True)
class Policy:
    """In how many hours a ticket of each priority is due, and which of them count around the clock."""

    hours: Mapping[str, float] = field(default_factory=lambda: {"P1": 4, "P2": 24, "P3": 40})
    around_the_clock: frozenset[str] = frozenset({"P1"})
    calendar: Calendar = Calendar()


def due_at(priority: str, start: datetime, policy: Policy) -> datetime:
    """When a ticket of this priority, open since `start`, is due, in UTC. Raises NoTimeToWork."""
    left = timedelta(hours=policy.hours[priority])
    start = start.astimezone(UTC)
    if priority in policy.around_the_clock:
        return start + left
    return after_work(start, left, policy.calendar)


def after_work(start: datetime, left: timedelta, calendar: Calendar) -> datetime:
    """The moment at which so much working time has passed since `start` (UTC). Raises NoTimeToWork."""
    day = start.astimezone(ZoneInfo(calendar.zone)).date()
    for _ in range(MOST_DAYS):
        shift = calendar.shift(day)
        if shift is not None and shift[1] > start:
            begin = max(shift[0], start)
            if shift[1] - begin >= left:
                return begin + left
            left -= shift[1] - begin
        day += timedelta(days=1)
    raise NoTimeToWork(f"no working time in {MOST_DAYS} days")
