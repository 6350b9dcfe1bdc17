"""Writes by hand: parts swapped, devices mounted, moved and retired, cables laid."""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Site
from inventory.fleet.load import load
from inventory.models import (
    Cable,
    Component,
    Device,
    DeviceModel,
    Installation,
    Machine,
    Pdu,
    Placement,
    Port,
    PowerFeed,
    Rack,
)
from inventory.services import (
    Refused,
    create_cable,
    create_device,
    place_device,
    remove,
    retire_device,
    save,
    swap_component,
    update_cable,
    update_device,
)
from inventory.tests.conftest import TWO_SITES
from live.models import Event

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


# ---- devices ----


def test_a_new_device_has_its_ports_its_place_and_its_kind(two_sites: Sites) -> None:
    model = DeviceModel.objects.get(slug="dell-xe9680-h100")
    place = {"rack": rack("B02"), "u": 30.0}
    device = create_device(two_sites[0], model, {"name": "hgx-b02-09"}, place=place, own={"role": "debug"}, actor="op")
    assert device.ports.count() == 19
    assert device.machine.role == "debug"
    assert device.placement.half_units.lower == 59
    event = Event.objects.filter(kind="inventory.reloaded").order_by("-id")[0]
    assert event.data["scope"]["devices"] == [device.pk]
    assert (event.data["created_machines"], event.actor) == (1, "op")


def test_a_taken_place_is_refused_in_words_and_leaves_nothing_behind(two_sites: Sites) -> None:
    model = DeviceModel.objects.get(slug="nvidia-qm9700")
    for u, field in ((6.0, "u"), (48.5, "u")):
        with pytest.raises(Refused) as refusal:
            place = {"rack": rack("A01"), "u": u}
            create_device(two_sites[0], model, {"name": "x"}, place=place, own={"fabric": "infiniband", "tier": "leaf"})
        assert refusal.value.field == field
    with pytest.raises(Refused, match="reserved there already"):
        create_device(two_sites[0], model, {"name": "x"}, place={"rack": rack("B02"), "u": 21.0},
                      own={"fabric": "infiniband", "tier": "leaf"})  # fmt: skip
    assert not Device.objects.filter(name="x").exists()


def test_a_device_is_not_mounted_at_another_site_nor_in_the_wrong_way(two_sites: Sites) -> None:
    switch, pdu = (DeviceModel.objects.get(slug=slug) for slug in ("nvidia-qm9700", "pdu-zero-u-36c13-12c19"))
    own = {"fabric": "infiniband", "tier": "leaf"}
    for model, place, field in (
        (switch, {"rack": rack("K01"), "u": 40.0}, "rack"),
        (switch, {"rack": rack("A01"), "side": "rear-right"}, "u"),
        (pdu, {"rack": rack("A01"), "u": 1.0}, "side"),
        (switch, {"rack": rack("A01")}, "u"),
    ):
        with pytest.raises(Refused) as refusal:
            create_device(two_sites[0], model, {"name": "x"}, place=place, own={} if model == pdu else own)
        assert refusal.value.field == field


def test_a_refused_move_leaves_the_device_where_it_was(machine: Device) -> None:
    with pytest.raises(Refused):
        place_device(machine, {"rack": rack("A01"), "u": 8.0})
    assert Placement.objects.get(device=machine).half_units.lower == 9
    place_device(machine, {"rack": rack("A01"), "u": 30.0})
    assert Placement.objects.get(device=machine).half_units.lower == 59
    place_device(machine, None)
    assert not Placement.objects.filter(device=machine).exists()


def test_a_mac_of_another_machine_is_refused(machine: Device) -> None:
    other = Machine.objects.get(device__name="hgx-a01-02")
    with pytest.raises(Refused) as refusal:
        update_device(machine, {}, own={"boot_mac": other.boot_mac})
    assert refusal.value.field == "boot_mac"


def test_a_retired_device_frees_everything_and_keeps_its_history(machine: Device) -> None:
    parts = Installation.objects.filter(device=machine).count()
    retire_device(machine, actor="op")
    machine.refresh_from_db()
    assert machine.status == "retired"
    assert not Placement.objects.filter(device=machine).exists()
    assert not Cable.objects.filter(connectors__ends__port__device=machine).exists()
    assert Installation.objects.filter(device=machine).count() == parts
    assert not Installation.objects.filter(device=machine, during__endswith=None).exists()
    assert Machine.objects.get(device=machine).boot_mac == ""


# ---- cables and places ----


def test_a_cable_moves_as_a_whole_or_not_at_all(two_sites: Sites) -> None:
    free, taken = (Port.objects.get(device__name="leaf-1", name=name) for name in ("20/1", "1/1"))
    here = Port.objects.get(device__name="hgx-b02-01", name="mlx5_0")
    cable = create_cable(two_sites[0], {"label": "X-1", "type": "DAC"}, here, free)
    with pytest.raises(Refused) as refusal:
        update_cable(cable, {"colour": "red"}, here, taken)
    assert refusal.value.field == "ports"
    assert set(Port.objects.filter(strand_ends__connector__cable=cable)) == {here, free}
    assert Cable.objects.get(pk=cable.pk).colour == ""


def test_cables_that_make_no_sense_are_refused(two_sites: Sites) -> None:
    def port(device: str, name: str) -> Port:
        return Port.objects.get(device__name=device, name=name)

    rail = port("hgx-b02-01", "mlx5_0")
    for other, field in ((rail, "b"), (port("hgx-b02-01", "PSU 1"), "b"), (port("spare-switch", "9/1"), "b")):
        with pytest.raises(Refused) as refusal:
            create_cable(two_sites[0], {"label": "X-1", "type": "DAC"}, rail, other)
        assert refusal.value.field == field
    with pytest.raises(Refused, match="a cable of that label"):
        create_cable(two_sites[0], {"label": "C-00001", "type": "DAC"}, rail, port("leaf-1", "20/1"))


def test_a_rack_with_devices_cannot_be_removed_or_made_too_low(two_sites: Sites) -> None:
    with pytest.raises(Refused, match="still used by placements"):
        remove(rack("A01"))
    with pytest.raises(Refused, match="outside the rack"):
        save(rack("A01"), {"height_u": 12})
    remove(rack("S01"))


def test_a_row_of_another_room_is_refused(two_sites: Sites) -> None:
    with pytest.raises(Refused, match="another room"):
        save(rack("S01"), {"row": rack("A01").row})


def test_what_a_refusal_means_is_known_for_every_constraint_of_the_schema() -> None:
    from django.apps import apps

    from inventory.services.refusals import MEANINGS

    # Kinds and enumerations are refused before; these are made by services, or are targets of foreign keys.
    internal = {
        "connector_of_cable",
        "one_port_per_lane",
        "change_set_name_in_site",
        "rack_id_and_height",
        "port_id_and_device",
    }
    models = apps.get_app_config("inventory").get_models()
    names: set[Any] = {constraint.name for model in models for constraint in model._meta.constraints}
    told = {name for name in names if not name.endswith(("_is_known", "_is_a_or_b", "_has_its_device", "_side_slot"))}
    assert told - internal - set(MEANINGS) == set()


def test_a_pdu_takes_no_feed_of_another_site(two_sites: Sites) -> None:
    feed = PowerFeed.objects.create(site=two_sites[1], name="A")
    pdu = Device.objects.get(name="pdu-a01-a")
    with pytest.raises(Refused) as refusal:
        update_device(pdu, {}, own={"feed": feed})
    assert refusal.value.field == "feed"
    assert Pdu.objects.get(device=pdu).feed != feed
