"""The worked examples of moves: a fabric of three cables a1-s1, b1-s2, c1-s3."""

from __future__ import annotations

import math
from typing import Any

import pytest

from fabric.facts import Place, PlannedPort
from fabric.reconcile.moves import ComponentKind, FoundCable, MovePlan, StepKind, WantedCable, plan_moves
from fabric.reconcile.prices import LengthTable, Prices
from fabric.tests.patch_field import apply

PLAN = {"CA": ("a1", "s1"), "CB": ("b1", "s2"), "CC": ("c1", "s3")}


def port(text: str) -> PlannedPort:
    """`s12` is port 12 of s."""
    return PlannedPort(text[0], int(text[1:]))


def ends(link: str) -> tuple[PlannedPort, PlannedPort]:
    one, other = map(port, link.split("-"))
    return one, other


def found(*links: str, **more: Any) -> list[FoundCable]:
    return [FoundCable(link, ends(link), **more) for link in links]


def wanted(*links: str, **more: Any) -> list[WantedCable]:
    return [WantedCable(link, ends(link), **more) for link in links]


def difference(*links: str) -> tuple[list[FoundCable], list[WantedCable]]:
    """What lies wrong and what is missing, against the plan above."""
    there = found(*links)
    planned = [WantedCable(label, (port(a), port(b))) for label, (a, b) in PLAN.items()]
    lit = {frozenset(link.ends) for link in there}
    right = {frozenset(link.ends) for link in planned}
    return (
        [link for link in there if frozenset(link.ends) not in right],
        [link for link in planned if frozenset(link.ends) not in lit],
    )


def acts(plan: MovePlan) -> list[tuple[str, str, str]]:
    def text(at: PlannedPort | None) -> str:
        return f"{at.device}{at.port}" if at else ""

    return [(move.cable, text(move.take_from), text(move.put_into)) for move in plan.moves]


def solve(links: tuple[str, ...], prices: Prices | None = None) -> MovePlan:
    wrong, missing = difference(*links)
    plan = plan_moves(wrong, missing, prices=prices)
    field = apply(wrong, missing, plan.moves)
    new = {label for component in plan.components for label in component.new_cables}
    assert field.links() == {frozenset(link.ends) for link in missing if link.label not in new}
    return plan


def test_a_swap_is_two_moves_with_one_cable_hanging() -> None:
    plan = solve(("a1-s2", "b1-s1", "c1-s3"))
    assert [component.kind for component in plan.components] == [ComponentKind.SWAPPED_PAIR]
    assert plan.insertions == 2
    assert [move.kind for move in plan.moves] == [StepKind.HANG, StepKind.MOVE, StepKind.INSERT]
    assert acts(plan)[0][2] == "" and acts(plan)[2][1] == ""
    assert acts(plan)[0][0] == acts(plan)[2][0] != acts(plan)[1][0]


def test_a_circle_of_three_is_three_moves() -> None:
    plan = solve(("a1-s2", "b1-s3", "c1-s1"))
    assert [component.kind for component in plan.components] == [ComponentKind.CYCLE]
    assert plan.insertions == 3 and len(plan.moves) == 4


def test_a_wrong_port_is_one_move() -> None:
    plan = solve(("a1-s9", "b1-s2", "c1-s3"))
    assert [component.kind for component in plan.components] == [ComponentKind.WRONG_PORT]
    assert acts(plan) == [("CA", "s9", "s1")]


def test_a_chain_is_one_move_at_the_switch_and_one_unlit_cable() -> None:
    plan = solve(("a1-s2", "c1-s3"))
    assert [component.kind for component in plan.components] == [ComponentKind.CHAIN]
    assert acts(plan) == [("CA", "s2", "s1")]
    assert plan.components[0].new_cables == ("CB",)


def test_a_missing_cable_is_no_move() -> None:
    plan = solve(("a1-s1", "b1-s2"))
    assert [component.kind for component in plan.components] == [ComponentKind.MISSING]
    assert plan.moves == () and plan.components[0].new_cables == ("CC",)


def test_an_extra_cable_is_taken_out_and_is_no_insertion() -> None:
    plan = solve(("a1-s1", "b1-s2", "c1-s3", "x4-y5"))
    assert [component.kind for component in plan.components] == [ComponentKind.EXTRA]
    assert plan.insertions == 0 and plan.components[0].taken_out == ("x4-y5",)
    assert [move.kind for move in plan.moves] == [StepKind.REMOVE] * 2


def test_an_extra_cable_in_the_way_is_taken_out_before_its_port_is_used() -> None:
    plan = solve(("a1-s9", "x1-s1", "b1-s2", "c1-s3"))
    assert plan.insertions == 1
    assert [move.kind for move in plan.moves] == [StepKind.REMOVE, StepKind.REMOVE, StepKind.MOVE]


def test_two_machines_with_eight_rails_crossed_are_sixteen_moves_when_cables_are_to_blame() -> None:
    there = [link for rail in range(1, 9) for link in found(f"a{rail}-s{10 + rail}", f"b{rail}-s{rail}")]
    planned = [link for rail in range(1, 9) for link in wanted(f"a{rail}-s{rail}", f"b{rail}-s{10 + rail}")]
    plan = plan_moves(there, planned)
    assert len(plan.components) == 8 and plan.insertions == 16
    assert apply(there, planned, plan.moves).links() == {frozenset(link.ends) for link in planned}


