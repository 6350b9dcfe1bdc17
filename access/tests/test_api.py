"""API of access: no secrets, rights by role and site."""

from __future__ import annotations

import asyncssh
import pytest
from django.test import Client

from access import services
from access.models import Endpoint
from access.tests.fleet import first_contact, make_credentials, make_machine, make_site
from core.models import Role
from core.services import ensure_user
from drivers.ssh import key_line

pytestmark = pytest.mark.django_db
KEY_A, KEY_B = (key_line(asyncssh.generate_private_key("ssh-ed25519")) for _ in range(2))


def signed_in(client: Client, role: Role, site_slug: str | None = None) -> Client:
    site = make_site(site_slug) if site_slug else None
    user, _ = ensure_user(f"{role}-{site_slug}", role=role, site=site)
    client.force_login(user)
    return client


def test_endpoints_show_the_name_of_the_credential_and_never_its_secret(client: Client) -> None:
    ssh, _ = make_credentials("PRIVATE-KEY-TEXT")
    Endpoint.objects.create(machine=make_machine(), kind="ssh", port=2222, credential=ssh)
    answer = signed_in(client, Role.VIEWER).get("/api/endpoints/")
    assert answer.json()["results"][0]["credential"] == "ssh"
    assert b"PRIVATE-KEY-TEXT" not in answer.content


def test_another_sites_endpoints_and_keys_are_not_shown(client: Client) -> None:
    machine = make_machine()
    Endpoint.objects.create(machine=machine, kind="ssh", port=2222)
    first_contact(machine, KEY_A)
    services.record_host_key_change(machine.pk, KEY_B)
    signed_in(client, Role.ADMIN, "south")
    for path in ("endpoints", "known-hosts", "pinned-certificates", "identity-changes"):
        assert client.get(f"/api/{path}/").json()["count"] == 0


def test_only_an_administrator_of_every_site_says_where_a_login_is_sent(client: Client) -> None:
    machine = make_machine()
    body = {"machine": machine.pk, "kind": "ssh", "address": "127.0.0.1", "port": 2222}
    for role, site, status in (
        (Role.OPERATOR, None, 403),
        (Role.ADMIN, "south", 400),  # a machine that is not seen is none
        (Role.ADMIN, "north", 403),
        (Role.ADMIN, None, 201),
    ):
        answer = signed_in(client, role, site).post("/api/endpoints/", body, content_type="application/json")
        assert answer.status_code == status


def test_an_administrator_accepts_a_changed_key_once(client: Client) -> None:
    machine = make_machine()
    first_contact(machine, KEY_A)
    change = services.record_host_key_change(machine.pk, KEY_B)
    assert change is not None
    path = f"/api/identity-changes/{change.pk}/accept/"
    assert signed_in(client, Role.OPERATOR).post(path).status_code == 403
    signed_in(client, Role.ADMIN)
    assert client.post(path).json()["resolution"] == "accepted"
    assert client.post(path).status_code == 409
