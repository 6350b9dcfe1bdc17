"""Every list has one shape, whether it comes in pages or whole: `{count, next, previous, results}`."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from core.models import Role
from core.services import ensure_user
from tests.schema import api_document, filters_of

ENVELOPE = {"count", "next", "previous", "results"}
OF_OTHER_PROGRAMS = ("/api/export/prometheus-sd/",)
"""Their form is what another program reads: a list of Prometheus is a list."""


def answers() -> list[tuple[str, dict[str, Any]]]:
    """(path, schema) of the JSON that each GET answers with."""
    found = []
    for path, methods in api_document()["paths"].items():
        content = methods.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
        if "application/json" in content:
            found.append((path, whole(content["application/json"]["schema"])))
    return found


def whole(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = api_document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def test_every_list_of_the_document_has_the_envelope() -> None:
    pages = 0
    for path, schema in answers():
        names = set(schema.get("properties", ()))
        assert schema.get("type") != "array" or path in OF_OTHER_PROGRAMS, f"{path} is a list without an envelope"
        if "results" in names and names <= ENVELOPE:
            assert set(schema["required"]) == ENVELOPE, path
            pages += 1
    assert pages > 80


@pytest.mark.django_db
def test_every_list_answers_with_the_envelope(client: Client) -> None:
    call_command("load_fleet", "inventory/fleets/two-sites.yaml", verbosity=0)
    client.force_login(ensure_user("root", role=Role.ADMIN)[0])
    walked = 0
    for path, _ in answers():
        if "{" in path or path in OF_OTHER_PROGRAMS:
            continue
        known = filters_of(api_document()["paths"][path]["get"])
        answer = client.get(path, {"site": "north"} if "site" in known else {})
        if answer.status_code == 200:
            body = answer.json()
            assert isinstance(body, dict), path
            if set(body) <= ENVELOPE and "results" in body:
                assert set(body) == ENVELOPE, path
                assert body["next"] is not None or body["previous"] is not None or len(body["results"]) == body["count"]
                walked += 1
    assert walked > 70


@pytest.mark.django_db
def test_every_route_refuses_a_parameter_that_it_does_not_know_and_every_paged_one_a_page_too_large(
    client: Client,
) -> None:
    client.force_login(ensure_user("root", role=Role.ADMIN)[0])
    paged = 0
    for path, methods in api_document()["paths"].items():
        if "get" not in methods:
            continue
        address = re.sub(r"{[^}]+}", "1", path)
        refused = client.get(address, {"no_such_parameter": "1"})
        assert refused.status_code in (400, 404), (path, refused.status_code)
        if "{" not in path:
            assert "no_such_parameter" in refused.json()["error"]["fields"], path
            if "page_size" in filters_of(methods["get"]):
                large = client.get(address, {"page_size": "1001"})
                assert large.status_code == 400, path
                paged += "page_size" in large.json()["error"]["fields"]
    assert paged > 60


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize("path", ["/api/rakcs/", "/api/devices/1/nothing/", "/api/nothing"])
def test_a_write_to_an_address_without_a_route_answers_json(method: str, path: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ensure_user("root", role=Role.ADMIN)[0])
    answer = getattr(strict, method)(path, {}, content_type="application/json")
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/json")
    assert answer.json()["error"]["code"] == "not_found"
