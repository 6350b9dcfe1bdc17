"""Who is on call, from the text of a calendar. Pure: no network, no database, no clock."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import recurring_ical_events
from icalendar import Calendar

MOST_LETTERS = 2 * 2**20
BACKUP = re.compile(r"\b(second(ary)?|2nd|backup|deputy)\b", re.IGNORECASE)
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


class Unreadable(ValueError):
    """The text is no calendar that can be read."""


@dataclass(frozen=True)
class Shift:
    """One event of the calendar that holds now. `addresses` are those of its attendees, lower case."""

    summary: str
    starts_at: datetime
    ends_at: datetime
    addresses: tuple[str, ...] = ()

    @property
    def is_backup(self) -> bool:
        return bool(BACKUP.search(self.summary))


@dataclass(frozen=True)
class Known:
    """A person with an account."""

    id: int
    username: str
    name: str
    email: str


def check(text: str) -> None:
    """Raises Unreadable for what is no calendar, or for one whose events cannot be worked out."""
    shifts_at(text, datetime(2026, 1, 1, tzinfo=ZoneInfo("UTC")), "UTC")


def shifts_at(text: str, at: datetime, zone: str) -> list[Shift]:
    """The shifts that hold at a moment, first on call first; `zone` is that of events that name none.

    Of shifts that overlap, those that are named second or backup come last; of the others the shorter one leads, since
    that is how somebody stands in for somebody. Raises Unreadable.
    """
    if len(text) > MOST_LETTERS:
        raise Unreadable(f"it is longer than {MOST_LETTERS // 2**20} MiB")
    if "BEGIN:VCALENDAR" not in text:
        raise Unreadable("it has no VCALENDAR")
    local = at.astimezone(ZoneInfo(zone))
    try:
        calendar = Calendar.from_ical(text)
        events = recurring_ical_events.of(calendar).between(local - timedelta(days=1), local + timedelta(days=1))
        found = [_shift(event, zone) for event in events if str(event.get("STATUS", "")).upper() != "CANCELLED"]
    except Unreadable:
        raise
    except Exception as error:  # the library raises whatever its parts do
        raise Unreadable(str(error)[:200] or type(error).__name__) from error
    here = [shift for shift in found if shift.starts_at <= at < shift.ends_at]
    return sorted(here, key=lambda s: (s.is_backup, s.ends_at - s.starts_at, s.starts_at, s.summary))


def _shift(event: Any, zone: str) -> Shift:
    starts = _moment(event["DTSTART"].dt, zone)
    given = event.get("DTEND")
    if given is not None:
        ends = _moment(given.dt, zone)
    elif (length := event.get("DURATION")) is not None:
        ends = starts + length.dt
    else:  # of a date without an end: that day
        ends = starts + timedelta(days=0 if isinstance(event["DTSTART"].dt, datetime) else 1)
    attendees = event.get("ATTENDEE", [])
    texts = [str(each) for each in (attendees if isinstance(attendees, list) else [attendees])]
    summary = str(event.get("SUMMARY", ""))
    addresses = dict.fromkeys(address.lower() for text in [*texts, summary] for address in ADDRESS.findall(text))
    return Shift(summary, starts, ends, tuple(addresses))


def _moment(value: datetime | date, zone: str) -> datetime:
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    return value if value.tzinfo else value.replace(tzinfo=ZoneInfo(zone))


def people_of(shifts: Iterable[Shift], known: Iterable[Known]) -> list[Known]:
    """Persons on call in the order of their shifts, each once. Somebody is meant by the address of an attendee, or by
    user name or full name as words of the title; a title that fits two persons means neither."""
    people = list(known)
    found: dict[int, Known] = {}
    for shift in shifts:
        meant = [person for person in people if person.email and person.email.lower() in shift.addresses]
        if not meant:
            meant = [person for person in people if _named(person, shift.summary)]
            meant = meant if len(meant) == 1 else []
        found |= {person.id: person for person in meant if person.id not in found}
    return list(found.values())


def _named(person: Known, summary: str) -> bool:
    names = {person.username, person.name} - {""}
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", summary, re.IGNORECASE) for name in names)
