"""PostgreSQL keeps the promises: whatever the code above does, and whoever comes first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from psycopg.types.range import Int4Range, TimestamptzRange

from core.models import Site
from inventory.models import (
    Cable,
    Component,
    Connector,
    Device,
    DeviceModel,
    Installation,
    Machine,
    Pdu,
    Placement,
    Port,
    PowerFeed,
    Rack,
    Room,
    StrandEnd,
)

JAN, FEB, MAR = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 3))


class World:
    """A rack and the means to fill it, one row at a time and without any service."""

    def __init__(self) -> None:
        self.site = Site.objects.create(slug="lab", name="Lab")
        room = Room.objects.create(site=self.site, name="R", width_mm=1, depth_mm=1)
        self.rack = Rack.objects.create(room=room, name="A01", x_mm=0, y_mm=0, height_u=12)
        self.model = DeviceModel.objects.create(slug="m", vendor="V", name="M", kind="machine", half_u_height=12)

    def device(self, name: str) -> Device:
        return Device.objects.create(site=self.site, model=self.model, kind="machine", name=name)

    def mount(self, device: Device, low: int, high: int, faces: Any = (0, 2), columns: Any = (0, 2)) -> Placement:
        spans = {"half_units": Int4Range(low, high), "faces": Int4Range(*faces), "columns": Int4Range(*columns)}
        return Placement.objects.create(device=device, rack=self.rack, rack_height_u=12, **spans)

    def port(self, device: Device, name: str) -> Port:
        return Port.objects.create(device=device, name=name, kind="infiniband")

    def cable(self, label: str, a: Port, b: Port) -> Cable:
        cable = Cable.objects.create(site=self.site, label=label, type="DAC")
        for side, port in (("A", a), ("B", b)):
            StrandEnd.objects.create(connector=Connector.objects.create(cable=cable, side=side), port=port)
        return cable

    def part(self, serial: str) -> Component:
        return Component.objects.create(site=self.site, kind="gpu", vendor="V", part_number="P", serial=serial)

    def install(self, part: Component, device: Device, slot: str, start: Any = JAN, end: Any = None) -> Installation:
        return Installation.objects.create(
            component=part, device=device, slot=slot, during=TimestamptzRange(start, end)
        )


@pytest.fixture
def world(db: Any) -> World:
    return World()


def refuses(constraint: str) -> Any:
    return pytest.raises(IntegrityError, match=constraint)


# ---- one after the other ----


def test_two_devices_cannot_share_a_unit(world: World) -> None:
    world.mount(world.device("a"), 1, 13)
    with refuses("one_device_per_place"), transaction.atomic():
        world.mount(world.device("b"), 12, 24)
    world.mount(world.device("c"), 13, 25)


def test_a_half_unit_is_enough_to_collide_and_enough_to_fit(world: World) -> None:
    world.mount(world.device("a"), 1, 6)
    with refuses("one_device_per_place"), transaction.atomic():
        world.mount(world.device("b"), 5, 7)
    world.mount(world.device("c"), 6, 8)


def test_front_and_rear_and_left_and_right_are_places_of_their_own(world: World) -> None:
    world.mount(world.device("front"), 1, 3, faces=(0, 1))
    world.mount(world.device("rear"), 1, 3, faces=(1, 2))
    world.mount(world.device("left"), 3, 5, columns=(0, 1))
    world.mount(world.device("right"), 3, 5, columns=(1, 2))
    with refuses("one_device_per_place"), transaction.atomic():
        world.mount(world.device("deep"), 1, 3)


def test_reserved_units_are_taken(world: World) -> None:
    Placement.objects.create(
        kind="reserved", rack=world.rack, rack_height_u=12,
        half_units=Int4Range(1, 3), faces=Int4Range(0, 2), columns=Int4Range(0, 2),
    )  # fmt: skip
    with refuses("one_device_per_place"), transaction.atomic():
        world.mount(world.device("a"), 1, 13)


def test_a_device_taller_than_its_rack_is_refused(world: World) -> None:
    world.mount(world.device("top"), 13, 25)
    with refuses("device_fits_its_rack"), transaction.atomic():
        world.mount(world.device("high"), 14, 26)
    with refuses("device_fits_its_rack"), transaction.atomic():
        world.mount(world.device("low"), 0, 2)


def test_a_rack_cannot_shrink_under_a_device_nor_a_placement_lie_about_it(world: World) -> None:
    world.mount(world.device("top"), 13, 25)
    with refuses("device_fits_its_rack"), transaction.atomic():
        Rack.objects.update(height_u=11)
    with refuses("placement_knows_its_racks_height"), transaction.atomic():
        Placement.objects.create(
            device=world.device("x"), rack=world.rack, rack_height_u=99,
            half_units=Int4Range(30, 32), faces=Int4Range(0, 2), columns=Int4Range(0, 2),
        )  # fmt: skip
    Rack.objects.update(height_u=42)
    assert Placement.objects.get().rack_height_u == 42


def test_a_side_slot_holds_one_device(world: World) -> None:
    side = {"rack": world.rack, "rack_height_u": 12, "side_slot": "rear-left"}
    Placement.objects.create(device=world.device("a"), **side)
    with refuses("one_device_per_side_slot"), transaction.atomic():
        Placement.objects.create(device=world.device("b"), **side)
    with refuses("placement_is_a_span_or_a_side_slot"), transaction.atomic():
        Placement.objects.create(device=world.device("c"), rack=world.rack, rack_height_u=12)


def test_a_port_takes_one_cable(world: World) -> None:
    a, b = world.device("a"), world.device("b")
    first, second, third = world.port(a, "1"), world.port(b, "1"), world.port(b, "2")
    world.cable("C-1", first, second)
    with refuses("one_cable_per_port"), transaction.atomic():
        world.cable("C-2", third, first)


def test_a_cable_cannot_go_from_a_port_to_itself(world: World) -> None:
    port = world.port(world.device("a"), "1")
    with refuses("one_cable_per_port"), transaction.atomic():
        world.cable("C-1", port, port)


def test_a_part_is_in_one_slot_at_a_time_and_a_slot_holds_one_part(world: World) -> None:
    a, first, second = world.device("a"), world.part("1"), world.part("2")
    world.install(first, a, "GPU 0", JAN, FEB)
    with refuses("one_place_per_component"), transaction.atomic():
        world.install(first, a, "GPU 1", JAN, MAR)
    with refuses("one_component_per_slot"), transaction.atomic():
        world.install(second, a, "GPU 0", JAN)
    world.install(second, a, "GPU 0", FEB)
    world.install(first, a, "GPU 1", FEB)


def test_a_serial_is_one_part_but_unknown_serials_are_many(world: World) -> None:
    world.part("1")
    with refuses("component_serial_is_unique"), transaction.atomic():
        world.part("1")
    world.part("")
    world.part("")


def test_macs_are_unique_and_may_be_unknown(world: World) -> None:
    Machine.objects.create(device=world.device("a"), boot_mac="02:00:00:00:00:01")
    with refuses("boot_mac_is_unique"), transaction.atomic():
        Machine.objects.create(device=world.device("b"), boot_mac="02:00:00:00:00:01")
    Machine.objects.create(device=world.device("c"))
    Machine.objects.create(device=world.device("d"))


# ---- at the same time, on two connections ----


def race(*writers: Callable[[], Any]) -> list[Exception | None]:
    """Run writers at once, each in a transaction of its own that stays open until all have written or failed."""
    start = threading.Barrier(len(writers))
    outcomes: list[Exception | None] = [None] * len(writers)

    def run(number: int, write: Callable[[], Any]) -> None:
        try:
            with transaction.atomic():
                start.wait(10)
                write()
        except Exception as error:
            outcomes[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return outcomes


def one_wins(outcomes: list[Exception | None], constraint: str) -> None:
    """All but one were refused: by the constraint, or as the victim of the deadlock in which two waited for each other
    to be refused by it (PostgreSQL checks an exclusion constraint after inserting)."""
    losers = [error for error in outcomes if error is not None]
    assert len(losers) == len(outcomes) - 1, losers
    assert all(constraint in str(error) or "deadlock detected" in str(error) for error in losers), losers


@pytest.mark.django_db(transaction=True)
def test_of_two_who_mount_in_one_unit_at_once_one_wins() -> None:
    world = World()
    devices = [world.device(str(number)) for number in range(4)]
    one_wins(race(*(lambda d=device: world.mount(d, 5, 17) for device in devices)), "one_device_per_place")
    assert Placement.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_who_plug_into_one_port_at_once_one_wins() -> None:
    world = World()
    shared = world.port(world.device("shared"), "1")
    others = [world.port(world.device(str(number)), "1") for number in range(2)]
    outcomes = race(*(lambda p=port: world.cable(f"C-{p.pk}", p, shared) for port in others))
    one_wins(outcomes, "one_cable_per_port")
    assert Cable.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_who_fill_one_slot_at_once_one_wins() -> None:
    world = World()
    device, parts = world.device("m"), [world.part(str(number)) for number in range(2)]
    one_wins(race(*(lambda p=part: world.install(p, device, "GPU 0") for part in parts)), "one_component_per_slot")


@pytest.mark.django_db(transaction=True)
def test_of_two_who_install_one_part_at_once_one_wins() -> None:
    world = World()
    part, devices = world.part("1"), [world.device(str(number)) for number in range(2)]
    one_wins(race(*(lambda d=device: world.install(part, d, "GPU 0") for device in devices)), "one_place_per_component")


@pytest.mark.django_db(transaction=True)
def test_a_rack_that_shrinks_while_something_is_mounted_at_its_top_never_ends_with_it_outside() -> None:
    world = World()
    device = world.device("m")
    outcomes = race(
        lambda: Rack.objects.filter(pk=world.rack.pk).update(height_u=8), lambda: world.mount(device, 13, 25)
    )
    assert len([error for error in outcomes if error]) == 1
    for placement in Placement.objects.select_related("rack"):
        assert placement.half_units.upper <= 2 * placement.rack.height_u + 1


@pytest.mark.django_db
def test_a_pdu_hangs_on_a_feed_of_its_own_site_whoever_writes_it() -> None:
    world, other = World(), Site.objects.create(slug="other", name="Other")
    here, there = (PowerFeed.objects.create(site=site, name="A") for site in (world.site, other))
    pdu = Pdu.objects.create(device=world.device("pdu"), feed=here)
    for change in (lambda: Pdu.objects.filter(pk=pdu.pk).update(feed=there),
                   lambda: PowerFeed.objects.filter(pk=here.pk).update(site=other)):  # fmt: skip
        with pytest.raises(IntegrityError, match=r"own site|of its site"), transaction.atomic():
            change()
    Pdu.objects.filter(pk=pdu.pk).update(feed=None)
