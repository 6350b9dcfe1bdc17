"""The reference fleet is what it says it is: counted, cabled and standing where a hall can hold it."""

from __future__ import annotations

from collections import Counter, defaultdict
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.core.management import CommandError, call_command

from inventory.fleet.expand import expand_file
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.fleet.rows import FleetRows
from inventory.models import Machine

FIBRE = ("MPO-12 OM4", "MPO-12 OS2")


def rows_of(folder: Path, machines: int, bare: int = 0, seed: str = "reference") -> FleetRows:
    path = folder / "fleet.yaml"
    path.write_text(fleet_file(machines, bare, seed))
    (expansion,) = expand_file(path)
    return expansion.rows


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> FleetRows:
    return rows_of(tmp_path_factory.mktemp("reference"), 511)


def fabric_cables(rows: FleetRows) -> list[tuple[str, str]]:
    """Kinds of the two ends of every InfiniBand cable: machine, leaf, spine or core."""
    infiniband = (cable for label, cable in rows.cables.items() if label.startswith("C-"))
    tier = {name: row.tier for name, row in rows.switches.items()}
    return [(tier.get(c.ends[0].device, "machine"), tier.get(c.ends[1].device, "machine")) for c in infiniband]


def test_the_reference_fleet_has_exactly_its_round_numbers(reference: FleetRows) -> None:
    assert len(reference.machines) == 511
    infiniband = Counter(row.tier for row in reference.switches.values() if row.fabric == "infiniband")
    assert infiniband == {"leaf": 128, "spine": 128, "core": 64}
    assert Counter(fabric_cables(reference)) == {
        ("machine", "leaf"): 511 * 8,
        ("leaf", "spine"): 4096,
        ("spine", "core"): 4096,
    }
    assert len(fabric_cables(reference)) == 12_280
    assert sum(part.kind == "gpu" for part in reference.parts.values()) == 4088


def test_every_machine_has_all_its_parts_and_cables(reference: FleetRows) -> None:
    parts = Counter((part.device, part.kind) for part in reference.parts.values())
    wanted = {"gpu": 8, "hca": 12, "nvme": 8, "psu": 6, "dimm": 32}
    cables: dict[str, Counter[str]] = defaultdict(Counter)
    for cable in reference.cables.values():
        for end in cable.ends:
            cables[end.device][reference.ports[end.device, end.port].kind] += 1
    for name in reference.machines:
        assert {kind: parts[name, kind] for kind in wanted} == wanted
        assert cables[name] == {"infiniband": 8, "ethernet": 2, "bmc": 1, "power_in": 6}


def test_the_rails_of_a_machine_go_to_eight_leaves_of_its_unit(reference: FleetRows) -> None:
    leaves: dict[str, dict[str, str]] = defaultdict(dict)
    machines: dict[str, set[str]] = defaultdict(set)
    for label, cable in reference.cables.items():
        machine, leaf = cable.ends
        if label.startswith("C-") and machine.device in reference.machines:
            leaves[machine.device][machine.port] = leaf.device
            machines[leaf.device].add(machine.device)
            assert reference.ports[leaf.device, leaf.port].cage in range(1, 17)
    for ports in leaves.values():
        assert [ports[hca][-2:] for hca in sorted(ports, key=lambda p: int(p[5:]))] == [f"r{n}" for n in range(1, 9)]
    assert {len(found) for found in machines.values()} <= {31, 32}


def test_every_leaf_reaches_every_spine_of_its_pod_and_every_spine_32_cores(reference: FleetRows) -> None:
    up: dict[str, list[str]] = defaultdict(list)
    tier = {name: row.tier for name, row in reference.switches.items()}
    for label, cable in reference.cables.items():
        low, high = cable.ends
        if label.startswith("C-") and low.device in tier:
            up[low.device].append(high.device)
    for name, above in up.items():
        assert len(above) == len(set(above)) == 32
        if tier[name] == "leaf":
            assert len({spine.split("-")[1] for spine in above}) == 1
    from_pods = Counter(
        (core, spine.split("-")[1]) for spine, above in up.items() if tier[spine] == "spine" for core in above
    )
    assert set(from_pods.values()) == {16}


