"""Walks every route of the API: strangers get nothing, each role gets its share, no site leaks into another.

The routes come from the URL configuration itself, so a new one is walked without anybody thinking of it.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from core.models import Role, Site, User
from core.services import ensure_user
from inventory.kinds import KINDS
from tests.schema import api_document, of_those
from tests.test_sql_counts import undone

UNSAFE = {"post", "put", "patch", "delete"}
# What is one's own: oneself, one's tokens, and messages to one's own channels, which are found by nobody else.
PERSONAL = ("/api/me/", "/api/tokens/", "/api/messages/1/retry/")
# The weekly report of a site that one sees, to one's own address: every role asks for it, for itself only.
OWN_REPORT = ("/api/insight/report/send/", "/api/insight/report/subscription/")


@cache
def operations() -> list[tuple[str, str]]:
    """(method, path with 1 for every parameter) of each operation in the OpenAPI schema."""
    found = []
    for path, methods in api_document()["paths"].items():
        filled = re.sub(r"{[^}]+}", "1", path)
        found += [(method, filled) for method in methods if method in UNSAFE | {"get"}]
    return found


def patterns(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    for entry in resolver.url_patterns:
        text = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from patterns(entry, text)
        elif isinstance(entry, URLPattern):
            yield text


def send(client: Client, method: str, path: str) -> int:
    return getattr(client, method)(path, data={}, content_type="application/json").status_code


def test_the_schema_knows_every_route_of_the_api() -> None:
    """Otherwise the walks below would miss one."""
    known = {re.sub(r"{[^}]+}", "{}", path) for path in api_document()["paths"]}
    served = set()
    for text in patterns(get_resolver()):
        path = "/" + re.sub(r"[\^$]|\\Z", "", text).replace("\\.", ".")
        path = re.sub(r"\(\?P<[^>]+>[^)]+\)|<[^>]+>", "{}", path)
        # left out: suffix variants, the root list, the schema itself and the answer for unknown routes
        if path.startswith("/api/") and "{}?" not in path and "format" not in text and "drf_format" not in text:
            served.add(path.replace("/?", ""))
    missing = served - known - {"/api/", "/api/schema/", "/api/docs/", "/api/.*"}
    assert not missing


def answered(client: Client, asked: list[tuple[str, str]], *expected: int) -> dict[str, int]:
    """The operations that answered something else, each tried in a transaction that is rolled back."""
    found = {}
    for method, path in asked:
        with undone():
            found[f"{method} {path}"] = send(client, method, path)
    return {operation: status for operation, status in found.items() if status not in expected}


def impersonal(*methods: str) -> list[tuple[str, str]]:
    return [(method, path) for method, path in operations() if method in methods and not path.startswith(PERSONAL)]


@pytest.mark.django_db
def test_a_stranger_gets_nothing(client: Client) -> None:
    assert answered(client, operations(), 401, 403) == {}


@pytest.fixture(scope="module")
def signed_in(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Client]]:
    """Somebody without a role, a viewer and a technician, signed in once for all routes."""
    with django_db_blocker.unblock(), transaction.atomic():
        people: dict[str, User] = {
            role: ensure_user(f"one-{role}", role=role)[0] for role in (Role.VIEWER, Role.TECHNICIAN)
        }
        people["nobody"] = ensure_user("nobody", role=Role.VIEWER)[0]
        people["nobody"].grants.all().delete()
        clients = {str(name): Client() for name in people}
        for name, user in people.items():
            clients[str(name)].force_login(user)
        yield clients
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_a_person_without_a_role_gets_nothing(signed_in: dict[str, Client]) -> None:
    assert answered(signed_in["nobody"], impersonal("get", *UNSAFE), 403) == {}


@pytest.mark.django_db
def test_a_viewer_changes_nothing(signed_in: dict[str, Client]) -> None:
    asked = impersonal(*UNSAFE)
    others = [each for each in asked if each[1] not in OWN_REPORT]
    assert len(others) == len(asked) - len(OWN_REPORT)
    assert answered(signed_in[Role.VIEWER], others, 403) == {}


@pytest.mark.django_db
def test_a_technician_works_on_tickets_leaves_files_and_comments_and_nothing_else(signed_in: dict[str, Client]) -> None:
    own = (
        "/api/tickets/",
        "/api/vendor-cases/",
        "/api/attachments/",
        "/api/comments/",
        "/api/annotations/",
        "/api/hand-over/",
        "/api/facility/racks/",
    )
    asked = impersonal(*UNSAFE)
    theirs = [each for each in asked if each[1].startswith(own) or each[1] in OWN_REPORT]
    assert answered(signed_in[Role.TECHNICIAN], theirs, 400, 403, 404) == {}
    assert answered(signed_in[Role.TECHNICIAN], [each for each in asked if each not in theirs], 403) == {}


@pytest.fixture(scope="module")
def two_sites(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Site, Site]]:
    """Loaded once for the module, in a transaction that is rolled back: the tests inside it use savepoints."""
    with django_db_blocker.unblock(), transaction.atomic():
        call_command("load_fleet", "inventory/fleets/two-sites.yaml", verbosity=0)
        first, second = Site.objects.order_by("pk")[:2]
        yield first, second
        transaction.set_rollback(True)


def lists() -> list[str]:
    """Addresses that answer with many records, the files of every kind among them."""
    files = [f"/api/export/{kind}.{ending}" for kind in KINDS for ending in ("csv", "yaml")]
    return [path for method, path in operations() if method == "get" and "1." not in path and "/1/" not in path] + files


@pytest.mark.django_db
@pytest.mark.parametrize("path", lists())
@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume")
def test_no_list_shows_another_site(path: str, two_sites: tuple[Site, Site], client: Client) -> None:
    first, second = two_sites
    user, _ = ensure_user("local", role=Role.ADMIN, site=first)
    client.force_login(user)
    file = path.startswith("/api/export/") and path.rpartition("/")[2].partition(".")[0] in KINDS
    answer = client.get(path, of_those(path, {"page_size": "500", "q": "a"}))
    assert answer.status_code in ((200,) if file else (200, 400, 403))
    text = text_of(answer)
    for name in secret_names(second):
        if name in text:
            assert not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text), f"{path} shows {name} of another site"


def text_of(answer: Any) -> str:
    """The body, of streams and archives too."""
    body = b"".join(answer)
    if answer.headers["Content-Type"] in ("application/zip",):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            body = b"\n".join(archive.read(name) for name in archive.namelist())
    return body.decode(errors="replace")


@cache
def secret_names(site: Site) -> list[str]:
    """Names and serials that only this site has."""
    from inventory.models import Cable, Component, Device, Rack

    here: list[str] = [site.slug]
    others: set[str] = set()
    for model, field, scope in (
        (Device, "name", "site"), (Device, "serial", "site"), (Rack, "name", "room__site"),
        (Cable, "label", "site"), (Component, "serial", "site"),
    ):  # fmt: skip
        here += list(model.objects.filter(**{scope: site}).exclude(**{field: ""}).values_list(field, flat=True)[:500])
        others |= set(model.objects.exclude(**{scope: site}).values_list(field, flat=True))
    return [name for name in here if name not in others]


@pytest.mark.django_db
def test_no_record_of_another_site_can_be_opened(two_sites: tuple[Site, Site], client: Client) -> None:
    first, second = two_sites
    user, _ = ensure_user("local", role=Role.ADMIN, site=first)
    everyone, _ = ensure_user("everyone", role=Role.ADMIN)
    walked = 0
    for method, path in operations():
        if method != "get" or path.count("/1/") != 1 or path.startswith(PERSONAL) or path.startswith("/api/users/"):
            continue
        listing = path.split("1/")[0]
        client.force_login(everyone)
        answer = client.get(listing, of_those(listing, {"page_size": "500"}))
        body = answer.json() if answer.status_code == 200 else []
        rows = body if isinstance(body, list) else body.get("results", [])
        names = set(secret_names(second))
        for row in rows[:500]:
            if names & {value for value in row.values() if isinstance(value, str)}:
                client.force_login(user)
                assert client.get(path.replace("/1/", f"/{row['id']}/")).status_code == 404, path
                walked += 1
                break
    assert walked >= 6, "the walk found too few kinds of record to prove anything"
