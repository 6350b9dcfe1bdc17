"""The diagnosis of whole fabrics: names, counts and findings against what was really done to them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace

import pytest

from fabric.facts import Completeness, NodeKind, Seen, SeenLink, SeenNode, SeenPort
from fabric.reconcile.diagnose import Diagnosis, Kind, Settings, diagnose
from fabric.tests.made import FACTORY_NAME, Made, Shape, made
from fabric.tests.made_faults import CABLING, FAULTS, inject, inject_all

BELIEVE = Settings(guard_share=1.0)
NOT_BOOTED = "MT4129 ConnectX7   Mellanox Technologies"
SMALL = Shape(machines=30, rails=8, radix=32)


def called(seen: Seen, name: Callable[[SeenNode], str]) -> Seen:
    """The same look with other descriptions."""
    return replace(seen, nodes={guid: node._replace(description=name(node)) for guid, node in seen.nodes.items()})


def kinds(diagnosis: Diagnosis) -> Counter[str]:
    return Counter(finding.kind.value for finding in diagnosis.findings)


def switches(fabric: Made, diagnosis: Diagnosis) -> dict[str, str]:
    return {guid: name for guid, name in diagnosis.names.items() if fabric.plan.devices[name].role == "switch"}


def assert_true(fabric: Made, diagnosis: Diagnosis) -> None:
    assert diagnosis.held_back is None
    assert diagnosis.counts == asdict(fabric.truth())
    assert switches(fabric, diagnosis) == fabric.names()


@pytest.mark.parametrize("shape", [Shape(machines=32), Shape(machines=40, rails=4, radix=16), Shape(machines=511)])
def test_a_healthy_fabric_has_no_findings(shape: Shape) -> None:
    fabric = made(shape)
    diagnosis = diagnose(fabric.plan, fabric.seen())
    assert diagnosis.findings == () and diagnosis.moves == ()
    assert_true(fabric, diagnosis)


@pytest.mark.parametrize("kind", [kind for kind in FAULTS if kind != "errors"])
def test_one_fault_is_one_finding_of_its_kind(kind: str) -> None:
    expected = {
        "swap": Kind.SWAPPED_PAIR,
        "missing": Kind.DARK,
        "dead_machine": Kind.DEVICE_OFF,
        "dead_switch": Kind.DEVICE_OFF,
        "exchanged_machines": Kind.EXCHANGED_DEVICES,
        "exchanged_switches": Kind.EXCHANGED_DEVICES,
        "factory_names": Kind.UNNAMED,
        "misnamed": Kind.UNNAMED,  # localhost: nobody has named it
    }
    fabric = made(SMALL)
    assert inject(fabric, kind)
    diagnosis = diagnose(fabric.plan, fabric.seen(), settings=BELIEVE)
    assert_true(fabric, diagnosis)
    assert kinds(diagnosis) == {expected.get(kind, kind): 1}


@pytest.mark.parametrize("seed", range(12))
def test_mixed_faults_are_counted_as_they_were_made(seed: int) -> None:
    chosen = random.Random(seed)
    fabric = made(Shape(machines=chosen.choice([30, 64]), rails=chosen.choice([4, 8]), radix=32, seed=seed))
    inject_all(fabric, chosen.choices(list(FAULTS), k=10))
    assert_true(fabric, diagnose(fabric.plan, fabric.seen(), settings=BELIEVE))


@pytest.mark.parametrize("seed", range(12))
def test_overlapping_faults_are_counted_as_they_were_made(seed: int) -> None:
    chosen = random.Random(100 + seed)
    fabric = made(Shape(machines=30, rails=chosen.choice([4, 8]), radix=32, seed=seed))
    names = ["exchanged_machines", "exchanged_switches", "duplicate_name", "misnamed"]
    inject_all(fabric, chosen.choices([*CABLING, *names], k=9), overlapping=True)
    assert_true(fabric, diagnose(fabric.plan, fabric.seen(), settings=BELIEVE))


def faulty(machines: int = 511) -> Made:
    fabric = made(Shape(machines=machines, seed=7))
    chosen = random.Random(7)
    inject_all(fabric, chosen.choices([*CABLING, "exchanged_machines", "stranger", "narrow_link"], k=40))
    return fabric


@pytest.mark.slow
def test_no_switch_named_and_forty_faults_all_switches_are_named_right() -> None:
    fabric = faulty()
    seen = called(fabric.seen(), lambda node: FACTORY_NAME if node.kind is NodeKind.SWITCH else node.description)
    diagnosis = diagnose(fabric.plan, seen)
    assert switches(fabric, diagnosis) == fabric.names() and len(fabric.names()) == 320
    assert diagnosis.counts == asdict(fabric.truth()) | {"renames": 320 + fabric.truth().renames}


@pytest.mark.slow
@pytest.mark.parametrize("anchor", ["gpu-0100 ", "gpu-0100 mlx5_4"])
def test_one_machine_with_a_name_fixes_all_switches(anchor: str) -> None:
    fabric = faulty()

    def name(node: SeenNode) -> str:
        if node.kind is NodeKind.SWITCH:
            return FACTORY_NAME
        return node.description if node.description.startswith(anchor) else NOT_BOOTED

    diagnosis = diagnose(fabric.plan, called(fabric.seen(), name))
    assert switches(fabric, diagnosis) == fabric.names()


def test_without_any_name_nothing_is_guessed() -> None:
    fabric = made(SMALL)
    diagnosis = diagnose(fabric.plan, called(fabric.seen(), lambda node: FACTORY_NAME))
    assert "Name one switch" in (diagnosis.held_back or "")
    assert diagnosis.names == {} and diagnosis.findings == () and diagnosis.counts == {}


def test_one_recorded_guid_is_enough_to_name_the_rest() -> None:
    fabric = made(SMALL)
    leaf = next(name for name in fabric.names().values() if "leaf" in name)
    seen = called(fabric.seen(), lambda node: FACTORY_NAME if node.kind is NodeKind.SWITCH else NOT_BOOTED)
    diagnosis = diagnose(fabric.plan, seen, known={fabric.guids[leaf]: leaf})
    assert switches(fabric, diagnosis) == fabric.names()


def test_case_and_blanks_of_names_do_not_matter() -> None:
    fabric = made(SMALL)
    inject(fabric, "swap")
    seen = called(fabric.seen(), lambda node: f"{node.description.upper()}   ")
    assert_true(fabric, diagnose(fabric.plan, seen))


def exchange(fabric: Made, one: str, other: str) -> None:
    for name in [name for name, device in fabric.plan.devices.items() if device.group == one]:
        twin = name.replace(one, other)
        fabric.guids[name], fabric.guids[twin] = fabric.guids[twin], fabric.guids[name]


def test_two_machines_in_each_other_s_place_with_a_wrong_cable_more_are_one_finding_and_its_moves() -> None:
    fabric = made(SMALL)
    exchange(fabric, "gpu-0003", "gpu-0009")
    label = next(cable.label for cable in fabric.plan.cables if cable.a.device == "gpu-0003 mlx5_5")
    free = max(port for cable in fabric.plan.cables for port in cable.ends if "leaf" in port.device)._replace(port=99)
    plug = fabric.lanes[label][1][0]
    fabric.put(plug, (free,))
    diagnosis = diagnose(fabric.plan, fabric.seen())
    assert_true(fabric, diagnosis)
    assert kinds(diagnosis) == {"exchanged_devices": 1, "wrong_port": 1}


def test_three_machines_in_a_circle_of_places_are_one_finding() -> None:
    fabric = made(SMALL)
    exchange(fabric, "gpu-0003", "gpu-0009")
    exchange(fabric, "gpu-0009", "gpu-0012")
    diagnosis = diagnose(fabric.plan, fabric.seen())
    assert_true(fabric, diagnosis)
    assert kinds(diagnosis) == {"exchanged_devices": 1}
    assert len(diagnosis.findings[0].devices) == 3


def test_two_crossed_rails_of_eight_are_cables() -> None:
    fabric = made(SMALL)
    for adapter in ("mlx5_0", "mlx5_4"):
        one, other = (f"gpu-{number} {adapter}" for number in ("0003", "0009"))
        fabric.guids[one], fabric.guids[other] = fabric.guids[other], fabric.guids[one]
    diagnosis = diagnose(fabric.plan, fabric.seen())
    assert kinds(diagnosis) == {"swapped_pair": 2} and diagnosis.counts["moves"] == 4


def test_a_machine_at_the_place_of_one_that_is_off_is_told_as_that() -> None:
    fabric = made(SMALL)
    exchange(fabric, "gpu-0003", "gpu-0009")
    fabric.dead.update(name for name, device in fabric.plan.devices.items() if device.group == "gpu-0003")
    diagnosis = diagnose(fabric.plan, fabric.seen())
    assert kinds(diagnosis) == {"device_at_other_place": 1, "device_off": 1}
    assert diagnosis.counts["moves"] == 0 and diagnosis.counts["unlit_links_at_dead_devices"] == 8


@pytest.mark.parametrize("moved", ["names", "boxes"])
def test_recorded_guids_tell_exchanged_names_from_exchanged_boxes(moved: str) -> None:
    fabric = made(SMALL)
    recorded = {guid: name for name, guid in fabric.guids.items()}
    exchange(fabric, "gpu-0003", "gpu-0009")
    if moved == "names":  # the boxes stand where they are recorded
        recorded = {guid: name for name, guid in fabric.guids.items()}
    finding = next(
        each for each in diagnose(fabric.plan, fabric.seen(), known=recorded).findings if "exchanged" in each.kind
    )
    assert ("names are exchanged" if moved == "names" else "boxes, or all their cables") in finding.text
    assert ("Rename" in finding.checks[0]) == (moved == "names")


def test_two_machines_of_one_name_are_named_by_their_places() -> None:
    fabric = made(SMALL)
    assert inject(fabric, "duplicate_name")
    diagnosis = diagnose(fabric.plan, fabric.seen())
    assert {name: guid for guid, name in diagnosis.names.items()} == fabric.guids


def test_a_stranger_in_the_place_of_a_switch_that_is_off_is_not_taken_for_it() -> None:
    fabric = made(SMALL)
    spine = next(name for name in fabric.names().values() if "spine" in name)
    far = next(port for cable in fabric.plan.cables for port in cable.ends if cable.b.device == spine)
    fabric.dead.add(spine)
    seen = fabric.seen()
    seen.nodes["ff"] = SeenNode("ff", NodeKind.ADAPTER, NOT_BOOTED, 1)
    seen.links.append(SeenLink(SeenPort(fabric.guids[far.device], far.port), SeenPort("ff", 1)))
    diagnosis = diagnose(fabric.plan, seen)
    assert "ff" not in diagnosis.names
    assert kinds(diagnosis) == {"device_off": 1, "stranger": 1}


def test_keys_stay_when_other_faults_come_and_go() -> None:
    fabric = made(SMALL)
    inject(fabric, "swap")
    before = {finding.key for finding in diagnose(fabric.plan, fabric.seen()).findings}
    inject_all(fabric, ["missing", "exchanged_machines", "cycle"])
    assert before <= {finding.key for finding in diagnose(fabric.plan, fabric.seen()).findings}


@pytest.mark.parametrize("state", [Completeness.EMPTY, Completeness.TRUNCATED])
def test_no_data_is_never_a_fabric_without_cables(state: Completeness) -> None:
    fabric = made(SMALL)
    seen = fabric.seen() if state is Completeness.TRUNCATED else Seen()
    seen.completeness = state
    diagnosis = diagnose(fabric.plan, seen)
    assert diagnosis.held_back and not diagnosis.findings and not diagnosis.moves and not diagnosis.counts


def test_too_much_missing_at_once_is_said_once_and_a_person_may_believe_it() -> None:
    fabric = made(Shape(machines=64))
    seen = fabric.seen()
    lost = random.Random(3).sample(seen.links, 60)
    seen.links = [link for link in seen.links if link not in set(lost)]
    diagnosis = diagnose(fabric.plan, seen)
    assert "60 of 1024 planned links are not seen" in (diagnosis.held_back or "")
    assert diagnosis.findings == ()
    assert diagnose(fabric.plan, seen, settings=BELIEVE).counts["unlit_links"] == 60


def test_a_tier_that_is_gone_is_held_back_at_any_share() -> None:
    fabric = made(SMALL)
    fabric.dead.update(name for name in fabric.names().values() if "spine" in name)
    held = diagnose(fabric.plan, fabric.seen(), settings=Settings(guard_share=0.9)).held_back
    assert held is not None and "tier" in held


def test_ports_with_ends_that_disagree_are_said_nothing_about() -> None:
    fabric = made(SMALL)
    seen = fabric.seen()
    seen.doubtful.append(seen.links.pop())
    diagnosis = diagnose(fabric.plan, seen)
    assert kinds(diagnosis) == {"stale_ends": 1}
    assert diagnosis.counts["unlit_links"] == 0


def test_a_width_that_no_link_of_the_fabric_has_is_not_missed() -> None:
    fabric = made(SMALL)
    seen = fabric.seen()
    seen.states = {port: state._replace(best_width="12x") for port, state in seen.states.items()}
    assert diagnose(fabric.plan, seen).findings == ()


def test_a_slow_link_is_seen_beside_its_neighbours_where_no_port_tells() -> None:
    fabric = made(SMALL)
    inject(fabric, "slow_link")
    seen = replace(fabric.seen(), states={})
    assert kinds(diagnose(fabric.plan, seen)) == {"slow_link": 1}


@pytest.mark.parametrize("seed", range(6))
def test_twin_cables_and_breakouts_are_moved_whole(seed: int) -> None:
    chosen = random.Random(seed)
    fabric = made(Shape(machines=30, rails=4, radix=32, seed=seed, twins=True, breakouts=seed % 2 == 0))
    inject_all(fabric, chosen.choices([*CABLING, "exchanged_switches", "factory_names"], k=6))
    assert_true(fabric, diagnose(fabric.plan, fabric.seen(), settings=BELIEVE))


def test_two_switches_of_one_name_are_named_by_their_places() -> None:
    fabric = made(SMALL)
    one, other = (name for name in fabric.names().values() if name.endswith(("r1", "r2")) and "u01" in name)
    fabric.reports[fabric.guids[one]] = other
    diagnosis = diagnose(fabric.plan, fabric.seen())
    assert switches(fabric, diagnosis) == fabric.names()
    assert kinds(diagnosis) == {"duplicate_name": 1} and diagnosis.counts["renames"] == 1


def test_a_switch_that_is_off_in_a_small_fabric_is_one_finding_and_not_held_back() -> None:
    fabric = made(Shape(machines=64))
    inject(fabric, "dead_switch")
    diagnosis = diagnose(fabric.plan, fabric.seen())
    assert_true(fabric, diagnosis)
    assert kinds(diagnosis) == {"device_off": 1}
    assert diagnosis.counts["unlit_links_at_dead_devices"] == 64
