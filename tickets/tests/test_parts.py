"""What a repair takes from stock and gives back, and what a part's life says of it."""

from __future__ import annotations

import pytest

from core.models import Role, Site, User
from health.tests import factories as make
from inventory.models import Component, Installation, Machine, Stock, StoragePlace
from inventory.parts.queries import component_life
from inventory.services import Refused
from tickets import services
from tickets.models import Ticket
from tickets.tests.conftest import OLD_SERIAL, break_gpu, install, person
from tickets.tests.test_api import client_of, post

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(broken: Machine) -> StoragePlace:
    return StoragePlace.objects.create(site=broken.device.site, name="Shelf 1")


@pytest.fixture
def cage(broken: Machine) -> StoragePlace:
    return StoragePlace.objects.create(site=broken.device.site, name="Returns cage", takes_removed=True)


def spare(shelf: StoragePlace, serial: str) -> Component:
    return Component.objects.create(
        site=shelf.site, kind="gpu", vendor="NVIDIA", part_number="935-24287-0000", serial=serial, storage=shelf
    )


def notes(ticket: Ticket) -> str:
    return "\n".join(ticket.changes.values_list("text", flat=True))


def test_a_swap_takes_the_spare_from_its_shelf_and_lays_the_old_part_where_the_site_says(
    ticket: Ticket, tina: User, shelf: StoragePlace, cage: StoragePlace
) -> None:
    new = spare(shelf, "S1")
    services.take(ticket.number, by=tina)
    services.record_swap(ticket.number, by=tina, new_serial="S1")
    new.refresh_from_db()
    old = Component.objects.get(serial=OLD_SERIAL)
    assert new.storage is None and Installation.objects.get(component=new).slot == "GPU 5"
    assert (old.storage, old.condition) == (cage, "suspect")
    assert "S1 was taken from Shelf 1." in notes(ticket)
    assert "The old part goes to Returns cage, marked suspect." in notes(ticket)


def test_the_technician_may_lay_the_old_part_elsewhere_at_the_site(
    ticket: Ticket, tina: User, shelf: StoragePlace, cage: StoragePlace
) -> None:
    services.take(ticket.number, by=tina)
    theirs = StoragePlace.objects.create(site=Site.objects.create(slug="far", name="Far"), name="Theirs")
    answer = post(client_of(tina), ticket, "swap", new_serial="S1", old_storage=theirs.pk)
    assert answer.status_code == 400 and "old_storage" in answer.json()["error"]["fields"]
    assert not ticket.swaps.exists()
    assert post(client_of(tina), ticket, "swap", new_serial="S1", old_storage=shelf.pk).status_code == 200
    assert Component.objects.get(serial=OLD_SERIAL).storage == shelf
    assert "S1 was not known before" in notes(ticket)


def test_a_gpu_swapped_out_of_one_machine_and_into_another_keeps_its_history_and_its_tickets(
    ticket: Ticket, tina: User, shelf: StoragePlace
) -> None:
    services.take(ticket.number, by=tina)
    services.record_swap(ticket.number, by=tina, new_serial="S1", old_storage=shelf.pk)
    first_machine = ticket.machine.device.name
    (other,) = make.make_machines(site="ams1")
    install(other, "GPU 5", "OTHER")
    from health.monitoring.services.sweeps import observation_store

    observation_store.record([make.look(other, make.xid(), make.gone())])
    second = Ticket.objects.exclude(pk=ticket.pk).get()
    services.take(second.number, by=tina)
    services.record_swap(second.number, by=tina, new_serial=OLD_SERIAL)
    life = component_life(Component.objects.get(serial=OLD_SERIAL))
    assert [(stay["device_name"], stay["ticket"]) for stay in life["stays"]] == [
        (other.device.name, second.key),
        (first_machine, ""),
    ]
    assert {row["key"] for row in life["tickets"]} == {ticket.key, second.key}
    assert [(row["ticket"], row["direction"], row["other_serial"]) for row in life["swaps"]] == [
        (second.key, "in", "OTHER"),
        (ticket.key, "out", "S1"),
    ]
    assert "is marked suspect" in notes(second)


def test_a_part_saw_the_tickets_about_its_slot_while_it_sat_there_and_no_others(ticket: Ticket, tina: User) -> None:
    (other,) = make.make_machines(site="ams1")
    stranger = install(other, "GPU 5", "STRANGER")
    assert [row["key"] for row in component_life(Component.objects.get(serial=OLD_SERIAL))["tickets"]] == [ticket.key]
    assert component_life(stranger)["tickets"] == []
    services.take(ticket.number, by=tina)
    services.record_swap(ticket.number, by=tina, new_serial="S1")
    assert [row["key"] for row in component_life(Component.objects.get(serial="S1"))["tickets"]] == [ticket.key]


def test_an_optic_is_taken_from_stock_and_the_last_one_only_once(
    ticket: Ticket, tina: User, shelf: StoragePlace
) -> None:
    stock = Stock.objects.create(storage=shelf, kind="optic", part_number="MMA4Z00", quantity=1)
    with pytest.raises(services.TicketConflict):
        services.take_part(ticket.number, by=tina, stock=stock.pk)
    services.take(ticket.number, by=tina)
    body = post(client_of(tina), ticket, "take-part", stock=stock.pk).json()
    assert "Took 1 x MMA4Z00 from Shelf 1, 0 left" in [line["text"] for line in body["timeline"]]
    assert next(step for step in body["steps"] if step["kind"] == "swap")["done_at"]
    answer = post(client_of(tina), ticket, "take-part", stock=stock.pk)
    assert answer.status_code == 400 and "quantity" in answer.json()["error"]["fields"]
    stock.refresh_from_db()
    assert stock.quantity == 0


def test_stock_of_another_site_cannot_be_taken(ticket: Ticket, tina: User, broken: Machine) -> None:
    elsewhere = break_gpu(site="lon1")
    theirs = StoragePlace.objects.create(site=elsewhere.device.site, name="Shelf")
    stock = Stock.objects.create(storage=theirs, kind="optic", part_number="X", quantity=1)
    services.take(ticket.number, by=tina)
    with pytest.raises(Refused) as refusal:
        services.take_part(ticket.number, by=tina, stock=stock.pk)
    assert refusal.value.field == "stock"
    tom = person("tom", Role.TECHNICIAN)
    assert post(client_of(tom), ticket, "take-part", stock=stock.pk).status_code == 403
