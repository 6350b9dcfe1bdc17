"""Reading a fleet file: what it expands to, and every refusal with its line. No database."""

from __future__ import annotations

from pathlib import Path

import pytest

from inventory.fleet.expand import expand_file
from inventory.fleet.expansion import Expansion
from inventory.fleet.patterns import PatternError, expand, fill, substitute, u_positions
from inventory.fleet.problems import FleetError
from inventory.fleet.sections.derive import Deriver, gpu_serial, service_tag, system_uuid
from inventory.fleet.sections.routes import Stand, route_mm, stock_length_m
from inventory.tests.conftest import TWO_SITES

HEAD = """\
rackside_fleet: 1
site: {slug: lab, name: Lab}
rooms:
  - {name: R, width_mm: 5000, depth_mm: 5000, rows: [{name: A, racks: "A{01..02}", x_mm: 0, y_mm: 0, height_u: 12}]}
"""
FIRST = HEAD.count("\n") + 1  # the first line after it
SWITCH = "model: nvidia-qm9700, racks: A01, fabric: infiniband"
TWO_SWITCHES = f"devices:\n  - {{name: s1, {SWITCH}, u: 1}}\n  - {{name: s2, {SWITCH}, u: 2}}\n"


def written(folder: Path, text: str, **others: str) -> Path:
    for name, content in others.items():
        (folder / f"{name}.csv").write_text(content)
    path = folder / "fleet.yaml"
    path.write_text(text)
    return path


def expanded(folder: Path, text: str, **others: str) -> Expansion:
    return expand_file(written(folder, text, **others))[0]


# ---- patterns ----


def test_ranges_count_the_last_fastest_and_keep_their_zeros() -> None:
    assert expand("A{08..11}") == ("A08", "A09", "A10", "A11")
    assert expand("{1..2}/{1..2}") == ("1/1", "1/2", "2/1", "2/2")
    assert expand("plain") == ("plain",)


def test_words_and_widths_are_filled_in() -> None:
    assert fill("hgx-{rack}-{n:02}", {"rack": "a17", "n": 3, "i": 71}) == "hgx-a17-03"
    assert substitute("$leaf {1..2}", {"leaf": "leaf-a01-r1"}) == "leaf-a01-r1 {1..2}"
    with pytest.raises(PatternError, match="no table gives"):
        substitute("$spine 1", {"leaf": "x"})


def test_units_may_be_halves_ranges_and_lists() -> None:
    assert u_positions([1, "3..5", 7.5]) == [1, 3, 4, 5, 7.5]
    for wrong in (0, 5.25, "5..3", "five", "1..9999", "inf"):
        with pytest.raises(PatternError):
            u_positions(wrong)


def test_a_pattern_cannot_explode() -> None:
    with pytest.raises(PatternError, match="more than"):
        expand("{1..9999}{1..9999}")
    with pytest.raises(PatternError, match="more than"):
        expand("{1..999999999999}")


# ---- identities and lengths ----


def test_identities_are_the_same_every_time_and_never_twice() -> None:
    first, second = Deriver("s", "north"), Deriver("s", "north")
    serials = [first.take(gpu_serial, f"m{n}", "GPU 0") for n in range(20_000)]
    assert len(set(serials)) == 20_000
    assert serials == [second.take(gpu_serial, f"m{n}", "GPU 0") for n in range(20_000)]
    assert serials[0] != Deriver("s", "south").take(gpu_serial, "m0", "GPU 0")
    assert all(len(serial) == 13 and serial.isdecimal() for serial in serials[:50])


def test_a_system_uuid_spells_its_service_tag() -> None:
    assert system_uuid("4GMPN72") == "4c4c4544-0047-4d10-8050-b4c04f4e3732"
    assert len(service_tag(12345678901234567890)) == 7


def test_a_cable_reaches_up_over_and_down_with_slack() -> None:
    a, b = Stand("R", "A01", 300, 600, 1000, 2134), Stand("R", "A05", 2700, 600, 1500, 2134)
    way = route_mm(a, b)
    assert way == (2534 - 1000) + 2400 + (2534 - 1500) + 600
    assert float(stock_length_m(way)) >= way * 1.1 / 1000
    assert route_mm(a, a._replace(z_mm=1200)) == 800
    assert route_mm(a, b._replace(room="other")) is None


# ---- what a file expands to ----


def test_devices_get_their_place_ports_and_kind(tmp_path: Path) -> None:
    rows = expanded(tmp_path, HEAD + TWO_SWITCHES).rows
    assert rows.placements["s2"].half_units == (3, 5)
    assert rows.ports["s1", "3/2"].cage == 3
    assert rows.ports["s1", "3/2"].lane == 2
    assert rows.switches["s1"].fabric == "infiniband"


