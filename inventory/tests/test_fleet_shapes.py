"""The other shapes of the reference fleet: two tiers, one cable for both ports of a cage, and ten times the size."""

from __future__ import annotations

from collections import Counter, defaultdict
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from inventory.fleet.expand import expand_file
from inventory.fleet.load import load
from inventory.fleet.reference.layout import MOST_PODS, plan
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.fleet.reference.two_tiers import two_tier_file
from inventory.fleet.rows import CableRow, FleetRows
from inventory.models import Cable, Component, Device, Port


def rows_of(folder: Path, text: str) -> FleetRows:
    path = folder / "fleet.yaml"
    path.write_text(text)
    (expansion,) = expand_file(path)
    return expansion.rows


def tiers(rows: FleetRows, cable: CableRow) -> tuple[str, str]:
    """What the two sides of an InfiniBand cable are."""
    names = {end.side: end.device for end in cable.ends}
    kinds = [rows.switches[names[side]].tier if names[side] in rows.switches else "machine" for side in "AB"]
    return kinds[0], kinds[1]


def infiniband(rows: FleetRows) -> list[CableRow]:
    return [cable for label, cable in rows.cables.items() if label.startswith("C-")]


def links(cable: CableRow) -> list[tuple[str, str]]:
    """Device to device, for each lane of a cable."""
    lanes: dict[int, dict[str, str]] = defaultdict(dict)
    for end in cable.ends:
        lanes[end.lane][end.side] = end.device
    return [(sides["A"], sides["B"]) for sides in lanes.values()]


# ---- two tiers ----


def test_two_tiers_have_exactly_the_counts_they_are_compared_by(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, two_tier_file())
    assert len(rows.racks) == 132 and len(rows.devices) == 1236 and len(rows.cables) == 10_698
    assert len(rows.ports) + len(rows.parts) == 44_579
    power = sum(port.kind in ("power_in", "power_outlet") for port in rows.ports.values())
    assert len(rows.ports) - power == 30_038
    kinds = Counter(device.kind for device in rows.devices.values())
    assert kinds == {"machine": 511, "switch": 461, "pdu": 264}
    assert Counter(tiers(rows, cable) for cable in infiniband(rows)) == {
        ("machine", "leaf"): 4088, ("leaf", "spine"): 4096,
    }  # fmt: skip
    assert Counter(label[0] for label in rows.cables) == {"C": 8184, "E": 1278, "M": 1236}


@pytest.mark.slow
def test_a_leaf_of_two_tiers_reaches_every_spine_of_its_plane_once(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, two_tier_file())
    up: dict[str, list[str]] = defaultdict(list)
    for cable in infiniband(rows):
        if tiers(rows, cable) == ("leaf", "spine"):
            ((leaf, spine),) = links(cable)
            up[leaf].append(spine)
    assert len(up) == 128
    for spines in up.values():
        assert len(spines) == len(set(spines)) == 32 and len({spine[:7] for spine in spines}) == 1


@pytest.mark.slow
@pytest.mark.django_db
def test_two_tiers_load_and_a_second_load_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    call_command("reference_fleet", shape="netbox", output=str(path), stdout=StringIO())
    load(path)
    assert (Device.objects.count(), Cable.objects.count()) == (1236, 10_698)
    assert Port.objects.count() + Component.objects.count() == 44_579
    assert not load(path)[0].changed


def test_the_shape_that_is_compared_comes_in_one_size() -> None:
    with pytest.raises(CommandError, match="511 machines"):
        call_command("reference_fleet", shape="netbox", machines=20, output="-", stdout=StringIO())


# ---- one cable for both ports of a cage ----


@pytest.mark.slow
def test_twin_cabling_has_half_of_the_cables_and_all_of_the_links(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, fleet_file(511, cabling="twin"))
    cables = infiniband(rows)
    assert Counter(tiers(rows, cable) for cable in cables) == {
        ("leaf", "machine"): 2048, ("leaf", "spine"): 2048, ("spine", "core"): 2048,
    }  # fmt: skip
    assert sum(len(links(cable)) for cable in cables) == 12_280
    hanging = [cable for cable in cables if len(cable.ends) == 2]
    assert len(hanging) == 8  # the leg of the 512th machine, one of each rail
    assert all(len(cable.plugs) == 3 for cable in hanging)


