"""Parts, stock, reservations, addresses and definitions of custom fields, in bulk."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.models import Role, Site
from inventory.kinds import KINDS, Report, Scope, write
from inventory.kinds.values import read
from inventory.models import Component, Device, Installation, Placement, Port
from live.models import Event

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]
ALL = Scope.everything()
GPU = {"site": "north", "vendor": "NVIDIA", "part_number": "P"}


def put(kind: str, *rows: Any, mode: Any = "upsert", scope: Scope = ALL, **more: Any) -> Report:
    return write(kind, rows, mode, scope=scope, actor="mk", **more)


def why(report: Report, row: int = 1) -> list[tuple[str, str]]:
    return [(error.field, error.code) for error in report.rows[row - 1].errors]


def empty(slot: str, device: str = "hgx-a01-01") -> Component:
    """Take what sits in a slot out of the world; returns it."""
    made = Installation.objects.get(device__name=device, slot=slot, during__endswith=None)
    part = made.component
    made.delete()
    return part


def test_a_part_is_made_in_stock_put_into_a_slot_moved_and_taken_out(two_sites: Sites) -> None:
    empty("GPU 5")
    assert put("components", GPU | {"kind": "gpu", "serial": "S1"}).created == 1
    into = put("components", GPU | {"serial": "S1", "device": "hgx-a01-01", "slot": "GPU 5"})
    assert into.rows[0].changes == {"device": [None, "hgx-a01-01"], "slot": [None, "GPU 5"]}
    made = Installation.objects.get(component__serial="S1")
    assert (made.slot, made.by) == ("GPU 5", "mk")
    empty("GPU 6")
    assert put("components", GPU | {"serial": "S1", "device": "hgx-a01-01", "slot": "GPU 6"}).ok
    assert list(Installation.objects.filter(component__serial="S1").order_by("id").values_list("slot", flat=True)) == [
        "GPU 5", "GPU 6",
    ]  # fmt: skip
    assert put("components", GPU | {"serial": "S1", "device": None}).ok
    assert not Installation.objects.filter(component__serial="S1", during__endswith=None).exists()


def test_the_kind_of_a_part_is_that_of_its_slot_and_a_wrong_slot_is_refused(two_sites: Sites) -> None:
    empty("GPU 5")
    seat = {"device": "hgx-a01-01", "slot": "GPU 5"}
    assert put("components", GPU | seat | {"serial": "S1"}).ok
    assert Component.objects.get(serial="S1").kind == "gpu"
    other = GPU | {"serial": "S2", "kind": "gpu"}
    assert why(put("components", other | seat)) == [("slot", "overlap")]
    assert why(put("components", other | seat | {"slot": "GPU 77"}))[0] == ("slot", "unknown_reference")
    empty("NVMe 0")
    assert why(put("components", other | seat | {"slot": "NVMe 0"})) == [("slot", "invalid")]
    assert why(put("components", other | {"slot": "GPU 5"})) == [("device", "required")]
    assert why(put("components", GPU | {"serial": "S3"})) == [("kind", "required")]


def test_two_parts_change_slots_in_one_write(two_sites: Sites) -> None:
    seats = {
        slot: Installation.objects.get(device__name="hgx-a01-01", slot=slot).component_id for slot in ("GPU 1", "GPU 2")
    }
    report = put(
        "components", {"id": seats["GPU 1"], "slot": "GPU 2"}, {"id": seats["GPU 2"], "slot": "GPU 1"}, mode="update"
    )
    assert report.ok, report.errors()
    now = Installation.objects.get(component_id=seats["GPU 1"], during__endswith=None)
    assert now.slot == "GPU 2"


def test_a_part_of_unknown_serial_is_known_by_its_slot(two_sites: Sites) -> None:
    part = Installation.objects.get(device__name="hgx-a01-01", slot="GPU 1").component
    Component.objects.filter(pk=part.pk).update(serial="")
    row = {"site": "north", "device": "hgx-a01-01", "slot": "GPU 1"}
    assert put("components", row | {"condition": "suspect"}).rows[0].id == part.pk
    assert put("components", row | {"serial": "S9", "vendor": part.vendor}).changed == 1
    part.refresh_from_db()
    assert (part.serial, part.condition) == ("S9", "suspect")
    assert put("components", row | {"serial": ""}).unchanged == 1


def test_ports_follow_the_adapter_that_is_put_in(two_sites: Sites) -> None:
    empty("HCA mlx5_3")
    seat = {"device": "hgx-a01-01", "slot": "HCA mlx5_3", "attributes": {"guid": "0xb83fd20300abcd00"}}
    assert put("components", {"site": "north", "serial": "MT1", **seat}).ok
    assert Port.objects.get(device__name="hgx-a01-01", name="mlx5_3").guid == "0xb83fd20300abcd00"


def test_every_part_of_a_site_said_again_is_unchanged(two_sites: Sites) -> None:
    rows = read(KINDS["components"], Component.objects.all())
    named = [
        {name: row[f"{name}_name" if field.references else name] for name, field in KINDS["components"].fields.items()}
        for row in rows
    ]
    report = put("components", *named)
    assert report.unchanged == len(rows), report.errors()[:3]


def test_parts_cost_the_same_statements_for_one_and_for_many(two_sites: Sites) -> None:
    Installation.objects.all().delete()
    Component.objects.all().delete()

    def cost(*rows: Any) -> int:
        with CaptureQueriesContext(connection) as captured:
            report = put("components", *rows)
        assert report.ok, report.errors()[:3]
        return len(captured)

    def rows(first: int, last: int) -> list[dict[str, Any]]:
        return [GPU | {"serial": f"S{n}", "device": "hgx-a01-01", "slot": f"GPU {n}"} for n in range(first, last)]

    assert cost(*rows(0, 2)) == cost(*rows(2, 8))


def test_units_are_reserved_and_closed_and_nobody_is_in_the_way(two_sites: Sites) -> None:
    row = {"site": "north", "rack": "B02", "u": 30}
    assert put("reservations", row | {"height_u": 4, "reason": "new leaf", "owner": "network"}).created == 1
    made = Placement.objects.get(reason="new leaf")
    assert ((made.half_units.lower, made.half_units.upper), made.kind) == ((59, 67), "reserved")
    assert put("reservations", row | {"height_u": 4, "reason": "new leaf"}).unchanged == 1
    assert put("reservations", row | {"height_u": 5}).rows[0].changes == {"height_u": [4, 5]}
    assert why(put("reservations", row | {"u": 33})) == [("u", "overlap")]
    assert why(put("reservations", {"rack": "A01", "site": "north", "u": 9})) == [("u", "overlap")]
    assert why(put("reservations", row | {"u": 48, "height_u": 2})) == [("u", "overlap")]
    device = {"site": "north", "name": "m1", "model": "dell-xe9680-h100", "rack": "B02", "u": 32}
    assert "a reservation (new leaf)" in put("devices", device).rows[0].errors[0].reason
    assert put("reservations", row | {"u": 40, "kind": "blanking"}).ok
    assert put("reservations", {"id": made.pk}, mode="delete").ok


def test_an_address_of_a_site_belongs_to_one_device(two_sites: Sites) -> None:
    machine = Device.objects.get(name="hgx-a01-01")
    row = {"site": "north", "device": "hgx-a01-02", "address": "10.77.0.1", "port": "mlx5_0"}
    assert put("ip-addresses", row).ok, put("ip-addresses", row).errors()
    assert put("ip-addresses", row | {"dns_name": "x.example"}).changed == 1
    assert why(put("ip-addresses", row | {"device": "hgx-a01-01"}))[0] == ("address", "duplicate")
    taken = row | {"address": machine.machine.primary_ip, "port": None}
    assert why(put("ip-addresses", taken)) == [("address", "duplicate")]
    assert why(put("devices", {"id": machine.pk, "bmc_ip": "10.77.0.1"}, mode="update")) == [("bmc_ip", "duplicate")]


def test_definitions_of_custom_fields_make_sense(db: Any) -> None:
    base = {"name": "zone", "title": "Zone", "kinds": ["racks"]}
    assert put("custom-fields", base | {"type": "choice", "choices": ["b", "a"]}).ok
    assert why(put("custom-fields", base | {"name": "x", "type": "choice"})) == [("choices", "invalid")]
    assert why(put("custom-fields", base | {"name": "x", "type": "text", "pattern": "("})) == [("pattern", "invalid")]
    assert why(put("custom-fields", base | {"name": "x", "type": "text", "kinds": ["toasters"]}))[0][0] == "kinds"


def test_stock_is_counted_by_part_and_place(two_sites: Sites) -> None:
    assert put("storage-places", {"site": "north", "name": "Shelf 1", "room": "Hall 1"}).ok
    row = {"site": "north", "storage": "Shelf 1", "kind": "optic", "vendor": "X", "part_number": "MMA4Z00"}
    assert put("stock", row | {"quantity": 12, "minimum": 4}).ok
    assert put("stock", row | {"quantity": 11}).rows[0].changes == {"quantity": [12, 11]}
    assert why(put("storage-places", {"site": "north", "name": "Shelf 1"}, mode="create")) == [("name", "duplicate")]


def test_a_part_goes_to_another_site_with_its_history_and_the_right_at_both(two_sites: Sites) -> None:
    north, south = two_sites
    part = Component.objects.filter(kind="gpu", site=north).exclude(serial="").order_by("pk")[0]
    put("storage-places", {"site": "south", "name": "Far shelf"})
    assert why(put("components", {"id": part.pk, "site": "south"})) == [("site", "in_use")]
    assert put("components", {"id": part.pk, "device": None}).ok
    named = {"vendor": part.vendor, "part_number": part.part_number, "serial": part.serial}
    assert why(put("components", named, scope=ALL.at(south.pk))) == [("site", "other_site")]  # the row does not say so
    sent = {"id": part.pk, "site": "south", "storage": "Far shelf"}
    for here, there in ((Role.OPERATOR, Role.VIEWER), (Role.VIEWER, Role.OPERATOR)):
        scope = Scope({north.pk: here, south.pk: there})
        assert why(put("components", sent, scope=scope)) == [("site", "permission_denied")]
    moved = put("components", sent, scope=Scope(dict.fromkeys((north.pk, south.pk), Role.OPERATOR)))
    assert moved.rows[0].changes == {"site": ["north", "south"], "storage": [None, "Far shelf"]}
    told = Event.objects.filter(kind="inventory.reloaded", data__scope__kind="components").order_by("-pk")[:2]
    assert {event.site_id for event in told} == {north.pk, south.pk}
    machine = Device.objects.filter(site=south, kind="machine").order_by("pk")[0]
    back = put("components", {"id": part.pk, "site": "north", "device": machine.pk, "slot": "GPU 0"})
    assert ("device", "other_site") in why(back)
    assert Installation.objects.filter(component=part).count() == 1


def test_people_of_the_new_site_do_not_see_where_a_part_sat_before(two_sites: Sites, as_role: Any) -> None:
    _, south = two_sites
    part = Component.objects.filter(kind="gpu", site=two_sites[0]).exclude(serial="").order_by("pk")[0]
    put("storage-places", {"site": "south", "name": "Far shelf"})
    assert put("components", {"id": part.pk, "device": None}).ok
    assert put("components", {"id": part.pk, "site": "south", "storage": "Far shelf"}).ok
    reader = as_role("viewer", site=south)
    life = reader.get(f"/api/components/{part.pk}/life/").json()
    assert life["text"].endswith("Far shelf") and life["stays"] == []
    assert reader.get(f"/api/components/{part.pk}/history/").json()["results"] == []
    assert len(as_role("viewer").get(f"/api/components/{part.pk}/life/").json()["stays"]) == 1
