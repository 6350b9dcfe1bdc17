"""Due times: examples a shift lead would check by hand, and properties over every calendar."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tickets.desk.rules.due import Calendar, NoTimeToWork, Policy, after_work, due_at

BERLIN = "Europe/Berlin"
OFFICE = Calendar(BERLIN, time(8), time(18))


def at(text: str, zone: str = BERLIN) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


def test_hours_that_fit_into_the_day_end_on_the_same_day() -> None:
    policy = Policy({"P1": 4, "P2": 6, "P3": 40}, frozenset({"P1"}), OFFICE)
    assert due_at("P2", at("2026-11-23T10:00"), policy) == at("2026-11-23T16:00")


def test_the_rest_goes_on_the_next_working_morning() -> None:
    assert after_work(at("2026-11-27T16:00"), timedelta(hours=4), OFFICE) == at("2026-11-30T10:00")  # over a weekend


def test_what_opens_at_night_counts_from_the_morning() -> None:
    assert after_work(at("2026-11-24T03:00"), timedelta(hours=1), OFFICE) == at("2026-11-24T09:00")


def test_a_day_off_does_not_count() -> None:
    calendar = Calendar(BERLIN, time(8), time(18), days_off=[date(2026, 12, 25)])
    assert after_work(at("2026-12-24T17:00"), timedelta(hours=2), calendar) == at("2026-12-28T09:00")


def test_an_urgent_one_does_not_wait_for_the_morning() -> None:
    assert due_at("P1", at("2026-11-28T02:00"), Policy(calendar=OFFICE)) == at("2026-11-28T06:00")


def test_the_night_of_a_clock_change_costs_what_it_costs() -> None:
    """On 2026-10-25 a Berlin clock shows 02:30 twice: from midnight to six are seven hours."""
    nights = Calendar(BERLIN, time(0), time(6), frozenset(range(7)))
    assert after_work(at("2026-10-25T00:00"), timedelta(hours=7), nights) == at("2026-10-25T06:00")
    assert after_work(at("2026-03-29T00:00"), timedelta(hours=5), nights) == at("2026-03-29T06:00")


def test_a_calendar_that_never_opens_says_so() -> None:
    with pytest.raises(NoTimeToWork):
        after_work(at("2026-11-23T10:00"), timedelta(hours=1), Calendar(work_days=frozenset()))


calendars = st.builds(
    lambda zone, opens, length, days, off: Calendar(
        zone, time(opens // 60, opens % 60), time((opens + length) // 60, (opens + length) % 60), days, off
    ),
    st.sampled_from(["UTC", BERLIN, "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"]),
    st.integers(0, 600),
    st.integers(60, 839),
    st.frozensets(st.integers(0, 6), min_size=1),
    st.frozensets(st.dates(date(2026, 1, 1), date(2026, 12, 31)), max_size=20),
)
moments = st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31), timezones=st.just(UTC))
lengths = st.integers(1, 60 * 24 * 10).map(lambda minutes: timedelta(minutes=minutes))


def worked(start: datetime, end: datetime, calendar: Calendar) -> timedelta:
    """Minute by minute on the clock of the site: slow, and nothing in common with what it proves."""
    zone, total = ZoneInfo(calendar.zone), timedelta()
    step = timedelta(minutes=1)
    while start < end:
        here = start.astimezone(zone)
        on = here.weekday() in calendar.work_days and here.date() not in calendar.days_off
        if on and calendar.opens <= here.time() < calendar.closes:
            total += min(step, end - start)
        start += step
    return total


@settings(max_examples=25, deadline=None)
@given(moments.map(lambda at: at.replace(second=0, microsecond=0)), st.integers(1, 600), calendars)
def test_between_the_start_and_the_due_time_lies_exactly_that_much_work(
    start: datetime, minutes: int, calendar: Calendar
) -> None:
    left = timedelta(minutes=minutes)
    assert worked(start, after_work(start, left, calendar), calendar) == left


@settings(max_examples=200, deadline=None)
@given(moments, lengths, lengths, calendars)
def test_it_is_due_later_the_later_it_opens_and_the_more_hours_it_has(
    start: datetime, left: timedelta, more: timedelta, calendar: Calendar
) -> None:
    due = after_work(start, left, calendar)
    assert due >= start + left
    assert after_work(start, left + more, calendar) > due
    assert after_work(start + more, left, calendar) >= due


@settings(max_examples=200, deadline=None)
@given(moments, lengths, lengths, calendars)
def test_hours_may_be_spent_in_two_goes(start: datetime, left: timedelta, more: timedelta, calendar: Calendar) -> None:
    assert after_work(after_work(start, left, calendar), more, calendar) == after_work(start, left + more, calendar)


@settings(max_examples=200, deadline=None)
@given(moments, lengths, calendars)
def test_it_is_due_while_somebody_works(start: datetime, left: timedelta, calendar: Calendar) -> None:
    here = after_work(start, left, calendar).astimezone(ZoneInfo(calendar.zone))
    shift = calendar.shift(here.date())
    assert shift is not None and shift[0] < here.astimezone(UTC) <= shift[1]