def test_a_wrong_cable_beside_crossed_machines_joins_their_circle() -> None:
    there = found("a1-s2", "b1-s9", "x1-s1")
    planned = wanted("a1-s1", "b1-s2", "x1-s9")
    plan = plan_moves(there, planned)
    assert [component.kind for component in plan.components] == [ComponentKind.CYCLE]
    assert plan.insertions == 3


def test_names_alone_give_no_moves() -> None:
    assert plan_moves([], []) == MovePlan()


def test_of_two_equally_short_answers_the_nearer_is_taken() -> None:
    places = {"s": Place("h", "r1", "k1", 1), "a": Place("h", "r1", "k1", 9), "b": Place("h", "r2", "k7", 3)}
    plan = solve(("a1-s2", "b1-s1", "c1-s3"), Prices(places=places))
    assert {move.put_into.device for move in plan.moves if move.put_into} == {"s"}
    assert plan.components[0].price == 2.0


def test_distance_along_the_floor_prices_the_way_when_it_is_known() -> None:
    places = {"a": Place("h", "r", "k1", 1, 0, 0), "b": Place("h", "r", "k2", 1, 30, 0)}
    prices = Prices(per_metre=0.5, places=places, lengths=LengthTable(slack_m=4))
    assert prices.way(port("a1"), port("b1")) == 17.0
    table = LengthTable(between={(("h", "k2"), ("h", "k1")): 50})
    assert Prices(per_metre=0.5, places=places, lengths=table).way(port("a1"), port("b1")) == 25.0


def test_the_length_table_says_what_a_cable_must_reach_where_the_plan_does_not() -> None:
    places = {device: Place("h", "r", f"rack {device}") for device in "absx"}
    table = LengthTable(between={(("h", "rack a"), ("h", "rack s")): 30, (("h", "rack b"), ("h", "rack s")): 10})
    there = [FoundCable("f", (port("a1"), port("s2")), length_m=12.0)]
    prices = Prices(places=places, lengths=table)
    plan = plan_moves(there, wanted("a1-s1", "b1-s2"), prices=prices)
    assert acts(plan) == [("b1-s2", "a1", "b1")]
    elsewhere = LengthTable(between={(("other room", "rack a"), ("other room", "rack s")): 30})
    assert Prices(places=places, lengths=elsewhere).needed_m(port("a1"), port("s1")) is None


def test_a_cable_that_is_too_short_stays_near() -> None:
    there = [FoundCable("f", (port("a1"), port("s2")), length_m=3.0)]
    planned = [
        WantedCable("far", (port("a1"), port("s1")), length_m=30.0),
        WantedCable("near", (port("b1"), port("s2")), length_m=2.0),
    ]
    plan = plan_moves(there, planned)
    assert acts(plan) == [("near", "a1", "b1")] and plan.components[0].new_cables == ("far",)


def test_a_cable_of_another_type_is_taken_out_and_a_new_one_run() -> None:
    there = [FoundCable("f", (port("a1"), port("s2")), type="dac")]
    planned = wanted("a1-s1", type="fibre")
    plan = plan_moves(there, planned)
    assert plan.insertions == 0
    assert plan.components[0].taken_out == ("f",) and plan.components[0].new_cables == ("a1-s1",)


def test_a_cable_too_short_is_replaced_where_the_site_forbids_it() -> None:
    there = [FoundCable("f", (port("a1"), port("s2")), length_m=3.0)]
    planned = wanted("a1-s1", length_m=30.0)
    assert plan_moves(there, planned).insertions == 1
    assert plan_moves(there, planned, prices=Prices(too_short=math.inf)).components[0].taken_out == ("f",)


def test_a_label_readable_at_both_ends_fixes_which_cable_it_is() -> None:
    there = [
        FoundCable("f", (port("a1"), port("s2")), label="a1-s1"),
        FoundCable("g", (port("b1"), port("s1")), label="b1-s2"),
    ]
    planned = wanted("a1-s1", "b1-s2")
    dear = Prices(places={"s": Place("h", "", "k1"), "a": Place("h", "", "k2", 1), "b": Place("h", "", "k2", 1)})
    assert {move.put_into.device for move in plan_moves(there, planned, prices=dear).moves if move.put_into} == {"s"}
    swapped = [FoundCable("f", there[0].ends, serials=("2", "1")), FoundCable("g", there[1].ends)]
    told = [WantedCable("a1-s1", planned[0].ends), WantedCable("b1-s2", planned[1].ends, serials=("1", "2"))]
    plan = plan_moves(swapped, told, prices=dear)
    assert {(move.found, move.cable) for move in plan.moves} == {("f", "b1-s2"), ("g", "a1-s1")}


