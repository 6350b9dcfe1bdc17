"""Shapes of curves: recognised among many seeds, and not seen where there is none."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.pace.meanings import MEANINGS
from runs.pace.recognition import LEAST, NONE, recognise
from runs.tests.pace_curves import CURVES, STEP_S, curve, lower_stretch, plain, regular_dips, step

SEEDS = 5
SIZES = (240, 600, 2000)


@pytest.mark.slow
def test_at_least_95_of_100_curves_get_their_shape() -> None:
    wrong: list[tuple[str, str]] = []
    total = 0
    for shape, (_, strengths) in CURVES.items():
        missed = 0
        for strength in strengths:
            for size in SIZES:
                for seed in range(SEEDS):
                    found = recognise(curve(shape, seed, size, strength), STEP_S).name
                    total += 1
                    if found != shape:
                        missed += 1
                        wrong.append((shape, found))
        assert missed <= 0.1 * len(strengths) * len(SIZES) * SEEDS, (shape, wrong)
    assert len(wrong) <= 0.05 * total, wrong
    assert len([one for one in wrong if one[0] == "none"]) <= 1


def test_without_a_reference_all_but_steady_low_are_found() -> None:
    for shape, (_, strengths) in CURVES.items():
        right = [recognise(curve(shape, seed, 800, strengths[-1])).name for seed in range(6)]
        assert right.count("none" if shape.startswith("low") else shape) >= 5, (shape, right)


def test_every_shape_has_a_meaning_and_first_checks() -> None:
    assert set(MEANINGS) == set(CURVES)
    for name, meaning in MEANINGS.items():
        assert meaning.title and meaning.says
        assert bool(meaning.checks) == (name != "none")
    assert {name for name, meaning in MEANINGS.items() if not meaning.alarm} == {"none", "regular-dips"}


@pytest.mark.parametrize("sigma", [0.002, 0.008, 0.014])
def test_an_ordinary_run_has_no_shape(sigma: float) -> None:
    found = [recognise(curve("none", seed, size, sigma)).name for seed in range(30) for size in (LEAST, 120, 800)]
    assert found.count("none") >= len(found) - 1


def test_a_step_is_placed_within_a_few_steps_and_measured() -> None:
    for seed in range(20):
        rng = random.Random(seed)
        at = rng.randint(100, 700)
        speeds = [speed * (0.71 if index >= at else 1) for index, speed in enumerate(plain(rng, 800))]
        found = recognise([STEP_S / speed for speed in speeds])
        assert found.name == "step" and found.until is None
        assert found.at == pytest.approx(at, abs=2)
        assert found.speed == pytest.approx(0.71, abs=0.02)


def test_a_step_that_was_put_right_has_an_end() -> None:
    for seed in range(10):
        found = recognise([STEP_S / speed for speed in lower_stretch(random.Random(seed), 800, 0.2)])
        assert found.name == "step"
        assert found.at is not None and found.until is not None and found.at < found.until
        assert found.speed == pytest.approx(0.8, abs=0.03)


def test_checkpoints_do_not_hide_a_step_and_are_none_by_themselves() -> None:
    right = 0
    for seed in range(20):
        rng = random.Random(seed)
        at = rng.randint(150, 650)
        speeds = [speed * (0.8 if index >= at else 1) for index, speed in enumerate(regular_dips(rng, 800, 0.5))]
        right += recognise([STEP_S / speed for speed in speeds]).name == "step"
    assert right >= 19
    long = [speed * (0.02 if index % 100 == 50 else 1) for index, speed in enumerate(plain(random.Random(3), 800))]
    found = recognise([STEP_S / speed for speed in long])
    assert (found.name, found.period) == ("regular-dips", 100)


def test_a_run_that_becomes_faster_or_whose_steps_differ_by_nature_is_not_accused() -> None:
    faster = [speed * (1.3 if index > 300 else 1) for index, speed in enumerate(plain(random.Random(1), 800))]
    assert recognise([STEP_S / speed for speed in faster]) == NONE
    uneven = [random.Random(index).uniform(0.5, 1) for index in range(800)]
    assert recognise([STEP_S / speed for speed in uneven]).name == "none"


def test_the_first_slow_steps_are_compiling() -> None:
    speeds = [0.05] * 8 + plain(random.Random(2), 400)
    assert recognise([STEP_S / speed for speed in speeds]) == NONE


@given(st.lists(st.floats(0.001, 1e4), max_size=150), st.none() | st.floats(0.001, 1e4))
@settings(max_examples=60, deadline=None)
def test_any_series_has_one_of_the_shapes(seconds: list[float], reference: float | None) -> None:
    found = recognise(seconds, reference)
    assert found.name in MEANINGS
    for place in (found.at, found.until):
        assert place is None or 0 <= place <= len(seconds)


@given(st.integers(0, 10**6), st.floats(0.01, 100))
@settings(max_examples=15, deadline=None)
def test_the_unit_of_time_does_not_matter(seed: int, factor: float) -> None:
    rng = random.Random(seed)
    seconds = [STEP_S / speed for speed in step(rng, 400, 0.2)]
    one, other = recognise(seconds), recognise([value * factor for value in seconds])
    assert (one.name, one.at) == (other.name, other.at) == ("step", one.at)
