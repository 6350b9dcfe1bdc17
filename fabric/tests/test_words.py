"""The sentences that a technician reads."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import cast

from fabric.facts import DeviceRole, Place, Plan, PlannedDevice, PlannedPort
from fabric.reconcile.cables import FoundCable, WantedCable
from fabric.reconcile.moves import MovePlan, plan_moves
from fabric.reconcile.prices import Prices
from fabric.reconcile.words import Socketing, Spots, drain_words, move_words, unlit_words

DEVICES = {
    "leaf-1": PlannedDevice("leaf-1", DeviceRole.SWITCH, "leaf-1", "leaf", 0, Place("h1", "A", "A09", 40)),
    "leaf-2": PlannedDevice("leaf-2", DeviceRole.SWITCH, "leaf-2", "leaf", 1, Place("h1", "A", "A10", 39)),
    "gpu-1 mlx5_3": PlannedDevice("gpu-1 mlx5_3", DeviceRole.ADAPTER, "gpu-1", "", 0, Place("h1", "A", "A01", 9.5)),
    "gpu-2 mlx5_3": PlannedDevice("gpu-2 mlx5_3", DeviceRole.ADAPTER, "gpu-2", "", 0, Place("h1", "A", "A01", 1)),
}
PLAN = Plan(DEVICES, [])
PRICES = Prices(places={name: device.place for name, device in DEVICES.items()})


def two_to_a_cage(device: PlannedDevice, port: int) -> Socketing | None:
    return Socketing((port + 1) // 2, 2 - port % 2, 2) if device.role is DeviceRole.SWITCH else None


spots = Spots(PLAN, two_to_a_cage)
ONE, TWO = PlannedPort("gpu-1 mlx5_3", 1), PlannedPort("gpu-2 mlx5_3", 1)


def leaf(port: int, device: str = "leaf-1") -> PlannedPort:
    return PlannedPort(device, port)


def planned(
    found: list[tuple[PlannedPort, PlannedPort]], wanted: dict[str, tuple[PlannedPort, PlannedPort]]
) -> MovePlan:
    there = [FoundCable(f"f{n}", ends, live=True) for n, ends in enumerate(found)]
    return plan_moves(there, [WantedCable(label, ends) for label, ends in wanted.items()], prices=PRICES)


def words(plan: MovePlan, find: Callable = spots) -> list[str]:
    return [move_words(move, find) for move in plan.moves]


def test_a_move_names_rack_switch_cage_half_and_label() -> None:
    plan = planned([(ONE, leaf(22))], {"C00164": (ONE, leaf(5))})
    assert words(plan) == [
        "In rack A09, switch leaf-1 at U40, cage 11 lower (port 22): pull the cable labelled C00164 (its other end is "
        "in rack A01, machine gpu-1 at U9.5, adapter mlx5_3). Plug it into cage 3 upper (port 5) of the same switch."
    ]
    assert drain_words(plan.moves[0], spots) == [
        "Before: drain rack A01, machine gpu-1 at U9.5, adapter mlx5_3 to rack A09, switch leaf-1 at U40, "
        "cage 11 lower (port 22)."
    ]


def test_a_move_to_another_switch_names_both() -> None:
    (sentence,) = words(planned([(ONE, leaf(22))], {"C1": (ONE, leaf(5, "leaf-2"))}))
    assert sentence.endswith("Plug it into rack A10, switch leaf-2 at U39, cage 3 upper (port 5).")


def test_a_swap_says_which_cable_hangs() -> None:
    hang, move, insert = words(planned([(ONE, leaf(2)), (TWO, leaf(1))], {"C1": (ONE, leaf(1)), "C2": (TWO, leaf(2))}))
    assert "let it hang" in hang and "of the same switch" in move
    assert insert.startswith("Take the end of the cable labelled C") and "that hangs loose" in insert


def test_an_unplanned_cable_is_taken_away() -> None:
    first, second = words(planned([(leaf(3), leaf(4, "leaf-2"))], {}))
    assert "Nothing planned needs it: take it out." in first and "leaf-1" in first + second and "leaf-2" in second


def test_a_device_of_its_own_kind_is_described_by_its_own_map() -> None:
    find = Spots(PLAN, lambda device, port: Socketing(port, 1, 1) if device.role is DeviceRole.SWITCH else None)
    assert "cage 22 (port 22)" in words(planned([(ONE, leaf(22))], {"C1": (ONE, leaf(5))}), find)[0]
    four = Spots(PLAN, lambda device, port: Socketing((port + 3) // 4, (port - 1) % 4 + 1, 4))
    assert "cage 6 lane 2 (port 22)" in words(planned([(ONE, leaf(22))], {"C1": (ONE, leaf(5))}), four)[0]


def test_a_device_nobody_planned_is_named_as_it_is_seen() -> None:
    stranger = PlannedPort("0x9c05910300000010", 1)
    assert (
        "device 0x9c05910300000010, port 1"
        in words(planned([(stranger, leaf(3))], {}))[0] + words(planned([(stranger, leaf(3))], {}))[1]
    )


def test_an_unlit_cable_is_looked_for_first_and_replaced_last() -> None:
    steps = unlit_words("C7", (ONE, leaf(5)), spots)
    order = ["loose connector", "Reseat", "Clean", "Swap the optic", "new cable"]
    assert all(word in step for word, step in zip(order, steps, strict=True))
    assert len(unlit_words("C7", (ONE, leaf(5)), spots, fixed_plugs=True)) == 3


def test_the_moves_of_one_rack_are_one_visit() -> None:
    found = [(ONE, leaf(22)), (TWO, leaf(22, "leaf-2")), (leaf(60), leaf(60, "leaf-2"))]
    wanted = {"C1": (ONE, leaf(5)), "C2": (TWO, leaf(5, "leaf-2")), "C3": (leaf(61), leaf(60, "leaf-2"))}
    moves = planned(found, wanted).moves
    visits = groupby(moves, key=lambda move: spots(cast(PlannedPort, move.put_into or move.take_from)).place.rack)
    assert [(rack, [move.cable for move in there]) for rack, there in visits] == [
        ("A09", ["C1", "C3"]),
        ("A10", ["C2"]),
    ]
