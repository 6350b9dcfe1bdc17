"""Which week a report is about, and since when it is due. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

WEEK = timedelta(days=7)
DUE = time(7)
"""On Monday, by the clock of the site: before the first meeting of the week."""


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


def last_week(now: datetime, zone: ZoneInfo) -> date:
    """Monday of the last week that is over."""
    return monday_of(now.astimezone(zone).date()) - WEEK


def due_week(now: datetime, zone: ZoneInfo) -> tuple[date, datetime]:
    """The last week that is over, and when its report was or will be due."""
    week = last_week(now, zone)
    return week, datetime.combine(week + WEEK, DUE, zone).astimezone(UTC)


def span_of(week: date, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Begin and end of a week: 167 or 169 hours where clocks are changed."""
    return (
        datetime.combine(week, time(), zone).astimezone(UTC),
        datetime.combine(week + WEEK, time(), zone).astimezone(UTC),
    )
