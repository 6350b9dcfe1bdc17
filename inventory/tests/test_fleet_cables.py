"""What a fleet file says of racks, panels and cables reaches the database, and a second load changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inventory.fleet.load import load
from inventory.fleet.problems import FleetError
from inventory.models import Cable, Connector, Device, PassThrough, Placement, Port, Rack, StrandEnd
from inventory.queries import device_cables

pytestmark = pytest.mark.django_db

HALL = """\
rackside_fleet: 1
site: {slug: west, name: West}
device_models:
  - model: panel-24
    vendor: Example
    name: Panel of 2 trunks
    kind: panel
    u_height: 1
    full_depth: false
    ports:
      - {range: "R{1..2}", kind: rear, positions: 12, face: rear}
      - {range: "F{1..12}", kind: front, rear: R1, rear_position: "{n}", face: front}
rooms:
  - name: Hall 1
    width_mm: 6000
    depth_mm: 6000
    rows:
      - {name: A, racks: "A{01..02}", x_mm: 1200, y_mm: 1200, facing: down, numbering: down, weight_limit_kg: 1200,
         outer_height_mm: 2300, serials: {A01: RS-1}, asset_tags: {A01: R-0001, A02: R-0002}}
    racks:
      - {name: S01, x_mm: 3000, y_mm: 3000, serial: RS-9}
devices:
  - {name: "leaf-{i}", model: nvidia-qm9700, racks: A01, u: "10..11", fabric: infiniband, tier: leaf}
  - {name: spine-1, model: nvidia-qm9700, racks: A02, u: 10, fabric: infiniband, tier: spine}
  - {name: "hgx-{i}", model: dell-xe9680-h100, racks: A02, u: [20, 26]}
  - {name: "panel-{i}", model: panel-24, racks: "A{01..02}", u: 40}
reserved:
  - {rack: A01, u: "20..22", reason: second leaf pair, owner: Network team}
  - {rack: A01, u: 24, kind: blanking, column: left}
  - {rack: A01, u: 24, kind: blanking, column: right}
cables:
  - {type: OSFP DAC, label: "T-{n}", strands: 2, a: "leaf-1 {1..2}/{1..2}", b: "spine-1 {1..2}/{1..2}",
     bundle: "B{n:02}", vendor: Example, part_number: 980-9I, serial_a: "SA{n}", serial_b: "SB{n}", status: to_move}
  - {type: OSFP breakout, label: "Y-{n}", strands: 2, connectors_b: 2, a: "leaf-2 1/{1..2}", b: "hgx-{1..2} mlx5_0",
     serial_b: [LEG-1, LEG-2]}
  - {type: MPO fan-out, label: "F-{n}", connectors_b: 2, a: "leaf-2 2/1", b: "hgx-{1..2} mlx5_3"}
  - {type: MPO trunk, label: "R-{n}", a: panel-1 R1, b: panel-2 R1}
  - {type: LC, label: "L-{n}", a: "leaf-2 3/1", b: panel-1 F7, status: planned}
  - {type: DAC, label: "X-{n}", a: "leaf-1 9/1", b: "spine-1 9/1", status: removed, serial_a: OLD}
