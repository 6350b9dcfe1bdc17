"""Search finds what is printed on things by its first letters, what is exactly so first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.models import Site
from inventory.fleet.load import load
from inventory.models import Component, Connector, Device, IpAddress, Rack
from inventory.search import MOST, search

pytestmark = pytest.mark.django_db


def first(query: str) -> tuple[str, str]:
    found = search(query, None)
    return (found[0]["kind"], found[0]["title"]) if found else ("", "")


def titles(query: str, kind: str) -> list[str]:
    return [row["title"] for row in search(query, None) if row["kind"] == kind]


def test_a_rack_is_found_by_its_asset_tag_and_serial(small: Path) -> None:
    Rack.objects.filter(name="A02").update(asset_tag="INV-4711", serial="RCK99")
    assert first("inv-47") == first("rck99") == ("rack", "A02")


def test_a_device_is_found_by_its_service_tag(small: Path) -> None:
    Device.objects.filter(name="hgx-a01-02").update(service_tag="9QZZX13")
    assert first("9qzz") == ("machine", "hgx-a01-02")


def test_an_address_is_found_by_its_first_digits_and_whole_before_longer_ones(small: Path) -> None:
    machine = Device.objects.get(name="hgx-a01-01")
    assert machine.machine.primary_ip == "10.10.0.1"
    assert len(titles("10.10.0.", "machine")) == 8
    assert first("10.10.0.1") == ("machine", "hgx-a01-01")
    assert {"hgx-a01-01", "hgx-a03-02"} <= set(titles("10.10.0.1", "machine"))
    IpAddress.objects.create(device=machine, address="2001:db8::17")
    assert first("2001:db8") == ("machine", "hgx-a01-01")


def test_a_cable_is_found_by_the_serial_of_its_plug(small: Path) -> None:
    plug = Connector.objects.get(cable__label="C-00007", side="B")
    Connector.objects.filter(pk=plug.pk).update(serial="MT2231VB01234")
    assert first("mt2231vb0") == ("cable", "C-00007")


def test_a_part_in_stock_has_a_page_too(small: Path) -> None:
    part = Component.objects.create(site=Site.objects.get(), kind="gpu", serial="1650999000001")
    (found,) = search("1650999", None)
    assert (found["url"], found["kind"]) == (f"/components/{part.pk}", "component")
    assert found["subtitle"].endswith("in stock")


def test_what_is_exactly_so_comes_before_what_begins_so(small: Path) -> None:
    site = Site.objects.get()
    Component.objects.bulk_create(Component(site=site, kind="nvme", serial=f"A01{n:03}") for n in range(20))
    assert first("A01") == ("rack", "A01")
    Component.objects.create(site=site, kind="psu", serial="A01")
    kinds = [row["kind"] for row in search("a01", None)]
    assert set(kinds[:2]) == {"rack", "component"}
    assert kinds.index("machine") > 2  # hgx-a01-01 has it only in the middle


def test_results_stay_few(small: Path) -> None:
    assert len(search("0", None)) == 0
    assert all(len(search(query, None)) <= MOST for query in ("hgx", "C-0", "0x", "MT", "10.", "le", "A0"))


def test_only_sites_one_may_see_are_searched(two_sites: tuple[Site, Site]) -> None:
    north, south = two_sites
    machine = Device.objects.filter(site=south, kind="machine")[0]
    Device.objects.filter(pk=machine.pk).update(service_tag="SVC-1")
    Rack.objects.filter(room__site=south).update(asset_tag="TAG-1")
    Connector.objects.filter(cable__site=south).update(serial="PLUG-1")
    for query in ("SVC-1", "TAG-1", "PLUG-1", str(machine.machine.primary_ip)):
        assert search(query, [north.pk]) == []
        assert search(query, [south.pk]) != []


def test_the_number_of_statements_does_not_grow_with_what_is_found(
    small: Path, django_assert_max_num_queries: Any
) -> None:
    for query in ("hgx", "C-0", "10.10", "MT23", "zz-nothing"):
        with django_assert_max_num_queries(12):
            search(query, None)


def test_a_listed_part_is_found_at_once_after_a_load(two_sites: tuple[Site, Site], tmp_path: Path) -> None:
    path = tmp_path / "more.yaml"
    listed = "components:\n  - {device: hgx-a01-01, slot: GPU 0, vendor: NVIDIA, part_number: X, serial: ZZTOP1}\n"
    shipped = Path(__file__).parents[1] / "fleets" / "two-sites.yaml"
    path.write_text(shipped.read_text().split("---")[0] + listed)
    load(path)
    assert first("zztop")[0] == "component"


def test_several_words_are_found_together_in_what_is_told_of_a_thing(small: Path) -> None:
    assert first("a02 hall 1") == ("rack", "A02")
    assert titles("hgx-a01 hall 1", "machine") == titles("hgx-a01", "machine")
    assert titles("rack a02", "rack") == ["A02"]
    assert search("a02 hall nine", None) == []


def test_as_many_of_a_kind_are_told_as_were_asked_for(small: Path) -> None:
    assert len(titles("hgx", "machine")) == 8
    assert len([row for row in search("hgx", None, 2) if row["kind"] == "machine"]) == 2
    every = Device.objects.filter(kind="machine").count()
    assert len([row for row in search("hgx", None, 100) if row["kind"] == "machine"]) == every > 8
