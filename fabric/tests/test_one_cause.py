"""One cause is one finding: a dark rack, row or feed, adapters with other numbers. And what the guard counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from fabric.facts import NodeKind, PlannedPort, Seen
from fabric.reconcile.diagnose import Diagnosis, Finding, Kind, Settings, diagnose
from fabric.tests.made import Made, Shape, made
from fabric.tests.made_faults import inject

EIGHT = Shape(machines=32, rails=8, radix=64)
BELIEVE = Settings(guard_share=1.0)


def kinds(diagnosis: Diagnosis) -> Counter[str]:
    return Counter(finding.kind.value for finding in diagnosis.findings)


def only(diagnosis: Diagnosis) -> Finding:
    assert diagnosis.held_back is None
    (finding,) = diagnosis.findings
    return finding


def test_thirty_two_uplinks_shifted_by_one_port_are_concluded_from() -> None:
    """2: they are lit and miswired, and did not vanish. It read "32 of 512 are not seen" and nothing more."""
    fabric = made(EIGHT)
    leaf = next(name for name in fabric.names().values() if "leaf" in name)
    plugs = [fabric.taken[PlannedPort(leaf, number)] for number in range(33, 65)]
    for plug in plugs:
        fabric.put(plug, None)
    for at, plug in enumerate(plugs):
        fabric.put(plug, (PlannedPort(leaf, 33 + (at + 1) % 32),))
    diagnosis = diagnose(fabric.plan, fabric.seen())
    assert diagnosis.held_back is None
    assert diagnosis.counts["moves"] == 32 and diagnosis.counts["unlit_links"] == 0
    assert kinds(diagnosis) == {"cycle": 1}


@pytest.mark.parametrize("dark", [24, 40])
def test_only_links_with_both_ports_dark_count_as_vanished(dark: int) -> None:
    """2: beside 32 that are miswired, 24 of 512 are under the share of 5 % and 40 are over it."""
    fabric = made(EIGHT)
    leaf = next(name for name in fabric.names().values() if "leaf" in name)
    plugs = [fabric.taken[PlannedPort(leaf, number)] for number in range(33, 65)]
    for plug in plugs:
        fabric.put(plug, None)
    for at, plug in enumerate(plugs):
        fabric.put(plug, (PlannedPort(leaf, 33 + (at + 1) % 32),))
    loose = [cable for cable in fabric.plan.cables if leaf not in (cable.a.device, cable.b.device)][::7][:dark]
    for cable in loose:
        fabric.put(fabric.bodies[cable.label][0], None)
    held = diagnose(fabric.plan, fabric.seen()).held_back
    assert (held is None) == (dark == 24)
    assert held is None or held.startswith("40 of 512 planned links are not seen")


def rack_of(fabric: Made, rack: str) -> list[str]:
    return [name for name, device in fabric.plan.devices.items() if device.place.rack == rack]


def test_a_dark_rack_is_one_finding_that_names_it() -> None:
    """5: four machines, 32 links, one cause."""
    fabric = made(EIGHT)
    fabric.dead.update(rack_of(fabric, "A03"))
    finding = only(diagnose(fabric.plan, fabric.seen()))
    assert finding.kind is Kind.AREA_OFF and "ack A03" in finding.title
    assert len(finding.evidence["devices"]) == 4 and len(finding.cables) == 32


def test_a_dark_rack_with_one_machine_that_answers_is_not_a_dark_rack() -> None:
    fabric = made(EIGHT)
    names = rack_of(fabric, "A03")
    alive = fabric.plan.devices[names[0]].group
    fabric.dead.update(name for name in names if fabric.plan.devices[name].group != alive)
    assert kinds(diagnose(fabric.plan, fabric.seen(), settings=BELIEVE)) == {"device_off": 3}


def test_a_dark_row_is_one_finding_that_names_it() -> None:
    """5: all its racks at once, and not one finding a rack."""
    fabric = made(Shape(machines=96, rails=8, radix=64))
    fabric.dead.update(name for name, device in fabric.plan.devices.items() if device.place.row == "B")
    finding = only(diagnose(fabric.plan, fabric.seen(), settings=BELIEVE))
    assert finding.kind is Kind.AREA_OFF and "ow B" in finding.title and finding.severity == "critical"


def test_a_dark_feed_is_one_finding_that_names_it() -> None:
    """5: machines of several racks that hang on one feed."""
    fabric = made(EIGHT)
    groups = ["gpu-0001", "gpu-0006", "gpu-0011"]
    devices = {
        name: device._replace(feeds=("F7",) if device.group in groups else ("F1", "F7"))
        for name, device in fabric.plan.devices.items()
    }
    fabric.plan = replace(fabric.plan, devices=devices)
    fabric.dead.update(name for name, device in devices.items() if device.group in groups)
    finding = only(diagnose(fabric.plan, fabric.seen()))
    assert finding.kind is Kind.AREA_OFF and finding.title.startswith("Feed F7")
    assert sorted(finding.evidence["devices"]) == groups


def test_a_rack_with_its_own_feed_is_told_once_with_both() -> None:
    fabric = made(EIGHT)
    dead = rack_of(fabric, "A03")
    devices = {n: d._replace(feeds=("F7",) if n in dead else ("F1",)) for n, d in fabric.plan.devices.items()}
    fabric.plan = replace(fabric.plan, devices=devices)
    fabric.dead.update(dead)
    finding = only(diagnose(fabric.plan, fabric.seen()))
    assert "ack A03" in finding.title and "feed F7" in finding.text


def test_a_small_site_with_a_dark_rack_is_not_held_back() -> None:
    """5: 32 of 128 links are over the guard's share, and still one cause in one place."""
    fabric = made(Shape(machines=16, rails=8, radix=32))
    fabric.dead.update(rack_of(fabric, "A03"))
    assert only(diagnose(fabric.plan, fabric.seen())).kind is Kind.AREA_OFF


