"""Which level is called when: any levels, any time, any crash in between."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as some

from tickets.messages.escalation import Level, due

SINCE = datetime(2026, 3, 2, 12, tzinfo=UTC)
waits = some.lists(some.integers(0, 240), min_size=1, max_size=6, unique=True).map(sorted)
policies = waits.flatmap(
    lambda minutes: some.lists(
        some.lists(some.integers(1, 9), max_size=2).map(tuple), min_size=len(minutes), max_size=len(minutes)
    ).map(lambda targets: [Level(n, m, t) for n, (m, t) in enumerate(zip(minutes, targets, strict=True), 1)])
)


def at(minutes: float) -> datetime:
    return SINCE + timedelta(minutes=minutes)


@given(policies, some.lists(some.integers(0, 300), min_size=1, max_size=8).map(sorted))
def test_every_level_that_reaches_somebody_is_called_once_in_order(levels: list[Level], rounds: list[int]) -> None:
    """However often and however late it is asked."""
    called: list[int] = []
    for minutes in rounds:
        called += [call.level.number for call in due(levels, SINCE, at(minutes), set(called))]
    assert called == sorted(set(called))
    reached = {level.number for level in levels if level.channels and level.after_min <= rounds[-1]}
    assert reached <= set(called)


@given(policies, some.integers(0, 300))
def test_asked_again_after_a_crash_it_answers_the_same(levels: list[Level], minutes: int) -> None:
    assert due(levels, SINCE, at(minutes)) == due(levels, SINCE, at(minutes))
    assert all(call.level.channels for call in due(levels, SINCE, at(minutes)))


def test_a_level_waits_for_its_minutes() -> None:
    levels = [Level(1, 10, (1,)), Level(2, 30, (2,))]
    assert due(levels, SINCE, at(9)) == []
    assert [call.level.number for call in due(levels, SINCE, at(10))] == [1]
    assert [call.level.number for call in due(levels, SINCE, at(30), {1})] == [2]


def test_a_gap_in_the_rota_calls_the_next_level_at_once() -> None:
    levels = [Level(1, 10, ()), Level(2, 30, (2,)), Level(3, 60, (3,))]
    (call,) = due(levels, SINCE, at(10))
    assert call.level.number == 2 and call.instead == (1,)
    assert due(levels, SINCE, at(31), {2}) == [], "and it is not called a second time"
    assert [call.level.number for call in due(levels, SINCE, at(60), {2})] == [3]
