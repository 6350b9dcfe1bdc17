"""Tickets that outside systems open by their own id."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from core.models import Role, Site
from health.tests import factories as make
from tickets.messages.models import TicketReference
from tickets.models import Ticket
from tickets.tests.conftest import person

BODY = {"text": "Smells burnt.", "source": "nagios", "external_id": "evt-77"}


def signed_in(site: Site | None = None, role: str = Role.TECHNICIAN, name: str = "monitor") -> Client:
    client = Client()
    client.force_login(person(name, role, site))
    return client


def post(client: Client, **body: Any) -> Any:
    return client.post("/api/tickets/", body, content_type="application/json")


@pytest.mark.django_db
def test_the_same_id_again_finds_the_same_ticket() -> None:
    (machine,) = make.make_machines()
    client = signed_in()
    first = post(client, machine=machine.pk, **BODY)
    second = post(client, machine=machine.pk, **BODY, part="GPU 3")
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["key"] == second.json()["key"] and Ticket.objects.count() == 1
    other = post(client, machine=machine.pk, **(BODY | {"external_id": "evt-78"}))
    assert other.status_code == 409, "there is one open for the machine"
    assert TicketReference.objects.count() == 1, "what was refused takes no id"


@pytest.mark.django_db
def test_an_id_comes_with_its_source() -> None:
    (machine,) = make.make_machines()
    answer = post(signed_in(), machine=machine.pk, text="x", external_id="1")
    assert answer.status_code == 400 and "source" in answer.json()["error"]["fields"]


@pytest.mark.django_db
def test_each_site_has_ids_of_its_own() -> None:
    (here,) = make.make_machines(site="ams1")
    (there,) = make.make_machines(site="osl1")
    client = signed_in()
    keys = {post(client, machine=machine.pk, **BODY).json()["key"] for machine in (here, there)}
    assert len(keys) == 2


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_open_one_ticket() -> None:
    (machine,) = make.make_machines()
    client, answers = signed_in(), []

    def ask() -> None:
        answers.append(post(client, machine=machine.pk, **BODY).status_code)
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200, 200, 201] and Ticket.objects.count() == 1
