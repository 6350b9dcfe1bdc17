"""The routes of the aisle: labels near a repair, photos at a step, and the walking round with its spares."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image
from pytest_django import DjangoAssertNumQueries

from core.models import Role, Site, User
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from inventory.models import Component, Device, Landmark, Rack, Room, StoragePlace
from tickets import services
from tickets.models import Attachment, Ticket
from tickets.tests.conftest import ago, break_gpu, install, person
from tickets.tests.test_api import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def media(settings: Any, tmp_path: Path) -> Iterator[Path]:
    settings.MEDIA_ROOT = tmp_path / "media"
    yield settings.MEDIA_ROOT


def broken_gpus(count: int) -> list[Ticket]:
    """Two at most: a third alike would be a mass failure."""
    for at, machine in enumerate(make.make_machines(count)):
        install(machine, "GPU 5", f"16500000010{at:02}")
        observation_store.record([make.look(machine, make.gone(), make.xid(), at=ago(60))])
    return list(Ticket.objects.order_by("number"))


def reported(count: int, by: User) -> list[Ticket]:
    """One for each of so many machines in racks of four."""
    machines = make.make_machines(count)
    return [
        services.open_ticket_for_person("machine", machine.pk, by=by, part="", title="", text="It rattles.")
        for machine in machines
    ]


# ---- labels ----


def test_a_wrong_label_says_which_machine_it_is_and_where_the_right_one_is(tina: User) -> None:
    make.make_machines(3)
    first, second, third = Device.objects.filter(kind="machine").order_by("name")
    Device.objects.filter(pk=third.pk).update(serial="SN-THIRD-77")
    observation_store.record([make.look(second.machine, make.xid(), make.gone(), at=ago(60))])
    ticket = Ticket.objects.get()
    client = client_of(tina)
    body = client.get(f"/api/tickets/{ticket.key}/labels/").json()
    assert body["expected"][0] == second.name and body["found"] is None
    assert {row["name"]: row["where"] for row in body["nearby"]} == {first.name: "one above", third.name: "one below"}
    read = client.get(f"/api/tickets/{ticket.key}/labels/", {"label": "third-77"}).json()["found"]
    assert read is not None and read["name"] == third.name and read["where"] == "one below"
    assert client.get(f"/api/tickets/{ticket.key}/labels/", {"label": second.name}).json()["found"] is None
    assert client.get(f"/api/tickets/{ticket.key}/labels/", {"label": "x" * 65}).status_code == 400


def test_a_label_from_the_other_end_of_the_room_is_known_and_one_of_another_site_is_not(tina: User) -> None:
    make.make_machines(13)
    far = Device.objects.filter(kind="machine").order_by("name").last()
    theirs = make.make_machines(1, site="fra1")[0].device
    near = Device.objects.filter(kind="machine").order_by("name").first()
    assert far is not None and near is not None
    observation_store.record([make.look(near.machine, make.xid(), make.gone(), at=ago(60))])
    ticket = Ticket.objects.get()
    client = client_of(tina)
    body = client.get(f"/api/tickets/{ticket.key}/labels/", {"label": far.name}).json()
    assert body["found"]["name"] == far.name and body["found"]["where"] == "in rack R00"
    assert far.name not in [row["name"] for row in body["nearby"]]
    assert client.get(f"/api/tickets/{ticket.key}/labels/", {"label": theirs.name}).json()["found"] is None


@pytest.mark.slow
def test_labels_take_the_same_queries_however_many_stand_near(
    tina: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make.make_machines(12)
    machine = Device.objects.filter(kind="machine").order_by("name")[5]
    observation_store.record([make.look(machine.machine, make.xid(), make.gone(), at=ago(60))])
    client, ticket = client_of(tina), Ticket.objects.get()
    client.get("/api/tickets/")
    with django_assert_num_queries(7):  # session, user, roles, ticket, its placement and parent, labels
        client.get(f"/api/tickets/{ticket.key}/labels/")


# ---- photos ----


def photo(gps: bool = True) -> bytes:
    picture, kept = Image.new("RGB", (640, 480), "#888"), io.BytesIO()
    exif = Image.Exif()
    if gps:
        exif.get_ifd(0x8825)[1] = "N"
        exif.get_ifd(0x8825)[2] = (52.0, 22.0, 12.0)
        exif[0x010F] = "Cameramaker"
    picture.save(kept, "JPEG", exif=exif)
    return kept.getvalue()


def send(client: Client, ticket: Ticket, content: bytes, key: str = "", **fields: Any) -> Any:
    file = SimpleUploadedFile("label.jpg", content, content_type="image/jpeg")
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(f"/api/tickets/{ticket.key}/photos/", {"file": file, **fields}, headers=headers)


@pytest.mark.slow
def test_a_photo_at_a_step_is_in_the_timeline_and_has_lost_where_it_was_taken(ticket: Ticket, tina: User) -> None:
    assert b"Cameramaker" in photo()
    client = client_of(tina)
    answer = send(client, ticket, photo(), step=2, caption="old module")
    assert answer.status_code == 200, answer.content
    (kept,) = answer.json()["photos"]
    assert (kept["step"], kept["caption"], kept["by"], kept["width"]) == (2, "old module", "tina", 640)
    line = answer.json()["timeline"][-1]
    assert (line["text"], line["photo"]) == ("Photo at step 2: old module", kept["id"])
    content = client.get(kept["content"]).content
    assert b"Cameramaker" not in content and not Image.open(io.BytesIO(content)).getexif()
    assert client.get(kept["thumbnail"]).status_code == 200


@pytest.mark.slow
def test_a_photo_that_is_sent_twice_is_kept_once(ticket: Ticket, tina: User) -> None:
    client = client_of(tina)
    first, second = (send(client, ticket, photo(), key="photo-1", step=1) for _ in range(2))
    assert first.json()["photos"] == second.json()["photos"] and second["Idempotent-Replayed"] == "true"
    assert Attachment.objects.count() == 1 and ticket.changes.filter(text__startswith="Photo").count() == 1


def test_a_photo_that_is_none_is_refused_and_leaves_nothing(ticket: Ticket, tina: User) -> None:
    answer = send(client_of(tina), ticket, b"\x00\x01 no picture", step=1)
    assert answer.status_code == 400 and "Only pictures" in answer.json()["error"]["fields"]["file"][0]
    assert send(client_of(tina), ticket, photo(), step=99).status_code == 404
    assert Attachment.objects.count() == 0


def test_a_viewer_and_another_site_add_no_photo(ticket: Ticket) -> None:
    assert send(client_of(person("victor", Role.VIEWER)), ticket, photo()).status_code == 403
    break_gpu(site="fra1")
    theirs = client_of(person("local", Role.ADMIN, Site.objects.get(slug="fra1")))
    assert send(theirs, ticket, photo()).status_code == 404
    assert theirs.get(f"/api/tickets/{ticket.key}/labels/").status_code == 404
    assert theirs.get("/api/tickets/round/", {"tickets": ticket.key}).json()["stops"] == []


# ---- the round ----


def keys(stops: list[dict[str, Any]]) -> list[str]:
    return [ticket["key"] for stop in stops for ticket in stop["tickets"]]


def test_the_round_goes_along_the_aisle_from_the_door_and_takes_two_tickets_of_a_rack_together(tina: User) -> None:
    tickets = reported(9, tina)
    room = Room.objects.get(name="Hall 1")
    Landmark.objects.create(room=room, name="Door 2", kind="door", x_mm=5_000, y_mm=0)
    client = client_of(tina)
    asked = ",".join(tickets[at].key for at in (0, 8, 4, 5))
    body = client.get("/api/tickets/round/", {"tickets": asked}).json()
    assert [stop["rack"] for stop in body["stops"]] == ["R02", "R01", "R00"]
    assert keys(body["stops"]) == [tickets[8].key, tickets[4].key, tickets[5].key, tickets[0].key]
    assert body["stops"][0]["way"] == "into Hall 1"
    assert body["stops"][1]["way"] == "same aisle, same side, 1 m on"
    assert body["nowhere"] == [] and body["distance_m"] == 5


def test_without_keys_it_is_what_i_work_on(ticket: Ticket, tina: User) -> None:
    client = client_of(tina)
    assert client.get("/api/tickets/round/").json()["stops"] == []
    services.take(ticket.number, by=tina)
    assert keys(client.get("/api/tickets/round/").json()["stops"]) == [ticket.key]
    assert client.get("/api/tickets/round/", {"tickets": "nonsense"}).status_code == 400


def test_spares_are_fetched_from_where_good_ones_lie_and_not_promised_twice(tina: User) -> None:
    tickets = broken_gpus(2)
    site = tickets[0].site
    shelf = StoragePlace.objects.create(site=site, name="Shelf S-14")
    part = {"site": site, "kind": "gpu", "vendor": "NVIDIA", "part_number": "935-24287-0000", "storage": shelf}
    Component.objects.create(**part, serial="SPARE-1")
    Component.objects.create(**part, serial="SPARE-2", condition="suspect")
    body = client_of(tina).get("/api/tickets/round/", {"tickets": ",".join(t.key for t in tickets)}).json()
    (fetched,) = body["fetch"]
    assert (fetched["storage"], fetched["part_number"], fetched["have"]) == ("Shelf S-14", "935-24287-0000", 1)
    (missing,) = body["missing"]
    assert {fetched["ticket"], missing["ticket"]} == {ticket.key for ticket in tickets}


@pytest.mark.slow
def test_the_round_takes_the_same_queries_for_two_stops_and_for_nine(
    tina: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    tickets = reported(9, tina)
    client = client_of(tina)
    client.get("/api/tickets/")
    for asked in (tickets[:2], tickets):
        with django_assert_num_queries(10):
            client.get("/api/tickets/round/", {"tickets": ",".join(ticket.key for ticket in asked)})


def test_the_way_of_a_ticket_begins_at_the_nearest_door(ticket: Ticket, tina: User) -> None:
    rack = Rack.objects.get()
    Landmark.objects.create(room=rack.room, name="Door 2", kind="door", x_mm=0, y_mm=0)
    walk = client_of(tina).get(f"/api/tickets/{ticket.key}/").json()["place"]["walk"]
    assert walk["text"] == "Door 2, 1st rack, right side" and walk["from_end"] == "low"


def test_the_floor_is_coloured_by_the_most_urgent_active_ticket_of_a_machine(tina: User) -> None:
    one, other = broken_gpus(2)
    Ticket.objects.update(priority="P2")
    path, of = "/api/floor/values/", {"of": "tickets"}
    answer = client_of(tina).get(path, of).json()
    assert answer["order"] == ["P3", "P2", "P1"]
    assert sorted(answer["machines"]["rows"]) == sorted([each.machine_id, "P2"] for each in (one, other))
    Ticket.objects.filter(pk=other.pk).update(machine=one.machine, device=one.device, part="GPU 4", priority="P1")
    assert client_of(tina).get(path, of).json()["machines"]["rows"] == [[one.machine_id, "P1"]]
    Ticket.objects.filter(pk=other.pk).update(status="closed", closed_at=ago(60))
    assert client_of(tina).get(path, of).json()["machines"]["rows"] == [[one.machine_id, "P2"]]
