"""A work order that meets reality: steps confirmed and failed, and the rest planned anew."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from itertools import chain

from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.facts import PlannedPort
from fabric.reconcile.cables import FoundCable, WantedCable
from fabric.reconcile.moves import Move, StepKind, plan_moves
from fabric.reconcile.replan import StepState, check_steps, replan
from fabric.tests.made import Shape, made
from fabric.tests.made_faults import inject_all
from fabric.tests.patch_field import PatchField, apply
from fabric.tests.test_moves import found, port, wanted
from tests.effort import examples

SWAP = found("a1-s2", "b1-s1"), wanted("a1-s1", "b1-s2")


def looked_at(field: PatchField, ports: Collection[PlannedPort]) -> dict[PlannedPort, PlannedPort | None]:
    """The far ends of ports, as a rediscovery of them gives."""
    far: dict[PlannedPort, PlannedPort | None] = dict.fromkeys(ports)
    for ends in field.links():
        one, other = sorted(ends)
        far.update({one: other, other: one})
    return {at: far.get(at) for at in ports}


def ports_of(there: Sequence[FoundCable], planned: Sequence[WantedCable]) -> set[PlannedPort]:
    return {end for link in chain[FoundCable | WantedCable](there, planned) for end in link.ends}


def states(moves: Sequence[Move], done: Collection[int], links: dict) -> list[str]:
    checked = check_steps(*SWAP, moves, done, links)
    return [checked.steps[move.n].state.value for move in moves]


def test_steps_that_the_fabric_shows_are_confirmed_one_by_one() -> None:
    moves = plan_moves(*SWAP).moves
    field, ports = PatchField(*SWAP), ports_of(*SWAP)
    assert states(moves, [], looked_at(field, ports)) == ["todo"] * 3
    field.do(moves[0])
    assert states(moves, [1], looked_at(field, ports)) == ["confirmed", "todo", "todo"]
    field.do(moves[1])
    assert states(moves, [1, 2], looked_at(field, ports)) == ["confirmed", "confirmed", "todo"]
    field.do(moves[2])
    checked = check_steps(*SWAP, moves, [1, 2, 3], looked_at(field, ports))
    assert checked.finished and not checked.changed


def test_a_step_whose_ports_nobody_looked_at_is_done_but_not_confirmed() -> None:
    moves = plan_moves(*SWAP).moves
    assert states(moves, [1, 2, 3], {}) == ["confirmed", "done", "done"]
    assert states(moves, [1], {}) == ["done", "todo", "todo"]


def test_a_plug_in_a_third_port_fails_its_step_and_calls_for_a_new_plan() -> None:
    there, planned = found("a1-s9"), wanted("a1-s1")
    moves = plan_moves(there, planned).moves
    links = {port("s1"): None, port("s9"): None, port("a1"): port("s4"), port("s4"): port("a1")}
    checked = check_steps(there, planned, moves, [1], links)
    assert checked.steps[1].state is StepState.FAILED and "has no light" in checked.steps[1].reason
    assert checked.changed and checked.surprises == ("a port 1 leads to s port 4",)
    again = replan(there, planned, moves, [1], links)
    assert [(move.take_from, move.put_into) for move in again.moves] == [(port("s4"), port("s1"))]


def test_a_dark_port_after_a_step_fails_it_without_a_new_plan() -> None:
    there, planned = found("a1-s9"), wanted("a1-s1")
    moves = plan_moves(there, planned).moves
    checked = check_steps(there, planned, moves, [1], {port("s1"): None, port("s9"): None, port("a1"): None})
    assert checked.steps[1].state is StepState.FAILED and not checked.changed


def test_a_pull_that_did_not_happen_fails() -> None:
    moves = plan_moves(*SWAP).moves
    checked = check_steps(*SWAP, moves, [1], looked_at(PatchField(*SWAP), ports_of(*SWAP)))
    assert checked.steps[1].state is StepState.FAILED and "still leads to" in checked.steps[1].reason


def test_a_step_done_without_a_tick_is_seen() -> None:
    there, planned = found("a1-s9"), wanted("a1-s1")
    moves = plan_moves(there, planned).moves
    field = apply(there, planned, moves)
    checked = check_steps(there, planned, moves, [], looked_at(field, ports_of(there, planned)))
    assert checked.steps[1].state is StepState.CONFIRMED and checked.finished and checked.changed


def test_the_hanging_cable_is_put_in_and_not_pulled_again() -> None:
    moves = plan_moves(*SWAP).moves
    field = PatchField(*SWAP)
    field.do(moves[0])
    again = replan(*SWAP, moves, [1], looked_at(field, ports_of(*SWAP)))
    assert [move.kind for move in again.moves] == [StepKind.MOVE, StepKind.INSERT]
    assert again.moves[1].take_from is None and again.moves[1].put_into == moves[2].put_into
    for move in again.moves:
        field.do(move)
    assert field.links() == {frozenset(link.ends) for link in SWAP[1]}


def test_a_cable_that_somebody_else_put_in_between_is_taken_out() -> None:
    there, planned = found("a1-s9"), wanted("a1-s1")
    moves = plan_moves(there, planned).moves
    links = {port("s1"): port("x7"), port("x7"): port("s1"), port("a1"): port("s9"), port("s9"): port("a1")}
    assert check_steps(there, planned, moves, [], links).changed
    again = replan(there, planned, moves, [], links)
    assert sorted(move.kind for move in again.moves) == [StepKind.MOVE, StepKind.REMOVE, StepKind.REMOVE]
    assert again.moves[0].take_from == port("s1"), "the port must be free before"


@settings(deadline=None, max_examples=examples(60))
@given(
    st.integers(0, 10**6),
    st.lists(st.sampled_from(["swap", "cycle", "wrong_port", "chain", "stranger"]), min_size=1, max_size=6),
    st.booleans(),
    st.floats(0, 1),
)
def test_an_order_broken_off_anywhere_is_planned_anew_and_ends_at_the_plan(
    seed: int, kinds: list[str], twins: bool, share: float
) -> None:
    fabric = made(Shape(machines=9, rails=2, radix=8, twins=twins, seed=seed))
    inject_all(fabric, kinds, overlapping=True)
    there, planned = fabric.difference()
    plan = plan_moves(there, planned)
    done = plan.moves[: round(share * len(plan.moves))]
    field = apply(there, planned, done)
    ports = ports_of(there, planned)
    links = looked_at(field, ports)
    checked = check_steps(there, planned, plan.moves, [move.n for move in done], links)
    assert not checked.changed
    assert not any(check.state is StepState.FAILED for check in checked.steps.values())
    again = replan(there, planned, plan.moves, [move.n for move in done], links)
    assert again.insertions == plan.insertions - sum(move.is_insertion for move in done)
    for move in again.moves:
        field.do(move)
        assert field.hanging() <= 1
    new = {label for component in again.components for label in component.new_cables}
    assert field.links() == {frozenset(link.ends) for link in planned if link.label not in new}


def test_steps_in_any_hand_are_still_told_apart() -> None:
    """Ticks that came in another order than printed, and far ends of half the ports only."""
    fabric = made(Shape(machines=20, rails=2, radix=8))
    inject_all(fabric, ["swap", "cycle", "wrong_port"])
    there, planned = fabric.difference()
    moves = plan_moves(there, planned).moves
    field = apply(there, planned, moves)
    ports = sorted(ports_of(there, planned))
    half = random.Random(1).sample(ports, len(ports) // 2)
    checked = check_steps(there, planned, moves, {move.n for move in moves}, looked_at(field, half))
    assert {check.state for check in checked.steps.values()} == {StepState.CONFIRMED, StepState.DONE}
