"""What a hand is told: which cage, which rack and U, what may be printed on the cable; and what no hand can move."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fabric.facts import NodeKind, Place, PlannedDevice, PlannedPort, Seen
from fabric.reconcile.cables import FoundCable, WantedCable
from fabric.reconcile.diagnose import Kind, diagnose
from fabric.reconcile.moves import plan_moves
from fabric.reconcile.prices import Prices
from fabric.reconcile.report import as_text
from fabric.reconcile.sockets import lanes_of, reported_cages, table
from fabric.reconcile.words import Spots, full, move_words
from fabric.tests.made import Made, Shape, made
from fabric.tests.made_faults import inject

SMALL = Shape(machines=30, rails=4, radix=64)


def port(text: str) -> PlannedPort:
    return PlannedPort(text[0], int(text[1:]))


def found(name: str, ends: str, **more: Any) -> FoundCable:
    one, other = ends.split("-")
    return FoundCable(name, (port(one), port(other)), **more)


def wanted(label: str, ends: str, **more: Any) -> WantedCable:
    one, other = ends.split("-")
    return WantedCable(label, (port(one), port(other)), **more)


def with_ports(seen: Seen, ports: int, description: str = "leaf") -> Seen:
    """The same look at switches that report another number of ports and no model."""
    nodes = dict(seen.nodes)
    for guid, node in seen.nodes.items():
        if node.kind is NodeKind.SWITCH:
            name = node.description.removeprefix("MF0;").partition(":")[0]
            nodes[guid] = node._replace(ports=ports, counted=True, description=name)
    return replace(seen, nodes=nodes)


@pytest.mark.parametrize(
    ("ports", "where"),
    [
        (65, "cage 11 lower (port 22)"),  # QM9700
        (64, "cage 11 lower (port 22)"),
        (41, "cage 22 (port 22)"),  # QM8700
        (36, "cage 22 (port 22)"),
        (81, "cage 11 lower (port 22)"),  # QM8700, split
        (129, "cage 6 lane 2 (port 22)"),  # QM9700, split
        (48, "port 22"),  # nobody knows
    ],
)
def test_cages_follow_the_port_count_that_the_switch_reports(ports: int, where: str) -> None:
    """6: a QM8700 has one port to a cage, and port 22 is not in its cage 11."""
    fabric = made(SMALL)
    seen = with_ports(fabric.seen(), ports)
    leaf = next(name for name in fabric.names().values() if "leaf" in name)
    plan = replace(fabric.plan, devices={n: d._replace(faceplate="") for n, d in fabric.plan.devices.items()})
    spots = Spots(plan, reported_cages(seen, {fabric.guids[leaf]: leaf}))
    assert spots(PlannedPort(leaf, 22)).opening() == where


def test_cages_follow_the_model_where_the_switch_was_not_seen() -> None:
    fabric = made(SMALL)
    leaf = next(name for name in fabric.names().values() if "leaf" in name)
    spots = Spots(fabric.plan, reported_cages(Seen(), {}))
    assert spots(PlannedPort(leaf, 22)).opening() == "cage 11 lower (port 22)"
    device = fabric.plan.devices[leaf]
    assert isinstance(device, PlannedDevice) and device.faceplate == "nvidia-qm9700"
    assert [lanes_of(0, name) for name in ("MQM8790", "nvidia-qm8700", "MSB7800", "no-model", "")] == [1, 1, 1, 0, 0]
    assert all(lanes_of(row.ports) == row.lanes for row in table())


def test_the_far_end_is_told_with_its_rack_and_its_unit() -> None:
    """6: in the step, in what is drained before it, and in what to try at a dark cable."""
    fabric = made(SMALL)
    inject(fabric, "wrong_port")
    diagnosis = diagnose(fabric.plan, fabric.seen())
    spots = Spots(fabric.plan, diagnosis.cage_of)
    (move,) = diagnosis.moves
    sentence = move_words(move, spots)
    far = spots(move.stays)
    assert far.place.rack and far.place.u
    assert f"its other end is in rack {far.place.rack}, {far.box}" in sentence and f" at U{far.place.u:g}" in far.box
    assert full(far) in sentence
    assert sentence in as_text(diagnosis, fabric.plan, fabric.seen(), moves=True)


def test_the_label_that_may_be_printed_on_the_cable_in_hand_is_told_both_ways() -> None:
    """6: of a swapped pair nobody knows which end was plugged wrongly, so either label may be on the cable."""
    plan = plan_moves([found("f", "a1-s2"), found("g", "b1-s1")], [wanted("A", "a1-s1"), wanted("B", "b1-s2")])
    assert all(set(move.printed) == {"A", "B"} and move.printed[0] == move.cable for move in plan.moves)
    sentence = move_words(plan.moves[0], Spots(made(SMALL).plan))
    assert "the cable labelled A or B" in sentence or "the cable labelled B or A" in sentence


def test_a_cable_in_a_port_that_no_plan_needs_can_have_but_one_label() -> None:
    plan = plan_moves([found("f", "a1-s9")], [wanted("A", "a1-s1")])
    assert [move.printed for move in plan.moves] == [("A",)]


def test_the_way_round_that_leaves_labels_true_is_planned_where_it_is_equally_short() -> None:
    """6: both ways are two insertions; the dearer one is taken, because the serials say which cable is which."""
    near = Prices(places={"s": Place("h", "", "k1"), "a": Place("h", "", "k2", 1), "b": Place("h", "", "k3", 1)})
    cables = [wanted("A", "a1-s1", serials=("X", "X")), wanted("B", "b1-s2", serials=("Y", "Y"))]
    there = [found("f", "a1-s2", serials=("Y", "Y")), found("g", "b1-s1", serials=("X", "X"))]
    plan = plan_moves(there, cables, prices=near)
    assert plan.insertions == 2
    assert {(move.found, move.cable, move.printed) for move in plan.moves} == {("f", "B", ("B",)), ("g", "A", ("A",))}


def test_a_label_never_costs_a_move_more() -> None:
    """6: the labelled cable could go home with both ends, but as another it is one move."""
    there = [found("f", "a1-s9", serials=("Y", "Y"))]
    cables = [wanted("A", "a1-s1"), wanted("B", "b1-s2", serials=("Y", "Y"))]
    assert plan_moves(there, cables).insertions == 1


def twins() -> Made:
    return made(Shape(machines=16, rails=4, radix=16, twins=True))


def crossing(fabric: Made) -> list[str]:
    """Cross the lanes of one twin cable where they are in the right cages; returns its links."""
    body = next(cable.body for cable in fabric.plan.cables if cable.body)
    labels = [cable.label for cable in fabric.plan.cables if cable.body == body]
    (one, (plug, _)), (other, _) = fabric.lanes[labels[0]], fabric.lanes[labels[1]]
    fabric.lanes[labels[0]] = (one, (plug, 1))
    fabric.lanes[labels[1]] = (other, (plug, 0))
    return labels


def test_crossed_lanes_of_one_twin_cable_are_a_repair_of_that_cable() -> None:
    """5: both plugs are where they belong, so no plug is moved."""
    fabric = twins()
    labels = crossing(fabric)
    diagnosis = diagnose(fabric.plan, fabric.seen())
    (finding,) = diagnosis.findings
    assert finding.kind is Kind.CROSSED_LANES and set(finding.cables) == set(labels)
    assert diagnosis.moves == () and finding.moves == () and diagnosis.counts["unplanned_links"] == 0
    assert "swap the cable" in finding.checks[1] and "rack" in finding.checks[0]


def test_crossed_lanes_beside_a_wrong_twin_cable_leave_its_moves_alone() -> None:
    fabric = twins()
    labels = crossing(fabric)
    body = next(cable.body for cable in fabric.plan.cables if cable.label == labels[0])
    ends = [end.device for cable in fabric.plan.cables if cable.label == labels[0] for end in cable.ends]
    fabric.touched.update([body, *ends])
    assert inject(fabric, "swap")
    diagnosis = diagnose(fabric.plan, fabric.seen())
    assert Kind.CROSSED_LANES in {finding.kind for finding in diagnosis.findings}
    assert diagnosis.counts["moves"] == 2


def test_a_twin_cable_with_one_crossed_and_one_dark_lane_is_the_same_repair() -> None:
    fabric = twins()
    labels = crossing(fabric)
    seen = fabric.seen()
    port_of = next(cable.a for cable in fabric.plan.cables if cable.label == labels[1])
    guid = fabric.guids[port_of.device]
    seen.links = [link for link in seen.links if (guid, port_of.port) not in (link.a, link.b)]
    (finding,) = diagnose(fabric.plan, seen).findings
    assert finding.kind is Kind.CROSSED_LANES