def test_supplies_one_to_three_are_on_side_a_and_four_to_six_on_side_b(reference: FleetRows) -> None:
    seen = 0
    for cable in reference.cables.values():
        supply, outlet = cable.ends
        if supply.device in reference.machines and supply.port.startswith("PSU"):
            feed = reference.power_feeds[reference.pdus[outlet.device].feed]
            assert feed.side == ("A" if int(supply.port[-1]) <= 3 else "B")
            rack = reference.placements[supply.device].rack
            assert reference.placements[outlet.device].rack == rack
            seen += 1
    assert seen == 511 * 6


def test_every_switch_is_on_both_sides(reference: FleetRows) -> None:
    sides: dict[str, set[str]] = defaultdict(set)
    for cable in reference.cables.values():
        supply, outlet = cable.ends
        if supply.device in reference.switches and outlet.device in reference.pdus:
            sides[supply.device].add(reference.power_feeds[reference.pdus[outlet.device].feed].side)
    assert set(sides) == set(reference.switches)
    assert all(found == {"A", "B"} for found in sides.values())


def test_machines_stand_four_to_a_rack_under_names_made_of_the_rack(reference: FleetRows) -> None:
    racks = Counter(reference.placements[name].rack for name in reference.machines)
    assert Counter(racks.values()) == {4: 127, 3: 1}
    assert reference.placements["hgx-a17-03"].rack == "A17"
    assert reference.placements["hgx-a17-03"].half_units == (33, 45)  # U17 to U22


def test_no_two_racks_or_aisles_overlap_and_all_are_in_the_room(reference: FleetRows) -> None:
    (room,) = reference.rooms.values()
    standing: list[Any] = [*reference.racks.values(), *reference.aisles.values()]
    boxes = [(each.x_mm, each.y_mm, each.width_mm, each.depth_mm) for each in standing]
    for index, (x, y, width, depth) in enumerate(boxes):
        assert x + width <= room.width_mm
        assert y + depth <= room.depth_mm
        for x2, y2, width2, depth2 in boxes[index + 1 :]:
            assert x + width <= x2 or x2 + width2 <= x or y + depth <= y2 or y2 + depth2 <= y


def test_fronts_face_a_cold_aisle_and_rears_a_hot_one(reference: FleetRows) -> None:
    for rack in reference.racks.values():
        front = rack.y_mm + rack.depth_mm if rack.facing == "down" else rack.y_mm
        touching = [a for a in reference.aisles.values() if front in (a.y_mm, a.y_mm + a.depth_mm)]
        assert [aisle.kind for aisle in touching] == ["cold"]


def test_identities_are_unique_and_in_their_makers_form(reference: FleetRows) -> None:
    gpus = [part for part in reference.parts.values() if part.kind == "gpu"]
    assert len({part.serial for part in gpus}) == len({part.attributes["uuid"] for part in gpus}) == 4088
    assert all(len(part.serial) == 13 and part.serial.isdecimal() for part in gpus)
    assert all(part.attributes["uuid"].startswith("GPU-") and len(part.attributes["uuid"]) == 40 for part in gpus)
    guids = [part.attributes["guid"] for part in reference.parts.values() if part.kind == "hca"]
    assert len(set(guids)) == 511 * 12
    tags = [reference.devices[name].serial for name in reference.machines]
    assert len(set(tags)) == 511
    assert all(len(tag) == 7 for tag in tags)
    macs = [mac for row in reference.machines.values() for mac in (row.boot_mac, row.bmc_mac)]
    assert len(set(macs)) == 1022
    assert len({row.primary_ip for row in reference.machines.values()}) == 511


def test_fibre_is_long_enough_and_cords_stay_in_their_rack(reference: FleetRows) -> None:
    for cable in reference.cables.values():
        assert cable.length_m is not None
        a, b = (
            reference.racks["Hall 1", reference.placements[end.device].rack] for end in (cable.ends[0], cable.ends[-1])
        )
        across = abs(a.x_mm - b.x_mm) + abs(a.y_mm - b.y_mm)
        assert float(cable.length_m) * 1000 >= across
        assert a == b or cable.type in (*FIBRE, "QSFP28 AOC", "Cat6")
        assert float(cable.length_m) <= 50


