"""Writes by hand: parts swapped, devices mounted, moved and retired, cables laid."""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Site
from inventory.fleet.load import load
from inventory.models import (
    Component,
    Device,
    Installation,
    Port,
    Rack,
)
from inventory.services import Refused, swap_component
from inventory.tests.conftest import TWO_SITES

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]


@pytest.fixture
def machine(two_sites: Sites) -> Device:
    return Device.objects.get(name="hgx-a01-01")


def part_in(device: Device, slot: str) -> Component:
    return Installation.objects.get(device=device, slot=slot, during__endswith=None).component


def rack(name: str) -> Rack:
    return Rack.objects.get(name=name)


# ---- parts ----


def test_a_swap_ends_the_old_installation_where_the_new_one_starts(machine: Device) -> None:
    old = part_in(machine, "GPU 4")
    new = swap_component(machine.pk, "GPU 4", " 1652823100417 ", by="mk", ticket="REP-2041")
    assert (new.component.serial, new.by, new.ticket) == ("1652823100417", "mk", "REP-2041")
    assert (new.component.vendor, new.component.part_number) == (old.vendor, old.part_number)
    closed = Installation.objects.get(component=old)
    assert closed.during.upper == new.during.lower
    assert part_in(machine, "GPU 4") == new.component
    assert "uuid" not in new.component.attributes


def test_a_part_from_stock_keeps_its_own_row(machine: Device) -> None:
    old = part_in(machine, "GPU 4")
    swap_component(machine.pk, "GPU 4", "1652823100417", by="mk")
    back = swap_component(machine.pk, "GPU 5", old.serial, by="mk")
    assert back.component == old
    assert Installation.objects.filter(component=old).count() == 2


def test_a_serial_that_sits_elsewhere_is_refused_and_told_where(machine: Device) -> None:
    other = part_in(Device.objects.get(name="hgx-b01-02"), "GPU 0")
    with pytest.raises(Refused, match="is installed in hgx-b01-02 GPU 0") as refusal:
        swap_component(machine.pk, "GPU 4", other.serial, by="mk")
    assert refusal.value.field == "new_serial"
    with pytest.raises(Refused, match="is installed in hgx-a01-01 GPU 4"):
        swap_component(machine.pk, "GPU 4", part_in(machine, "GPU 4").serial, by="mk")
    assert part_in(machine, "GPU 4").pk != other.pk


def test_a_serial_of_another_site_is_refused_without_saying_where(machine: Device, two_sites: Sites) -> None:
    swap_component(machine.pk, "GPU 4", "1650000000001", by="mk", part_number="P")
    theirs = Device.objects.get(name="dgx-k01-1")
    Component.objects.filter(pk=part_in(theirs, "GPU 0").pk).update(vendor="NVIDIA", part_number="P")
    with pytest.raises(Refused) as refusal:
        swap_component(machine.pk, "GPU 4", part_in(theirs, "GPU 0").serial, by="mk")
    assert "dgx" not in refusal.value.reason


def test_an_unknown_slot_and_an_empty_serial_are_refused(machine: Device) -> None:
    with pytest.raises(Refused, match="has no slot 'GPU 9'"):
        swap_component(machine.pk, "GPU 9", "1", by="mk")
    with pytest.raises(Refused, match="missing"):
        swap_component(machine.pk, "GPU 0", "  ", by="mk")


def test_another_part_number_makes_it_another_kind_of_part(machine: Device) -> None:
    new = swap_component(machine.pk, "NVMe 0", "X1", by="mk", part_number="OTHER", attributes={"firmware": "1"})
    assert (new.component.part_number, new.component.attributes) == ("OTHER", {"firmware": "1"})


def test_ports_follow_a_swapped_adapter(machine: Device) -> None:
    swap_component(machine.pk, "HCA mlx5_3", "MT1", by="mk", attributes={"guid": "0xb83fd20300abcd00"})
    assert Port.objects.get(device=machine, name="mlx5_3").guid == "0xb83fd20300abcd00"
    swap_component(machine.pk, "HCA mlx5_3", "MT2", by="mk")
    assert Port.objects.get(device=machine, name="mlx5_3").guid == ""


def test_the_other_port_of_a_swapped_card_is_of_the_new_card_too(machine: Device) -> None:
    before = part_in(machine, "HCA mlx5_2")
    swap_component(machine.pk, "HCA mlx5_1", "MT1", by="mk", attributes={"guid": "0xb83fd20300abcd00"})
    beside = part_in(machine, "HCA mlx5_2")
    assert beside != before
    assert (beside.serial, beside.attributes) == ("", {"guid": "0xb83fd20300abcd01"})
    assert Port.objects.get(device=machine, name="mlx5_2").guid == "0xb83fd20300abcd01"
    swap_component(machine.pk, "HCA mlx5_1", "MT2", by="mk")
    assert part_in(machine, "HCA mlx5_2").attributes == {}
    load(TWO_SITES)  # what was swapped by hand stays
    assert part_in(machine, "HCA mlx5_1").serial == "MT2"
    assert part_in(machine, "HCA mlx5_2").attributes == {}


def test_an_empty_slot_is_filled(machine: Device) -> None:
    Installation.objects.filter(device=machine, slot="NVMe 1").delete()
    assert swap_component(machine.pk, "NVMe 1", "N1", by="mk").component.kind == "nvme"


def test_what_a_refusal_means_is_known_for_every_constraint_of_the_schema() -> None:
    from django.apps import apps

    from inventory.kinds.refusals import MEANINGS

    # Kinds and enumerations are refused before; these are made by services, or are targets of foreign keys.
    internal = {
        "connector_of_cable",
        "rack_id_and_height",
        "row_id_and_room",
        "port_id_and_device",
        "netbox_row_read_once",
        "one_record_per_netbox_row",
    }
    models = apps.get_app_config("inventory").get_models()
    names: set[Any] = {constraint.name for model in models for constraint in model._meta.constraints}
    told = {name for name in names if not name.endswith(("_is_known", "_is_a_or_b", "_has_its_device", "_side_slot"))}
    assert told - internal - set(MEANINGS) == set()
