"""Reads: places in words, cables with their far ends, search; each in a fixed number of queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from psycopg.types.range import Range
from pytest_django import DjangoAssertNumQueries

from core.models import Site
from inventory import queries
from inventory.models import Cable, Component, Device, Placement, Port, Rack
from inventory.search import Found, register_provider, search
from inventory.services import swap_component

pytestmark = pytest.mark.django_db


def device(name: str) -> Device:
    return queries.with_place(Device.objects.all()).get(name=name)


# ---- places ----


def test_a_place_reads_like_a_way(small: Path) -> None:
    assert queries.place_text(device("hgx-a01-03")) == "Hall 1 › Row A › Rack A01 › U17–22 front"
    assert queries.place_text(device("leaf-a01-r1")) == "Hall 1 › Row A › Rack A01 › U39 front"
    assert queries.place_text(device("pdu-a01-a")) == "Hall 1 › Row A › Rack A01 › side rear-left"


def test_a_device_in_no_rack_or_in_a_bay_has_a_place_too(two_sites: Any) -> None:
    Placement.objects.filter(device__name="hgx-b02-01").delete()
    assert queries.place_text(device("hgx-b02-01")) == "North campus › not mounted"
    assert queries.place_dict(device("hgx-b02-01")) is None
    Device.objects.filter(name="hgx-b02-01").update(parent=device("hgx-a01-01"), bay="2")
    assert queries.place_text(device("hgx-b02-01")).endswith("Rack A01 › U5–10 front › bay 2 of hgx-a01-01")


def test_places_of_many_are_those_of_each(two_sites: Any, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    half = Placement.objects.filter(device__name="hgx-b01-02")
    half.update(columns=Range(0, 1))
    Placement.objects.filter(device__name="hgx-b02-01").delete()
    Placement.objects.filter(device__name="hgx-b01-01").delete()
    Device.objects.filter(name="hgx-b02-01").update(parent=device("hgx-a01-01"), bay="2")
    each = {row.pk: queries.place_dict(row) for row in queries.with_place(Device.objects.all())}
    mounted = {pk: place for pk, place in each.items() if place is not None}
    with django_assert_num_queries(1):
        assert queries.places(list(each)) == mounted
    assert len(mounted) == len(each) - 1 and {place["column"] for place in mounted.values()} == {"full", "left"}
    assert {place["u"] is None for place in mounted.values()} == {True, False}


def test_the_way_to_a_slot_says_everything_a_technician_needs(small: Path) -> None:
    machine = device("hgx-a02-03")
    with CaptureQueriesContext(connection) as captured:
        place = queries.place_of(machine.pk, "GPU 5")
    assert len(captured) == 5
    assert place["text"] == "Hall 1 › Row A › Rack A02 › U17–22 front › SXM 5 (GPU 5)"
    assert (place["rack"], place["u"], place["height_u"], place["face"]) == ("A02", 17, 6, "front")
    assert (place["slot"], place["slot_label"]) == ("GPU 5", "SXM 5")
    assert [slot["name"] for slot in place["slots"]] == [f"GPU {n}" for n in range(8)]
    walk = place["walk"]
    assert walk["row_racks"][walk["position"]] == {"id": place["rack_id"], "name": "A02"}
    assert (walk["side"], walk["aisle_kind"], walk["door"]) == ("left", "cold", "Door 2")
    unit = place["unit"]
    assert (unit["height_u"], unit["u"], unit["machine_height_u"]) == (48, 17, 6)
    assert {"name": "hgx-a02-02", "u": 11, "height_u": 6} in unit["neighbours"]


def test_what_is_served_from_the_rear_says_rear(small: Path) -> None:
    machine = device("hgx-a02-03")
    assert queries.place_of(machine.pk, "PSU 2")["face"] == "rear"
    assert queries.place_of(machine.pk, "HCA mlx5_10")["text"].endswith("U17–22 rear › Slot 33 (HCA mlx5_10)")
    assert queries.place_of(machine.pk)["text"] == "Hall 1 › Row A › Rack A02 › U17–22 front"


def test_a_machine_that_is_not_mounted_still_has_an_answer(two_sites: Any) -> None:
    machine = device("hgx-b02-01")
    Placement.objects.filter(device=machine).delete()
    place = queries.place_of(machine.pk, "GPU 0")
    assert (place["walk"], place["unit"], place["rack_id"]) == (None, None, None)


# ---- parts and cables ----


def test_parts_come_in_the_order_of_the_slots(small: Path) -> None:
    machine = device("hgx-a01-01")
    with CaptureQueriesContext(connection) as captured:
        parts = queries.device_components(machine)
    assert len(captured) == 1
    assert len(parts) == 66
    assert [part["slot"] for part in parts[:9]] == [*(f"GPU {n}" for n in range(8)), "HCA mlx5_0"]
    assert (parts[5]["label"], parts[5]["by"]) == ("SXM 5", "fleet file")


def test_cables_tell_the_far_end_and_where_it_is_in_four_queries(small: Path) -> None:
    machine = device("hgx-a01-01")
    with CaptureQueriesContext(connection) as captured:
        cables = queries.device_cables(machine.pk)
    assert len(captured) == 4
    assert len(cables) == 17
    rail = next(cable for cable in cables if cable["near"]["port"] == "mlx5_0")
    assert rail["label"] == "C-00001"
    assert rail["far"] == {
        "device": "leaf-a01-r1", "device_id": device("leaf-a01-r1").pk, "kind": "switch", "port": "1/1", "cage": 1,
        "lane": 1, "place": "Hall 1 › Row A › Rack A01 › U39 rear", "serial": "", "optic": None,
        "port_id": device("leaf-a01-r1").ports.get(name="1/1").pk,
    }  # fmt: skip
    assert rail["branches"] == []
    assert {cable["far"]["kind"] for cable in cables} == {"switch", "pdu"}


def test_the_history_of_a_part_is_told_latest_first(small: Path) -> None:
    machine = device("hgx-a01-01")
    old = Component.objects.get(installations__device=machine, installations__slot="GPU 0")
    swap_component(machine.pk, "GPU 0", "1650000000001", by="mk", ticket="REP-1")
    swap_component(machine.pk, "GPU 1", old.serial, by="mk", ticket="REP-2")
    history = queries.component_history(old)
    assert [(row["slot"], row["ticket"], row["to"] is None) for row in history] == [
        ("GPU 1", "REP-2", True), ("GPU 0", "", False),
    ]  # fmt: skip


# ---- search ----


def first(query: str, sites: list[int] | None = None) -> tuple[str, str]:
    found = search(query, sites)
    return (found[0]["kind"], found[0]["title"]) if found else ("", "")


def test_everything_is_found_by_what_is_printed_on_it(small: Path) -> None:
    machine = device("hgx-a02-03")
    gpu = Component.objects.get(installations__device=machine, installations__slot="GPU 5")
    port = Port.objects.get(device=machine, name="mlx5_3")
    nic = Port.objects.get(device=machine, name="mlx5_2")
    assert first("hgx-a02-03") == ("machine", "hgx-a02-03")
    assert first("a02-03") == ("machine", "hgx-a02-03")
    assert first(machine.serial) == ("machine", "hgx-a02-03")
    assert first(machine.machine.bmc_mac.replace(":", "-")) == ("machine", "hgx-a02-03")
    assert first(str(machine.machine.primary_ip)) == ("machine", "hgx-a02-03")
    assert first("leaf-a01-r1") == ("switch", "leaf-a01-r1")
    assert first(device("leaf-a01-r1").switch.node_guid) == ("switch", "leaf-a01-r1")
    assert first("PDU-A02-B") == ("pdu", "pdu-a02-b")
    assert first("A02") == ("rack", "A02")
    assert first("rack a02") == ("rack", "A02")
    assert first("c-00009")[0] == "cable"
    uuid = gpu.attributes["uuid"]
    assert {first(gpu.serial), first(uuid), first(uuid[4:18])} == {("component", gpu.serial)}
    for spelling in (port.guid, port.guid[2:], port.guid[2:].upper()):
        assert ("port", port.guid) in {(row["kind"], row["title"]) for row in search(spelling, None)}
    assert first(nic.mac) == ("port", nic.mac)


def test_a_result_leads_to_the_page_it_is_seen_on(small: Path) -> None:
    machine, leaf = device("hgx-a02-03"), device("leaf-a01-r1")
    gpu = Component.objects.get(installations__device=machine, installations__slot="GPU 5")
    assert search(gpu.serial, None)[0] == {
        "kind": "component", "id": gpu.pk, "title": gpu.serial, "url": f"/components/{gpu.pk}",
        "subtitle": "GPU 692-2G520-0200-000 · hgx-a02-03 SXM 5 (GPU 5)",
    }  # fmt: skip
    assert search("leaf-a01-r1", None)[0]["url"] == f"/devices/{leaf.pk}"
    rack = Rack.objects.get(name="A02")
    assert search("A02", None)[0]["url"] == f"/racks/{rack.pk}"
    cable, port = Cable.objects.get(label="C-00001"), Port.objects.filter(device=machine).exclude(guid="")[0]
    assert search("C-00001", None)[0]["url"] == f"/cables/{cable.pk}"
    assert search(port.guid, None)[0]["url"] == f"/ports/{port.pk}"
    assert search("C-00001", None)[0]["subtitle"] == "MPO-12 OM4 · hgx-a01-01 mlx5_0 – leaf-a01-r1 1/1"


def test_wild_cards_and_junk_are_only_letters(small: Path) -> None:
    for junk in ("%", "%%", "__", "\\", "'; --", "\x00ab", "x" * 5000, "0x", "::::", " "):
        assert search(junk, None) == []


def test_search_sees_only_the_sites_one_may_see(two_sites: tuple[Site, Site]) -> None:
    north, south = two_sites
    assert first("dgx-k01-1", [south.pk]) == ("machine", "dgx-k01-1")
    hidden = [
        "dgx-k01-1", "K01", "S-0001", Component.objects.filter(site=south, kind="gpu")[0].serial,
        Port.objects.filter(device__site=south).exclude(guid="")[0].guid,
    ]  # fmt: skip
    for query in hidden:
        assert search(query, [north.pk]) == []
        assert search(query, []) == []


def test_retired_devices_are_not_found_and_parts_in_stock_are(small: Path) -> None:
    machine = device("hgx-a02-03")
    gpu = Component.objects.get(installations__device=machine, installations__slot="GPU 5")
    swap_component(machine.pk, "GPU 5", "1650000000001", by="mk")
    assert search(gpu.serial, None)[0]["subtitle"].endswith("in stock")
    assert search(gpu.serial, None)[0]["url"] == f"/components/{gpu.pk}"
    Device.objects.filter(pk=machine.pk).update(status="retired")
    assert first("hgx-a02-03") == ("", "")


def test_rooms_above_add_what_they_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inventory.search._providers", {})
    register_provider("tickets", lambda query, sites, limit: [Found("ticket", 1, "REP-1", "", "/tickets/REP-1")])
    assert search("REP-1", None)[0]["kind"] == "ticket"


def test_a_search_is_a_fixed_number_of_queries(small: Path) -> None:
    for query in ("hgx", "1652", "b83fd203", "C-0"):
        with CaptureQueriesContext(connection) as captured:
            search(query, None)
        assert len(captured) <= 9, query
    assert Cable.objects.count() > 500