def renumber(fabric: Made, machines: list[str], names: dict[str, str]) -> None:
    """Let adapters report another adapter's name of their machine."""
    for machine in machines:
        for own, other in names.items():
            fabric.reports[fabric.guids[f"{machine} {own}"]] = f"{machine} {other}"


def test_adapters_renumbered_on_many_machines_are_one_finding_and_no_moves() -> None:
    """5: the same pair on three or more machines; it was a swapped pair on each, with two moves."""
    fabric = made(EIGHT)
    machines = [f"gpu-{at:04}" for at in range(1, 33)]
    renumber(fabric, machines, {"mlx5_3": "mlx5_4", "mlx5_4": "mlx5_3"})
    diagnosis = diagnose(fabric.plan, fabric.seen())
    finding = only(diagnosis)
    assert finding.kind is Kind.ADAPTER_NAMES and diagnosis.moves == ()
    assert "32 machines" in finding.title and "mlx5_3 stands at the place of mlx5_4" in finding.text


def test_all_rails_of_one_machine_renumbered_are_one_finding_and_no_moves() -> None:
    """5: nothing of a machine is where its names say."""
    fabric = made(EIGHT)
    names = [f"mlx5_{at}" for at in (0, 3, 4, 5, 6, 9, 10, 11)]
    renumber(fabric, ["gpu-0005"], dict(zip(names, [*names[1:], names[0]], strict=True)))
    diagnosis = diagnose(fabric.plan, fabric.seen())
    assert only(diagnosis).kind is Kind.ADAPTER_NAMES and diagnosis.moves == ()


def test_one_crossed_pair_on_one_machine_is_cables() -> None:
    fabric = made(EIGHT)
    renumber(fabric, ["gpu-0005"], {"mlx5_3": "mlx5_4", "mlx5_4": "mlx5_3"})
    assert kinds(diagnose(fabric.plan, fabric.seen())) == {"swapped_pair": 1}


def test_renumbered_adapters_leave_a_wrong_cable_of_the_same_machines_to_be_moved() -> None:
    fabric = made(EIGHT)
    renumber(fabric, [f"gpu-{at:04}" for at in range(1, 11)], {"mlx5_3": "mlx5_4", "mlx5_4": "mlx5_3"})
    fabric.touched.update(name for name in fabric.plan.devices if "mlx5_3" in name or "mlx5_4" in name)
    assert inject(fabric, "swap")
    diagnosis = diagnose(fabric.plan, fabric.seen())
    assert kinds(diagnosis)["adapter_names"] == 1 and diagnosis.counts["moves"] == 2


def test_recorded_guids_decide_that_crossed_adapters_are_cables() -> None:
    """5: the cards are on record, so their numbers do not matter: the cables are judged."""
    fabric = made(EIGHT)
    recorded = {guid: name for name, guid in fabric.guids.items()}
    for at in range(1, 6):
        one, other = f"gpu-{at:04} mlx5_3", f"gpu-{at:04} mlx5_4"
        fabric.guids[one], fabric.guids[other] = fabric.guids[other], fabric.guids[one]
    assert kinds(diagnose(fabric.plan, fabric.seen(), known=recorded)) == {"swapped_pair": 5}
    assert kinds(diagnose(fabric.plan, fabric.seen())) == {"adapter_names": 1}


