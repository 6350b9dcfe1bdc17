"""What counters say of the time between two readings: resets and full counters tell less, never something false."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from fabric.quality.counters import Reading, known_counters
from fabric.quality.deltas import Delta, begin, delta, go_on
from fabric.quality.rates import base_time, rate, rates
from fabric.quality.speeds import link_gbps

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def minute(n: float) -> datetime:
    return NOON + timedelta(minutes=n)


def reading(at: float, **counters: int) -> Reading:
    return Reading(minute(at), counters)


def test_every_tool_names_the_same_counter_its_own_way() -> None:
    for name in ("SymbolErrorCounter", "SymbolErrors", "symbol_error_counter", "SymbolErrorCounterExtended",
                 "Infiniband_SymbolErrorCounter", "symbol_errors"):  # fmt: skip
        assert known_counters({name: 7}) == {"symbol_errors": 7}, name
    assert known_counters({"PortSelect": 1, "CounterSelect": 0, "LinkDownedCounter": -1}) == {}


def test_the_large_form_of_a_counter_wins_over_the_small_one() -> None:
    assert known_counters({"LinkDownedCounter": 255, "LinkDownedCounterExtended": 300}) == {"link_downed": 300}


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (3, 5, Delta(2)),
        (5, 5, Delta(0)),
        (200, 3, Delta(3, at_least=True, reset=True)),
        (250, 255, Delta(5, at_least=True)),
        (255, 255, Delta(None, saturated=True)),
        (255, 260, Delta(5)),
        (260, 262, Delta(2)),
    ],
)
def test_a_link_downed_counter_of_eight_bits(before: int, after: int, told: Delta) -> None:
    assert delta("link_downed", before, after) == told


def test_a_symbol_error_counter_of_sixteen_bits_stops_at_65535() -> None:
    assert delta("symbol_errors", 65_535, 65_535) == Delta(None, saturated=True)
    assert delta("symbol_errors", 65_000, 65_535) == Delta(535, at_least=True)
    assert delta("symbol_errors", 255, 255) == Delta(0), "255 is full only for eight bits"


def test_a_window_over_a_reset_counts_what_came_before_and_after_it() -> None:
    readings = [reading(0, symbol_errors=100), reading(5, symbol_errors=160), reading(10, symbol_errors=4)]
    totals = [begin(readings[0])]
    for before, after in pairwise(readings):
        totals.append(go_on(totals[-1], before, after))
    over = rate(totals[0], totals[-1])
    assert over is not None and over.counts == {"symbol_errors": 64} and over.reset and over.seconds == 600


def test_a_counter_at_its_top_is_told_as_such_in_every_window() -> None:
    first = begin(reading(0, link_downed=255))
    second = go_on(first, reading(0, link_downed=255), reading(5, link_downed=255))
    over = rate(first, second)
    assert over is not None and over.counts == {"link_downed": 0} and over.saturated == {"link_downed"}


def test_a_reading_that_is_not_later_is_refused() -> None:
    same = reading(5, symbol_errors=1)
    with pytest.raises(ValueError, match="does not follow"):
        go_on(begin(same), same, same)


def test_a_counter_that_one_reading_does_not_tell_has_no_rate() -> None:
    first = begin(reading(0, symbol_errors=1))
    second = go_on(first, reading(0, symbol_errors=1), reading(5, symbol_errors=3, fec_corrected=10**9))
    over = rate(first, second)
    assert over is not None and over.counts == {"symbol_errors": 2} and over.per_s("fec_corrected") is None


def test_windows_begin_with_the_reading_that_is_as_old_as_they_are() -> None:
    every_five = [minute(n) for n in range(0, 1500, 5)]
    now = minute(1500)
    assert base_time(every_five, now, timedelta(minutes=5)) == minute(1495)
    assert base_time(every_five, now, timedelta(hours=1)) == minute(1440)
    assert base_time(every_five, now, timedelta(days=1)) == minute(60)


def test_a_window_that_has_only_begun_covers_what_there_is() -> None:
    assert base_time([minute(0), minute(5)], minute(10), timedelta(hours=1)) == minute(0)
    assert base_time([], minute(10), timedelta(hours=1)) is None


def test_after_a_long_pause_a_short_window_says_nothing() -> None:
    assert base_time([minute(0)], minute(600), timedelta(minutes=5)) is None
    history = {minute(0): begin(reading(0, symbol_errors=0))}
    now = go_on(history[minute(0)], reading(0, symbol_errors=0), reading(600, symbol_errors=9000))
    told = rates(history, now)
    assert "5m" not in told and "1h" not in told and told["1d"].counts == {"symbol_errors": 9000}


@pytest.mark.parametrize(
    ("width", "speed", "gbps"),
    [("4x", "NDR", 425.0), ("4X", "HDR", 212.5), ("1x", "QDR", 10.0), ("4x", "25.78125 Gbps", 103.125),
     ("", "NDR", None), ("4x", "", None), ("4x", "XXR", None)],
)  # fmt: skip
def test_bits_on_the_wire(width: str, speed: str, gbps: float | None) -> None:
    assert link_gbps(width, speed) == gbps
