"""The bisecting plan names all bad ones and nobody else, within its rounds, whatever is bad."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import ceil, log2
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from health.diagnostics.bisect import FAIL, PASS, UNKNOWN, Conclusion, Group, Trial, conclude, most_rounds, next_round
from tests.effort import examples

Judge = Callable[[Group, int], str]


def hall(count: int, per_switch: int) -> dict[str, str]:
    return {f"gpu-{number:03}": f"leaf-{number // per_switch}" if per_switch else "" for number in range(count)}


def run(places: dict[str, str], judge: Judge) -> tuple[Conclusion, int]:
    """The conclusion and how many rounds it took; groups of one round never share a machine."""
    tests: list[Trial] = []
    number = 0
    while groups := next_round(places, tests):
        number += 1
        used = [name for group in groups for name in group.runs_on]
        assert len(used) == len(set(used)), "a machine is in one group at a time"
        assert all(len(group.runs_on) > 1 for group in groups)
        tests += [Trial(group, number, judge(group, number)) for group in groups]
    return conclude(places, tests), number


def machines_bad(bad: set[str]) -> Judge:
    return lambda group, number: FAIL if bad & set(group.runs_on) else PASS


def switch_bad(places: dict[str, str], switch: str, *, inside: bool) -> Judge:
    """With `inside` nothing behind it works; otherwise only what leaves it fails."""

    def judge(group: Group, number: int) -> str:
        seen = {places[name] for name in group.runs_on}
        return FAIL if switch in seen and (inside or len(seen) > 1) else PASS

    return judge


@pytest.mark.parametrize("per_switch", [0, 8, 16, 32])
def test_one_bad_of_64_is_named_wherever_it_stands(per_switch: int) -> None:
    places = hall(64, per_switch)
    for name in places:
        found, rounds = run(places, machines_bad({name}))
        assert (found.bad, dict(found.switches), dict(found.undecided)) == ((name,), {}, {})
        assert rounds <= 2 + log2(64)


@pytest.mark.parametrize("every", [29, pytest.param(1, marks=pytest.mark.slow)])
def test_any_two_bad_of_64_are_named(every: int) -> None:
    places = hall(64, 16)
    for pair in [*combinations(places, 2)][::every]:
        found, rounds = run(places, machines_bad(set(pair)))
        assert set(found.bad) == set(pair) and not found.undecided and rounds <= 8


@pytest.mark.parametrize("more", [40, pytest.param(600, marks=pytest.mark.slow)])
def test_three_bad_of_64_are_named(more: int) -> None:
    places, rng = hall(64, 16), Random(7)
    neighbours = [tuple(list(places)[at : at + 3]) for at in range(62)]
    for three in [*neighbours, *(tuple(rng.sample(list(places), 3)) for _ in range(more))]:
        found, rounds = run(places, machines_bad(set(three)))
        assert set(found.bad) == set(three) and not found.undecided and not found.switches and rounds <= 8


def test_nothing_bad_accuses_nobody() -> None:
    places = hall(64, 16)
    found, rounds = run(places, machines_bad(set()))
    assert (found.bad, dict(found.switches), dict(found.undecided)) == ((), {}, {})
    assert set(found.good) == set(places) and rounds == 2


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("switch", ["leaf-0", "leaf-2", "leaf-3"])
def test_a_bad_switch_is_named_as_the_switch(switch: str, inside: bool) -> None:
    places = hall(64, 16)
    found, rounds = run(places, switch_bad(places, switch, inside=inside))
    assert list(found.switches) == [switch] and found.bad == () and not found.undecided
    assert set(found.switches[switch]) == {name for name, place in places.items() if place == switch}
    assert rounds <= 8


def test_a_bad_machine_and_a_switch_with_bad_ways_out_are_told_apart() -> None:
    places = hall(64, 16)
    crossing = switch_bad(places, "leaf-1", inside=False)

    def judge(group: Group, number: int) -> str:
        return FAIL if "gpu-040" in group.runs_on else crossing(group, number)

    found, rounds = run(places, judge)
    assert found.bad == ("gpu-040",) and list(found.switches) == ["leaf-1"] and rounds <= 8


def test_one_that_was_paired_anew_is_in_no_second_group() -> None:
    places = hall(8, 4)
    for three in combinations(places, 3):
        found, _ = run(places, machines_bad(set(three)))
        named = set(found.bad) | {name for names in found.switches.values() for name in names}
        assert named == set(three), three


@settings(max_examples=examples(150), deadline=None)
@given(
    count=st.integers(8, 96), per_switch=st.sampled_from([0, 4, 8, 16, 32]), data=st.data(), how_many=st.integers(0, 3)
)
def test_up_to_three_bad_are_named_within_the_rounds(
    count: int, per_switch: int, data: st.DataObject, how_many: int
) -> None:
    places = hall(count, per_switch)
    bad = set(data.draw(st.lists(st.sampled_from(sorted(places)), max_size=how_many, unique=True)))
    found, rounds = run(places, machines_bad(bad))
    named = set(found.bad) | {name for names in found.switches.values() for name in names}
    assert named == bad and rounds <= 2 + ceil(log2(count))
    assert not set(found.undecided) & set(places)


@settings(max_examples=examples(100), deadline=None)
@given(seed=st.integers(0, 10**6), share=st.floats(0, 0.4), how_many=st.integers(0, 3))
def test_tests_without_a_result_never_accuse_nor_clear(seed: int, share: float, how_many: int) -> None:
    rng = Random(seed)
    places = hall(64, 16)
    bad = set(rng.sample(list(places), how_many))
    sure = machines_bad(bad)
    found, rounds = run(places, lambda group, number: UNKNOWN if rng.random() < share else sure(group, number))
    assert set(found.bad) <= bad and not set(found.good) & bad and rounds <= most_rounds(64)
    assert set(found.good) | bad | set(found.undecided) >= set(places)


def test_a_test_without_a_result_is_run_again_and_then_leaves_it_open() -> None:
    places = hall(16, 0)
    silent = "gpu-003"
    seen: list[int] = []

    def judge(group: Group, number: int) -> str:
        if silent in group.runs_on:
            seen.append(number)
            return UNKNOWN
        return PASS

    found, _ = run(places, judge)
    assert list(found.undecided) == [silent] and found.undecided[silent] == "its tests gave no result"
    assert len(seen) >= 3 and not found.bad


def test_whoever_fails_only_once_is_not_accused() -> None:
    places = hall(16, 0)

    def judge(group: Group, number: int) -> str:
        return FAIL if "gpu-005" in group.runs_on and number <= 2 else PASS

    found, _ = run(places, judge)
    assert found.bad == () and list(found.undecided) == ["gpu-005"]


def test_with_no_partner_known_to_be_good_nobody_is_accused() -> None:
    found, rounds = run(hall(2, 0), machines_bad({"gpu-000"}))
    assert found.bad == () and set(found.undecided) == {"gpu-000", "gpu-001"} and rounds <= 3


def test_when_most_are_bad_pairs_are_made_anew() -> None:
    places = hall(8, 0)
    bad = {"gpu-001", "gpu-003", "gpu-005", "gpu-007"}
    found, rounds = run(places, machines_bad(bad))
    assert set(found.bad) <= bad and not set(found.good) & bad and rounds <= 5


def test_the_next_round_follows_from_the_history_alone() -> None:
    places = hall(64, 16)
    tests = [Trial(group, 1, FAIL if "gpu-009" in group.runs_on else PASS) for group in next_round(places, [])]
    assert next_round(places, tests) == next_round(dict(reversed(places.items())), list(tests))