def test_a_label_of_a_cable_with_both_ends_wrong_costs_both_ends() -> None:
    there = [FoundCable("f", (port("x1"), port("y1")), label="a1-s1")]
    plan = plan_moves(there, wanted("a1-s1"))
    assert plan.insertions == 2
    assert apply(there, wanted("a1-s1"), plan.moves).links() == {frozenset((port("a1"), port("s1")))}


def test_a_label_told_by_two_cables_says_nothing() -> None:
    there = [
        FoundCable("f", (port("x1"), port("y1")), label="a1-s1"),
        FoundCable("g", (port("a1"), port("s4")), label="a1-s1"),
    ]
    plan = plan_moves(there, wanted("a1-s1"))
    assert plan.insertions == 1 and ("f",) in {component.taken_out for component in plan.components}


def test_a_step_lists_the_live_links_to_drain_first_once() -> None:
    there = found("a1-s2", "b1-s1", live=True)
    plan = plan_moves(there, wanted("a1-s1", "b1-s2"))
    assert sorted(link for move in plan.moves for link in move.drains) == sorted(link.ends for link in there)
    assert plan.moves[0].drains and not plan.moves[-1].drains
    assert plan.components[0].price == 20 + 2


def test_a_port_in_two_cables_is_refused() -> None:
    with pytest.raises(ValueError, match="port 2 of s is in two found links"):
        plan_moves(found("a1-s2", "b1-s2"), [])


def test_links_that_lie_right_are_left_alone() -> None:
    plan = plan_moves(found("a1-s1", "b1-s9"), wanted("a1-s1", "b1-s2"))
    assert acts(plan) == [("b1-s2", "s9", "s2")]
    assert len(plan.components) == 1


# Wide plugs: cage X is ports 1 and 2, cage Y ports 3 and 4 of each switch


def twin(kind: type, label: str, one: str, other: str) -> list:
    a, b = one.split("/")
    c, d = other.split("/")
    links = [(port(a), port(c)), (port(b), port(d))]
    return [kind(f"{label}.{at}", ends, label, ("a", "b")) for at, ends in enumerate(links, 1)]


def test_the_plug_of_a_twin_moves_both_lanes_at_once() -> None:
    there = [FoundCable("1", (port("s1"), port("t3"))), FoundCable("2", (port("s2"), port("t4")))]
    planned = twin(WantedCable, "W", "s1/s2", "t1/t2")
    plan = plan_moves(there, planned)
    assert plan.insertions == 1
    assert plan.moves[0].takes == (port("t3"), port("t4")) and plan.moves[0].puts == (port("t1"), port("t2"))
    assert plan.moves[0].cables == ("W.1", "W.2")
    assert apply(there, planned, plan.moves).links() == {frozenset(link.ends) for link in planned}


def test_fibres_in_the_place_of_a_twin_are_moved_one_by_one() -> None:
    planned = twin(WantedCable, "W", "s1/s2", "t1/t2")
    there = found("s1-t1", "s2-x5")
    plan = plan_moves(there, planned)
    assert acts(plan) == [("W.2", "x5", "t2")]
    assert apply(there, planned, plan.moves).links() == {frozenset(link.ends) for link in planned}


def test_a_right_link_stays_even_if_its_cable_can_be_no_planned_one() -> None:
    planned = twin(WantedCable, "W", "s1/s2", "t1/t2")
    odd = [
        FoundCable("1", (port("s1"), port("t1")), "odd", ("p", "q")),
        FoundCable("2", (port("s2"), port("x5")), "odd", ("p", "q")),
    ]
    plan = plan_moves(odd, planned)
    assert [move.takes for move in plan.moves] == [(port("x5"),)]
    assert plan.components[0].taken_out == ()


def test_a_dark_lane_of_a_right_twin_is_unlit_and_nothing_is_touched() -> None:
    plan = plan_moves(found("s1-t1"), twin(WantedCable, "W", "s1/s2", "t1/t2"))
    assert plan.moves == () and plan.components[0].new_cables == ("W.2",)


def test_a_twin_with_a_dark_lane_still_moves_as_one() -> None:
    planned = [*twin(WantedCable, "V", "s1/s2", "t1/t2"), *twin(WantedCable, "W", "s3/s4", "t3/t4")]
    plan = plan_moves(found("s1-t3", "s3-t1", "s4-t2"), planned)
    assert [component.kind for component in plan.components] == [ComponentKind.SWAPPED_PAIR]
    assert plan.insertions == 2 and all(len(move.takes or move.puts) == 2 for move in plan.moves)


def test_a_tail_of_a_breakout_moves_alone_and_the_head_stays() -> None:
    plugs = [("head", "one"), ("head", "two")]
    planned = [WantedCable(f"W{n}", (port(f"s{n}"), port(f"m{n}")), "W", plugs[n - 1]) for n in (1, 2)]
    there = [FoundCable(f"f{n}", (port(f"s{n}"), port(f"m{3 - n}")), "B", plugs[n - 1]) for n in (1, 2)]
    plan = plan_moves(there, planned)
    assert plan.insertions == 2 and all(port("s1") not in (*move.takes, *move.puts) for move in plan.moves)
    told_nothing = plan_moves(found("s1-m2", "s2-m1"), planned)
    assert told_nothing.insertions == 2
