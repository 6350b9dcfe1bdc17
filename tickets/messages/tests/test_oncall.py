"""Who is on call, from calendars as PagerDuty, Google and Nextcloud write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tickets.messages.rota.shifts import Known, Unreadable, check, people_of, shifts_at

ANA, BEN = Known(1, "ana", "Ana Ruiz", "ana@example.org"), Known(2, "ben", "Ben Okafor", "Ben@Example.org")
HEAD = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n"


def calendar(*events: str) -> str:
    body = "".join(f"BEGIN:VEVENT\r\nUID:{n}@t\r\nDTSTAMP:20260101T000000Z\r\n{event}\r\nEND:VEVENT\r\n"
                   for n, event in enumerate(events))  # fmt: skip
    return f"{HEAD}{body}END:VCALENDAR\r\n"


def event(*lines: str) -> str:
    return "\r\n".join(lines)


WEEKLY = event(
    "DTSTART;TZID=Europe/Amsterdam:20260105T090000", "DTEND;TZID=Europe/Amsterdam:20260112T090000",
    "RRULE:FREQ=WEEKLY;INTERVAL=2", "SUMMARY:Ana Ruiz on call",
)  # fmt: skip


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


def who(text: str, when: datetime, zone: str = "UTC") -> list[str]:
    return [person.username for person in people_of(shifts_at(text, when, zone), [ANA, BEN])]


def test_a_shift_that_repeats_follows_the_clocks_of_its_zone() -> None:
    text = calendar(WEEKLY)
    assert who(text, at(2026, 1, 5, 7, 59)) == [] and who(text, at(2026, 1, 5, 8)) == ["ana"]
    # 30 March is in summer time: nine there is seven in UTC.
    assert who(text, at(2026, 3, 30, 6, 59)) == [] and who(text, at(2026, 3, 30, 7)) == ["ana"]
    assert who(text, at(2026, 1, 13)) == [], "the other week is nobody's"


def test_who_stands_in_leads_and_the_backup_comes_last() -> None:
    stands_in = event("DTSTART:20260106T100000Z", "DTEND:20260106T140000Z", "SUMMARY:Ben Okafor")
    backup = event("DTSTART:20260106T000000Z", "DTEND:20260106T130000Z", "SUMMARY:Ben Okafor (secondary)")
    assert who(calendar(WEEKLY, stands_in), at(2026, 1, 6, 12)) == ["ben", "ana"]
    assert who(calendar(backup, WEEKLY), at(2026, 1, 6, 12)) == ["ana", "ben"]


def test_an_attendee_counts_more_than_the_title() -> None:
    line = event("DTSTART:20260106T000000Z", "DTEND:20260107T000000Z", "SUMMARY:Primary",
                 "ATTENDEE;CN=Ben:mailto:ben@example.org")  # fmt: skip
    assert who(calendar(line), at(2026, 1, 6, 12)) == ["ben"]


def test_whole_days_and_times_without_a_zone_are_those_of_the_rota() -> None:
    day = event("DTSTART;VALUE=DATE:20260106", "SUMMARY:ana")
    assert who(calendar(day), at(2026, 1, 5, 22, 59), "Europe/Amsterdam") == []
    assert who(calendar(day), at(2026, 1, 5, 23), "Europe/Amsterdam") == ["ana"]
    floating = event("DTSTART:20260106T090000", "DTEND:20260106T170000", "SUMMARY:ana")
    assert who(calendar(floating), at(2026, 1, 6, 14), "America/New_York") == ["ana"]
    assert who(calendar(floating), at(2026, 1, 6, 9), "America/New_York") == []


def test_a_title_that_fits_two_persons_means_neither() -> None:
    both = event("DTSTART:20260106T000000Z", "DTEND:20260107T000000Z", "SUMMARY:ana or ben")
    assert who(calendar(both), at(2026, 1, 6, 12)) == []
    part = event("DTSTART:20260106T000000Z", "DTEND:20260107T000000Z", "SUMMARY:Banana day")
    assert who(calendar(part), at(2026, 1, 6, 12)) == []


def test_a_cancelled_shift_is_none() -> None:
    off = event("DTSTART:20260106T000000Z", "DTEND:20260107T000000Z", "STATUS:CANCELLED", "SUMMARY:ana")
    assert who(calendar(off), at(2026, 1, 6, 12)) == []


@pytest.mark.parametrize(
    "text", ["", "<html>Sign in</html>", HEAD + "BEGIN:VEVENT\r\nDTSTART:tomorrow\r\n", "x" * (2 * 2**20 + 1)]
)
def test_what_is_no_calendar_is_unreadable_and_never_an_empty_one(text: str) -> None:
    with pytest.raises(Unreadable):
        check(text)
