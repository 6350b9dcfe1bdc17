"""The life of parts and the spares: what moves keeps its history, what is taken is counted."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connections, transaction
from django.utils import timezone
from psycopg.types.range import TimestamptzRange
from rest_framework.test import APIClient

from core.models import Role, Site
from inventory.kinds import Scope, write
from inventory.models import Component, Device, Installation, Port, Stock, StoragePlace
from inventory.parts import life
from inventory.parts.queries import component_life, spares
from inventory.services import Refused, Returned, put_into_stock, swap_component, take_from_stock
from live.models import Event

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]
SignIn = Callable[..., APIClient]
GPU = {"vendor": "NVIDIA", "part_number": "935-24287-0000"}


@pytest.fixture
def machine(two_sites: Sites) -> Device:
    return Device.objects.get(name="hgx-a01-01")


@pytest.fixture
def other(two_sites: Sites) -> Device:
    return Device.objects.get(name="hgx-b01-02")


@pytest.fixture
def shelf(two_sites: Sites) -> StoragePlace:
    return StoragePlace.objects.create(site=two_sites[0], name="Shelf 1")


def part_in(device: Device, slot: str) -> Component:
    return Installation.objects.get(device=device, slot=slot, during__endswith=None).component


def spare(shelf: StoragePlace, serial: str, **fields: Any) -> Component:
    return Component.objects.create(site=shelf.site, kind="gpu", serial=serial, storage=shelf, **GPU | fields)


def events(kind: str) -> list[dict[str, Any]]:
    return list(Event.objects.filter(kind=kind).order_by("id").values_list("data", flat=True))


# ---- moving ----


def test_a_gpu_that_moves_to_another_machine_keeps_its_history(machine: Device, other: Device) -> None:
    part = part_in(machine, "GPU 4")
    replaced = part_in(other, "GPU 1")
    life.remove_to_storage(replaced.pk, None, by="olga")
    life.move(part.pk, other.pk, "GPU 1", by="olga", reason="the other one is urgent")
    found = component_life(Component.objects.get(pk=part.pk))
    assert [(stay["device_name"], stay["slot"], stay["to"] is None) for stay in found["stays"]] == [
        ("hgx-b01-02", "GPU 1", True),
        ("hgx-a01-01", "GPU 4", False),
    ]
    assert found["stays"][1]["to"] == found["stays"][0]["from"]
    assert found["stays"][0]["by"] == "olga"
    assert found["text"].endswith("› hgx-b01-02 › SXM 4 (GPU 1)")
    assert not Installation.objects.filter(device=machine, slot="GPU 4", during__endswith=None).exists()


def test_a_stay_tells_where_the_machine_stood_then(machine: Device, shelf: StoragePlace) -> None:
    part = part_in(machine, "GPU 4")
    life.remove_to_storage(part.pk, shelf.pk, by="olga")
    then = component_life(part)["stays"][0]["place"]
    assert write("devices", [{"id": machine.pk}], "delete", scope=Scope.everything(), actor="mk").ok
    assert "Rack A01" in then and component_life(part)["stays"][0]["place"] == then
    assert "Rack A01" in component_life(part_of(machine, "GPU 5"))["stays"][0]["place"]


def part_of(device: Device, slot: str) -> Component:
    return Installation.objects.filter(device=device, slot=slot).latest("id").component


def test_a_part_goes_only_into_an_empty_slot_of_its_kind_at_its_site(
    machine: Device, other: Device, shelf: StoragePlace
) -> None:
    part = spare(shelf, "S1")
    for device, slot, field in (
        (machine.pk, "GPU 4", "slot"),
        (machine.pk, "NVMe 0", "slot"),
        (machine.pk, "GPU 99", "slot"),
        (Device.objects.get(name="dgx-k01-1").pk, "GPU 0", "device"),
    ):
        with pytest.raises(Refused) as refusal:
            life.install(part.pk, device, slot, by="olga")
        assert refusal.value.field == field
    life.remove_to_storage(part_in(machine, "GPU 4").pk, shelf.pk, by="olga")
    life.install(part.pk, machine.pk, "GPU 4", by="olga")
    with pytest.raises(Refused, match="hgx-a01-01 GPU 4"):
        life.install(part.pk, other.pk, "GPU 0", by="olga")
    assert part_in(machine, "GPU 4") == part


def test_an_installed_part_lies_on_no_shelf_whoever_writes(machine: Device, shelf: StoragePlace) -> None:
    part = part_in(machine, "GPU 4")
    with pytest.raises(IntegrityError, match="is installed"), transaction.atomic():
        Component.objects.filter(pk=part.pk).update(storage=shelf)
    lying = spare(shelf, "S1")
    life.remove_to_storage(part.pk, shelf.pk, by="olga")
    Installation.objects.bulk_create(
        [
            Installation(
                component=lying, device=machine, slot="GPU 4", during=TimestamptzRange(timezone.now(), None), by="bulk"
            )
        ]
    )
    lying.refresh_from_db()
    assert lying.storage is None
    with pytest.raises(Refused, match="take it out first"):
        life.store(lying.pk, shelf.pk, by="olga")


def test_ports_of_a_card_go_with_it_to_the_other_machine(machine: Device, other: Device, shelf: StoragePlace) -> None:
    swap_component(machine.pk, "HCA mlx5_1", "MT1", by="mk", attributes={"guid": "0xb83fd20300abcd00"})
    card = part_in(machine, "HCA mlx5_1")
    life.remove_to_storage(part_in(other, "HCA mlx5_1").pk, shelf.pk, by="olga")
    assert Port.objects.get(device=other, name="mlx5_2").guid == ""
    assert not Installation.objects.filter(device=other, slot="HCA mlx5_2", during__endswith=None).exists()
    life.move(card.pk, other.pk, "HCA mlx5_1", by="olga")
    guids = {(port.device_id, port.name): port.guid for port in Port.objects.filter(name__in=("mlx5_1", "mlx5_2"))}
    assert guids[other.pk, "mlx5_1"] == "0xb83fd20300abcd00"
    assert guids[other.pk, "mlx5_2"] == "0xb83fd20300abcd01"
    assert guids[machine.pk, "mlx5_1"] == guids[machine.pk, "mlx5_2"] == ""
    assert part_in(other, "HCA mlx5_2").serial == ""
    assert not Installation.objects.filter(
        device=machine, slot__in=("HCA mlx5_1", "HCA mlx5_2"), during__endswith=None
    ).exists()


# ---- condition ----


def test_what_was_done_to_a_part_stands_in_its_life_with_who_and_why(machine: Device, shelf: StoragePlace) -> None:
    part = part_in(machine, "GPU 4")
    life.remove_to_storage(part.pk, shelf.pk, by="olga", condition="suspect", reason="Xid 79 twice")
    life.set_condition(part.pk, "rma", by="olga", reason="RMA 5512 with the vendor")
    changes = component_life(Component.objects.get(pk=part.pk))["changes"]
    assert changes[0]["fields"] == {
        "condition": {"before": "suspect", "after": "rma"},
        "storage": {"before": "Shelf 1", "after": None},
    }
    assert changes[0]["reason"] == "RMA 5512 with the vendor" and changes[0]["by"]
    assert changes[1]["fields"] == {
        "condition": {"before": "good", "after": "suspect"},
        "storage": {"before": None, "after": "Shelf 1"},
    }
    assert changes[1]["reason"] == "Xid 79 twice"
    assert changes[-1]["action"] == "created"


def test_what_was_sent_back_or_scrapped_is_not_installed_and_lies_nowhere(machine: Device, shelf: StoragePlace) -> None:
    part = spare(shelf, "S1")
    with pytest.raises(Refused, match="take it out first"):
        life.set_condition(part_in(machine, "GPU 4").pk, "scrapped", by="olga")
    assert life.set_condition(part.pk, "rma", by="olga").storage is None
    with pytest.raises(Refused, match="was sent back"):
        swap_component(machine.pk, "GPU 4", "S1", by="tina")
    with pytest.raises(Refused, match="lies nowhere"):
        life.store(part.pk, shelf.pk, by="olga")
    life.set_condition(part.pk, "good", by="olga", reason="came back repaired")
    life.store(part.pk, shelf.pk, by="olga")
    assert swap_component(machine.pk, "GPU 4", "S1", by="tina").component == part


# ---- spares ----


def test_spares_count_what_lies_there_and_what_is_short(two_sites: Sites, shelf: StoragePlace) -> None:
    spare(shelf, "S1")
    spare(shelf, "S2")
    spare(shelf, "S3", condition="suspect")
    Stock.objects.create(storage=shelf, kind="gpu", minimum=4, **GPU)
    Stock.objects.create(storage=shelf, kind="optic", part_number="MMA4Z00", quantity=7, minimum=2)
    elsewhere = StoragePlace.objects.create(site=two_sites[1], name="Cupboard")
    spare(elsewhere, "S9")
    gpu, optic = spares([two_sites[0].pk])
    assert {key: gpu[key] for key in ("kind", "with_serial", "counted", "suspect", "have", "minimum", "short")} == {
        "kind": "gpu", "with_serial": 2, "counted": 0, "suspect": 1, "have": 2, "minimum": 4, "short": 2,
    }  # fmt: skip
    assert (optic["part_number"], optic["have"], optic["short"]) == ("MMA4Z00", 7, 0)
    assert [row["storage_name"] for row in spares(None)] == ["Shelf 1", "Shelf 1", "Cupboard"]
    assert [row["storage_name"] for row in spares(None, site=two_sites[1].pk)] == ["Cupboard"]


def test_a_swap_takes_the_new_part_from_its_shelf_and_lays_the_old_one_down_as_suspect(
    machine: Device, shelf: StoragePlace
) -> None:
    new, old = spare(shelf, "S1"), part_in(machine, "GPU 4")
    swap_component(machine.pk, "GPU 4", "S1", by="tina", old=Returned(shelf, "suspect"))
    new.refresh_from_db()
    old.refresh_from_db()
    assert new.storage is None and part_in(machine, "GPU 4") == new
    assert (old.storage, old.condition) == (shelf, "suspect")


def test_people_hear_of_stock_once_when_it_falls_below_its_minimum(machine: Device, shelf: StoragePlace) -> None:
    Stock.objects.create(storage=shelf, kind="gpu", minimum=2, **GPU)
    for serial in ("S1", "S2", "S3"):
        spare(shelf, serial)
    swap_component(machine.pk, "GPU 0", "S1", by="tina")
    assert events("stock.low") == []
    swap_component(machine.pk, "GPU 1", "S2", by="tina")
    assert [(row["have"], row["minimum"], row["storage_name"]) for row in events("stock.low")] == [(1, 2, "Shelf 1")]
    life.set_condition(Component.objects.get(serial="S3").pk, "suspect", by="olga")
    assert len(events("stock.low")) == 1 and events("stock.changed")[-1]["have"] == 0


def test_counted_parts_never_go_below_zero(shelf: StoragePlace) -> None:
    stock = Stock.objects.create(storage=shelf, kind="optic", part_number="MMA4Z00", quantity=2, minimum=2)
    take_from_stock(stock.pk, by="tina")
    assert [row["have"] for row in events("stock.low")] == [1]
    with pytest.raises(Refused, match="Shelf 1 has 1 of MMA4Z00") as refusal:
        take_from_stock(stock.pk, by="tina", quantity=2)
    assert refusal.value.field == "quantity"
    with pytest.raises(IntegrityError), transaction.atomic():
        Stock.objects.filter(pk=stock.pk).update(quantity=-1)
    assert put_into_stock(stock.pk, quantity=4, by="olga").quantity == 5
    for quantity in (0, -3):
        with pytest.raises(Refused):
            take_from_stock(stock.pk, by="tina", quantity=quantity)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_take_the_last_one_the_second_is_refused() -> None:
    from core.audit.actor import Actor, acting

    with acting(Actor("test", "command")):
        site = Site.objects.create(slug="here", name="Here")
        shelf = StoragePlace.objects.create(site=site, name="Shelf 1")
        stock = Stock.objects.create(storage=shelf, kind="optic", part_number="MMA4Z00", quantity=1)
    gate = threading.Barrier(2)
    results: list[int | str] = []

    def take() -> None:
        with acting(Actor("tina", "person")):
            try:
                gate.wait(5)
                results.append(take_from_stock(stock.pk, by="tina").quantity)
            except Refused as refused:
                results.append(refused.field)
            finally:
                connections.close_all()

    threads = [threading.Thread(target=take) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(map(str, results)) == ["0", "quantity"]
    stock.refresh_from_db()
    assert stock.quantity == 0


# ---- API ----


def test_the_life_of_a_part_by_api(
    machine: Device, other: Device, shelf: StoragePlace, as_role: SignIn, django_assert_num_queries: Any
) -> None:
    client, part = as_role(Role.OPERATOR), part_in(machine, "GPU 4")
    client.post(f"/api/components/{part_in(other, 'GPU 0').pk}/remove/", {"storage": shelf.pk})
    moved = client.post(f"/api/components/{part.pk}/move/", {"device": other.pk, "slot": "GPU 0", "reason": "urgent"})
    assert moved.status_code == 200, moved.json()
    body = moved.json()
    assert [stay["device_name"] for stay in body["stays"]] == ["hgx-b01-02", "hgx-a01-01"]
    assert body["stays"][0]["from"] == body["stays"][1]["to"] and body["installed"]["slot"] == "GPU 0"
    taken = client.post(f"/api/components/{part.pk}/remove/", {"storage": shelf.pk, "condition": "suspect"}).json()
    assert taken["storage"]["name"] == "Shelf 1" and taken["installed"] is None and taken["text"] == "Shelf 1"
    with django_assert_num_queries(7):  # part, stays, devices, tickets, swaps, log, names of shelves
        client.get(f"/api/components/{part.pk}/life/")
    marked = client.post(f"/api/components/{part.pk}/condition/", {"condition": "rma", "reason": "RMA 1"}).json()
    assert marked["condition"] == "rma" and marked["text"] == "sent back"
    assert marked["changes"][0]["by"] == "operator-all" and marked["changes"][0]["reason"] == "RMA 1"


def test_a_refusal_by_api_names_its_field(machine: Device, as_role: SignIn) -> None:
    client, part = as_role(Role.OPERATOR), part_in(machine, "GPU 4")
    answer = client.post(f"/api/components/{part.pk}/install/", {"device": machine.pk, "slot": "GPU 5"})
    assert answer.status_code == 400 and "component" in answer.json()["error"]["fields"]
    answer = client.post(f"/api/components/{part.pk}/move/", {"device": 2**62, "slot": "GPU 5"})
    assert answer.status_code == 400 and "device" in answer.json()["error"]["fields"]
    assert client.post(f"/api/components/{part.pk}/move/", {"slot": "GPU 5"}).status_code == 400


def test_parts_and_spares_of_another_site_are_as_good_as_absent(
    two_sites: Sites, machine: Device, shelf: StoragePlace, as_role: SignIn
) -> None:
    north, south = two_sites
    spare(shelf, "S1")
    stock = Stock.objects.create(storage=shelf, kind="optic", part_number="X", quantity=1)
    client, part = as_role(Role.OPERATOR, site=south), part_in(machine, "GPU 4")
    assert client.get(f"/api/components/{part.pk}/life/").status_code == 404
    assert client.post(f"/api/components/{part.pk}/condition/", {"condition": "suspect"}).status_code == 404
    assert client.post(f"/api/stock/{stock.pk}/take/").status_code == 404
    assert client.get("/api/spares/").json()["results"] == []
    assert client.get("/api/spares/", {"site": north.pk}).status_code == 404
    assert as_role(Role.VIEWER).post(f"/api/stock/{stock.pk}/take/").status_code == 403
    seen = as_role(Role.VIEWER).get("/api/spares/", {"site": north.pk}).json()["results"]
    assert [(row["kind"], row["have"]) for row in seen] == [("gpu", 1), ("optic", 1)]
    mine = as_role(Role.OPERATOR, site=north)
    assert mine.post(f"/api/stock/{stock.pk}/take/", {"reason": "lost"}).json()["quantity"] == 0
    assert mine.post(f"/api/stock/{stock.pk}/take/").status_code == 400