def test_recorded_guids_decide_that_crossed_names_are_names() -> None:
    fabric = made(EIGHT)
    renumber(fabric, ["gpu-0005"], {"mlx5_3": "mlx5_4", "mlx5_4": "mlx5_3"})
    recorded = {guid: name for name, guid in fabric.guids.items()}
    finding = only(diagnose(fabric.plan, fabric.seen(), known=recorded))
    assert finding.kind is Kind.ADAPTER_NAMES and "recorded GUIDs" in finding.text


def functions(fabric: Made, reported: str, form: str) -> tuple[Made, Seen]:
    """A plan that calls adapters by PCI function, and a fabric where one calls itself otherwise."""

    def called(name: str, function: int = 1) -> str:
        machine, is_adapter, number = name.partition(" mlx5_")
        return f"{machine} {form.format(number, function)}" if is_adapter else name

    devices = {called(name): device._replace(name=called(name)) for name, device in fabric.plan.devices.items()}
    cables = [
        each._replace(a=each.a._replace(device=called(each.a.device)), b=each.b._replace(device=called(each.b.device)))
        for each in fabric.plan.cables
    ]
    seen = fabric.seen()
    for guid, node in seen.nodes.items():
        if node.kind is NodeKind.ADAPTER:
            function = 0 if node.description.startswith(reported) else 1
            seen.nodes[guid] = node._replace(description=called(node.description, function))
    fabric.plan = replace(fabric.plan, devices=devices, cables=cables)
    return fabric, seen


@pytest.mark.parametrize("form", ["ibp1{}s0f{}", "ens{}f{}np0"], ids=["infiniband", "ethernet"])
@pytest.mark.parametrize("reported", ["gpu-0003 mlx5_3", "gpu-"])
def test_an_adapter_that_reports_the_other_function_is_said(reported: str, form: str) -> None:
    """5: `ibp13s0f0` where the plan has `ibp13s0f1`; it was taken for right without a word."""
    fabric, seen = functions(made(EIGHT), reported, form)
    diagnosis = diagnose(fabric.plan, seen)
    finding = only(diagnosis)
    assert finding.kind is Kind.ADAPTER_NAMES and diagnosis.moves == ()
    if reported != "gpu-":
        assert form.format(3, 0) in finding.text and form.format(3, 1) in finding.checks[0]


def test_two_ways_of_naming_adapters_are_no_mismatch() -> None:
    """5: a plan with `HCA-4` and a fabric with `mlx5_3`, or `ib3`, is no news."""
    fabric = made(EIGHT)
    seen = fabric.seen()
    for guid, node in seen.nodes.items():
        if node.kind is NodeKind.ADAPTER:
            seen.nodes[guid] = node._replace(description=node.description.replace("mlx5_", "ibs"))
    assert diagnose(fabric.plan, seen).findings == ()


@pytest.mark.parametrize("where", ["plan", "inventory"])
@pytest.mark.parametrize("moved", ["names", "boxes"])
def test_guids_in_the_plan_or_the_inventory_decide_between_boxes_and_names(where: str, moved: str) -> None:
    """5: two machines are in each other's place."""
    fabric = made(EIGHT)
    guids = dict(fabric.guids)
    for name in [name for name in fabric.plan.devices if name.startswith("gpu-0003")]:
        twin = name.replace("gpu-0003", "gpu-0009")
        fabric.guids[name], fabric.guids[twin] = fabric.guids[twin], fabric.guids[name]
    if moved == "names":
        guids = dict(fabric.guids)
    known = {}
    if where == "plan":
        devices = {name: device._replace(guid=guids[name]) for name, device in fabric.plan.devices.items()}
        fabric.plan = replace(fabric.plan, devices=devices)
    else:
        known = {guid: name for name, guid in guids.items()}
    finding = only(diagnose(fabric.plan, fabric.seen(), known=known))
    assert finding.kind is Kind.EXCHANGED_DEVICES
    assert ("names are exchanged" in finding.text) == (moved == "names")
    assert all(row["recorded"] for row in finding.evidence["nodes"])


def test_guids_on_record_decide_a_name_that_two_machines_report() -> None:
    fabric = made(EIGHT)
    assert inject(fabric, "duplicate_name")
    known = {guid: name for name, guid in fabric.guids.items()}
    finding = only(diagnose(fabric.plan, fabric.seen(), known=known))
    assert finding.kind is Kind.DUPLICATE_NAME and "recorded GUIDs say so too" in finding.text and finding.checks == ()


def test_all_switches_unnamed_and_a_dark_rack_are_two_findings() -> None:
    fabric = made(EIGHT)
    fabric.factory.update(fabric.names())
    fabric.dead.update(rack_of(fabric, "A03"))
    assert kinds(diagnose(fabric.plan, fabric.seen())) == {"area_off": 1, "unnamed": 1}
