"""The planner: which message goes where and when, over any rules, persons and clocks."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tickets.messages.events import OF_CHANGE, WORDS, News
from tickets.messages.models import EVENTS, QUEUES, RULE_EVENTS
from tickets.messages.plan import Person, Planned, Route, at_its_time, plan, wants
from tickets.models.tickets import PRIORITIES
from tickets.workflow import TicketEvent

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
ZONES = ("UTC", "Europe/Amsterdam", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe")
moments = some.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)).map(lambda at: at.replace(tzinfo=UTC))
clocks = some.times().map(lambda at: at.replace(second=0, microsecond=0, fold=0))
sites = some.integers(1, 3)
persons = some.builds(
    Person,
    id=some.integers(1, 3),
    sites=some.none() | some.frozensets(sites),
    zone=some.sampled_from(ZONES),
    quiet=some.none() | some.tuples(clocks, clocks).filter(lambda pair: pair[0] != pair[1]),
    p1_breaks=some.booleans(),
)
news = some.builds(
    News,
    ref=some.uuids().map(str),
    event=some.sampled_from(RULE_EVENTS),
    at=moments,
    site=sites,
    queue=some.sampled_from(QUEUES),
    priority=some.sampled_from(PRIORITIES),
    by=some.none() | some.integers(1, 3),
    assignee=some.none() | some.integers(1, 3),
)
routes = some.builds(
    Route,
    channel=some.integers(1, 4),
    site=some.none() | sites,
    queues=some.frozensets(some.sampled_from(QUEUES), max_size=2),
    events=some.frozensets(some.sampled_from(RULE_EVENTS), max_size=4),
    priorities=some.frozensets(some.sampled_from(PRIORITIES), max_size=2),
    digest=some.sampled_from(["", "hourly", "daily"]),
    zone=some.sampled_from(ZONES),
    only_mine=some.booleans(),
    person=some.none() | persons,
)


def item(**more: object) -> News:
    fields = {"ref": "change:1", "event": "opened", "at": NOON, "site": 1, "queue": "hands", "priority": "P2"}
    return News(**(fields | more))  # type: ignore[arg-type]


def is_quiet(person: Person, at: datetime) -> bool:
    assert person.quiet is not None
    start, end = person.quiet
    clock = at.astimezone(ZoneInfo(person.zone)).time().replace(tzinfo=None, fold=0)
    return start <= clock < end if start < end else clock >= start or clock < end


@given(some.lists(news, max_size=6, unique_by=lambda one: one.ref), some.lists(routes, max_size=8), moments)
def test_each_channel_that_a_rule_wants_gets_each_news_exactly_once(
    happened: list[News], rules: list[Route], now: datetime
) -> None:
    planned = plan(happened, rules, now)
    got = [(one.channel, one.news.ref) for one in planned]
    assert len(got) == len(set(got))
    assert set(got) == {(rule.channel, one.ref) for one in happened for rule in rules if wants(rule, one)}


@given(news, routes, moments)
def test_nothing_is_told_before_it_happened_nor_later_than_three_days(one: News, rule: Route, now: datetime) -> None:
    planned = at_its_time(rule, one, now)
    assert now <= planned.at <= now + timedelta(days=3)
    assert planned.held is (planned.at > now) or rule.digest


@given(news, persons, some.sampled_from(["", "hourly", "daily"]), moments)
def test_a_person_is_left_in_peace_in_quiet_hours_unless_p1_may_break_them(
    one: News, person: Person, digest: str, now: datetime
) -> None:
    planned = at_its_time(Route(1, digest=digest, person=person), one, now)
    if one.priority == "P1" and person.p1_breaks:
        assert digest or planned == Planned(1, one, now)
    elif person.quiet is not None and _clocks_do_not_change(person.zone, now):
        assert not is_quiet(person, planned.at)


def _clocks_do_not_change(zone: str, now: datetime) -> bool:
    """A quiet time whose end the clocks pass over ends half an hour or an hour late, and is then left again."""
    there = ZoneInfo(zone)
    return len({(now + timedelta(days=days)).astimezone(there).utcoffset() for days in range(-1, 5)}) == 1


@given(some.lists(news, max_size=4), some.lists(routes, max_size=6), moments)
def test_no_site_leaks_to_a_person_or_a_rule_of_another(
    happened: list[News], rules: list[Route], now: datetime
) -> None:
    for one in plan(happened, rules, now):
        mine = [rule for rule in rules if rule.channel == one.channel and wants(rule, one.news)]
        assert all(rule.site in (None, one.news.site) for rule in mine)
        assert all(rule.person is None or rule.person.sees(one.news.site) for rule in mine)


def test_nobody_is_told_what_they_did_themselves() -> None:
    assert not wants(Route(1, person=Person(7)), item(by=7))
    assert wants(Route(1, person=Person(7)), item(by=8))
    assert wants(Route(1), item(by=7)), "a shared channel hears all"


def test_a_rule_about_ones_own_tickets_wants_those_of_its_person_only() -> None:
    own = Route(1, only_mine=True, person=Person(7))
    assert wants(own, item(assignee=7)) and not wants(own, item(assignee=8)) and not wants(own, item())


def test_of_two_rules_for_a_channel_the_one_that_tells_first_counts() -> None:
    daily, at_once = Route(1, digest="daily"), Route(1, priorities=frozenset({"P1"}))
    assert [one.held for one in plan([item(priority="P1")], [daily, at_once], NOON)] == [False]
    assert [one.held for one in plan([item(priority="P3")], [daily, at_once], NOON)] == [True]


@pytest.mark.parametrize(
    ("quiet", "now", "until"),
    [
        ((time(22), time(7)), datetime(2026, 3, 2, 23, tzinfo=UTC), datetime(2026, 3, 3, 6, tzinfo=UTC)),
        ((time(22), time(7)), datetime(2026, 3, 3, 1, tzinfo=UTC), datetime(2026, 3, 3, 6, tzinfo=UTC)),
        # Summer time begins at 2:00 on 29 March: seven there is five, not six, in UTC.
        ((time(22), time(7)), datetime(2026, 3, 28, 23, tzinfo=UTC), datetime(2026, 3, 29, 5, tzinfo=UTC)),
        # 2:30 does not exist that night; the quiet hours end with the hour that was left out.
        ((time(22), time(2, 30)), datetime(2026, 3, 28, 23, tzinfo=UTC), datetime(2026, 3, 29, 1, 30, tzinfo=UTC)),
    ],
)
def test_quiet_hours_end_by_the_clocks_of_the_person(quiet: tuple[time, time], now: datetime, until: datetime) -> None:
    person = Person(1, zone="Europe/Amsterdam", quiet=quiet)
    assert at_its_time(Route(1, person=person), item(), now).at == until


def test_a_daily_summary_comes_at_eight_there() -> None:
    route = Route(1, digest="daily", zone="America/New_York")
    assert at_its_time(route, item(), NOON).at == datetime(2026, 3, 2, 13, tzinfo=UTC)


def test_every_step_of_the_workflow_is_news_with_a_word() -> None:
    assert {event.value for event in TicketEvent} | {"open"} == set(OF_CHANGE)
    assert set(OF_CHANGE.values()) <= set(RULE_EVENTS) and set(WORDS) == set(EVENTS)
