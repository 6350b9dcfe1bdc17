"""From counters at some moments to steps: no step twice, none made up, however the span is cut into readings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.prometheus.answers import Series
from runs.metrics.kinds import LOSS, SECONDS, STEP, TOKENS
from runs.metrics.points import GAP, LOOK_BACK, Gpu, Known, losses_of, readings_of, steps_of
from runs.pace.packed import Timed

GRID = 15.0
BEGAN = 1_790_000_010.0


def counter(of: Callable[[float], float], until_s: float, *, grid: float = GRID) -> list[tuple[float, float]]:
    """Points of a counter whose value so many seconds after the beginning is that."""
    return [(BEGAN + grid * index, of(grid * index)) for index in range(int(until_s // grid) + 1)]


def series(points: Sequence[tuple[float, float]], **labels: str) -> Series:
    return Series(labels, list(points))


def steps(
    points: Sequence[tuple[float, float]], known: Known | None = None, more: Mapping[str, list[Series]] | None = None
) -> list[Timed]:
    return steps_of({STEP: [series(points)], **(more or {})}, GRID, known).steps


# ---- exact ----
@pytest.mark.parametrize("true_s", [0.35, 1.0, 4.0, 13.0, 47.0, 130.0])
def test_a_counter_alone_gives_the_pace_to_two_percent(true_s: float) -> None:
    found = steps(counter(lambda at: at // true_s, 7200))
    late = [step.seconds for step in found[len(found) // 2 :]]
    assert late and all(abs(seconds / true_s - 1) < 0.025 for seconds in late)
    assert [step.step for step in found] == list(range(found[0].step, found[-1].step + 1))


def test_steps_end_one_after_the_other_and_not_after_they_were_seen() -> None:
    found = steps(counter(lambda at: at // 2, 600))
    ends = [step.at for step in found]
    assert ends == sorted(set(ends)) and ends[-1] <= BEGAN + 600
    assert all(abs(step.at - (BEGAN + step.step * 2)) <= GRID for step in found)


def test_seconds_that_are_told_go_before_the_mean_of_the_counter() -> None:
    points = counter(lambda at: at // 2, 600)
    found = steps(points, more={SECONDS: [series([(at, 1.875) for at, _ in points])]})
    assert {step.seconds for step in found} == {1.875}


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0, 0.0, 1e9])
def test_seconds_that_are_no_seconds_are_passed_over(bad: float) -> None:
    points = counter(lambda at: at // 2, 600)
    found = steps(points, more={SECONDS: [series([(at, bad) for at, _ in points])]})
    assert found and all(1.8 < step.seconds < 2.2 for step in found)


def test_tokens_are_shared_out_over_the_steps_between() -> None:
    points = counter(lambda at: at // 2, 600)
    found = steps(points, more={TOKENS: [series([(at, value * 4_194_304) for at, value in points])]})
    assert {step.tokens for step in found} == {4_194_304}


def test_the_loss_is_that_of_the_last_step_at_its_moment_and_nan_is_no_number() -> None:
    points = counter(lambda at: at // 3, 90)
    losses = [series([(at, 2.5 if at < BEGAN + 60 else math.nan) for at, _ in points])]
    told = [step.loss for step in steps(points, more={LOSS: losses}) if step.loss is not None]
    assert told[:2] == [2.5, 2.5] and all(math.isnan(loss) for loss in told[-2:])


def test_one_stage_without_a_loss_does_not_make_the_loss_nan() -> None:
    found = losses_of([series([(1.0, math.nan)]), series([(1.0, 2.0)]), series([(2.0, math.inf)])])
    assert found[1.0] == 2.0 and math.isnan(found[2.0])


def test_of_several_series_the_largest_step_counts() -> None:
    points = counter(lambda at: at // 2, 300)
    behind = [(at, max(0.0, value - 1)) for at, value in points]
    assert steps_of({STEP: [series(behind, rank="1"), series(points, rank="0")]}, GRID).steps == steps(points)


# ---- nothing made up ----
def test_a_pause_is_one_long_stretch_and_does_not_slow_the_steps_after_it() -> None:
    points = counter(lambda at: min(at, 600) // 1 + max(0.0, at - 1200) // 1, 1800)
    found = steps(points)
    after = [step.seconds for step in found if step.at > BEGAN + 1215]
    assert after and all(abs(seconds - 1) < 0.1 for seconds in after)


def test_a_counter_that_falls_begins_anew_and_lays_out_nothing_between() -> None:
    points = counter(lambda at: at // 1 if at < 600 else (at - 600) // 1 + 300, 1200)
    found = steps(points)
    numbers = [step.step for step in found]
    fall = next(at for at in range(1, len(numbers)) if numbers[at] < numbers[at - 1])
    assert numbers[fall - 1] == 585 and numbers[fall] > 300
    assert all(after - before == 1 for before, after in zip(numbers[fall:], numbers[fall + 1 :], strict=False))


def test_a_jump_to_a_checkpoint_is_no_million_steps() -> None:
    points = counter(lambda at: at // 1 if at < 300 else at // 1 + 5_000_000, 600)
    found = steps(points)
    assert len(found) < 600 and max(step.seconds for step in found) < 2


def test_where_points_are_missing_for_longer_no_step_is_laid_out() -> None:
    whole = counter(lambda at: at // 1, 1800)
    holes = [point for point in whole if not BEGAN + 600 < point[0] < BEGAN + 1200]
    assert not [step for step in steps(holes) if BEGAN + 600 < step.at <= BEGAN + 1200]
    few = [point for point in whole if not BEGAN + 600 < point[0] < BEGAN + 600 + GAP * GRID]
    assert [step.step for step in steps(few)] == [step.step for step in steps(whole)]


def test_a_counter_that_stands_is_seen_and_makes_no_step() -> None:
    found = steps_of({STEP: [series(counter(lambda at: 70, 600))]}, GRID)
    assert found.steps == [] and found.seen == BEGAN + 600


@pytest.mark.parametrize("values", [[], [math.nan] * 10, [math.inf] * 10, [-5.0] * 10])
def test_without_a_number_nothing_is_known(values: list[float]) -> None:
    points = [(BEGAN + GRID * index, value) for index, value in enumerate(values)]
    assert steps_of({STEP: [series(points)]}, GRID).seen is None


def test_the_step_that_ends_a_long_hang_is_counted_from_the_last_one() -> None:
    known = Known(500, BEGAN - 3600)
    found = steps(counter(lambda at: 500 if at < 300 else 501, 600), known)
    assert [(step.step, step.seconds) for step in found] == [(501, 3900.0)]


# ---- however it is cut ----
rates = st.lists(st.sampled_from([0, 0, 1, 2, 3, 7, 15, 15, 15, 16, 40]), min_size=90, max_size=220)


@given(rates, st.lists(st.integers(1, 200), max_size=4), st.booleans())
def test_readings_that_overlap_give_the_steps_of_one_reading(grown: list[int], cuts: list[int], told: bool) -> None:
    points, value = [], 0
    for index, more in enumerate(grown):
        value += more
        points.append((BEGAN + GRID * index, float(value)))
    whole = steps(points)
    found: list[Timed] = []
    known: Known | None = None
    for cut in sorted({min(cut, len(points)) for cut in cuts} | {len(points)}):
        start = 0.0
        if known is not None and told:
            start = known.at - LOOK_BACK * GRID
        part = [point for point in points[:cut] if point[0] >= start]
        found += steps(part, known)
        if found:
            known = Known(found[-1].step, found[-1].at)
    assert [(step.step, step.at) for step in found] == [(step.step, step.at) for step in whole]


@given(rates)
def test_the_same_reading_again_gives_nothing(grown: list[int]) -> None:
    points, value = [], 0
    for index, more in enumerate(grown):
        value += more
        points.append((BEGAN + GRID * index, float(value)))
    found = steps(points)
    if found:
        assert steps(points, Known(found[-1].step, found[-1].at)) == []


@given(
    st.lists(
        st.tuples(st.floats(0, 2.0**36, exclude_max=True), st.floats()), max_size=30, unique_by=lambda point: point[0]
    ),
    st.floats(1, 300),
)
def test_no_points_whatever_break_it(points: list[tuple[float, float]], grid: float) -> None:
    told = {kind: [series(sorted(points))] for kind in (STEP, SECONDS, LOSS, TOKENS)}
    for step in steps_of(told, grid).steps:
        assert step.seconds > 0 and step.step >= 0 and 0 <= step.tokens < 2**31


# ---- GPUs ----
def gpu(value: float, host: str = "hgx-01.example.org", index: str = "0", until: float = 300, **more: str) -> Series:
    return series([(BEGAN + at, value) for at in range(0, int(until) + 1, 30)], Hostname=host, gpu=index, **more)


def test_a_gpu_is_named_by_its_machine_and_its_address_before_its_index() -> None:
    found = readings_of([gpu(1980, pci_bus_id="00000000:1B:00.0")], "clock_mhz", "Hostname", "gpu", 30)
    assert found == {Gpu("hgx-01", ("00000000:1B:00.0", "0")): 1980}


def test_a_machine_may_be_named_by_its_address_with_a_port() -> None:
    one = series([(BEGAN, 60.0)], instance="HGX-02:9400", gpu="3")
    assert readings_of([one], "temperature_c", "instance", "gpu", 30) == {Gpu("hgx-02", ("3",)): 60.0}


@pytest.mark.parametrize("blank", [2147483638.0, 9223372036854775794.0, math.nan, math.inf, -1.0])
def test_what_the_exporter_writes_where_there_is_nothing_is_no_reading(blank: float) -> None:
    assert readings_of([gpu(blank)], "temperature_c", "Hostname", "gpu", 30) == {}


def test_a_series_that_ended_before_the_others_is_of_the_past() -> None:
    found = readings_of([gpu(1980), gpu(1200, index="1", until=120)], "clock_mhz", "Hostname", "gpu", 30)
    assert [each.names for each in found] == [("0",)]


def test_slices_of_a_gpu_are_one_reading() -> None:
    told = [gpu(400, GPU_I_ID="1"), gpu(410, GPU_I_ID="2"), gpu(420, GPU_I_ID="3")]
    assert readings_of(told, "power_w", "Hostname", "gpu", 30) == {Gpu("hgx-01", ("0",)): 410}
