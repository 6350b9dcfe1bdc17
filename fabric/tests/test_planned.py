"""The plan as the inventory has it: names, port numbers, cables of several links, panels, and what else it knows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.models import Site
from fabric.facts import PlannedPort
from fabric.models import LengthRule, ReservedPort
from fabric.planned import plain_guid, planned
from fabric.tests.hall import CABLES, load_site, source_of
from fabric.wiring.queries.plans import lengths, plan_of
from inventory.fleet.load import load
from inventory.kinds import Scope, write
from inventory.models import Cable, Port, Rack, Row, Switch

pytestmark = pytest.mark.django_db

MIXED = """
rackside_fleet: 1
site: {slug: mixed, name: Mixed, timezone: UTC}
device_models:
  - model: panel-12
    vendor: Example
    name: Panel
    kind: panel
    u_height: 1
    full_depth: false
    ports:
      - {name: R1, kind: rear, positions: 12, face: rear}
      - {range: "F{1..12}", kind: front, rear: R1, rear_position: "{n}", face: front}
rooms:
  - name: Hall 1
    width_mm: 6000
    depth_mm: 6000
    rows:
      - {name: A, racks: "A{01..02}", x_mm: 1200, y_mm: 1200, facing: down}
devices:
  - {name: "leaf-{i}", model: nvidia-qm9700, racks: A01, u: [10, 11], fabric: infiniband, tier: leaf}
  - {name: "gpu-{i}", model: dell-xe9680-h100, racks: A02, u: [20, 26]}
  - {name: "panel-{i}", model: panel-12, racks: "A{01..02}", u: 40}
cables:
  - {type: LC, label: "L-{n}", a: "leaf-1 3/1", b: panel-1 F7, length_m: 2}
  - {type: MPO trunk, label: "R-{n}", a: panel-1 R1, b: panel-2 R1, length_m: 10}
  - {type: LC, label: "M-{n}", a: panel-2 F7, b: gpu-1 mlx5_0, length_m: 3.5}
  - {type: OSFP breakout, label: "Y-{n}", connectors_b: 2, a: "leaf-1 1/1", b: "gpu-{1..2} mlx5_3"}
  - {type: DAC, label: "Z-{n}", a: "leaf-1 11/2", b: "leaf-2 11/2", length_m: 1}
