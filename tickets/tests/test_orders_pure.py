"""What follows from moves alone: what is expected at which port, what is a surprise, what comes first."""

from __future__ import annotations

from typing import Any

from fabric.facts import PlannedPort
from fabric.reconcile.cables import FoundCable, WantedCable
from fabric.reconcile.kept import Kept, keep, read
from fabric.reconcile.moves import plan_moves
from fabric.tests.made import Shape, made
from fabric.tests.made_faults import inject
from tickets.orders import Done, judge_move, may_not_tick, order_kind

A, B = PlannedPort("a", 1), PlannedPort("b", 1)
ONE, TWO = PlannedPort("leaf", 1), PlannedPort("leaf", 2)


def told(move: Any) -> dict[str, Any]:
    """A move as a finding shows it."""

    def end(port: PlannedPort | None) -> dict[str, Any] | None:
        return port._asdict() if port is not None else None

    ends = {"takes": [end(port) for port in move.takes], "puts": [end(port) for port in move.puts]}
    drains = [[end(port) for port in link] for link in move.drains]
    stays, kind = end(move.stays), move.kind.value
    return {"n": move.n, "kind": kind, "cable": move.cable, "cables": list(move.cables), "stays": stays, **ends,
            "drains": drains}  # fmt: skip


def swap() -> Kept:
    """Two cables exchanged at a leaf: a's sits in port 2, b's in port 1; read back from what an order keeps."""
    found = [FoundCable("x", (A, TWO)), FoundCable("y", (B, ONE))]
    wanted = [WantedCable("C1", (A, ONE)), WantedCable("C2", (B, TWO))]
    plan = plan_moves(found, wanted)
    return read(keep(plan.components, plan.moves), [told(move) for move in plan.moves])


def test_what_an_order_keeps_is_the_plan_again() -> None:
    fabric = made(Shape(machines=9, rails=2, radix=8, twins=True))
    for kind in ("swap", "cycle", "wrong_port"):
        inject(fabric, kind)
    there, planned = fabric.difference()
    plan = plan_moves(there, planned)
    kept = read(keep(plan.components, plan.moves), [told(move) for move in plan.moves])
    again = plan_moves(kept.found, kept.wanted)
    assert any(len(move.takes) == 2 for move in kept.moves), "twins move whole"
    assert [(move.takes, move.puts) for move in again.moves] == [(move.takes, move.puts) for move in kept.moves]
    assert [(m.n, m.found, m.plug, m.cables) for m in plan.moves] == [
        (m.n, m.found, m.plug, m.cables) for m in kept.moves
    ]


def test_a_look_judges_only_ports_that_it_saw() -> None:
    plan = swap()
    pull, move, insert = plan.moves
    freed, other = pull.takes[0], pull.stays
    assert judge_move(plan, {1}, 1, {})[0] == ""
    assert judge_move(plan, {1}, 1, {freed: None}) == ("confirmed", f"leaf port {freed.port} has no light.")
    assert judge_move(plan, {1}, 1, {freed: other})[0] == "failed"
    into, right = move.puts[0], move.stays
    assert judge_move(plan, {1, 2}, 2, {into: right})[0] == "confirmed"
    assert judge_move(plan, {1, 2}, 2, {into: None}) == ("failed", f"leaf port {into.port} has no light.")
    wrong = judge_move(plan, {1, 2}, 2, {into: other})
    assert wrong == ("failed", f"leaf port {into.port} leads to {other.device} port 1, not to {right.device} port 1.")
    assert judge_move(plan, {1, 2, 3}, 3, {insert.puts[0]: other})[0] == "confirmed"
    assert judge_move(plan, set(), 2, {into: None})[0] == "", "it is still to be done"
    assert judge_move(plan, {1}, 9, {into: None}) == ("", "It is of an earlier plan.")


def test_a_cable_of_which_both_ends_move_is_judged_by_where_the_other_is_by_now() -> None:
    far, near = PlannedPort("a", 7), PlannedPort("leaf", 5)
    found = [FoundCable("x", (A, ONE), label="C1")]
    plan = plan_moves(found, [WantedCable("C1", (far, near))])
    kept = read(keep(plan.components, plan.moves), [told(move) for move in plan.moves])
    (last,) = [move for move in kept.moves if move.n == 2]
    (right,) = {far, near} - set(last.puts)
    assert judge_move(kept, {1, 2}, 2, {last.puts[0]: right})[0] == "confirmed"
    assert judge_move(kept, {2}, 2, {last.puts[0]: right})[0] == "failed", "its other end has not moved"


def test_moves_have_an_order_and_other_steps_have_none() -> None:
    steps = [Done(1, "scan", False, False), Done(2, "move", True, True), Done(3, "move", False, False)]
    assert may_not_tick(steps, 1, done=True) == ""
    assert may_not_tick(steps, 3, done=True).startswith("Step 2 was checked")
    assert may_not_tick(steps, 2, done=False) == ""


def test_names_and_stale_ends_send_nobody() -> None:
    assert [order_kind(kind) for kind in ("misnamed", "unnamed", "stale_ends")] == [None] * 3
    assert order_kind("device_off") == "off" and order_kind("duplicate_name") == "checks"
