"""Machines and switches that the plan does not have: one finding each, and nothing of them is taken away."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.facts import NodeKind, PlannedPort, Seen, SeenLink, SeenNode, SeenPort
from fabric.reconcile.diagnose import Diagnosis, Finding, Kind, Settings, diagnose
from fabric.reconcile.finding import Severity, told_apart
from fabric.reconcile.report import as_json, as_text
from fabric.tests.made import FACTORY_NAME, Made, Shape, made
from fabric.tests.made_faults import FAULTS, inject_all
from tests.effort import examples

SMALL = Shape(machines=8, rails=4, radix=16)
BELIEVE = Settings(guard_share=1.0)


def free_ports(fabric: Made, number: int) -> list[PlannedPort]:
    """Ports of leaves that no plan needs."""
    free = [
        PlannedPort(name, port)
        for name in fabric.names().values()
        if "leaf" in name
        for port in range(1, fabric.shape.radix + 1)
        if PlannedPort(name, port) not in fabric.taken
    ]
    return free[:: max(1, len(free) // number)][:number]


def plug_in(fabric: Made, seen: Seen, guid: str, at: list[PlannedPort], numbers: list[int] | None = None) -> None:
    for number, port in zip(numbers or range(1, len(at) + 1), at, strict=False):
        one, other = sorted((SeenPort(fabric.guids[port.device], port.port), SeenPort(guid, number)))
        seen.links.append(SeenLink(one, other, "4x", "NDR"))


def strange(seen: Seen, guid: str, description: str, kind: NodeKind, system: str = "", ports: int = 64) -> str:
    seen.nodes[guid] = SeenNode(guid, kind, description, ports, system or guid)
    return guid


def only(diagnosis: Diagnosis) -> Finding:
    assert diagnosis.held_back is None
    (finding,) = diagnosis.findings
    return finding


@pytest.mark.parametrize("description", [FACTORY_NAME, "MF0;storage-sw:MQM9700/U1"])
def test_one_unplanned_switch_with_two_cables_is_one_finding(description: str) -> None:
    """1: its key stood twice in one insert, and discovery ended with a server error."""
    fabric = made(replace(SMALL, machines=6))
    seen = fabric.seen()
    plug_in(fabric, seen, strange(seen, "e" * 16, description, NodeKind.SWITCH), free_ports(fabric, 2))
    finding = only(diagnose(fabric.plan, seen))
    assert finding.kind is Kind.STRANGER and len(finding.ports) == 2 and finding.evidence["links"] == 2


def test_a_dual_port_adapter_that_nobody_planned_is_one_finding() -> None:
    """1: one node with two ports, and one card that shows itself as two nodes."""
    for nodes in (["d" * 16], ["d" * 16, "c" * 16]):
        fabric = made(replace(SMALL, machines=6))
        seen = fabric.seen()
        free = free_ports(fabric, 2)
        for at, guid in enumerate(nodes):
            strange(seen, guid, "MT4129 ConnectX7   Mellanox Technologies", NodeKind.ADAPTER, "d" * 16, 2)
            plug_in(fabric, seen, guid, free if len(nodes) == 1 else [free[at]])
        finding = only(diagnose(fabric.plan, seen))
        assert finding.kind is Kind.STRANGER and len(finding.ports) == 2


def test_a_strange_machine_with_many_adapters_is_one_finding() -> None:
    fabric = made(replace(SMALL, machines=6))
    seen = fabric.seen()
    for at, port in enumerate(free_ports(fabric, 3)):
        guid = strange(seen, f"{0xD000 + at:016x}", f"login-1.hall.example mlx5_{at}", NodeKind.ADAPTER, ports=1)
        plug_in(fabric, seen, guid, [port])
    finding = only(diagnose(fabric.plan, seen))
    assert "login-1" in finding.title and "3 adapters" in finding.title


def test_two_strange_switches_with_a_cable_between_them_are_two_findings() -> None:
    fabric = made(replace(SMALL, machines=6))
    seen = fabric.seen()
    one, other = (strange(seen, letter * 16, FACTORY_NAME, NodeKind.SWITCH) for letter in "ef")
    plug_in(fabric, seen, one, free_ports(fabric, 1))
    seen.links.append(SeenLink(SeenPort(one, 9), SeenPort(other, 9), "4x", "NDR"))
    diagnosis = diagnose(fabric.plan, seen)
    assert Counter(finding.kind for finding in diagnosis.findings) == {Kind.STRANGER: 2}


SHAPES = st.builds(
    Shape,
    machines=st.integers(3, 20),
    rails=st.integers(1, 4),
    radix=st.sampled_from([8, 12, 16]),
    twins=st.booleans(),
    seed=st.integers(0, 10**6),
)


@settings(deadline=None, max_examples=examples(120))
@given(SHAPES, st.lists(st.sampled_from([*FAULTS]), max_size=12), st.booleans(), st.integers(0, 6), st.integers(0, 6))
def test_no_two_findings_of_a_look_have_the_same_key(
    shape: Shape, kinds: list[str], overlapping: bool, strangers: int, typos: int
) -> None:
    """1: over random fabrics with random faults, strangers of every sort and errors in the plan."""
    fabric = made(shape)
    inject_all(fabric, kinds, overlapping=overlapping)
    seen = fabric.seen()
    chosen = random.Random(shape.seed)
    lit = {end for link in seen.links for end in (link.a, link.b)}
    switches = [name for name in fabric.names().values() if fabric.guids[name] in seen.nodes]
    free = [
        PlannedPort(name, n) for name in switches for n in range(1, shape.radix + 1)
        if SeenPort(fabric.guids[name], n) not in lit
    ]  # fmt: skip
    chosen.shuffle(free)
    for at in range(strangers):
        name = chosen.choice([FACTORY_NAME, "localhost mlx5_0", "x-1 mlx5_0", "x-1 mlx5_1", "", "MF0;y:MQM9700/U1"])
        kind = NodeKind.SWITCH if "mlx5" not in name else NodeKind.ADAPTER
        guid = strange(seen, f"{0xE0000 + at:016x}", name, kind, chosen.choice(["", "f" * 16]))
        plug_in(fabric, seen, guid, [free.pop() for _ in range(chosen.randint(0, 3)) if free])
    cables = list(fabric.plan.cables)
    for at in chosen.sample(range(len(cables)), min(typos, len(cables))):
        wrong = cables[at].b._replace(port=900 + at)
        cables[at] = cables[at]._replace(b=wrong)
    diagnosis = diagnose(replace(fabric.plan, cables=cables), seen, settings=BELIEVE)
    keys = [finding.key for finding in diagnosis.findings]
    assert len(set(keys)) == len(keys)
    assert all(len(key) < 250 for key in keys)


def test_keys_that_collide_are_told_apart_in_a_fixed_order() -> None:
    twice = [Finding(Kind.EXTRA, "extra:a", Severity.LOW, title, "") for title in ("one", "other", "third")]
    assert [each.key for each in told_apart(twice)] == ["extra:a", "extra:a#2", "extra:a#3"]


def test_a_stranger_with_a_name_is_asked_after_and_not_taken_away() -> None:
    """4: whatever port it sits in; its reported name is said."""
    fabric = made(replace(SMALL, machines=6))
    seen = fabric.seen()
    guid = strange(seen, "d" * 16, "storage-7 mlx5_0", NodeKind.ADAPTER, ports=1)
    plug_in(fabric, seen, guid, free_ports(fabric, 1))
    diagnosis = diagnose(fabric.plan, seen)
    finding = only(diagnosis)
    assert diagnosis.moves == () and finding.moves == ()
    assert "storage-7 mlx5_0" in finding.text and "ask whose it is" in finding.checks[0]
    assert as_json(diagnosis, fabric.plan, seen)["take_out"] == []
    assert "take it" not in as_text(diagnosis, fabric.plan, seen, moves=True).lower().replace(
        "have its owner take it", ""
    )


def test_a_stranger_with_a_name_in_a_planned_port_stops_the_moves_there() -> None:
    """4: the cable of a planned adapter hangs loose, and storage-7 sits in its port. Nobody pulls storage-7."""
    fabric = made(SMALL)
    inject_all(fabric, ["missing"])
    label = fabric.faults[0].cables[0]
    cable = next(cable for cable in fabric.plan.cables if cable.label == label)
    port = next(end for end in cable.ends if end not in fabric.taken and "mlx5" not in end.device)
    seen = fabric.seen()
    plug_in(fabric, seen, strange(seen, "d" * 16, "storage-7 mlx5_0", NodeKind.ADAPTER, ports=1), [port])
    diagnosis = diagnose(fabric.plan, seen)
    finding = only(diagnosis)
    assert diagnosis.moves == () and diagnosis.counts["moves"] == 0
    assert finding.kind is Kind.STRANGER and label in finding.cables and label in finding.text


def test_a_stranger_without_a_name_may_be_taken_out() -> None:
    fabric = made(replace(SMALL, machines=6))
    seen = fabric.seen()
    plug_in(fabric, seen, strange(seen, "e" * 16, FACTORY_NAME, NodeKind.SWITCH), free_ports(fabric, 2))
    diagnosis = diagnose(fabric.plan, seen)
    assert len(as_json(diagnosis, fabric.plan, seen)["take_out"]) == 4
    assert len(only(diagnosis).moves) == 4


def test_the_node_that_the_capture_was_taken_from_is_never_taken_away() -> None:
    """4: it has no name and no place in the plan, and yet it is how the fabric is seen."""
    fabric = made(replace(SMALL, machines=6))
    seen = fabric.seen()
    guid = strange(seen, "d" * 16, "MT4129 ConnectX7   Mellanox Technologies", NodeKind.ADAPTER, ports=1)
    plug_in(fabric, seen, guid, free_ports(fabric, 1))
    seen.origin = guid
    diagnosis = diagnose(fabric.plan, seen)
    assert diagnosis.moves == () and as_json(diagnosis, fabric.plan, seen)["take_out"] == []
    assert "This capture was taken from it" in only(diagnosis).checks[0]


def test_an_unplanned_cable_at_the_capture_s_own_planned_node_is_not_pulled() -> None:
    fabric = made(replace(SMALL, machines=6))
    seen = fabric.seen()
    one, other = free_ports(fabric, 2)
    ends = sorted(SeenPort(fabric.guids[end.device], end.port) for end in (one, other))
    seen.links.append(SeenLink(ends[0], ends[1], "4x", "NDR"))
    assert len(diagnose(fabric.plan, seen).moves) == 2
    seen.origin = fabric.guids[one.device]
    diagnosis = diagnose(fabric.plan, seen)
    finding = only(diagnosis)
    assert diagnosis.moves == () and finding.kind is Kind.EXTRA and "taken from it" in finding.checks[0]