"""


@pytest.fixture
def mixed(tmp_path: Path) -> Site:
    path = tmp_path / "mixed.yaml"
    path.write_text(MIXED)
    load(path)
    return Site.objects.get(slug="mixed")


def test_the_plan_has_every_cable_adapters_by_machine_and_ports_as_the_subnet_manager_counts(tmp_path: Path) -> None:
    site = load_site(tmp_path, "west")
    found = planned(site.pk, "infiniband")
    plan = found.plan
    assert len(plan.cables) == CABLES and len({cable.label for cable in plan.cables}) == CABLES
    ends = Counter(end for cable in plan.cables for end in cable.ends)
    assert max(ends.values()) == 1
    by_end = {end: cable for cable in plan.cables for end in cable.ends}
    first = by_end[PlannedPort("gpu-1 mlx5_0", 1)]
    assert PlannedPort("leaf-1", 1) in first.ends and PlannedPort("leaf-1", 33) in by_end
    device = plan.devices["gpu-1 mlx5_0"]
    assert (device.group, device.rail, device.place.rack, device.place.u) == ("gpu-1", 1, "A01", 1)
    leaf = plan.devices["leaf-3"]
    assert (leaf.tier, leaf.rail, leaf.place.room, leaf.faceplate) == ("leaf", 3, "Hall", "nvidia-qm9700")
    assert found.ports[PlannedPort("leaf-1", 22)].name == "11/2"
    assert leaf.place.x is not None and leaf.place.x < 12


def test_the_plan_takes_as_many_statements_for_a_site_of_any_size(tmp_path: Path) -> None:
    site, empty = load_site(tmp_path, "west"), Site.objects.create(slug="bare", name="Bare")
    for each in (site, empty):
        with CaptureQueriesContext(connection) as told:
            planned(each.pk, "infiniband")
        assert len(told) == 4


def test_a_link_through_panels_is_one_and_is_called_after_its_first_cable(mixed: Site) -> None:
    found = planned(mixed.pk, "infiniband")
    (through,) = [cable for cable in found.plan.cables if PlannedPort("gpu-1 mlx5_0", 1) in cable.ends]
    assert set(through.ends) == {PlannedPort("leaf-1", 5), PlannedPort("gpu-1 mlx5_0", 1)}
    assert through.label in ("L-1", "M-1") and through.label in found.cables


def test_a_direct_cable_of_one_link_moves_alone(mixed: Site) -> None:
    found = planned(mixed.pk, "infiniband")
    (cable,) = [cable for cable in found.plan.cables if cable.label == "Z-1"]
    assert set(cable.ends) == {PlannedPort("leaf-1", 22), PlannedPort("leaf-2", 22)}
    assert (cable.body, cable.length_m, cable.type) == ("", 1.0, "DAC")


def test_a_port_is_in_one_link_and_what_is_left_out_is_told(mixed: Site) -> None:
    found = planned(mixed.pk, "infiniband")
    ends = Counter(end for cable in found.plan.cables for end in cable.ends)
    assert max(ends.values()) == 1
    assert len(found.plan.cables) + len(found.left_out) == 4 and all(name.startswith("Y-") for name in found.left_out)


def test_lanes_of_a_twin_cable_move_together(mixed: Site) -> None:
    write(
        "cables",
        [{"site": "mixed", "label": "T-1", "type": "twin DAC", "length_m": 2,
          "a": ["leaf-1 20/1", "leaf-1 20/2"], "b": ["leaf-2 20/1", "leaf-2 20/2"]}],
        "create", scope=Scope.everything(), actor="ann",
    )  # fmt: skip
    lanes = [cable for cable in planned(mixed.pk, "infiniband").plan.cables if cable.body == "T-1"]
    assert [cable.label for cable in lanes] == ["T-1/1", "T-1/2"]
    assert {(cable.a_plug, cable.b_plug) for cable in lanes} == {("A1", "B1")}
    assert {cable.a.port for cable in lanes} == {39, 40} == {cable.b.port for cable in lanes}


def test_a_cable_that_is_removed_and_a_device_that_is_retired_are_not_planned(tmp_path: Path) -> None:
    site = load_site(tmp_path, "west")
    Cable.objects.filter(label="C0001").update(status="removed")
    found = planned(site.pk, "infiniband")
    assert "C0001" not in {cable.label for cable in found.plan.cables} and len(found.plan.cables) == CABLES - 1


def test_recorded_guids_are_known_unless_two_devices_have_one(tmp_path: Path) -> None:
    site = load_site(tmp_path, "west")
    Switch.objects.all().update(node_guid="")
    Port.objects.all().update(guid="", mac="")
    Switch.objects.filter(device__name="leaf-1").update(node_guid="0xB83FD2000000AB01")
    Port.objects.filter(device__name="gpu-1", name="mlx5_0").update(guid="b83fd2000000ab02")
    Port.objects.filter(device__name__in=["gpu-2", "gpu-3"], name="mlx5_0").update(guid="b83fd2000000ab03")
    assert planned(site.pk, "infiniband").known == {
        "b83fd2000000ab01": "leaf-1", "b83fd2000000ab02": "gpu-1 mlx5_0",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "guid"),
    [("0x2C9", "00000000000002c9"), ("00:1c:73:00:11:22", "0000001c73001122"), ("n/a", ""), ("", ""), ("1" * 17, "")],
)
def test_guids_are_read_however_they_are_written(text: str, guid: str) -> None:
    assert plain_guid(text) == guid


def test_reserved_ports_are_in_the_plan(tmp_path: Path) -> None:
    site = load_site(tmp_path, "west")
    port = Port.objects.get(device__name="spine-1", name="32/2")
    ReservedPort.objects.create(port=port, owner="storage", created_by="ann")
    assert planned(site.pk, "infiniband").plan.reserved == {PlannedPort("spine-1", 64)}


def test_a_rule_of_two_racks_beats_that_of_their_rows(tmp_path: Path) -> None:
    site = load_site(tmp_path, "west")
    row = Row.objects.get(room__site=site)
    a, b = Rack.objects.filter(room__site=site).order_by("pk")[:2]
    LengthRule.objects.create(site=site, a_row=row, b_row=row, length_m=20)
    LengthRule.objects.create(site=site, a_rack=a, b_rack=b, length_m=5)
    plan = planned(site.pk, "infiniband").plan
    at = {device.place.rack: device.place for device in plan.devices.values()}
    table = lengths(site.pk)
    assert table.metres(at["A01"], at["A02"]) == table.metres(at["A02"], at["A01"]) == 5
    assert table.metres(at["A01"], at["A03"]) == 20


def test_with_a_length_table_the_way_is_priced_by_its_metres(tmp_path: Path) -> None:
    site = load_site(tmp_path, "west")
    where = source_of(site)
    assert plan_of(where)[1].per_metre is None
    a, b = Rack.objects.filter(room__site=site).order_by("pk")[:2]
    LengthRule.objects.create(site=site, a_rack=a, b_rack=b, length_m=30)
    told, prices = plan_of(where)
    ends = {device.place.rack: PlannedPort(device.name, 1) for device in told.plan.devices.values()}
    assert prices.way(ends["A01"], ends["A02"]) == 15


def test_devices_know_the_feeds_that_their_cords_lead_to() -> None:
    """5: from the inlet through the cord and the PDU; nothing where nobody has written it down."""
    load(Path(__file__).parents[2] / "inventory" / "fleets" / "two-sites.yaml")
    devices = planned(Site.objects.get(slug="north").pk, "infiniband").plan.devices
    assert devices["hgx-a01-01 mlx5_0"].feeds == ("A",)
    assert devices["hgx-b01-01 mlx5_0"].feeds == devices["leaf-1"].feeds == ()