def test_listed_devices_components_and_cables_come_from_csv(tmp_path: Path) -> None:
    text = HEAD + "devices_csv: devices.csv\ncomponents_csv: parts.csv\ncables_csv: cables.csv\n"
    rows = expanded(
        tmp_path,
        text,
        devices="name,model,rack,u,serial,boot_mac,fabric\n"
        "m1,dell-xe9680-h100,A01,1,ABC1234,B0-7B-25-00-00-01,\n"
        "\n"
        "s1,nvidia-qm9700,A02,4.5,,,infiniband\n",
        parts="device,slot,vendor,part_number,serial,uuid,guid\n"
        "m1,GPU 3,NVIDIA,900,1650001,GPU-1,\nm1,HCA mlx5_0,NVIDIA,MCX,MT1,,B83FD20300000010\n",
        cables="label,type,a_device,a_port,b_device,b_port,length_m\nX-1,DAC,m1,mlx5_0,s1,32/2,2.5\n",
    ).rows
    assert rows.machines["m1"].boot_mac == "b0:7b:25:00:00:01"
    assert rows.placements["s1"].half_units == (8, 10)
    assert rows.parts["m1", "GPU 3"].attributes == {"uuid": "GPU-1"}
    assert rows.ports["m1", "mlx5_0"].guid == "0xb83fd20300000010"
    assert [(end.device, end.port) for end in rows.cables["X-1"].ends] == [("m1", "mlx5_0"), ("s1", "32/2")]
    assert str(rows.cables["X-1"].length_m) == "2.5"


def test_a_cable_may_have_several_strands_and_connectors(tmp_path: Path) -> None:
    text = (
        HEAD
        + TWO_SWITCHES
        + 'cables:\n  - {type: DAC, label: T, strands: 2, a: "s1 {1..1}/{1..2}", b: "s2 1/{1..2}"}\n'
    )
    twin = expanded(tmp_path, text).rows.cables["T"].ends
    assert [(e.side, e.number, e.lane, e.port) for e in twin] == [
        ("A", 1, 1, "1/1"), ("A", 1, 2, "1/2"), ("B", 1, 1, "1/1"), ("B", 1, 2, "1/2"),
    ]  # fmt: skip
    split = expanded(tmp_path, text.replace("strands: 2", "strands: 2, connectors_b: 2")).rows.cables["T"].ends
    assert [(e.side, e.number, e.lane) for e in split][2:] == [("B", 1, 1), ("B", 2, 2)]


def test_a_cable_left_out_keeps_its_number(tmp_path: Path) -> None:
    rule = 'cables:\n  - {type: DAC, label: "C-{n:03}", a: "s1 1/{1..2}", b: ["s9 1/1", "s2 1/1"], without: [s9]}\n'
    assert list(expanded(tmp_path, HEAD + TWO_SWITCHES + rule).rows.cables) == ["C-002"]


def test_a_file_may_hold_several_sites() -> None:
    north, south = expand_file(TWO_SITES)
    assert (north.site.slug, south.site.slug) == ("north", "south")
    assert len(north.rows.machines) == 5
    assert north.rows.devices["hgx-b02-01"].status == "planned"
    assert north.rows.placements["Hall 1/B02 39-45 0-2"].kind == "reserved"
    assert south.rows.models["nvidia-dgx-a100"].gpu_count == 8


def test_a_site_may_bring_its_own_device_model(tmp_path: Path) -> None:
    (tmp_path / "box.yaml").write_text(
        "model: box\nvendor: V\nname: Box\nkind: shelf\nu_height: 2.5\nfull_depth: false\n"
    )
    text = HEAD + "device_models: [box.yaml]\ndevices:\n  - {name: b1, model: box, racks: A01, u: 1, face: rear}\n"
    rows = expanded(tmp_path, text).rows
    assert rows.models["box"].half_u_height == 5
    assert (rows.placements["b1"].half_units, rows.placements["b1"].faces) == ((1, 6), (1, 2))


# ---- refusals ----

MACHINE = "model: dell-xe9680-h100, racks: A01"
PDU = "model: pdu-zero-u-36c13-12c19, racks: A01, feed: A"
DEVICES = "devices:\n"
CABLE = "cables:\n  - {type: DAC, label: X, "

