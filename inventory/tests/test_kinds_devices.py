"""Devices in bulk: their places, bays, identities and ports."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.models import Site
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.kinds import KINDS, Report, Scope, write
from inventory.kinds.values import read
from inventory.models import Device, Installation, Machine, PassThrough, Placement, Port, Rack
from inventory.specs.device_model import DeviceModelSpec
from live.models import Event

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]
ALL = Scope.everything()
MACHINE = {"site": "north", "model": "dell-xe9680-h100"}
SWITCH = {"site": "north", "model": "nvidia-qm9700", "fabric": "infiniband", "tier": "leaf"}


def put(kind: str, *rows: Any, mode: Any = "upsert", scope: Scope = ALL, **more: Any) -> Report:
    return write(kind, rows, mode, scope=scope, actor="mk", **more)


def why(report: Report, row: int = 1) -> list[tuple[str, str]]:
    return [(error.field, error.code) for error in report.rows[row - 1].errors]


def test_a_device_comes_with_its_place_its_own_fields_and_the_ports_of_its_model(two_sites: Sites) -> None:
    report = put("devices", MACHINE | {
        "name": "m1", "rack": "B02", "u": 30, "boot_mac": "02-00-00-00-00-0A", "primary_ip": "10.1.2.3", "serial": 123,
    })  # fmt: skip
    assert report.ok, report.errors()
    (row,) = read(KINDS["devices"], Device.objects.filter(name="m1"))
    expected = {
        "u": 30, "face": "both", "column": "full", "rack_name": "B02", "boot_mac": "02:00:00:00:00:0a",
        "primary_ip": "10.1.2.3", "role": "compute", "serial": "123", "kind": "machine",
    }  # fmt: skip
    assert {key: row[key] for key in expected} == expected
    spec = DeviceModelSpec.load("dell-xe9680-h100")
    ports = list(Port.objects.filter(device__name="m1").order_by("id").values_list("name", "kind", "cage", "slot"))
    assert ports == [(port.name, port.kind, port.cage, port.slot) for port in spec.ports]
    known = set(Port.objects.filter(device__name="hgx-a01-01").values_list("name", "rail", "speed_gbps", "positions"))
    assert set(Port.objects.filter(device__name="m1").values_list("name", "rail", "speed_gbps", "positions")) == known


def test_the_same_devices_again_are_unchanged_whatever_way_they_are_said(two_sites: Sites) -> None:
    fields = KINDS["devices"].fields
    rows = read(KINDS["devices"], Device.objects.all())
    named = [
        {name: row[f"{name}_name" if field.references else name] for name, field in fields.items()} for row in rows
    ]
    report = put("devices", *named)
    assert (report.unchanged, report.errors()) == (len(rows), [])
    assert put("devices", *({name: row[name] for name in ("id", *fields)} for row in rows)).unchanged == len(rows)


def test_devices_cost_the_same_statements_for_one_and_for_many(two_sites: Sites) -> None:
    put("rooms", {"site": "north", "name": "Big", "width_mm": 1, "depth_mm": 1})
    put("racks", *({"site": "north", "room": "Big", "name": f"R{n}", "x_mm": 0, "y_mm": 0} for n in range(30)))

    def cost(*rows: Any, mode: str = "upsert") -> int:
        with CaptureQueriesContext(connection) as captured:
            report = put("devices", *rows, mode=mode)
        assert report.ok, report.errors()
        return len(captured)

    def rows(first: int, last: int) -> list[dict[str, Any]]:
        return [MACHINE | {"name": f"m{n}", "room": "Big", "rack": f"R{n}", "u": 1} for n in range(first, last)]

    assert cost(*rows(0, 2)) == cost(*rows(2, 30))
    moves = [{"site": "north", "name": f"m{n}", "u": 9, "asset_tag": "x"} for n in range(30)]
    assert cost(*moves[:2]) == cost(*moves[2:])
    ids = list(Device.objects.filter(name__regex="^m[0-9]").values_list("pk", flat=True))
    assert cost(*({"id": pk} for pk in ids[:2]), mode="delete") == cost(*({"id": pk} for pk in ids[2:]), mode="delete")


def test_overlapping_units_are_refused_with_who_is_there(two_sites: Sites) -> None:
    report = put(
        "devices", MACHINE | {"name": "a", "rack": "B02", "u": 30}, MACHINE | {"name": "b", "rack": "B02", "u": 33},
        MACHINE | {"name": "c", "rack": "B02", "u": 45}, MACHINE | {"name": "d", "rack": "A01", "u": 9},
    )  # fmt: skip
    assert [row.number for row in report.errors()] == [2, 3, 4]
    assert report.rows[1].errors[0] == ("u", "U33–38 is taken by a (row 1)", "overlap")
    assert report.rows[2].errors[0].reason == "U45–50 is above the rack, which has 48U"
    assert "hgx-a01-01" in report.rows[3].errors[0].reason
    assert not Device.objects.filter(name="a").exists()


def test_two_devices_change_places_in_one_write(two_sites: Sites) -> None:
    rows = {row["name"]: row for row in read(KINDS["devices"], Device.objects.filter(name__startswith="hgx-a01-0"))}
    one, two = rows["hgx-a01-01"], rows["hgx-a01-02"]
    report = put("devices", {"id": one["id"], "u": two["u"]}, {"id": two["id"], "u": one["u"]}, mode="update")
    assert report.ok, report.errors()
    assert report.rows[0].changes == {"u": [one["u"], two["u"]]}


def test_macs_and_addresses_are_of_one_device_and_may_be_exchanged(two_sites: Sites) -> None:
    one, two = Machine.objects.filter(device__site__slug="north")[:2]
    swap = [
        {"id": one.pk, "boot_mac": two.boot_mac, "primary_ip": two.primary_ip},
        {"id": two.pk, "boot_mac": one.boot_mac, "primary_ip": one.primary_ip},
    ]
    report = put("devices", *swap, mode="update")
    assert report.ok, report.errors()
    assert Machine.objects.get(pk=two.pk).boot_mac == one.boot_mac
    new = MACHINE | {"name": "m1", "boot_mac": one.boot_mac, "primary_ip": two.primary_ip}
    assert why(put("devices", new)) == [("boot_mac", "duplicate")]
    assert why(put("devices", new | {"boot_mac": ""})) == [("primary_ip", "duplicate")]
    twice = put("devices", new | {"boot_mac": "020000000001", "primary_ip": None},
                new | {"name": "m2", "boot_mac": "02:00:00:00:00:01", "primary_ip": None})  # fmt: skip
    assert why(twice, 2) == [("boot_mac", "duplicate")]


def test_a_wrong_device_is_refused_field_by_field(two_sites: Sites) -> None:
    base = SWITCH | {"name": "x"}
    for change, field, code in (
        ({"model": "toaster"}, "model", "unknown_reference"), ({"name": "a b"}, "name", "invalid"),
        ({"fabric": "wifi"}, "fabric", "invalid"), ({"feed": "A"}, "feed", "invalid"),
        ({"boot_mac": "020000000001"}, "boot_mac", "invalid"), ({"fabric": None}, "fabric", "required"),
        ({"rack": "B02", "u": 1.25}, "u", "invalid"), ({"rack": "B02"}, "u", "required"),
        ({"u": 5}, "rack", "required"), ({"rack": "B02", "u": 30, "side": "left"}, "side", "invalid"),
        ({"node_guid": "xyz"}, "node_guid", "invalid"), ({"rack": "K01", "u": 30}, "rack", "unknown_reference"),
        ({"parent": "hgx-a01-01"}, "bay", "required"), ({"bay": "1"}, "parent", "required"),
        ({"parent": "hgx-a01-01", "bay": "1", "rack": "B02", "u": 30}, "rack", "invalid"),
        ({"status": "retired", "rack": "B02", "u": 30}, "status", "invalid"),
    ):  # fmt: skip
        report = put("devices", base | change)
        assert (field, code) in why(report), (change, why(report))
    machine = Device.objects.get(name="hgx-a01-01")
    assert why(put("devices", {"id": machine.pk, "model": "nvidia-qm9700"}, mode="update")) == [("model", "invalid")]


def test_a_device_moves_between_rack_and_bay(two_sites: Sites) -> None:
    parent = Device.objects.get(name="hgx-a01-01")
    assert put("devices", SWITCH | {"name": "x", "rack": "B02", "u": 30}).ok
    row = {"site": "north", "name": "x"}
    assert put("devices", row | {"parent": "hgx-a01-01", "bay": "1"}).ok
    assert not Placement.objects.filter(device__name="x").exists()
    assert Device.objects.get(name="x").parent == parent
    assert why(put("devices", SWITCH | {"name": "y", "parent": parent.pk, "bay": "1"})) == [("bay", "overlap")]
    assert put("devices", row | {"rack": "B02", "u": 30}).ok
    assert (Device.objects.get(name="x").parent, Device.objects.get(name="x").bay) == (None, "")
    assert put("devices", row | {"rack": None}).rows[0].changes["u"] == [30, None]


def test_devices_that_sit_in_one_another_are_refused_and_a_chassis_may_come_with_its_blades(two_sites: Sites) -> None:
    rows = [SWITCH | {"name": "blade", "parent": "chassis", "bay": "1"}, SWITCH | {"name": "chassis"}]
    assert put("devices", *rows).created == 2
    assert Device.objects.get(name="blade").parent == Device.objects.get(name="chassis")
    assert put("devices", *rows).unchanged == 2
    report = put("devices", {"site": "north", "name": "chassis", "parent": "blade", "bay": "1"})
    assert why(report) == [("parent", "cycle")]
    circle = [SWITCH | {"name": f"c{n}", "parent": f"c{(n + 1) % 3}", "bay": "1"} for n in range(3)]
    assert {why(put("devices", *circle), n)[0] for n in (1, 2, 3)} == {("parent", "cycle")}


def test_a_retired_device_frees_everything_and_keeps_its_row(two_sites: Sites) -> None:
    machine = Device.objects.get(name="hgx-a01-01")
    assert put("devices", {"id": machine.pk}, mode="delete").deleted == 1
    machine.refresh_from_db()
    assert (machine.status, machine.machine.boot_mac, machine.machine.primary_ip) == ("retired", "", None)
    assert not Placement.objects.filter(device=machine).exists()
    assert not Installation.objects.filter(device=machine, during__endswith=None).exists()
    assert not Port.objects.filter(device=machine, strand_ends__isnull=False).exists()
    event = Event.objects.filter(kind="inventory.reloaded").latest("id")
    assert event.data["retired_devices"] == 1


def test_a_patch_panel_comes_with_its_pass_throughs(two_sites: Sites) -> None:
    spec = {
        "model": "panel-4", "vendor": "X", "name": "Panel", "kind": "panel", "u_height": 1,
        "ports": [{"name": "R1", "kind": "rear", "positions": 2}]
        + [{"name": f"F{n}", "kind": "front", "rear": "R1", "rear_position": n} for n in (1, 2)],
    }  # fmt: skip
    assert put("device-models", {"spec": spec}).created == 1
    assert put("device-models", {"slug": "panel-4", "spec": spec}).unchanged == 1
    assert why(put("device-models", {"spec": spec | {"kind": "toaster"}})) == [("spec", "invalid")]
    assert put("devices", {"site": "north", "name": "p1", "model": "panel-4", "rack": "B02", "u": 40}).ok
    passes = PassThrough.objects.filter(device__name="p1").values_list("front__name", "rear__name", "position")
    assert sorted(passes) == [("F1", "R1", 1), ("F2", "R1", 2)]


def test_pdus_hang_on_feeds_and_in_side_slots(two_sites: Sites) -> None:
    pdu = Device.objects.filter(kind="pdu", site__slug="north")[0]
    put("power-panels", {"site": "north", "name": "P1"})
    assert put("power-feeds", {"site": "north", "name": "F9", "panel": "P1", "side": "A"}).ok
    assert put("devices", {"id": pdu.pk, "feed": "F9"}, mode="update").ok
    pdu.refresh_from_db()
    assert pdu.pdu.feed is not None and pdu.pdu.feed.name == "F9"
    side = pdu.placement.side_slot
    rack = Rack.objects.get(pk=pdu.placement.rack_id)
    new = {"site": "north", "model": pdu.model.slug, "name": "p9", "rack": rack.pk, "side": side, "feed": "F9"}
    assert why(put("devices", new)) == [("side", "overlap")]
    assert why(put("devices", new | {"side": None})) == [("side", "required")]


@pytest.mark.slow
def test_a_thousand_machines_come_with_all_their_ports(two_sites: Sites) -> None:
    put("racks", *(
        {"site": "north", "room": "Hall 1", "name": f"R{n:03}", "x_mm": 0, "y_mm": 0} for n in range(125)
    ))  # fmt: skip
    rows = [
        MACHINE
        | {"name": f"m{n}", "rack": f"R{n // 8:03}", "u": 1 + 6 * (n % 8), "primary_ip": f"10.9.{n // 250}.{n % 250}"}
        for n in range(1000)
    ]
    assert put("devices", *rows).created == 1000
    assert Port.objects.filter(device__name__regex="^m[0-9]").count() == 1000 * 19


def test_the_fleet_file_and_the_api_say_the_same_fields() -> None:
    from inventory.fleet.format import DeviceGroup

    only_in_files = {"racks", "without", "derive"}
    assert set(DeviceGroup.model_fields) - only_in_files <= set(KINDS["devices"].fields)
    assert fleet_file(1)
