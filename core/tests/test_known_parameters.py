"""Parameters that a route does not know, and pages larger than there are, are refused and never ignored."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.test import Client
from django.urls import resolve
from drf_spectacular.extensions import OpenApiViewExtension

from core.models import Role
from core.rest.parameters import inspected, known_to
from core.services import ensure_user
from tests.schema import api_document, filters_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(client: Client) -> Client:
    client.force_login(ensure_user("root", role=Role.ADMIN)[0])
    return client


@pytest.mark.parametrize(
    "address", ["/api/machines/", "/api/history/", "/api/tickets/", "/api/floor/", "/api/devices/", "/api/me/"]
)
def test_a_parameter_that_does_not_exist_is_named_with_what_was_probably_meant(address: str, client: Client) -> None:
    answer = client.get(address, {"pagesize": "5"})
    assert answer.status_code == 400
    told = answer.json()["error"]["fields"]["pagesize"][0]
    assert told.startswith("There is no such ")
    if "page_size" in filters_of(api_document()["paths"][address]["get"]):
        assert told.endswith("did you mean page_size?")


def test_a_write_with_a_misspelt_dry_run_writes_nothing(client: Client) -> None:
    answer = client.post("/api/tags/?dryrun=true", [{"name": "spare"}], content_type="application/json")
    assert answer.status_code == 400
    assert "did you mean dry_run?" in answer.json()["error"]["fields"]["dryrun"][0]
    assert client.get("/api/tags/").json()["count"] == 0


def test_every_route_knows_the_parameters_of_its_page_in_the_document() -> None:
    for path, methods in api_document()["paths"].items():
        for method in set(methods) & {"get", "post", "put", "patch", "delete"}:
            known = known_to(resolve(re.sub(r"{[^}]+}", "1", path)).func, method.upper())
            assert known is None or set(filters_of(methods[method])) <= known, f"{method} {path}"


def test_two_first_requests_of_a_process_do_not_load_the_extensions_of_schemas_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(OpenApiViewExtension, "_registry", [])  # what follows adds itself

    class Slow(OpenApiViewExtension):
        """Loading its class fails, as where an optional library is missing, and takes a while."""

        target_class = "nowhere.View"

        @classmethod
        def _load_class(cls) -> None:
            name = cls.target_class
            time.sleep(0.05)
            assert cls.target_class == name, "another thread loads it as well"
            cls.target_class = None  # type: ignore[assignment]

    views = [resolve(path).func for path in ("/api/floor/", "/api/me/")]
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(lambda view: inspected(view, "GET", lambda schema: schema.method), views))
    assert found == ["GET", "GET"] and Slow.target_class is None


@pytest.mark.parametrize("size", ["0", "1001", "-5", "many", "9" * 5000, "²", ""])
def test_a_page_that_cannot_be_given_is_refused(size: str, client: Client) -> None:
    answer = client.get("/api/machines/", {"page_size": size})
    assert answer.status_code == 400
    assert answer.json()["error"]["fields"] == {"page_size": ["A whole number from 1 to 1,000."]}