@pytest.mark.slow
def test_a_twin_cable_takes_one_cage_at_each_switch(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, fleet_file(257, cabling="twin"))
    for cable in infiniband(rows):
        cages = {
            (end.side, end.device, rows.ports[end.device, end.port].cage)
            for end in cable.ends
            if end.device in rows.switches
        }
        assert len(cages) == (1 if tiers(rows, cable)[1] == "machine" else 2)


@pytest.mark.slow
@pytest.mark.parametrize("machines", [1, 20, 64, 65, 256, 300])
def test_twin_cabling_of_a_smaller_site_is_whole_too(machines: int, tmp_path: Path) -> None:
    rows = rows_of(tmp_path, fleet_file(machines, cabling="twin"))
    joined = Counter(tiers(rows, cable) for cable in infiniband(rows) for _ in links(cable))
    leaves = sum(row.tier == "leaf" for row in rows.switches.values() if row.fabric == "infiniband")
    assert joined["leaf", "machine"] == machines * 8
    assert joined["leaf", "spine"] == leaves * 32


# ---- ten times the size ----


@pytest.mark.parametrize(("machines", "cabling", "planes"), [
    (511, "fibre", 1), (5000, "fibre", 1), (8192, "fibre", 1), (8193, "fibre", 2), (10_000, "fibre", 2),
    (511, "twin", 1), (5000, "twin", 2), (10_000, "twin", 4),
])  # fmt: skip
def test_large_sites_are_split_into_as_few_planes_as_their_switches_allow(
    machines: int, cabling: str, planes: int
) -> None:
    layout = plan(machines, 0, cabling)
    assert layout.planes == planes
    assert layout.pods % planes == 0


def fabric_of(rows: FleetRows) -> dict[str, Counter[str]]:
    """How many links each switch has to each tier."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for cable in infiniband(rows):
        a, b = tiers(rows, cable)
        for low, high in links(cable):
            found[low][b] += 1
            found[high][a] += 1
    return found


@pytest.mark.parametrize(("machines", "cabling"), [(5000, "fibre"), (10_000, "fibre"), (10_000, "twin")])
def test_a_large_site_has_24_links_a_machine(machines: int, cabling: str) -> None:
    layout = plan(machines, 0, cabling)
    links_of_all = machines * 8 + layout.leaves * 32 + len(layout.spines) * 32
    assert abs(links_of_all - machines * 24) < machines / 2
    assert len(layout.cores) * 64 >= len(layout.spines) * 32


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cabling", "most_pods"),
    [
        ("fibre", 4),
        pytest.param("twin", 4, marks=pytest.mark.slow),
        pytest.param("fibre", 64, marks=pytest.mark.slow),
        pytest.param("twin", 32, marks=pytest.mark.slow),
    ],
)
def test_no_switch_has_more_than_64_links_and_planes_share_none(
    cabling: str, most_pods: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MOST_PODS, cabling, most_pods)  # planes come at a size that is quick to write out
    layout = plan(900, 0, cabling)
    rows = rows_of(tmp_path, fleet_file(900, cabling=cabling))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    plane: dict[str, int] = {}
    for cable in infiniband(rows):
        a, b = tiers(rows, cable)
        for low, high in links(cable):
            counts[low][b] += 1
            counts[high][a] += 1
            if "machine" in (a, b):
                leaf = high if a == "machine" else low
                plane[leaf] = (int(leaf[-1]) - 1) * layout.planes // 8
            else:
                assert plane.setdefault(high, plane[low]) == plane[low]
    assert set(plane.values()) == set(range(layout.planes)) and layout.planes == (2 if most_pods == 4 else 1)
    fabric = [name for name, row in rows.switches.items() if row.fabric == "infiniband"]
    assert max(counts[name].total() for name in fabric) == 64
    spines = [name for name in fabric if rows.switches[name].tier == "spine"]
    assert all(counts[name]["core"] == 32 for name in spines)
