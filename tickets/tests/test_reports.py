"""What a person reports about a switch or a cable: a ticket, decided by a discovery."""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Role, Site, User
from fabric.models import Finding
from fabric.tests.made_faults import inject
from inventory.models import Cable, Device
from tickets.models import Ticket
from tickets.tests.conftest import person
from tickets.tests.test_orders import Hall, client_of, fresh, hall, post, quiet, told

__all__ = ["hall", "quiet"]
pytestmark = pytest.mark.django_db


def report(user: User, **body: Any) -> Any:
    return client_of(user).post("/api/tickets/", {"text": "it rattles", **body}, "application/json")


def test_a_switch_is_reported_and_a_discovery_decides(hall: Hall, tina: User) -> None:
    hall.discover()
    leaf = Device.objects.get(name="leaf-1")
    answer = report(tina, switch=leaf.pk, part="PSU 1")
    assert answer.status_code == 201, answer.content
    body = answer.json()
    assert body["subject"] == {"kind": "switch", "id": leaf.pk, "name": "leaf-1"} and body["part"] == "PSU 1"
    assert [step["kind"] for step in body["steps"]] == ["scan", "check", "verify"] and body["place"]["rack"] == "A03"
    again = report(tina, switch=leaf.pk, part="PSU 1")
    assert again.status_code == 409 and body["key"] in again.json()["error"]["message"]
    assert report(tina, switch=leaf.pk, part="fan 2").status_code == 201, "another part is another ticket"
    ticket = Ticket.objects.order_by("number")[0]
    post(client_of(tina), ticket, "take")
    assert post(client_of(tina), ticket, "verify").json()["status"] == "verifying"
    hall.discover()
    assert fresh(ticket).status == "closed"


@pytest.mark.slow
def test_a_reported_cable_stays_in_work_while_a_finding_names_it_and_the_finding_has_its_own_order(
    hall: Hall, tina: User
) -> None:
    hall.discover(ago_s=2000)
    inject(hall.fabric, "missing")
    hall.confirm()
    own = Ticket.objects.get()
    cable = Cable.objects.get(label=Finding.objects.get().cables[0])
    assert report(tina, cable=cable.pk).status_code == 201, "another part of it than the finding's"
    ticket = Ticket.objects.exclude(pk=own.pk).get()
    assert ticket.about == (cable.pk, cable.label) and ticket.device is not None and ticket.device.kind == "switch"
    post(client_of(tina), ticket, "take")
    post(client_of(tina), ticket, "verify")
    hall.discover()
    ticket = fresh(ticket)
    assert ticket.status == "in_work" and "still shows" in told(ticket) and ticket.finding is None
    assert fresh(own).finding == Finding.objects.get()


def test_a_finding_about_a_reported_cable_still_opens_its_order(hall: Hall, tina: User) -> None:
    hall.discover(ago_s=2000)
    inject(hall.fabric, "missing")
    hall.discover(ago_s=900)
    cable = Cable.objects.get(label=Finding.objects.get().cables[0])
    report(tina, cable=cable.pk)
    hall.discover(ago_s=300)
    assert set(Ticket.objects.values_list("fault_class", flat=True)) == {"person.report", "fabric.dark"}


def test_what_no_source_reads_is_closed_by_an_operator(hall: Hall, tina: User) -> None:
    leaf = Device.objects.get(name="leaf-1")
    report(tina, switch=leaf.pk)
    ticket = Ticket.objects.get()
    post(client_of(tina), ticket, "take")
    refused = post(client_of(tina), ticket, "verify")
    assert refused.status_code == 409 and "an operator closes it" in refused.json()["error"]["message"]


def test_a_report_names_one_thing_that_the_person_may_touch(hall: Hall, tina: User) -> None:
    leaf, machine = Device.objects.get(name="leaf-1"), Device.objects.get(name="gpu-1")
    for body in ({}, {"switch": leaf.pk, "machine": machine.pk}, {"switch": machine.pk}, {"cable": 10**9}):
        assert report(tina, **body).status_code == 400, body
    assert report(person("vera", Role.VIEWER), switch=leaf.pk).status_code == 403
    other = person("fritz", Role.OPERATOR, Site.objects.create(slug="east", name="EAST"))
    assert report(other, switch=leaf.pk).json()["error"]["fields"]["switch"] == ["There is no such switch."]
    assert not Ticket.objects.exists()


def test_two_reports_of_one_person_are_reopened_apart(hall: Hall, tina: User, olga: User) -> None:
    for name in ("leaf-1", "leaf-2"):
        report(tina, switch=Device.objects.get(name=name).pk)
    first = Ticket.objects.order_by("number")[0]
    post(client_of(olga), first, "close", reason="was nothing")
    assert post(client_of(olga), first, "reopen", reason="it was").status_code == 200
