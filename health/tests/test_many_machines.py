"""One thing done with many machines: each by itself, refused by itself, nothing beyond what one may see and do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, Site
from core.services import ensure_user
from health.models import Sweep
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from inventory.models import Machine

pytestmark = pytest.mark.django_db


def client_of(name: str, role: Role, site: Site) -> Client:
    user, _ = ensure_user(name, role=role, site=site)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def machines() -> list[Machine]:
    found = make.make_machines(3)
    observation_store.record([make.look(machine, at=timezone.now()) for machine in found])
    return found


@pytest.fixture
def client(machines: list[Machine]) -> Client:
    return client_of("olga", Role.OPERATOR, Site.objects.get())


def many(client: Client, machines: list[Any], action: str, **more: Any) -> dict[str, str]:
    """Name of each machine to why it was not done, empty where it was."""
    body = {"machines": machines, "action": action} | more
    answer = client.post("/api/machines/bulk/", body, content_type="application/json")
    assert answer.status_code == 200, answer.content
    outcomes = answer.json()["outcomes"]
    assert all(each["done"] is not bool(each["reason"]) for each in outcomes)
    return {each["name"]: each["reason"] for each in outcomes}


def test_each_machine_goes_to_maintenance_or_says_why_not(machines: list[Machine], client: Client) -> None:
    until = (timezone.now() + timedelta(hours=2)).isoformat()
    make.health(machines[2]).__class__.objects.filter(pk=machines[2].pk).update(state="retired")
    said = many(client, [each.pk for each in machines], "maintenance", reason="new switch", until=until)
    names = [each.device.name for each in machines]
    assert [said[name] for name in names[:2]] == ["", ""] and "retired" in said[names[2]]
    assert [make.health(each).state for each in machines[:2]] == ["maintenance", "maintenance"]
    back = many(client, [each.pk for each in machines[:2]], "return", reason="done")
    assert set(back.values()) == {""} and make.health(machines[0]).state == "ready"


def test_a_hold_in_ones_name_takes_them_out_and_a_machine_that_is_held_does_not_return(
    machines: list[Machine], client: Client
) -> None:
    # What another action would need is not in the way.
    held = many(client, [machines[0].pk], "hold", reason="strange noise", until="2099-01-01T00:00:00Z")
    assert set(held.values()) == {""}
    assert make.health(machines[0]).state in ("draining", "drained")
    assert "person:olga" in many(client, [machines[0].pk], "return", reason="?")[machines[0].device.name]


def test_a_check_of_many_is_one_sweep_and_names_serve_as_ids(machines: list[Machine], client: Client) -> None:
    assert set(many(client, [each.device.name for each in machines], "check").values()) == {""}
    assert Sweep.objects.get(kind="manual").machines == 3


def test_of_another_site_nothing_is_seen_and_without_the_role_nothing_is_done(machines: list[Machine]) -> None:
    other = make.make_machines(1, site="fra1")[0]
    operator = client_of("otto", Role.OPERATOR, Site.objects.get(slug="fra1"))
    body = {"machines": [machines[0].pk, other.pk], "action": "hold", "reason": "x"}
    first, second = operator.post("/api/machines/bulk/", body, content_type="application/json").json()["outcomes"]
    assert (first["done"], first["name"], first["reason"]) == (False, "", "There is no such machine.")
    assert second["done"] and make.health(machines[0]).state == "ready"
    viewer = client_of("vera", Role.VIEWER, Site.objects.get(slug="ams1"))
    assert viewer.post("/api/machines/bulk/", body, content_type="application/json").status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        {"action": "hold"},
        {"action": "maintenance", "reason": "x"},
        {"action": "maintenance", "reason": "x", "until": "2020-01-01T00:00:00Z"},
        {"action": "scrap"},
        {"action": "check", "machines": []},
        {"action": "check", "machines": list(range(1, 102))},
    ],
)
def test_a_body_that_lacks_something_changes_nothing(
    body: dict[str, Any], machines: list[Machine], client: Client
) -> None:
    given = {"machines": [machines[0].pk]} | body
    refused = client.post("/api/machines/bulk/", given, content_type="application/json")
    assert refused.status_code == 400 and refused.json()["error"]["code"] == "invalid"
    assert make.health(machines[0]).state == "ready" and not Sweep.objects.filter(kind="manual").exists()
