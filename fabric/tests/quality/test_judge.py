"""A link is judged by both ends; what is not known is unknown, and what is full is no alarm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, ClassVar

import pytest

from fabric.quality.confirm import Alarm, Standing, follow
from fabric.quality.counters import BY_NAME, Reading
from fabric.quality.deltas import begin, go_on
from fabric.quality.judge import JUDGED, End, Judgement, Measure, State, judge, signature
from fabric.quality.rates import rates
from fabric.quality.thresholds import SOURCES, ThresholdError, Thresholds, from_options

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
NDR = 425.0
CLEAN = {"symbol_errors": 0, "link_downed": 0}


def end(name: str, readings: Sequence[tuple[float, dict[str, int]]], **newest: Any) -> End:
    """An end read at these minutes with these counters."""
    series = [Reading(NOON + timedelta(minutes=at), counters) for at, counters in readings]
    totals = begin(series[0])
    history = {}
    for before, after in pairwise(series):
        history[totals.at] = totals
        totals = go_on(totals, before, after)
    return End(name, replace(series[-1], **newest), rates(history, totals))


def grows(counter: str, per_minute: float, start: int = 0, minutes: int = 60) -> list[tuple[float, dict[str, int]]]:
    return [(at, CLEAN | {counter: start + round(per_minute * at)}) for at in range(0, minutes + 1, 5)]


def still(minutes: int = 60, **counters: int) -> list[tuple[float, dict[str, int]]]:
    return [(at, CLEAN | counters) for at in range(0, minutes + 1, 5)]


def said(a: End, b: End, at: float = 60, gbps: float | None = NDR, **limits: Any) -> Judgement:
    return judge(gbps, (a, b), NOON + timedelta(minutes=at), from_options(limits))


GOOD = end("leaf-1/3", still())


def test_two_clean_ends_are_ok_and_tell_how_small_the_error_rate_is() -> None:
    judged = said(GOOD, end("gpu-1", still()))
    assert judged.state is State.OK and judged.reason == ""
    assert judged.ber_below and judged.ber == pytest.approx(1 / (425e9 * 3600))


def test_one_bad_end_makes_a_bad_link_and_is_named() -> None:
    judged = said(GOOD, end("gpu-1", grows("symbol_errors", 4)))
    assert judged.state is State.BAD and judged.reason == "gpu-1: 240 symbol errors in 60 minutes"
    worst = judged.at_worst()[0]
    assert (worst.name, worst.end, worst.window, worst.limit) == ("symbol_errors", "gpu-1", "1h", 120)


@pytest.mark.parametrize(
    ("per_minute", "state"), [(0.1, State.OK), (1, State.WATCH), (1.95, State.WATCH), (2, State.BAD)]
)
def test_symbol_errors_below_120_an_hour_are_watched(per_minute: float, state: State) -> None:
    assert said(GOOD, end("gpu-1", grows("symbol_errors", per_minute))).state is state


def test_a_burst_is_bad_in_the_first_five_minutes() -> None:
    judged = said(end("leaf-1/3", still(5)), end("gpu-1", grows("symbol_errors", 700, minutes=5)), at=5)
    assert judged.state is State.BAD and "12 symbol errors a second" in judged.reason


def test_a_few_errors_in_the_first_minutes_are_no_reason_to_pull_a_cable() -> None:
    """3 in five minutes are 36 an hour; what happens in an hour is judged when more of it has passed."""
    judged = said(end("leaf-1/3", still(5)), end("gpu-1", [(0, CLEAN), (5, CLEAN | {"symbol_errors": 3})]), at=5)
    assert judged.state is State.WATCH


@pytest.mark.parametrize(("downs", "state"), [(0, State.OK), (1, State.WATCH), (2, State.BAD)])
def test_a_second_loss_of_the_link_in_a_day_is_bad(downs: int, state: State) -> None:
    flapping = end("gpu-1", [(0, CLEAN), (30, CLEAN), (60, CLEAN | {"link_downed": downs})])
    assert said(GOOD, flapping).state is state


def test_link_downed_at_255_on_a_working_port_is_no_alarm_but_cannot_be_judged() -> None:
    judged = said(GOOD, end("gpu-1", still(link_downed=255)))
    assert judged.state is State.UNKNOWN
    assert "stand at 255, the top of the counter: cannot be evaluated" in judged.reason


def test_symbol_errors_at_65535_cannot_be_judged_but_do_not_hide_a_flapping_end() -> None:
    assert said(GOOD, end("gpu-1", still(symbol_errors=65_535))).state is State.UNKNOWN
    flapping = [(0, {"symbol_errors": 65_535, "link_downed": 1}), (60, {"symbol_errors": 65_535, "link_downed": 4})]
    assert said(GOOD, end("gpu-1", flapping)).state is State.BAD


def test_a_counter_that_runs_full_in_the_window_is_bad_by_what_it_counted_before() -> None:
    judged = said(GOOD, end("gpu-1", [(0, CLEAN | {"link_downed": 250}), (60, CLEAN | {"link_downed": 255})]))
    assert judged.state is State.BAD and "went down 5 times" in judged.reason


def test_a_reset_counter_raises_no_alarm_by_itself() -> None:
    assert said(GOOD, end("gpu-1", [(0, CLEAN | {"symbol_errors": 4000}), (30, CLEAN), (60, CLEAN)])).state is State.OK


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (End("gpu-1", None), "its counters were not read"),
        (end("gpu-1", [(60, CLEAN)]), "rates need a second reading"),
        (end("gpu-1", [(-120, CLEAN), (-60, CLEAN)]), "last read 120 minutes ago"),
        (end("gpu-1", [(0, {"symbol_errors": 0}), (60, {"symbol_errors": 0})]), "link downed are not reported"),
    ],
)
def test_what_was_not_read_of_one_end_is_unknown_never_ok(other: End, words: str) -> None:
    judged = said(GOOD, other)
    assert judged.state is State.UNKNOWN and words in judged.reason


def test_an_end_that_was_not_read_does_not_hide_that_the_other_is_bad() -> None:
    judged = said(End("leaf-1/3", None), end("gpu-1", grows("symbol_errors", 4)))
    assert judged.state is State.BAD


def test_a_port_that_a_tool_looked_at_and_did_not_list_is_below_its_thresholds() -> None:
    quiet = end("gpu-1", [(0, {}), (60, {})])
    assert quiet.reading is not None
    judged = said(GOOD, replace(quiet, reading=replace(quiet.reading, quiet=True)))
    assert judged.state is State.OK and said(GOOD, quiet).state is State.UNKNOWN


def test_the_error_rate_is_estimated_from_the_bits_that_moved() -> None:
    judged = said(GOOD, end("gpu-1", grows("symbol_errors", 1)))
    assert judged.ber == pytest.approx(60 / (425e9 * 3600)) and not judged.ber_below
    assert said(GOOD, end("gpu-1", grows("symbol_errors", 1)), gbps=None).ber is None, "without a speed no rate"


def test_an_error_rate_needs_ten_minutes_of_bits() -> None:
    assert said(end("a", still(5)), end("b", still(5)), at=5).ber is None


@pytest.mark.parametrize(
    ("told", "state"),
    [({"effective_ber": 1e-15}, State.OK), ({"effective_ber": 3e-14}, State.WATCH),
     ({"effective_ber": 1e-12}, State.BAD), ({"symbol_ber": 2e-12}, State.BAD),
     ({"raw_ber": 1e-7}, State.OK), ({"raw_ber": 2e-5}, State.WATCH),
     ({"raw_ber": 3e-4}, State.BAD)],
)  # fmt: skip
def test_error_rates_that_a_port_reports_are_taken_as_they_are(told: dict[str, float], state: State) -> None:
    judged = said(GOOD, end("gpu-1", still(), **told))
    assert judged.state is state
    if "raw_ber" not in told:
        assert judged.ber == next(iter(told.values()))


@pytest.mark.parametrize(
    ("counter", "per_minute", "state"),
    [("fec_corrected", 1e6, State.OK), ("fec_uncorrected", 0.02, State.WATCH), ("fec_uncorrected", 0.2, State.BAD),
     ("link_recoveries", 5, State.WATCH), ("receive_errors", 700, State.WATCH), ("integrity_errors", 0.02, State.BAD),
     ("overruns", 0.02, State.BAD), ("discards", 10_000, State.OK)],
)  # fmt: skip
def test_other_counters(counter: str, per_minute: float, state: State) -> None:
    assert said(GOOD, end("gpu-1", grows(counter, per_minute))).state is state


def test_heat_is_watched_and_makes_no_link_bad() -> None:
    judged = said(GOOD, end("gpu-1", still(), optic_c=90.0))
    assert judged.state is State.WATCH and judged.reason == "gpu-1: optic at 90 °C"
    ports = [said(GOOD, end("gpu-1", still(), port_c=c)).state for c in (69.9, 70, 79.9, 80)]
    assert ports == [State.OK, State.OK, State.OK, State.WATCH]
    assert [said(GOOD, end("gpu-1", still(), optic_c=c)).state for c in (74.9, 75)] == [State.OK, State.WATCH]


def test_limits_can_be_set_by_name_and_nothing_else() -> None:
    assert said(GOOD, end("gpu-1", grows("symbol_errors", 4)), symbol_errors_bad_per_h=500).state is State.WATCH
    for wrong in (
        {"symbol_errors": 5},
        {"ber_bad": "1e-9"},
        {"ber_bad": 0},
        {"ber_bad": float("nan")},
        {"ber_bad": True},
    ):
        with pytest.raises(ThresholdError):
            from_options(wrong)


def test_every_limit_names_its_source() -> None:
    assert set(SOURCES) == {field.name for field in fields(Thresholds)}


# ---- confirmation ----

FIVE = timedelta(minutes=5)


def judged(state: State, *names: str) -> Judgement:
    measures = tuple(Measure(name, "gpu-1", state, 1, 1, "1h", "") for name in names or ("symbol_errors",))
    return Judgement(state, "", measures)


def walk(*looks: tuple[float, State, State]) -> list[Alarm]:
    standing, seen = Standing(), []
    for minute, long, newest in looks:
        standing = follow(standing, judged(long), newest, NOON + timedelta(minutes=minute), FIVE)
        seen.append(standing.alarm)
    return seen


def test_a_link_is_bad_when_a_second_window_shows_it_too() -> None:
    assert walk((0, State.BAD, State.BAD), (5, State.BAD, State.BAD)) == [Alarm.SUSPECTED, Alarm.BAD]


def test_a_second_look_within_the_same_window_confirms_nothing() -> None:
    assert walk((0, State.BAD, State.BAD), (2, State.BAD, State.BAD)) == [Alarm.SUSPECTED, Alarm.SUSPECTED]


def test_one_burst_that_the_long_window_still_holds_is_not_seen_twice() -> None:
    looks = [
        (0.0, State.BAD, State.BAD),
        *((n, State.BAD, State.OK) for n in range(5, 60, 5)),
        (60, State.OK, State.OK),
    ]
    assert Alarm.BAD not in walk(*looks)


def test_losses_of_the_link_are_counted_facts_and_need_not_happen_again() -> None:
    standing = follow(Standing(), judged(State.BAD, "link_downed"), State.BAD, NOON, FIVE)
    standing = follow(standing, judged(State.BAD, "link_downed"), State.OK, NOON + FIVE, FIVE)
    assert standing.alarm is Alarm.BAD


def test_a_bad_link_is_good_after_two_windows_without() -> None:
    bad = [(0.0, State.BAD, State.BAD), (5.0, State.BAD, State.BAD)]
    assert walk(*bad, (10, State.OK, State.OK), (15, State.OK, State.OK))[-2:] == [Alarm.RECOVERING, Alarm.NONE]
    assert walk(*bad, (10, State.OK, State.OK), (15, State.BAD, State.BAD))[-1] is Alarm.BAD


def test_unknown_neither_confirms_nor_clears() -> None:
    unknown = (State.UNKNOWN, State.UNKNOWN)
    assert walk((0, State.BAD, State.BAD), (5, *unknown), (10, *unknown))[-1] is Alarm.SUSPECTED
    assert walk((0, State.BAD, State.BAD), (5, State.BAD, State.BAD), (10, *unknown), (15, *unknown))[-1] is Alarm.BAD


class Noted(dict[str, int]):
    """Counts that note which of them were asked for."""

    asked: ClassVar[set[str]] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.add(name)
        return super().get(name, default)


def test_a_signature_has_every_counter_that_judging_asks_for() -> None:
    counted = end("leaf-1/3", still(**dict.fromkeys(BY_NAME, 7)))
    noted = {window: replace(rate, counts=Noted(rate.counts)) for window, rate in counted.rates.items()}
    said(replace(counted, rates=noted), end("gpu-1", still()))
    assert Noted.asked <= set(JUDGED)


def test_a_signature_has_everything_else_that_a_port_reads_but_no_name() -> None:
    one = end("leaf-1/3", still())
    assert one.reading is not None
    assert signature(replace(one, name="gpu-1")) == signature(one)
    for name in {field.name for field in fields(Reading)} - {"counters"}:
        changed: dict[str, Any] = {name: NOON if name == "at" else 3.0}
        other = replace(one, reading=replace(one.reading, **changed))
        assert signature(other) != signature(one), name
    for name, value in (("seconds", 7.0), ("saturated", frozenset({"link_downed"}))):
        changed = {name: value}
        told = {window: replace(rate, **changed) for window, rate in one.rates.items()}
        assert signature(replace(one, rates=told)) != signature(one), name
    assert signature(replace(one, reading=None)) != signature(one)