"""


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    path = tmp_path / "west.yaml"
    path.write_text(HALL)
    load(path)
    return path


def ends(label: str) -> list[tuple[str, int, int, str]]:
    rows = StrandEnd.objects.filter(connector__cable__label=label).order_by(
        "connector__side", "connector__number", "lane"
    )
    return [(e.connector.side, e.connector.number, e.lane, str(e.port)) for e in rows.select_related("port__device")]


def edited(path: Path, before: str, after: str) -> Path:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    return path


def test_a_second_load_of_panels_and_cables_changes_nothing(hall: Path) -> None:
    (report,) = load(hall)
    assert not report.changed, {name: table for name, table in report.diff.tables.items() if table.changed}


def test_racks_carry_numbering_limits_and_what_is_printed_on_them(hall: Path) -> None:
    rack = Rack.objects.get(name="A01")
    assert (rack.numbering, rack.weight_limit_kg, rack.outer_height_mm) == ("down", 1200, 2300)
    assert (rack.serial, rack.asset_tag) == ("RS-1", "R-0001")
    assert Rack.objects.get(name="S01").serial == "RS-9"


def test_a_serial_for_a_rack_the_row_does_not_have_is_refused(hall: Path) -> None:
    with pytest.raises(FleetError, match="has no rack 'A09'"):
        load(edited(hall, "serials: {A01: RS-1}", "serials: {A09: RS-1}"))


def test_reserved_units_have_an_owner_and_two_halves_are_two_reservations(hall: Path) -> None:
    kept = Placement.objects.get(kind="reserved")
    assert (kept.owner, kept.reason) == ("Network team", "second leaf pair")
    halves = Placement.objects.filter(kind="blanking")
    assert {(half.columns.lower, half.columns.upper) for half in halves} == {(0, 1), (1, 2)}


def test_a_panels_front_ports_pass_to_their_positions(hall: Path) -> None:
    assert PassThrough.objects.count() == 24
    seventh = PassThrough.objects.get(device__name="panel-1", front__name="F7")
    assert (seventh.rear.name, seventh.position) == ("R1", 7)
    assert Port.objects.get(device__name="panel-1", name="R1").positions == 12


def test_front_ports_may_trade_positions_in_the_model(hall: Path) -> None:
    swapped = 'rear_position: "{n}", face: front}'
    text = hall.read_text().replace(
        '- {range: "F{1..12}", kind: front, rear: R1, ' + swapped,
        "- {name: F1, kind: front, rear: R1, rear_position: 2, face: front}\n"
        "      - {name: F2, kind: front, rear: R1, rear_position: 1, face: front}\n"
        '      - {range: "F{3..12}", kind: front, rear: R1, ' + swapped,
    )
    hall.write_text(text)
    load(hall)
    first = PassThrough.objects.get(device__name="panel-1", front__name="F1")
    assert first.position == 2
    assert not load(hall)[0].changed


def test_a_twin_cable_has_one_plug_a_side_and_two_lanes(hall: Path) -> None:
    assert ends("T-1") == [
        ("A", 1, 1, "leaf-1 1/1"), ("A", 1, 2, "leaf-1 1/2"), ("B", 1, 1, "spine-1 1/1"), ("B", 1, 2, "spine-1 1/2"),
    ]  # fmt: skip
    cable = Cable.objects.get(label="T-2")
    assert (cable.status, cable.bundle, cable.vendor, cable.part_number) == ("to_move", "B02", "Example", "980-9I")
    assert list(cable.connectors.values_list("side", "serial")) == [("A", "SA2"), ("B", "SB2")]


def test_a_breakout_has_a_plug_for_every_end_and_each_its_serial(hall: Path) -> None:
    assert ends("Y-1") == [
        ("A", 1, 1, "leaf-2 1/1"), ("A", 1, 2, "leaf-2 1/2"), ("B", 1, 1, "hgx-1 mlx5_0"), ("B", 2, 2, "hgx-2 mlx5_0"),
    ]  # fmt: skip
    legs = Connector.objects.filter(cable__label="Y-1", side="B").order_by("number")
    assert [leg.serial for leg in legs] == ["LEG-1", "LEG-2"]


def test_a_fan_out_joins_one_port_with_several(hall: Path) -> None:
    assert ends("F-1") == [
        ("A", 1, 1, "leaf-2 2/1"), ("B", 1, 1, "hgx-1 mlx5_3"), ("B", 2, 1, "hgx-2 mlx5_3"),
    ]  # fmt: skip


def test_a_leg_to_a_device_that_is_not_there_hangs_and_the_cable_stays(hall: Path) -> None:
    load(edited(hall, 'b: "hgx-{1..2} mlx5_0",', 'b: "hgx-{1..2} mlx5_0", without: hgx-2,'))
    assert ends("Y-1") == [("A", 1, 1, "leaf-2 1/1"), ("B", 1, 1, "hgx-1 mlx5_0")]
    assert Connector.objects.filter(cable__label="Y-1").count() == 3
    assert not load(hall)[0].changed


def test_a_removed_cable_keeps_its_row_and_plugs_and_frees_its_ports(hall: Path) -> None:
    cable = Cable.objects.get(label="X-1")
    assert (cable.status, ends("X-1")) == ("removed", [])
    assert list(cable.connectors.values_list("side", "serial")) == [("A", "OLD"), ("B", "")]
    text = hall.read_text() + '  - {type: DAC, label: "N-{n}", a: "leaf-1 9/1", b: "spine-1 9/1"}\n'
    hall.write_text(text)
    load(hall)
    assert ends("N-1")[0][3] == "leaf-1 9/1"


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("a: panel-1 R1, b: panel-2 R1", "a: panel-1 R1, b: leaf-2 PSU 1", "cannot join rear and power_in"),
        ("connectors_b: 2, a: \"leaf-2 2/1\"", "connectors_b: 3, a: \"leaf-2 2/1\"", "cannot be paired"),
        ("serial_b: [LEG-1, LEG-2]", "serial_b: [LEG-1, LEG-2, LEG-3]", "side B has 2 connectors"),
        ("status: planned", "status: lost", "status"),
        ("kind: panel", "kind: cupboard", "kind"),
    ],
)  # fmt: skip
def test_what_no_cable_can_be_is_refused_with_its_line(hall: Path, before: str, after: str, reason: str) -> None:
    labels: list[Any] = sorted(Cable.objects.values_list("label", flat=True))
    with pytest.raises(FleetError, match=reason):
        load(edited(hall, before, after))
    assert sorted(Cable.objects.values_list("label", flat=True)) == labels


# ---- what is told of them ----


def cables_of(device: str) -> dict[str, dict[str, Any]]:
    return {row["near"]["port"]: row for row in device_cables(Device.objects.get(name=device).pk)}


def test_both_ports_of_a_twin_cable_tell_their_own_far_end_and_the_serials_of_both_plugs(hall: Path) -> None:
    rows = cables_of("leaf-1")
    assert [rows[name]["far"]["port"] for name in ("1/1", "1/2", "2/1", "2/2")] == ["1/1", "1/2", "2/1", "2/2"]
    first = rows["1/1"]
    assert (first["near"]["serial"], first["far"]["serial"]) == ("SA1", "SB1")
    assert (first["status"], first["bundle"], first["part_number"]) == ("to_move", "B01", "980-9I")
    assert "9/1" not in rows  # its cable is removed


def test_a_fan_out_tells_all_its_branches_and_each_branch_the_one_end(hall: Path) -> None:
    row = cables_of("leaf-2")["2/1"]
    assert [branch["device"] for branch in row["branches"]] == ["hgx-1", "hgx-2"]
    assert row["far"] == row["branches"][0]
    back = cables_of("hgx-2")["mlx5_3"]
    assert (back["far"]["device"], back["branches"]) == ("leaf-2", [])


def test_a_port_tells_the_optic_in_its_cage(hall: Path) -> None:
    listed = "components:\n  - {device: leaf-1, slot: Optic 1, vendor: Example, part_number: MMA4Z00, serial: OPT-7}\n"
    hall.write_text(hall.read_text() + listed)
    load(hall)
    here, there = cables_of("leaf-1"), cables_of("spine-1")
    assert [here[port]["near"]["optic"]["serial"] for port in ("1/1", "1/2")] == ["OPT-7", "OPT-7"]
    assert here["2/1"]["near"]["optic"] is None
    assert there["1/2"]["far"]["optic"]["slot"] == "Optic 1"
