"""The routes: who may, what is shown once, and what replays."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from core.models import Role, Site
from core.services import ensure_user
from core.webhooks import dispatch
from core.webhooks.models import Delivery, Webhook
from core.webhooks.tasks import deliver
from core.webhooks.tests.conftest import Receiver

pytestmark = pytest.mark.django_db
JSON = "application/json"
Sites = tuple[Site, Site]


def signed_in(role: Role = Role.ADMIN, site: Site | None = None) -> Client:
    user, _ = ensure_user(f"{role}-{site}", role=role, site=site)
    client = Client()
    client.force_login(user)
    return client


def make(client: Client, receiver: Receiver, **changed: Any) -> Any:
    fields = {"name": "chat", "url": receiver.url(), "events": ["ticket.*"], **changed}
    return client.post("/api/webhooks/", fields, JSON)


def test_a_hook_is_made_and_its_secret_shown_once(sites: Sites, receiver: Receiver) -> None:
    client = signed_in()
    made = make(client, receiver)
    assert made.status_code == 201 and made.json()["secret"].startswith("whsec_")
    path = f"/api/webhooks/{made.json()['id']}/"
    for body in (client.get(path).content, client.get("/api/webhooks/").content):
        assert b"whsec" not in body and b"secret" not in body
    renewed = client.post(path + "secret/").json()["secret"]
    assert renewed.startswith("whsec_") and renewed != made.json()["secret"]
    assert client.patch(path, {"active": False}, JSON).json()["active"] is False
    assert client.delete(path).status_code == 204 and not Webhook.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "value"),
    [("url", "ftp://x/"), ("events", ["nothing.like_this"]), ("events", []), ("timeout_s", 600), ("site", 0)],
)
def test_a_hook_that_could_not_work_is_refused(field: str, value: Any, sites: Sites, receiver: Receiver) -> None:
    refused = make(signed_in(), receiver, **{field: value})
    assert refused.status_code == 400 and field in refused.json()["error"]["fields"]


def test_addresses_of_this_machine_are_refused_unless_the_setting_allows(
    sites: Sites, receiver: Receiver, settings: Any
) -> None:
    settings.WEBHOOK_LOCAL_ADDRESSES = False
    refused = make(signed_in(), receiver)
    assert refused.status_code == 400 and "this machine itself" in str(refused.json()["error"]["fields"]["url"])


def test_an_administrator_of_one_site_keeps_hooks_of_that_site_only(sites: Sites, receiver: Receiver) -> None:
    north, south = sites
    everywhere, local = signed_in(), signed_in(site=north)
    theirs = make(everywhere, receiver, site=south.pk).json()["id"]
    of_all = make(everywhere, receiver).json()["id"]
    assert make(local, receiver, site=None, name="mine").status_code == 403
    assert make(local, receiver, site=south.pk, name="mine").status_code == 400  # as a site that there is not
    left_out = {"name": "mine", "url": receiver.url(), "events": ["*"]}
    assert local.post("/api/webhooks/", left_out, JSON).status_code == 403
    mine = make(local, receiver, site=north.pk, name="mine").json()["id"]
    assert [row["id"] for row in local.get("/api/webhooks/").json()["results"]] == [mine]
    for other in (theirs, of_all):
        assert local.get(f"/api/webhooks/{other}/").status_code == 404
        assert local.post(f"/api/webhooks/{other}/ping/").status_code == 404
    assert local.patch(f"/api/webhooks/{mine}/", {"site": None}, JSON).status_code == 403


def test_a_viewer_of_a_site_with_the_admin_role_elsewhere_sees_no_hook_there(sites: Sites, receiver: Receiver) -> None:
    from core.models import RoleGrant

    north, south = sites
    client = signed_in(site=north)
    user, _ = ensure_user(f"admin-{north}", role=Role.ADMIN, site=north)
    RoleGrant.objects.create(user=user, site=south, role=Role.VIEWER)
    theirs = make(signed_in(), receiver, site=south.pk).json()["id"]
    assert client.get(f"/api/webhooks/{theirs}/").status_code == 404
    assert client.get("/api/webhooks/").json()["count"] == 0


@pytest.mark.parametrize("role", [Role.VIEWER, Role.TECHNICIAN, Role.OPERATOR])
def test_only_administrators_see_hooks(role: Role, sites: Sites) -> None:
    client = signed_in(role)
    for path in ("/api/webhooks/", "/api/webhooks/events/", "/api/webhook-deliveries/"):
        assert client.get(path).status_code == 403


def test_a_ping_arrives_through_the_task_of_the_worker(sites: Sites, receiver: Receiver) -> None:
    client = signed_in()
    path = f"/api/webhooks/{make(client, receiver).json()['id']}/"
    asked = client.post(path + "ping/")
    assert asked.status_code == 202 and asked.json()["status"] == "pending"
    deliver.apply(throw=True)
    assert json.loads(receiver.heard[0].body)["type"] == "ping"
    row = client.get(f"/api/webhook-deliveries/{asked.json()['id']}/").json()
    assert (row["status"], row["response_status"], json.loads(row["body"])["data"]["webhook"]) == (
        "delivered",
        200,
        "chat",
    )


def test_dead_deliveries_are_counted_listed_and_replayed_one_or_all(
    sites: Sites, receiver: Receiver, happens: Callable[..., Any]
) -> None:
    client = signed_in()
    pk = make(client, receiver).json()["id"]
    for number in range(3):
        happens("ticket.changed", n=number)
    dispatch.run()
    Delivery.objects.update(status="dead")
    assert client.get(f"/api/webhooks/{pk}/").json()["dead"] == 3
    listed = client.get("/api/webhook-deliveries/", {"webhook": pk, "status": "dead"}).json()
    assert listed["count"] == 3 and "body" not in listed["results"][0]
    one = client.post(f"/api/webhook-deliveries/{listed['results'][0]['id']}/replay/").json()
    assert (one["status"], one["attempts"]) == ("pending", 0)
    assert client.post(f"/api/webhooks/{pk}/replay/", {}, JSON).json() == {"replayed": 2}
    dispatch.run()
    assert len(receiver.heard) == 6 and client.get(f"/api/webhooks/{pk}/").json()["dead"] == 0


def test_everything_a_hook_can_hear_is_listed(sites: Sites) -> None:
    names = [row["name"] for row in signed_in().get("/api/webhooks/events/").json()["results"]]
    assert "ticket.changed" in names and len(names) == len(set(names))