@pytest.mark.slow
@pytest.mark.parametrize("machines", [1, 4, 20, 33, 64, 257])
def test_a_smaller_site_is_whole_too(machines: int, tmp_path: Path) -> None:
    rows = rows_of(tmp_path, machines)
    kinds = Counter(fabric_cables(rows))
    assert kinds["machine", "leaf"] == machines * 8
    leaves = sum(row.tier == "leaf" for row in rows.switches.values() if row.fabric == "infiniband")
    assert kinds["leaf", "spine"] == leaves * 32
    assert len(rows.machines) == machines


def test_bare_machines_come_on_top_with_power_and_management_but_no_rails(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, 20, 6)
    bare = {name for name, device in rows.devices.items() if device.kind == "machine" and device.status == "planned"}
    assert len(rows.machines) == 26
    assert len(bare) == 6
    kinds = Counter(
        rows.ports[end.device, end.port].kind
        for cable in rows.cables.values() for end in cable.ends if end.device in bare
    )  # fmt: skip
    assert kinds == {"power_in": 36, "bmc": 6, "ethernet": 12}


def test_bare_machines_change_nothing_of_the_others(tmp_path: Path) -> None:
    without, with_bare = rows_of(tmp_path, 20), rows_of(tmp_path, 20, 6)
    assert all(with_bare.parts[key] == part for key, part in without.parts.items())
    assert all(with_bare.cables[label] == cable for label, cable in without.cables.items())


def test_another_seed_gives_other_serials_and_the_same_site(tmp_path: Path) -> None:
    first, second = rows_of(tmp_path, 4), rows_of(tmp_path, 4, seed="other")
    assert first.placements == second.placements
    assert first.devices["hgx-a01-01"].serial != second.devices["hgx-a01-01"].serial


@pytest.mark.slow
def test_ten_times_the_fleet_expands(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, 5110)
    assert Counter(fabric_cables(rows))["machine", "leaf"] == 5110 * 8


def test_the_file_of_the_whole_site_is_short_enough_to_read() -> None:
    assert len(fleet_file().encode()) < 100_000


def test_the_command_writes_the_file_and_refuses_impossible_sites(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    call_command("reference_fleet", machines=20, output=str(path), stdout=StringIO())
    assert path.read_text() == fleet_file(20)
    out = StringIO()
    call_command("reference_fleet", machines=20, output="-", stdout=out)
    assert out.getvalue() == fleet_file(20)
    with pytest.raises(CommandError, match="1 to"):
        call_command("reference_fleet", machines=0, output=str(path))
    with pytest.raises(CommandError, match="No such file"):
        call_command("reference_fleet", machines=1, output=str(tmp_path / "no" / "folder.yaml"))


@pytest.mark.slow
def test_reference_sites_of_full_size_fit_into_one_inventory(tmp_path: Path) -> None:
    text, path = fleet_file(), tmp_path / "site.yaml"
    seen: set[object] = set()
    for slug in ("north", "south", "ams1"):
        path.write_text(text.replace("slug: north", f"slug: {slug}"))
        (expansion,) = expand_file(path)
        rows = expansion.rows
        mine: list[object] = [row.node_guid for row in rows.switches.values() if row.node_guid]
        for machine in rows.machines.values():
            mine += [machine.boot_mac, machine.bmc_mac]
        mine += [row.identity for row in rows.parts.values() if row.serial]
        assert not seen.intersection(mine), slug
        seen.update(mine)


@pytest.mark.django_db
def test_the_command_loads_it_too_as_soon_as_the_tables_are_there(tmp_path: Path) -> None:
    path, there = tmp_path / "fleet.yaml", tmp_path / "tables-are-made"
    out = StringIO()
    with patch("inventory.management.commands.load_fleet.time.sleep", lambda _: there.touch()):
        call_command("reference_fleet", machines=1, output=str(path), load_after=there, stdout=out)
    assert Machine.objects.count() == 1 and "done in" in out.getvalue()


@pytest.mark.parametrize("bare", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_more_bare_machines_than_cabled_ones_have_rows_and_a_network_of_their_own(tmp_path: Path, bare: int) -> None:
    rows = rows_of(tmp_path, 20, bare)
    states = Counter(rows.devices[name].status for name in rows.machines)
    assert states == {"active": 20, "planned": bare}