# what is added to HEAD, the line that is blamed (counted from the first added one), a piece of the reason
REFUSALS = {
    "unknown model": (DEVICES + "  - {name: x, model: nope, racks: A01, u: 1}\n", 2, "no device model named 'nope'"),
    "overlapping U": (DEVICES + f"  - {{name: m1, {MACHINE}, u: 1}}\n  - {{name: m2, {MACHINE}, u: 6}}\n", 3,
                      "m2 at U6–11 of rack A01 is in the place of m1 at U1–6"),
    "reserved place": (DEVICES + f"  - {{name: m1, {MACHINE}, u: 1}}\nreserved:\n  - {{rack: A01, u: 3}}\n", 4,
                       "a reserved span"),
    "two in one side slot": (DEVICES + f"  - {{name: p1, {PDU}, side: left}}\n  - {{name: p2, {PDU}, side: left}}\n", 3,
                             "in the place of p1"),
    "taller than the rack": (DEVICES + f"  - {{name: m1, {MACHINE}, u: 8}}\n", 2, "reaches U13, but rack A01 has 12U"),
    "reservation above the rack": ('reserved:\n  - {rack: A01, u: "11..13"}\n', 2, "above rack A01"),
    "zero-U at a unit": (DEVICES + f"  - {{name: p, {PDU}, u: 1}}\n", 2,
                         "needs side, not u"),
    "no place": (DEVICES + f"  - {{name: m1, {MACHINE}}}\n", 2, "exactly one of u"),
    "unknown rack": (DEVICES + "  - {name: s, model: nvidia-qm9700, racks: B01, u: 1, fabric: infiniband}\n", 2,
                     "there is no rack 'B01'"),
    "duplicate name": (DEVICES + f"  - {{name: s1, {SWITCH}, u: 1}}\n  - {{name: s1, {SWITCH}, u: 2}}\n", 3,
                       "device 's1' stands in the file twice, first at"),
    "bad name": (DEVICES + f"  - {{name: s 1, {SWITCH}, u: 1}}\n", 2, "no device name"),
    "duplicate serial": (DEVICES + f"  - {{name: s1, {SWITCH}, u: 1, serial: X}}\n"
                         f"  - {{name: s2, {SWITCH}, u: 2, serial: X}}\n", 3, "is also that of s1"),
    "duplicate MAC": (DEVICES + f"  - {{name: m1, {MACHINE}, u: 1, boot_mac: 02-00-00-00-00-01}}\n"
                      f"  - {{name: m2, {MACHINE}, u: 7, boot_mac: \"02:00:00:00:00:01\"}}\n", 3,
                      "boot MAC 02:00:00:00:00:01 is also that of m1"),
    "no MAC": (DEVICES + f"  - {{name: m1, {MACHINE}, u: 1, boot_mac: zz}}\n", 2, "is not a MAC address"),
    "no IP": (DEVICES + f"  - {{name: m1, {MACHINE}, u: 1, bmc_ip: 10.0.0.256}}\n", 2, "is not an IP address"),
    "duplicate part": (DEVICES + f"  - {{name: m1, {MACHINE}, u: 1}}\ncomponents:\n"
                       "  - {device: m1, slot: GPU 0, serial: 1}\n  - {device: m1, slot: GPU 1, serial: 1}\n", 5,
                       "is also that of m1 GPU 0"),
    "slot filled twice": (DEVICES + f"  - {{name: m1, {MACHINE}, u: 1}}\ncomponents:\n"
                          "  - {device: m1, slot: GPU 0, serial: 1}\n  - {device: m1, slot: GPU 0, serial: 2}\n", 5,
                          "is listed twice"),
    "unknown slot": (DEVICES + f"  - {{name: m1, {MACHINE}, u: 1}}\ncomponents:\n  - {{device: m1, slot: GPU 9}}\n", 4,
                     "has no slot 'GPU 9'"),
    "part of nothing": ("components:\n  - {device: ghost, slot: GPU 0}\n", 2, "there is no device 'ghost'"),
    "two cables in one port": (TWO_SWITCHES + CABLE + "a: s1 1/1, b: s2 1/1}\n"
                               "  - {type: DAC, label: Y, a: s1 1/1, b: s2 1/2}\n", 6, "s1 1/1 already has cable X"),
    "cable to itself": (TWO_SWITCHES + CABLE + "a: s1 1/1, b: s1 1/1}\n", 5, "from a port to itself"),
    "unknown port": (TWO_SWITCHES + CABLE + "a: s1 99/1, b: s2 1/1}\n", 5, "s1 has no port '99/1'"),
    "cable to nothing": (TWO_SWITCHES + CABLE + "a: s7 1/1, b: s2 1/1}\n", 5, "there is no device 's7'"),
    "power into data": (TWO_SWITCHES + CABLE + "a: s1 PSU 1, b: s2 1/1}\n", 5, "cannot join power_in and infiniband"),
    "BMC to BMC": (DEVICES + f"  - {{name: m1, {MACHINE}, u: 1}}\n  - {{name: m2, {MACHINE}, u: 7}}\n" + CABLE
                   + "a: m1 iDRAC, b: m2 iDRAC}\n", 5, "cannot join bmc and bmc"),
    "uneven ends": (TWO_SWITCHES + CABLE + 'a: "s1 1/{1..2}", b: s2 1/1}\n', 5, "a has 2 ends and b has 1"),
    "one label twice": (TWO_SWITCHES + CABLE + 'a: "s1 1/{1..2}", b: "s2 1/{1..2}"}\n', 5, "cable 'X' stands"),
    "unknown table": (TWO_SWITCHES + CABLE + "each: t, a: s1 1/1, b: s2 1/1}\n", 5, "there is no table 't'"),
    "bad range": (DEVICES + '  - {name: x, model: nvidia-qm9700, racks: "A{02..01}", u: 1, fabric: infiniband}\n', 2,
                  "counts down"),
    "bad unit": (DEVICES + f"  - {{name: s1, {SWITCH}, u: 1.3}}\n", 2, "not a whole or half unit"),
    "unknown word": (DEVICES + f'  - {{name: "s-{{shelf}}", {SWITCH}, u: 1}}\n', 2, "{shelf} is not one of"),
    "without nobody": (DEVICES + f"  - {{name: s1, {SWITCH}, u: 1, without: [s2]}}\n", 2, "has no device 's2'"),
    "unknown field": (DEVICES + f"  - {{name: s1, {SWITCH}, u: 1, colour: red}}\n", 2, "is not a field"),
    "no fabric": (DEVICES + "  - {name: s1, model: nvidia-qm9700, racks: A01, u: 1}\n", 2, "fabric is missing"),
    "key twice": ("seed: a\nseed: b\n", 2, "stands here twice"),
    "NUL byte": ('seed: "a\\0b"\n', 1, "NUL byte"),
    "not YAML": ("devices: [\n", 1, "not YAML"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_bad_input_is_refused_with_file_line_and_reason(name: str, tmp_path: Path) -> None:
    added, line, reason = REFUSALS[name]
    path = written(tmp_path, HEAD + added)
    with pytest.raises(FleetError) as refusal:
        expand_file(path)
    if name != "not YAML":
        assert f"{path}:{FIRST + line - 1}: " in str(refusal.value)
    assert reason in str(refusal.value)


BAD_CSV = {
    "cells": ("devices", "name,model\nx\n", 2, "1 cell, but the header has 2"),
    "column twice": ("devices", "name,name\n", 1, "column stands here twice"),
    "field": ("devices", "name,model,rack,u\nm1,dell-xe9680-h100,A01,1\nm2,dell-xe9680-h100,A01,x\n", 3, "no unit"),
    "cable": ("cables", "label,type,a_device,a_port,b_device,b_port\nX,DAC,s1,1/1,s9,1/1\n", 2, "no device 's9'"),
}


@pytest.mark.parametrize("name", BAD_CSV)
def test_a_bad_csv_line_is_refused_with_its_own_file_and_line(name: str, tmp_path: Path) -> None:
    table, content, line, reason = BAD_CSV[name]
    path = written(tmp_path, f"{HEAD}{TWO_SWITCHES}{table}_csv: {table}.csv\n", **{table: content})
    with pytest.raises(FleetError) as refusal:
        expand_file(path)
    assert f"{tmp_path / table}.csv:{line}: " in str(refusal.value)
    assert reason in str(refusal.value)


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    text = HEAD + DEVICES + "".join(f"  - {{name: x{n}, model: nope, racks: A01, u: {n}}}\n" for n in range(1, 4))
    with pytest.raises(FleetError) as refusal:
        expand_file(written(tmp_path, text))
    assert len(refusal.value.problems) == 3


@pytest.mark.parametrize(
    "text", ["", "[]", "3", "rackside_fleet: 2\n", "rackside_fleet: 1\n", "- a\n- b\n", "a: &a [*a]\n", "\x00"]
)
def test_what_is_no_fleet_file_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(FleetError, match=r"fleet\.yaml:1"):
        expand_file(written(tmp_path, text))


@pytest.mark.slow
def test_aliases_cannot_blow_a_small_file_up(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(FleetError, match="more than"):
        expand_file(written(tmp_path, "\n".join(lines)))


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(FleetError, match="cannot be read"):
        expand_file(tmp_path / "none.yaml")


def test_the_example_of_the_documentation_is_a_fleet_file(tmp_path: Path) -> None:
    page = (TWO_SITES.parents[2] / "docs" / "fleet-file.md").read_text()
    example = page.split("```yaml\n")[1].split("```")[0]
    rows = expanded(tmp_path, example).rows
    assert len(rows.machines) == 96
    assert len(rows.cables) == 32
