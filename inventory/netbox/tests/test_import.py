"""A whole import: what stands in Rackside afterwards, field by field, and what is told of the rest."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from core.models import Site
from core.work import dispatch
from inventory import models
from inventory.models import NetBoxLink, NetBoxRow, NetBoxRun
from inventory.netbox.options import Options
from inventory.netbox.run import WORK, ImportFailed, Running, start, unfinished
from inventory.netbox.tests.conftest import Import, importer
from inventory.netbox.tests.content import choice
from inventory.netbox.tests.fake_netbox import FakeNetBox
from inventory.netbox.tests.small_site import SmallSite, small_site
from live.models import Event
from tests.kept_rows import once


def device(name: str) -> models.Device:
    return models.Device.objects.get(name=name)


def ends(cable: models.Cable) -> list[tuple[str, int, int, str, str]]:
    rows = models.StrandEnd.objects.filter(connector__cable=cable).order_by("connector__side", "connector", "lane")
    return list(rows.values_list("connector__side", "connector__number", "lane", "port__device__name", "port__name"))


def counts(run: NetBoxRun) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in run.steps["written"].values():
        total.update(one)
    return total


def everything() -> dict[str, Any]:
    """All rows of the inventory, to compare before and after."""
    tables = (
        Site, models.Room, models.Row, models.Rack, models.Tag, models.CustomField, models.Contact, models.DeviceModel,
        models.Device, models.Machine, models.Switch, models.Pdu, models.Placement, models.Port, models.PassThrough,
        models.IpAddress, models.Component, models.Installation, models.Cable, models.Connector, models.StrandEnd,
        models.PowerPanel, models.PowerFeed,
    )  # fmt: skip
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in tables}


Imported = tuple[SmallSite, NetBoxRun, list[Any]]
kept: list[Imported] = []


@pytest.fixture
def imported(db: None) -> Imported:
    """The small site after its import, for those who look at what stands there: imported once, then copied."""

    def make() -> None:
        with FakeNetBox() as netbox:
            site = small_site(netbox)
            kept[:] = [(site, *importer(netbox)())]

    once("the small site of NetBox", make)
    return kept[0]


@pytest.fixture
def served(site: SmallSite, do_import: Import) -> Imported:
    """The same, and the NetBox is there to be imported again."""
    return site, *do_import()


# ---- the state afterwards ----


@pytest.mark.slow
def test_sites_rooms_rows_and_racks_stand_as_in_netbox(imported: Imported) -> None:
    assert list(Site.objects.values_list("slug", "name", "timezone")) == [("north-1", "North", "Europe/Amsterdam")]
    rooms = models.Room.objects.order_by("name").values_list("name", "width_mm", "depth_mm")
    assert [(name, width > 5000, depth > 3000) for name, width, depth in rooms] == [
        ("Building 1 / Hall 2", True, True),
        ("North", True, True),
    ]
    assert list(models.Row.objects.values_list("room__name", "name", "position")) == [("Building 1 / Hall 2", "A", 1)]
    fields = (
        "room__name", "name", "row__name", "role", "height_u", "numbering", "width_mm", "depth_mm", "weight_limit_kg",
        "serial", "asset_tag", "contact__name", "x_mm", "y_mm",
    )  # fmt: skip
    hall = "Building 1 / Hall 2"
    assert sorted(models.Rack.objects.values_list(*fields)) == [
        (hall, "A1", "A", "compute", 48, "up", 600, 1200, 1361, "R-1", "AT-1", "Vendor desk", 1800, 1800),
        (hall, "A10", "A", "compute", 42, "up", 600, 1200, None, "", "", None, 3000, 1800),
        (hall, "A2", "A", "network", 42, "down", 600, 1200, None, "", "", None, 2400, 1800),
        ("North", "Loose", None, "compute", 42, "up", 600, 1200, None, "", "", None, 1800, 1800),
    ]


@pytest.mark.slow
def test_tags_custom_fields_and_contacts_come_with_their_values(imported: Imported) -> None:
    assert list(models.Tag.objects.values_list("name", "colour")) == [("gold", "#ffc107")]
    fields = models.CustomField.objects.order_by("name").values_list("name", "type", "kinds", "choices")
    assert list(fields) == [
        ("light", "choice", ["devices"], ["red", "blue"]),
        ("lights", "choices", ["cables"], ["red", "blue"]),
        ("owner_team", "text", ["devices"], []),
        ("price", "number", ["devices"], []),
        ("since", "date", ["devices"], []),
        ("x_mm", "integer", ["racks"], []),
    ]
    assert device("gpu-1").custom == {"owner_team": "ml", "light": "red", "since": "2026-01-02", "price": 12.5}
    assert list(device("gpu-1").tags.values_list("name", flat=True)) == ["gold"]
    contact = models.Contact.objects.get()
    assert (contact.name, contact.role, contact.email, contact.phone) == (
        "Vendor desk", "support", "help@example.org", "+31 1",
    )  # fmt: skip


def test_device_types_in_use_become_models_and_roles_say_their_kind(imported: Imported) -> None:
    assert dict(models.DeviceModel.objects.values_list("slug", "kind")) == {
        "example-gx8-h100": "machine",
        "nvidia-qm9700": "switch",
        "example-patch-12-mpo": "panel",
        "example-px3": "pdu",
        "example-blades-7": "shelf",
        "example-t48": "switch",
        "example-blade-2": "machine",
    }
    model = models.DeviceModel.objects.get(slug="example-gx8-h100")
    assert (model.vendor, model.name, model.half_u_height, model.power_w, model.gpu_count, model.psu_count) == (
        "Example", "GX8 H100", 12, 6800, 2, 4,
    )  # fmt: skip


def test_devices_stand_where_they_stand_in_netbox(imported: Imported) -> None:
    rows = models.Placement.objects.filter(kind="device").values_list(
        "device__name", "rack__name", "half_units", "faces", "side_slot"
    )
    places = {
        name: (rack, units and (units.lower, units.upper), faces and (faces.lower, faces.upper), side)
        for name, rack, units, faces, side in rows
    }
    assert places == {
        "gpu-1": ("A1", (17, 29), (0, 2), ""),
        "gpu2": ("A1", (33, 45), (0, 2), ""),
        "A1-PDU-A": ("A1", None, None, "rear-left"),
        "A1-PDU-B": ("A1", None, None, "rear-right"),
        "leaf-1": ("A2", (59, 61), (0, 2), ""),
        "tor-mgmt": ("A2", (63, 65), (1, 2), ""),
        "pp-1": ("A2", (80, 81), (0, 1), ""),
        "pp-2": ("A2", (81, 82), (0, 1), ""),
        "blades-1": ("A10", (1, 15), (0, 2), ""),
        "example-t48-nb12": ("Loose", (5, 7), (0, 1), ""),
    }
    blade = device("blade-1")
    assert (blade.parent and blade.parent.name, blade.bay) == ("blades-1", "Slot 1")
    assert not models.Placement.objects.filter(device__name="in-the-cupboard").exists()


def test_reserved_units_and_blanking_panels_take_their_units(imported: Imported) -> None:
    rows = models.Placement.objects.exclude(kind="device").order_by("half_units")
    assert [
        (row.kind, row.rack.name, row.half_units.lower, row.half_units.upper, row.faces.upper, row.reason, row.owner)
        for row in rows
    ] == [
        ("blanking", "A1", 45, 49, 1, "blank", ""),
        ("reserved", "A1", 79, 85, 2, "for the next row", "jo"),
        ("reserved", "A1", 89, 91, 2, "for the next row", "jo"),
    ]


def test_devices_keep_status_serials_and_addresses(imported: Imported) -> None:
    rows = models.Device.objects.order_by("name").values_list("name", "status", "serial", "asset_tag")
    assert [row for row in rows if row[0] in ("gpu-1", "gpu2", "in-the-cupboard")] == [
        ("gpu-1", "active", "S-1", "X-1"),
        ("gpu2", "active", "", ""),
        ("in-the-cupboard", "planned", "", ""),
    ]
    machine = device("gpu-1").machine
    assert (machine.role, machine.primary_ip, machine.bmc_ip, machine.bmc_mac) == (
        "compute", "10.0.0.1", "10.9.0.1", "aa:bb:cc:00:00:02",
    )  # fmt: skip
    more = models.IpAddress.objects.order_by("address").values_list(
        "device__name", "port__name", "address", "prefix_length", "dns_name"
    )
    assert list(more) == [
        ("gpu-1", "eth0", "10.0.0.77", 24, "data.example.org"),
        ("tor-mgmt", "swp24", "10.9.0.3", 24, ""),
    ]


def test_switches_know_fabric_and_tier_by_role_and_ports(imported: Imported) -> None:
    rows = models.Switch.objects.order_by("device__name").values_list("device__name", "fabric", "tier")
    assert list(rows) == [
        ("example-t48-nb12", "management", "tor"),
        ("in-the-cupboard", "management", "tor"),
        ("leaf-1", "infiniband", "leaf"),
        ("tor-mgmt", "management", "tor"),
    ]


def test_ports_have_macs_vlans_and_guids_and_what_the_type_lacks(imported: Imported) -> None:
    ports = {(p.device.name, p.name): p for p in models.Port.objects.select_related("device")}
    eth0 = ports["gpu-1", "eth0"]
    assert (eth0.kind, eth0.speed_gbps, eth0.mac, eth0.vlan) == ("ethernet", 25, "aa:bb:cc:00:00:01", 207)
    assert ports["gpu-1", "ib0"].guid == "0x0011223344556677"
    assert ports["gpu-1", "iDRAC"].kind == "bmc"
    assert ports["gpu-1", "osfp0"].speed_gbps == 200
    renamed = ports["leaf-1", "eth-renamed"]
    assert (renamed.kind, renamed.speed_gbps) == ("ethernet", 1)
    first = ports["leaf-1", "P0.0"]
    assert (first.kind, first.cage, first.lane) == ("infiniband", 1, 1)
    assert ("gpu-1", "bond0") not in ports
    passes = models.PassThrough.objects.filter(device__name="pp-1").order_by("front__name")
    assert list(passes.values_list("front__name", "rear__name", "position")) == [
        ("1", "1 (rear)", 1),
        ("2", "1 (rear)", 2),
        ("F3", "2 (rear)", 6),
    ]


def test_parts_with_serial_or_number_sit_in_their_slots(imported: Imported) -> None:
    rows = models.Installation.objects.filter(during__endswith=None).order_by("device__name", "slot").values_list(
        "device__name", "slot", "component__kind", "component__vendor", "component__part_number", "component__serial"
    )  # fmt: skip
    assert list(rows) == [
        ("gpu-1", "GPU 0", "gpu", "NVIDIA", "H100-SXM5", "G-0"),
        ("gpu-1", "GPU 1", "gpu", "NVIDIA", "H100-SXM5", ""),
        ("gpu-1", "NVMe 0", "nvme", "Example", "NV-7680", "D-1"),
        ("gpu2", "GPU 0", "gpu", "NVIDIA", "H100-SXM5", ""),
        ("gpu2", "GPU 1", "gpu", "NVIDIA", "H100-SXM5", ""),
    ]


def test_power_panels_feeds_and_pdus_hang_together(imported: Imported) -> None:
    assert list(models.PowerPanel.objects.values_list("name", "room__name")) == [
        ("PP-A", "Building 1 / Hall 2"),
        ("PP-B", "Building 1 / Hall 2"),
    ]
    fields = ("name", "panel__name", "side", "voltage_v", "current_a", "phases", "derating_percent")
    assert list(models.PowerFeed.objects.order_by("name").values_list(*fields)) == [
        ("PP-A Feed 1", "PP-A", "A", 400, 32, 3, 80),
        ("PP-B Feed 1", "PP-B", "B", 400, 32, 3, 80),
    ]
    assert list(models.Pdu.objects.order_by("device__name").values_list("device__name", "feed__name", "limit_w")) == [
        ("A1-PDU-A", "PP-A Feed 1", 22000),
        ("A1-PDU-B", "PP-B Feed 1", 22000),
    ]


def test_cables_keep_type_status_length_colour_and_both_sides(imported: Imported) -> None:
    fields = ("label", "type", "status", "length_m", "colour")
    assert sorted(models.Cable.objects.values_list(*fields)) == [
        ("CON", "unknown", "connected", None, ""),
        ("IB-1", "OS2", "connected", Decimal("10.06"), "yellow"),
        ("IB-1 (6)", "Cat6a", "connected", None, ""),
        ("NB-5", "unknown", "planned", None, ""),
        ("NB-9", "power cord", "connected", None, ""),
        ("P-1", "OM4", "connected", None, ""),
        ("P-2", "OS2", "to_move", None, ""),
        ("TWIN", "DAC", "connected", Decimal("2.50"), ""),
    ]
    cables = {cable.label: cable for cable in models.Cable.objects.all()}
    assert ends(cables["IB-1"]) == [("A", 1, 1, "gpu-1", "ib0"), ("B", 1, 1, "leaf-1", "P0.0")]
    assert cables["IB-1"].custom == {"lights": ["red"]}
    assert list(cables["IB-1"].tags.values_list("name", flat=True)) == ["gold"]
    assert ends(cables["P-1"])[1] == ("B", 1, 1, "pp-1", "F3")
    assert ends(cables["P-2"]) == [("A", 1, 1, "pp-1", "2 (rear)"), ("B", 1, 1, "pp-2", "2 (rear)")]
    assert ends(cables["NB-9"])[1] == ("B", 1, 1, "A1-PDU-A", "Outlet 2")


def test_twin_and_fan_out_cables_have_their_strands(imported: Imported) -> None:
    cables = {cable.label: cable for cable in models.Cable.objects.all()}
    assert ends(cables["TWIN"]) == [
        ("A", 1, 1, "leaf-1", "P1.0"),
        ("A", 1, 2, "leaf-1", "P1.1"),
        ("B", 1, 1, "gpu2", "ib0"),
        ("B", 1, 2, "gpu2", "ib1"),
    ]
    assert ends(cables["NB-5"]) == [
        ("A", 1, 1, "leaf-1", "P2.0"),
        ("B", 1, 1, "gpu-1", "ib1"),
        ("B", 2, 1, "leaf-1", "P3.0"),
    ]


# ---- what is told ----


def told(findings: list[Any], sort: str, kind: str, field: str = "") -> list[tuple[str, str]]:
    return [(f.name, f.why) for f in findings if (f.sort, f.kind, f.field) == (sort, kind, field)]


def test_cables_that_cannot_come_are_each_told_with_their_reason(imported: Imported) -> None:
    site, _, findings = imported
    told_cables = {f.netbox_id: (f.sort, f.why) for f in findings if f.kind == "dcim/cables" and f.sort != "changed"}
    assert told_cables == {
        site.refs["to circuit"].id: (
            "left",
            "it ends at a circuits.circuittermination, for which there is no port here",
        ),
        site.refs["to lag"].id: ("left", "it ends at bond0 of gpu 1, which was not imported"),
        site.refs["uneven"].id: ("left", "2 ends against 3: which strand goes where is not reported"),
        site.refs["wrong"].id: ("refused", "cables: a cable cannot join ethernet and infiniband"),
    }
    changed = {f.netbox_id: f.why for f in findings if f.kind == "dcim/cables" and f.sort == "changed"}
    assert changed == {
        site.refs["bmc"].id: "its label is taken: it became 'IB-1 (6)'",
        site.refs["trunk"].id: "decommissioning became to_move",
    }


def test_every_row_of_netbox_is_imported_or_told(imported: Imported) -> None:
    """No row of a list that is read is passed over in silence."""
    site, _, findings = imported
    netbox = site.content.netbox
    known = set(NetBoxLink.objects.values_list("endpoint", "netbox_id")) | {(f.kind, f.netbox_id) for f in findings}
    for endpoint in ("dcim/sites", "dcim/racks", "dcim/devices", "dcim/power-feeds", "dcim/power-panels",
                     "extras/tags", "extras/custom-fields", "tenancy/contacts", "dcim/rack-reservations",
                     "dcim/modules", "extras/journal-entries"):  # fmt: skip
        silent = [pk for pk in netbox.tables[endpoint] if (endpoint, pk) not in known]
        assert silent == [], endpoint
    feeding = {pk for pk in netbox.tables["dcim/cables"] if ("dcim/cables", pk) not in known}
    fed = {ref.id for name, ref in site.refs.items() if name.startswith("feed ")}
    ends_at = {end.id for pk in feeding for end in netbox.tables["dcim/cables"][pk]["b_terminations"]}
    assert ends_at == fed  # said by the PDUs themselves
    unassigned = [f for f in findings if f.kind == "ipam/ip-addresses" and f.netbox_id == 0]
    assert [f.name for f in unassigned] == ["1 row"]


def test_fields_without_a_home_are_told_with_the_row_and_its_address(imported: Imported) -> None:
    site, _, findings = imported
    (facility,) = [f for f in findings if (f.kind, f.field) == ("dcim/racks", "facility_id")]
    assert (facility.sort, facility.netbox_id, facility.name) == ("left", site.refs["A2"].id, "A2")
    assert facility.url == f"{site.content.netbox.url}/dcim/racks/{site.refs['A2'].id}/"
    assert told(findings, "changed", "dcim/devices", "status") == [
        ("gpu2", "offline became active: checks say how it does"),
        ("in-the-cupboard", "inventory became planned: checks say how it does"),
    ]
    assert told(findings, "left", "dcim/interfaces", "enabled") == [("osfp0", "a port is not switched off here")]
    assert told(findings, "left", "dcim/interfaces", "mtu") == [("osfp0", "a port has no such field here")]
    assert told(findings, "left", "dcim/devices", "cf_blob") == [("gpu 1", "this custom field was not imported")]
    assert told(findings, "left", "virtualization/virtual-machines") != []


def test_the_findings_are_kept_with_the_run_and_what_was_read_is_not(imported: Imported) -> None:
    _, run, findings = imported
    run.refresh_from_db()
    assert run.status == "done" and run.version == "4.6.8" and run.finished_at is not None
    assert run.findings == [f.as_dict() for f in findings]
    assert NetBoxRow.objects.count() == 0


# ---- again ----


@pytest.mark.slow
def test_a_second_import_changes_nothing(served: Imported, do_import: Import) -> None:
    before, events = everything(), Event.objects.count()
    run, findings = do_import()
    assert counts(run)["created"] == counts(run)["changed"] == 0
    assert counts(run)["unchanged"] > 50
    assert everything() == before
    assert Event.objects.count() == events
    assert [f for f in findings if f.sort in ("kept", "conflict")] == []


@pytest.mark.slow
def test_what_changed_in_netbox_changes_here_also_when_it_was_renamed(served: Imported, do_import: Import) -> None:
    site = served[0]
    site.row("gpu2").update(name="gpu2-new", serial="S-2", position=33.0)
    site.row("ib").update(label="IB-ONE", color="f44336")
    site.row("A10")["name"] = "A11"
    run, _ = do_import()
    assert (counts(run)["created"], counts(run)["changed"]) == (0, 4)
    renamed = device("gpu2-new")
    assert renamed.serial == "S-2" and renamed.placement.half_units.lower == 65
    assert models.Cable.objects.get(label="IB-ONE").colour == "red"
    assert models.Cable.objects.get(label="IB-1").type == "Cat6a"  # the other of that name, which is free now
    assert not models.Rack.objects.filter(name="A10").exists()


def test_what_people_changed_here_stays_and_is_told(served: Imported, do_import: Import) -> None:
    models.Device.objects.filter(name="gpu-1").update(name="gpu-one", serial="ours")
    models.Rack.objects.filter(name="A1").update(x_mm=9000, asset_tag="ours")
    run, findings = do_import()
    assert counts(run)["changed"] == 0
    assert device("gpu-one").serial == "ours"
    assert models.Rack.objects.get(name="A1").x_mm == 9000
    kept = [(f.kind, f.name, f.field, f.why) for f in findings if f.sort == "kept"]
    assert kept == [
        ("dcim/racks", "A1", "asset_tag", "racks: 'ours' stays; NetBox says 'AT-1'"),
        ("dcim/devices", "gpu 1", "name", "devices: 'gpu-one' stays; NetBox says 'gpu-1'"),
        ("dcim/devices", "gpu 1", "serial", "devices: 'ours' stays; NetBox says 'S-1'"),
    ]
    assert ends(models.Cable.objects.get(label="IB-1"))[0][3] == "gpu-one"


def test_what_both_changed_is_a_conflict_and_ours_stays(served: Imported, do_import: Import) -> None:
    site = served[0]
    models.Device.objects.filter(name="gpu-1").update(serial="ours")
    site.row("gpu1").update(serial="theirs", asset_tag="X-2")
    _, findings = do_import()
    assert [(f.sort, f.field, f.why) for f in findings if f.sort in ("conflict", "kept")] == [
        ("conflict", "serial", "devices: 'ours' stays; NetBox says 'theirs'")
    ]
    assert (device("gpu-1").serial, device("gpu-1").asset_tag) == ("ours", "X-2")


@pytest.mark.slow
def test_theirs_can_be_taken_on_purpose(served: Imported, do_import: Import) -> None:
    models.Device.objects.filter(name="gpu-1").update(serial="ours")
    _, findings = do_import(on_conflict="take-theirs")
    assert device("gpu-1").serial == "S-1"
    assert ("gpu 1", "devices: 'ours' here became 'S-1', as NetBox says") in told(
        findings, "changed", "dcim/devices", "serial"
    )


@pytest.mark.slow
def test_a_record_that_was_here_before_the_first_import_is_ours(site: SmallSite, do_import: Import) -> None:
    north = Site.objects.create(slug="north-1", name="Our North")
    models.Room.objects.create(site=north, name="Building 1 / Hall 2", width_mm=9999, depth_mm=8888)
    _, findings = do_import()
    assert Site.objects.get().name == "Our North"
    room = models.Room.objects.get(name="Building 1 / Hall 2")
    assert (room.width_mm, room.depth_mm) == (9999, 8888)
    assert told(findings, "kept", "dcim/sites", "name") == [("North", "sites: 'Our North' stays; NetBox says 'North'")]


@pytest.mark.slow
def test_a_device_model_of_ours_keeps_its_name_and_ports(site: SmallSite, do_import: Import) -> None:
    from inventory.fleet.sections.devices import model_row
    from inventory.specs.device_model import DeviceModelSpec

    models.DeviceModel.objects.create(**model_row(DeviceModelSpec.load("nvidia-qm9700"))._asdict())
    _, findings = do_import()
    assert device("leaf-1").model.slug == "nvidia-qm9700-nb"
    assert models.Port.objects.filter(device__name="leaf-1", kind="infiniband").count() == 64
    assert any("is here already" in f.why for f in findings if f.kind == "dcim/device-types")


@pytest.mark.slow
def test_a_record_deleted_here_is_made_anew(served: Imported, do_import: Import) -> None:
    cable = models.Cable.objects.get(label="CON")
    cable.delete()
    run, _ = do_import()
    assert run.steps["written"]["cables"]["created"] == 1
    assert models.Cable.objects.filter(label="CON").exists()


def test_a_dry_run_tells_the_same_and_writes_nothing(site: SmallSite, do_import: Import) -> None:
    before = everything()
    dry, dry_findings = do_import(dry_run=True)
    assert everything() == before and NetBoxLink.objects.count() == 0 and Event.objects.count() == 0
    real, findings = do_import()
    assert dry.steps["written"] == real.steps["written"]
    assert [f.as_dict() for f in dry_findings] == [f.as_dict() for f in findings]


# ---- what goes wrong ----


@pytest.mark.slow
def test_a_failure_at_the_third_page_of_cables_continues_there(
    site: SmallSite, do_import: Import, netbox: FakeNetBox
) -> None:
    netbox.fault("dcim/cables", "400", page=3)
    with pytest.raises(ImportFailed, match=r"dcim/cables .* answered 400") as caught:
        do_import(page_size=4)
    run = unfinished(netbox.url)
    assert run == caught.value.run and run is not None
    assert (run.status, run.steps["read"]["dcim/cables"]["rows"]) == ("failed", 8)
    assert models.Device.objects.count() == 0
    with netbox.counting() as requests:
        done, _ = do_import(run=run, page_size=4)
    assert done.pk == run.pk and done.status == "done"
    asked = [query["id__gt"] for endpoint, query in requests if endpoint == "dcim/cables"]
    assert asked == [["8"], ["12"]]
    assert [endpoint for endpoint, _ in requests if endpoint == "dcim/devices"] == []
    assert models.Cable.objects.count() == 8


@pytest.mark.slow
def test_a_crash_while_writing_continues_and_makes_nothing_twice(
    site: SmallSite, do_import: Import, netbox: FakeNetBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inventory.netbox import run as running

    plain = running.write_kind

    def crash(writing: Any, rows: Any) -> Any:
        if rows and rows[0].kind == "cables":
            raise RuntimeError("the machine was switched off")
        return plain(writing, rows)

    monkeypatch.setattr(running, "write_kind", crash)
    with pytest.raises(RuntimeError):
        do_import()
    assert models.Device.objects.count() == 12
    monkeypatch.undo()
    run = unfinished(netbox.url)
    assert run is not None and run.status == "writing"
    dispatch.follow(running.WORK.every_s)
    run.refresh_from_db()
    assert (run.status, run.message) == ("failed", running.LOST) and run.finished_at is not None
    with netbox.counting() as requests:
        run, _ = do_import(run=run)
    assert {endpoint for endpoint, _ in requests} == {"status"}
    assert models.Device.objects.count() == 12 and models.Cable.objects.count() == 8
    assert run.steps["written"]["devices"]["created"] == 11
    assert run.steps["written"]["cables"]["created"] == 8


def test_an_import_that_waits_for_a_worker_is_left_alone_for_a_day_and_then_ends(db: Any) -> None:
    waiting = start("https://netbox.example.org", Options(), dry_run=False, by="somebody")
    dispatch.follow(WORK.every_s)
    waiting.refresh_from_db()
    assert waiting.status == "reading"
    NetBoxRun.objects.update(started_at=timezone.now() - timedelta(hours=25))
    dispatch.follow(WORK.every_s)
    waiting.refresh_from_db()
    assert (waiting.status, waiting.message) == ("failed", "no worker began it within a day")


def test_one_import_at_a_time_from_one_netbox(site: SmallSite, do_import: Import, netbox: FakeNetBox) -> None:
    run = start(netbox.url, Options(), dry_run=False, by="somebody")
    NetBoxRow.objects.create(run=run, endpoint="dcim/sites", netbox_id=1, data={})
    other = connection.copy()  # another process
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [f"netbox import {netbox.url}"])
        with pytest.raises(Running):
            do_import()
        with pytest.raises(ImportFailed, match="another import from this NetBox is in progress"):
            do_import(run=run)
        with other.cursor() as cursor:  # a lock that falls with its connection falls a moment later
            cursor.execute("SELECT pg_advisory_unlock_all()")
    finally:
        other.close()
    assert run.rows.count() == 1  # what the one under way has read is still there
    assert do_import()[0].status == "done"


def test_a_wrong_token_is_told_and_nothing_is_written(site: SmallSite, do_import: Import) -> None:
    with pytest.raises(ImportFailed, match=r"refused the token \(403\): Invalid token"):
        do_import(token="wrong")
    assert Site.objects.count() == 0


def test_no_answer_in_time_is_told(site: SmallSite, do_import: Import, netbox: FakeNetBox) -> None:
    netbox.fault("dcim/racks", "hang", times=99)
    netbox.hang_s = 1
    with pytest.raises(ImportFailed, match=r"dcim/racks .*no answer in time"):
        do_import(timeout_s=0.05, retries=0)


def test_a_list_that_is_needed_and_not_permitted_stops_the_import(
    site: SmallSite, do_import: Import, netbox: FakeNetBox
) -> None:
    netbox.forbidden.add("dcim/interfaces")
    with pytest.raises(ImportFailed, match=r"dcim/interfaces .*the token may not read this"):
        do_import()


def test_lists_that_need_not_be_there_are_told_when_they_are_not_permitted(
    site: SmallSite, do_import: Import, netbox: FakeNetBox
) -> None:
    netbox.forbidden |= {"tenancy/contacts", "circuits/circuits"}
    run, findings = do_import()
    assert run.status == "done" and models.Contact.objects.count() == 0
    assert told(findings, "left", "tenancy/contacts") != []
    assert told(findings, "left", "circuits/circuits") != []


def test_a_site_that_netbox_does_not_have_is_refused_with_those_it_has(site: SmallSite, do_import: Import) -> None:
    with pytest.raises(ImportFailed, match=r"no site 'south'; it has north_1"):
        do_import(sites=("south",))


@pytest.mark.slow
def test_one_site_of_two_comes_alone(site: SmallSite, do_import: Import) -> None:
    south = site.content.site("South")
    rack = site.content.rack(south, None, "Z1")
    tor = next(ref for ref, data in site.content.templates.items() if data["slug"] == "example-t48")
    other = site.content.device("south-tor", tor, "Mgmt ToR", south, rack=rack, position=1.0, face="front")
    site.content.cable(site.content.port(other, "swp1"), site.content.port(site.refs["tor"], "swp9"), label="FAR")
    _, findings = do_import(sites=("north_1",))
    assert list(Site.objects.values_list("slug", flat=True)) == ["north-1"]
    assert not models.Device.objects.filter(name="south-tor").exists()
    assert [f.why for f in findings if f.name == "FAR"] == ["it ends at swp1 of south-tor, which was not imported"]


@pytest.mark.slow
def test_status_words_nobody_has_seen_do_not_stop_an_import(site: SmallSite, do_import: Import) -> None:
    site.row("gpu2")["status"] = choice("quarantined")
    _, findings = do_import()
    assert ("gpu2", "quarantined became active: checks say how it does") in told(
        findings, "changed", "dcim/devices", "status"
    )
