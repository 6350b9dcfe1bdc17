"""Walks along cables and through panels, on made-up cabling. No database."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inventory.cabling.tests.networks import Plant, chain, random_plant
from inventory.cabling.walk import Path, Step, trace
from tests.effort import examples


def reversed_steps(steps: tuple[Step, ...]) -> list[tuple[str, int]]:
    """A way walked from its other end. A panel is told by the port one enters by, so it is left out here."""
    return [(step.kind, step.id) for step in reversed(steps) if step.kind != "panel"]


def forward_steps(steps: tuple[Step, ...]) -> list[tuple[str, int]]:
    return [(step.kind, step.id) for step in steps if step.kind != "panel"]


def whys(path: Path) -> set[str]:
    return {path.why} if not path.branches else set().union(*(whys(branch) for branch in path.branches))


@given(
    st.lists(st.sampled_from([1, 2, 8, 12]), max_size=12),
    st.lists(st.integers(0, 11), min_size=12, max_size=12),
)
@settings(deadline=None)
def test_a_chain_of_panels_walked_from_both_ends_gives_mirrored_ways(positions: list[int], at: list[int]) -> None:
    plant, start, end = chain(len(positions), positions, at)
    facts = plant.facts()
    there, back = trace(start, facts).out, trace(end, facts).out
    assert there.complete and list(there.ends()) == [end]
    assert back.complete and list(back.ends()) == [start]
    assert forward_steps(there.steps) == reversed_steps(back.steps)
    assert sum(step.kind == "panel" for step in there.steps) == 2 * len(positions)


@given(st.integers(0, 10**9))
@settings(deadline=None, max_examples=examples(300))
def test_every_way_that_passes_no_port_twice_is_also_there_from_its_other_end(seed: int) -> None:
    facts = random_plant(seed).facts()
    ends = [port for port, kind in facts.kinds.items() if kind == "infiniband"]
    lines = {port: list(trace(port, facts).out.lines()) for port in ends}
    for port, ways in lines.items():
        for way in ways:
            assert way[0] == Step("port", port)
            met = [step.id for step in way if step.kind == "port"]
            assert len(set(met)) < len(met) or reversed_steps(way) in [
                forward_steps(other) for other in lines[way[-1].id]
            ]


@given(st.integers(0, 10**9))
@settings(deadline=None, max_examples=examples(300))
def test_a_walk_ends_and_tells_why_it_is_not_complete(seed: int) -> None:
    facts = random_plant(seed).facts()
    for port in facts.kinds:
        found = trace(port, facts)
        reasons = whys(found.out) | (whys(found.back) if found.back else set())
        assert found.complete == (reasons == {""})


def test_a_cable_leads_from_port_to_port() -> None:
    plant = Plant()
    a, b = plant.device("infiniband", "infiniband")
    plant.cable(a, b)
    found = trace(a, plant.facts())
    assert found.out == Path((Step("port", a), Step("cable", 1, 1), Step("port", b)))
    assert found.back is None
    assert found.ends() == [b]


def test_a_trunk_comes_out_at_the_position_it_went_in_at() -> None:
    plant, start, end = chain(1, [12], [6])
    path = trace(start, plant.facts()).out
    assert [step.number for step in path.steps if step.kind == "panel"] == [7, 7]
    assert list(path.ends()) == [end]


def test_trunks_may_run_inside_trunks() -> None:
    plant = Plant()
    (start,) = plant.device("infiniband")
    (end,) = plant.device("infiniband")
    inner, outer = [plant.panel(4) for _ in "ab"], [plant.panel(6) for _ in "ab"]
    plant.cable(start, inner[0][1][2])
    plant.cable(inner[0][0], outer[0][1][4])  # a trunk of 4 goes in at position 5 of a trunk of 6
    plant.cable(outer[0][0], outer[1][0])
    plant.cable(outer[1][1][4], inner[1][0])
    plant.cable(inner[1][1][2], end)
    assert trace(start, plant.facts()).ends() == [end]
    assert trace(end, plant.facts()).ends() == [start]


def test_a_panel_of_one_position_hands_on_what_a_trunk_carries() -> None:
    plant = Plant()
    (start,) = plant.device("infiniband")
    (end,) = plant.device("infiniband")
    near, coupler, far = plant.panel(12), plant.panel(1), plant.panel(12)
    plant.cable(start, near[1][8])
    plant.cable(near[0], coupler[0])
    plant.cable(coupler[1][0], far[0])
    plant.cable(far[1][8], end)
    assert trace(start, plant.facts()).ends() == [end]


def test_a_breakout_forks_and_each_leg_leads_back_to_the_one_end() -> None:
    plant = Plant()
    (one,) = plant.device("infiniband")
    legs = plant.device("infiniband", "infiniband", "infiniband", "infiniband")
    plant.fan_out(one, legs)
    path = trace(one, plant.facts()).out
    assert path.complete and len(path.branches) == 4
    assert list(path.ends()) == legs
    assert [list(trace(leg, plant.facts()).out.ends()) for leg in legs] == [[one]] * 4


def test_the_lanes_of_a_twin_cable_stay_apart() -> None:
    plant = Plant()
    a1, a2, b1, b2 = plant.device(*["infiniband"] * 4)
    plant.twin([a1, a2], [b1, b2])
    assert [trace(port, plant.facts()).ends() for port in (a1, a2, b1, b2)] == [[b1], [b2], [a1], [a2]]


def test_a_trunk_that_ends_in_a_port_leads_to_all_positions_that_are_in_use() -> None:
    plant = Plant()
    (one,) = plant.device("infiniband")
    legs = plant.device("infiniband", "infiniband")
    rear, fronts = plant.panel(4)
    plant.cable(one, rear)
    plant.cable(fronts[1], legs[0])
    plant.cable(fronts[3], legs[1])
    found = trace(one, plant.facts())
    assert found.complete and found.ends() == legs
    assert trace(legs[1], plant.facts()).ends() == [one]


def test_a_port_of_a_panel_is_walked_both_ways() -> None:
    plant, start, end = chain(1, [12], [3])
    fronts = [port for port, kind in plant.kinds.items() if kind == "front" and port in plant.facts().links]
    for front in fronts:
        found = trace(front, plant.facts())
        assert found.complete
        assert sorted(found.ends()) == sorted([start, end])
        assert found.back is not None and found.back.steps[0] == found.out.steps[0] == Step("port", front)


@pytest.mark.parametrize("case", ["no_cable", "open_cable", "no_pass_through", "no_position", "loop"])
def test_a_dead_end_says_why(case: str) -> None:
    plant = Plant()
    (start,) = plant.device("infiniband")
    rear, fronts = plant.panel(2)
    last = start
    if case == "open_cable":
        plant.cables.append([("A", 1, 1, start)])
    elif case == "no_pass_through":
        empty, _ = plant.panel(2, connected=0)
        plant.cable(start, empty)
        last = empty
    elif case == "no_position":
        short, _ = plant.panel(2, connected=1)
        plant.cable(start, fronts[1])
        plant.cable(rear, short)
        last = short
    elif case == "loop":
        one, far = plant.panel(1), plant.panel(1)
        plant.cable(one[0], far[0])
        plant.cable(one[1][0], far[1][0])
        start = last = one[0]
    path = trace(start, plant.facts()).out
    assert not path.complete and path.why == case
    assert not list(path.ends())
    assert path.steps[-1].id == last or path.steps[-1].kind == "cable"


def test_ways_that_never_repeat_end_too() -> None:
    plant = Plant()
    panels = [plant.panel(2) for _ in range(3)]
    for (rear, _), (_, fronts) in zip(panels, [*panels[1:], panels[0]], strict=True):
        plant.cable(rear, fronts[0])  # every round adds a position to be taken out again
    path = trace(panels[0][0], plant.facts()).out
    assert path.why in ("loop", "too_long")
