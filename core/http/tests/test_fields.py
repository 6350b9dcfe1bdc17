"""Choosing fields."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from core.models import Role, Site
from core.services import ensure_user
from inventory.models import Room


@pytest.fixture
def client(db: Any) -> Client:
    site = Site.objects.create(slug="north", name="North")
    Room.objects.create(site=site, name="R1", width_mm=1, depth_mm=2)
    user, _ = ensure_user("vera", role=Role.VIEWER)
    client = Client()
    client.force_login(user)
    return client


def keys(client: Client, query: str) -> set[str]:
    (row,) = client.get(f"/api/rooms/?{query}").json()["results"]
    assert row == client.get(f"/api/rooms/{Room.objects.get().pk}/?{query}").json()
    return set(row)


def test_only_the_fields_asked_for_come_back(client: Client) -> None:
    assert keys(client, "fields=id,name") == {"id", "name"}
    assert keys(client, "fields=id&fields=name") == {"id", "name"}


def test_all_but_the_omitted_fields_come_back(client: Client) -> None:
    everything = keys(client, "")
    assert keys(client, "omit=door,site") == everything - {"door", "site"}
    assert keys(client, "fields=id,name&omit=name") == {"id"}


@pytest.mark.parametrize("parameter", ["fields", "omit"])
def test_a_field_that_does_not_exist_is_refused_by_name(parameter: str, client: Client) -> None:
    refused = client.get(f"/api/rooms/?{parameter}=id,colour")
    assert refused.status_code == 400
    assert refused.json()["error"]["fields"] == {parameter: ["There is no field colour."]}
