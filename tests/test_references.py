"""Routes of all rooms name a record by its id or by its name: `?site=north` is `?site=1`."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import resolve

from core.models import Role, Site
from core.rest.references import numbers_in_body
from core.services import ensure_user
from inventory.models import Device, Rack, Room
from tests.schema import api_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(client: Client) -> Client:
    call_command("load_fleet", "inventory/fleets/two-sites.yaml", verbosity=0)
    client.force_login(ensure_user("root", role=Role.ADMIN)[0])
    return client


def named_parameters() -> list[tuple[str, str, str]]:
    """(path, parameter, what the view reads: id or name) of every list that is narrowed by a record."""
    shared = api_document()["components"].get("parameters", {})
    found = []
    for path, methods in api_document()["paths"].items():
        for each in methods.get("get", {}).get("parameters", ()):
            stated = shared[each["$ref"].rpartition("/")[2]] if "$ref" in each else each
            if "{" not in path and stated["in"] == "query" and "x-takes" in stated["schema"]:
                found.append((path, stated["name"], stated["schema"]["x-takes"]))
    return found


def samples() -> dict[str, tuple[int, str]]:
    """A record for each word: its id and its name."""
    site = Site.objects.get(slug="north")
    room = Room.objects.filter(site=site).order_by("pk")[0]
    rack = Rack.objects.filter(room=room).order_by("pk")[0]
    machine = Device.objects.filter(site=site, kind="machine").order_by("pk")[0]
    return {
        "site": (site.pk, site.slug), "room": (room.pk, room.name), "rack": (rack.pk, rack.name),
        "machine": (machine.pk, machine.name), "device": (machine.pk, machine.name),
        "model": (machine.model_id, machine.model.slug),
    }  # fmt: skip


def test_every_parameter_that_takes_the_id_of_a_record_takes_its_name(client: Client) -> None:
    told = samples()
    walked = 0
    for path, name, takes in named_parameters():
        if takes == "id":
            refused = client.get(path, {name: "no-such-record"})
            assert refused.status_code == 400, (path, name)
            assert "There is no " in str(refused.json()["error"]["fields"][name]), (path, name)
        if name in told:
            near = {"site": "north"} if name in ("room", "rack") and (path, "site", "id") in named_parameters() else {}
            pk, text = told[name]
            by_id, by_name = client.get(path, near | {name: pk}), client.get(path, near | {name: text})
            assert by_id.status_code == by_name.status_code, (path, name, by_name.content[:300])
            walked += by_name.status_code == 200
    assert walked > 40


def test_every_field_of_a_body_that_takes_the_id_of_a_record_takes_its_name(client: Client) -> None:
    walked = set()
    for path, methods in api_document()["paths"].items():
        for method in set(methods) & {"post", "put", "patch"}:
            if "{" in path:
                continue
            for name in numbers_in_body(resolve(path).func, method.upper()):
                answer = getattr(client, method)(path, {name: "no-such-record"}, content_type="application/json")
                if answer.status_code == 415:  # takes a file, and the form around it
                    continue
                assert answer.status_code == 400, (path, name)
                assert "There is no " in str(answer.json()["error"]["fields"][name]), (path, name)
                walked.add((path, name))
    assert len(walked) > 10
    kill = client.post(
        "/api/health/automation/kill/", {"site": "north", "reason": "x"}, content_type="application/json"
    )
    assert kill.status_code == 200, kill.content


def test_a_name_of_a_site_that_one_may_not_see_is_as_good_as_absent(client: Client) -> None:
    north, south = Site.objects.order_by("slug")[:2]
    client.force_login(ensure_user("local", role=Role.ADMIN, site=north)[0])
    assert client.get("/api/tickets/", {"site": north.slug}).status_code == 200
    hidden, absent = client.get("/api/tickets/", {"site": south.slug}), client.get("/api/tickets/", {"site": "none"})
    assert (hidden.status_code, absent.status_code) == (400, 400)
    assert hidden.json()["error"]["fields"] == {"site": [f"There is no site {south.slug!r}."]}


def test_strangers_learn_no_names(client: Client) -> None:
    client.logout()
    for site in ("north", "none"):
        answer: Any = client.get("/api/tickets/", {"site": site})
        assert answer.status_code == 401


def test_a_session_names_records_in_a_body_that_its_csrf_check_reads_first(client: Client) -> None:
    """That check looks for its token in the body, before it is settled who asks."""
    browser = Client(enforce_csrf_checks=True, headers={"X-CSRFToken": "a" * 32})
    browser.cookies["csrftoken"] = "a" * 32
    browser.force_login(ensure_user("root", role=Role.ADMIN)[0])
    kill = {"site": "north", "reason": "x"}
    assert browser.post("/api/health/automation/kill/", kill, content_type="application/json").status_code == 200
    other = Client(enforce_csrf_checks=True)
    other.cookies = browser.cookies
    assert other.post("/api/health/automation/kill/", kill, content_type="application/json").status_code == 403
