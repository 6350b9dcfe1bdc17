"""The made fabrics are what they say: a wrong yardstick would measure everything wrong."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.facts import DeviceRole
from fabric.tests.made import Made, Shape, Truth, made
from fabric.tests.made_faults import CABLING, FAULTS, inject, inject_all
from tests.effort import examples


def switches(fabric: Made) -> Counter[str]:
    return Counter(d.tier for d in fabric.plan.devices.values() if d.role is DeviceRole.SWITCH)


def test_the_reference_fabric_has_its_switches_and_cables() -> None:
    fabric = made(Shape(machines=511))
    assert switches(fabric) == {"leaf": 128, "spine": 128, "core": 64}
    assert len(fabric.plan.cables) == 12280
    assert len(made(Shape(machines=511, twins=True, breakouts=True)).plan.cables) == 12280


@pytest.mark.parametrize("machines, cables", [(32, 512), (64, 1024), (128, 2048)])
def test_small_fabrics_have_two_tiers(machines: int, cables: int) -> None:
    fabric = made(Shape(machines=machines))
    assert set(switches(fabric)) == {"leaf", "spine"} and len(fabric.plan.cables) == cables


SHAPES = st.builds(
    Shape,
    machines=st.integers(1, 20),
    rails=st.integers(1, 4),
    radix=st.sampled_from([4, 8, 12]),
    twins=st.booleans(),
    breakouts=st.booleans(),
    seed=st.integers(0, 10**6),
)


@settings(deadline=None, max_examples=examples(60))
@given(SHAPES)
def test_every_port_is_in_one_cable_and_a_healthy_fabric_has_no_difference(shape: Shape) -> None:
    fabric = made(shape)
    ports = Counter(port for cable in fabric.plan.cables for port in cable.ends)
    assert set(ports.values()) == {1}
    assert all(1 <= port.port <= shape.radix for port in ports)
    assert fabric.difference() == ([], [])
    assert fabric.truth() == Truth(0, 0, 0, 0, 0)
    assert len(fabric.seen().links) == len(fabric.plan.cables)


SINGLE = {
    "swap": Truth(2, 0, 0, 0, 0),
    "cycle": Truth(3, 0, 0, 0, 0),
    "wrong_port": Truth(1, 0, 0, 0, 0),
    "chain": Truth(1, 1, 0, 0, 0),
    "missing": Truth(0, 1, 0, 0, 0),
    "extra": Truth(0, 0, 0, 1, 0),
    "dead_machine": Truth(0, 0, 8, 0, 0),
    "exchanged_machines": Truth(0, 0, 0, 0, 2),
    "exchanged_switches": Truth(0, 0, 0, 0, 2),
    "factory_names": Truth(0, 0, 0, 0, 24),
    "misnamed": Truth(0, 0, 0, 0, 1),
    "duplicate_name": Truth(0, 0, 0, 0, 1),
    "stranger": Truth(0, 0, 0, 1, 0),
    "slow_link": Truth(0, 0, 0, 0, 0),
    "narrow_link": Truth(0, 0, 0, 0, 0),
    "errors": Truth(0, 0, 0, 0, 0),
}


@pytest.mark.parametrize("kind", SINGLE)
def test_each_fault_counts_what_it_is(kind: str) -> None:
    fabric = made(Shape(machines=60))
    assert inject(fabric, kind) is not None
    assert fabric.truth() == SINGLE[kind]
    assert set(SINGLE) | {"dead_switch"} == set(FAULTS)


def test_a_dead_switch_takes_all_its_links_along() -> None:
    fabric = made(Shape(machines=64))
    fault = inject(fabric, "dead_switch")
    assert fault is not None and fabric.truth() == Truth(0, 0, 64, 0, 0)
    assert not any(fabric.guids[fault.devices[0]] == node for node in fabric.seen().nodes)


def test_faults_that_keep_apart_add_up() -> None:
    fabric = made(Shape(machines=500))
    kinds = [*CABLING, *CABLING, "dead_machine", "exchanged_machines", "misnamed", "stranger"]
    assert len(inject_all(fabric, kinds)) == len(kinds)
    parts = [SINGLE[kind] for kind in kinds]
    assert fabric.truth() == Truth(*(sum(part) for part in zip(*(vars_of(part) for part in parts), strict=True)))


def vars_of(truth: Truth) -> tuple[int, ...]:
    return tuple(getattr(truth, name) for name in Truth.__slots__)


def test_the_same_seed_makes_the_same_fabric() -> None:
    def one() -> Made:
        fabric = made(Shape(machines=40, seed=7))
        inject_all(fabric, ["swap", "cycle", "stranger", "dead_switch"])
        return fabric

    assert one().seen() == one().seen()


def test_a_fabric_without_free_ports_has_no_room_for_an_extra_cable() -> None:
    fabric = made(Shape(machines=32))
    before = fabric.seen()
    assert inject(fabric, "extra") is None
    assert fabric.seen() == before and fabric.faults == []
