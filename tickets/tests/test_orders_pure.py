"""What follows from moves alone: what is expected at which port, what is a surprise, what comes first."""

from __future__ import annotations

from typing import Any

from tickets.orders import Done, expected_ends, judge_move, may_not_tick, order_kind, surprises


def port(name: str) -> dict[str, Any]:
    device, _, number = name.partition("/")
    return {"device": device, "port": int(number)}


def move(take: str, put: str, stays: str, cable: str = "C1") -> dict[str, Any]:
    ends = {"take_from": port(take) if take else None, "put_into": port(put) if put else None}
    return {"n": 1, "cable": cable, "stays": port(stays), **ends}


# Two cables exchanged at a leaf: a1 sits in 2, b1 in 1.
SWAP = [move("leaf/2", "", "a/1"), move("leaf/1", "leaf/2", "b/1", "C2"), move("", "leaf/1", "a/1")]


def done(count: int) -> list[tuple[Any, bool]]:
    return [(each, at < count) for at, each in enumerate(SWAP)]


def test_each_move_done_changes_what_is_expected() -> None:
    assert expected_ends(done(0))["leaf", 2] == ("a", 1) and expected_ends(done(0))["leaf", 1] == ("b", 1)
    assert ("leaf", 2) not in expected_ends(done(1)) and expected_ends(done(1))["leaf", 1] == ("b", 1)
    assert expected_ends(done(2))["leaf", 2] == ("b", 1) and ("leaf", 1) not in expected_ends(done(2))
    assert expected_ends(done(3)) == {
        ("leaf", 1): ("a", 1), ("a", 1): ("leaf", 1), ("leaf", 2): ("b", 1), ("b", 1): ("leaf", 2),
    }  # fmt: skip


def test_what_was_put_back_or_plugged_elsewhere_is_a_surprise_and_a_dark_port_is_none() -> None:
    put_back = {("leaf", 2): ("a", 1), ("leaf", 1): ("b", 1)}
    assert surprises(done(0), put_back) == [] and surprises(done(1), put_back) == ["leaf port 2 leads to a port 1"]
    assert surprises(done(1), {("leaf", 2): None, ("leaf", 1): ("b", 1)}) == []
    assert surprises(done(2), {("leaf", 2): ("x", 9)}) == ["leaf port 2 leads to x port 9"]


def test_a_look_judges_only_ports_that_it_saw() -> None:
    insert, expected = SWAP[1], expected_ends(done(2))
    assert judge_move(insert, {}, expected)[0] == ""
    assert judge_move(insert, {("leaf", 2): ("b", 1)}, expected)[0] == "confirmed"
    assert judge_move(insert, {("leaf", 2): None}, expected) == ("failed", "leaf port 2 has no light.")
    wrong = judge_move(insert, {("leaf", 2): ("a", 1)}, expected)
    assert wrong == ("failed", "leaf port 2 leads to a port 1, not to b port 1.")
    assert judge_move(SWAP[0], {("leaf", 2): None}, expected_ends(done(1)))[0] == "confirmed"
    assert judge_move(SWAP[0], {("leaf", 2): ("a", 1)}, expected_ends(done(1)))[0] == "failed"


def test_a_cable_of_which_both_ends_move_is_judged_by_where_the_other_is_by_now() -> None:
    both = [move("leaf/1", "leaf/5", "a/1"), move("a/1", "a/7", "leaf/1")]
    expected = expected_ends([(each, True) for each in both])
    assert judge_move(both[1], {("a", 7): ("leaf", 5)}, expected)[0] == "confirmed"
    hangs = expected_ends([(move("leaf/1", "", "a/1"), True), (both[1], True)])
    assert judge_move(both[1], {("a", 7): None}, hangs)[0] == ""


def test_moves_have_an_order_and_other_steps_have_none() -> None:
    steps = [Done(1, "scan", False, False), Done(2, "move", True, True), Done(3, "move", False, False)]
    assert may_not_tick(steps, 1, done=True) == ""
    assert may_not_tick(steps, 3, done=True).startswith("Step 2 was looked at")
    assert may_not_tick(steps, 2, done=False) == ""


def test_names_and_stale_ends_send_nobody() -> None:
    assert [order_kind(kind) for kind in ("misnamed", "unnamed", "stale_ends")] == [None] * 3
    assert order_kind("device_off") == "off" and order_kind("duplicate_name") == "checks"
