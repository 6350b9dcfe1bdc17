"""The served OpenAPI document: built once, packed, with tags."""

from __future__ import annotations

import gzip
import json
from functools import cache

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from core.models import Role
from core.openapi import view
from core.services import ensure_user

pytestmark = pytest.mark.django_db
JSON = "application/vnd.oai.openapi+json"


@pytest.fixture
def client() -> Client:
    signed_in = Client()
    signed_in.force_login(ensure_user("vera", role=Role.VIEWER)[0])
    return signed_in


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A document of a few words instead of the whole one; an entry for each time that it is built."""
    times: list[int] = []
    small = {"openapi": "3.1.0", "paths": {}}
    monkeypatch.setattr(SchemaGenerator, "get_schema", lambda self, *args, **more: (times.append(1), small)[1])
    monkeypatch.setattr(view, "_built", cache(view._built.__wrapped__))
    return times


def test_the_document_is_built_once_for_each_type_and_not_for_each_request(client: Client, built: list[int]) -> None:
    for accept in (JSON, JSON, "application/vnd.oai.openapi", "application/vnd.oai.openapi", JSON):
        assert client.get("/api/schema/", headers={"Accept": accept}).status_code == 200
    assert len(built) == 2


@pytest.mark.slow
def test_the_document_is_sent_packed_to_who_takes_that(client: Client) -> None:
    plain = client.get("/api/schema/", headers={"Accept": JSON})
    packed = client.get("/api/schema/", headers={"Accept": JSON, "Accept-Encoding": "br, gzip;q=0.8"})
    refused = client.get("/api/schema/", headers={"Accept": JSON, "Accept-Encoding": "gzip;q=0, identity"})
    assert packed.headers["Content-Encoding"] == "gzip" and gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 8
    assert "Content-Encoding" not in plain.headers and refused.content == plain.content
    assert json.loads(plain.content)["openapi"].startswith("3.1")
    assert "Accept-Encoding" in plain.headers["Vary"]


def test_who_has_the_document_already_gets_304(client: Client, built: list[int]) -> None:
    tags = set()
    for headers in (
        {"Accept": JSON},
        {"Accept": JSON, "Accept-Encoding": "gzip"},
        {"Accept": "application/vnd.oai.openapi"},
    ):
        tag = client.get("/api/schema/", headers=headers).headers["ETag"]
        again = client.get("/api/schema/", headers=headers | {"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
        tags.add(tag)
    assert len(tags) == 3


def test_the_document_is_for_people_who_signed_in() -> None:
    assert Client().get("/api/schema/").status_code in (401, 403)
