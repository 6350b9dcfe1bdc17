"""A site that one may not see is as if it were not there: in answers, files, refusals and filters."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client

from core.accounts.scope import visible_site_ids
from core.models import Role, Site
from core.services import ensure_user
from inventory import models
from inventory.kinds import KINDS, Scope
from inventory.transfer.archive import write_zip
from inventory.transfer.export import export
from tests.schema import api_document, filters_of
from tests.test_every_route import operations, secret_names

NOBODY = 99_999_999  # an id that nothing has
Sites = tuple[Site, Site]


@pytest.fixture(scope="module")
def sites(django_db_setup: None, django_db_blocker: Any) -> Iterator[Sites]:
    """Loaded once for the module, in a transaction that is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        call_command("load_fleet", "inventory/fleets/two-sites.yaml", verbosity=0)
        first, second = Site.objects.order_by("pk")[:2]
        yield first, second
        transaction.set_rollback(True)


@pytest.fixture
def local(sites: Sites, db: None) -> Client:
    """An administrator of the first site."""
    user, _ = ensure_user("local", role=Role.ADMIN, site=sites[0])
    client = Client()
    client.force_login(user)
    return client


def records(site: Site) -> dict[str, int]:
    """A record of each kind at a site, by the beginning of its address."""
    devices, ports = models.Device.objects.filter(site=site), models.Port.objects.filter(device__site=site)
    machines = devices.filter(kind="machine")
    found: dict[str, Any] = {
        "sites": Site.objects.filter(pk=site.pk),
        "rooms": models.Room.objects.filter(site=site),
        "rows": models.Row.objects.filter(room__site=site),
        "racks": models.Rack.objects.filter(room__site=site),
        "devices": machines,
        "machines": machines,
        "switches": devices.filter(kind="switch"),
        "pdus": devices.filter(kind="pdu"),
        "ports": ports,
        "trace": ports,
        "cables": models.Cable.objects.filter(site=site),
        "components": models.Component.objects.filter(site=site),
    }
    return {name: rows.order_by("pk").first().pk for name, rows in found.items() if rows.exists()}


NAMED = {
    "site": "sites", "room": "rooms", "row": "rows", "rack": "racks", "device": "devices", "machine": "machines",
    "port": "ports", "cable": "cables", "component": "components",
}  # fmt: skip


def told(answer: HttpResponseBase, pk: int) -> tuple[int, str]:
    """Status and body without what differs anyway: the id that was asked for and the id of the request."""
    body = getattr(answer, "content", b"").decode(errors="replace")
    return answer.status_code, re.sub(rf'"request_id":\s*"[^"]*"|\b{pk}\b', "", body)


def send(client: Client, method: str, path: str, body: Any) -> HttpResponseBase:
    answer: HttpResponseBase = getattr(client, method)(path, json.dumps(body), content_type="application/json")
    return answer


def test_every_route_of_a_record_elsewhere_answers_as_for_one_that_is_not_there(local: Client, sites: Sites) -> None:
    there, walked = records(sites[1]), 0
    for method, path in operations():
        kind = path.split("/")[2]
        if kind not in there or not path.startswith(f"/api/{kind}/1/"):
            continue
        answers = []
        for pk in (there[kind], NOBODY):
            address = path.replace("/1/", f"/{pk}/", 1)
            answer = local.get(address) if method == "get" else send(local, method, address, {})
            answers.append(told(answer, pk))
        assert answers[0] == answers[1], (method, path)
        assert answers[0][0] in (403, 404), (method, path, answers[0])
        walked += 1
    assert walked > 60, "too few routes to prove anything"


@pytest.mark.slow
def test_no_filter_tells_whether_a_record_elsewhere_exists(local: Client, sites: Sites) -> None:
    there, walked = records(sites[1]), 0
    for path, methods in api_document()["paths"].items():
        if "get" not in methods or "{" in path or path == "/api/export/prometheus-sd/":  # its port is one of TCP
            continue
        for name in filters_of(methods["get"]):
            if name in NAMED:
                first, second = (told(local.get(path, {name: pk}), pk) for pk in (there[NAMED[name]], NOBODY))
                assert first[0] == second[0] and (first[0] < 400 or first == second), (path, name, first, second)
                walked += 1
    assert walked > 60, "too few filters to prove anything"


BODIES: list[tuple[str, str, str, Callable[[int], Any]]] = [
    ("post", "/api/naming/apply/", "sites", lambda pk: {"site": pk}),
    ("post", "/api/webhooks/", "sites",
     lambda pk: {"site": pk, "name": "x", "url": "https://example.org/", "events": ["*"]}),
    ("post", "/api/endpoints/", "machines", lambda pk: {"machine": pk, "kind": "ssh", "address": "10.0.0.1"}),
    ("post", "/api/comments/", "racks", lambda pk: {"rack": pk, "text": "x"}),
    ("post", "/api/tickets/", "machines", lambda pk: {"machine": pk, "title": "x"}),
    ("patch", "/api/racks/", "racks", lambda pk: [{"id": pk, "name": "Q"}]),
    ("delete", "/api/racks/", "racks", lambda pk: [pk]),
    ("post", "/api/rows/", "rooms", lambda pk: {"room": pk, "name": "Z", "position": 9}),
    ("post", "/api/ip-addresses/", "devices", lambda pk: {"device": pk, "address": "10.9.9.9"}),
    ("post", "/api/pass-throughs/", "ports", lambda pk: {"front": pk, "rear": pk}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "kind", "body"), BODIES, ids=[f"{method} {path}" for method, path, *_ in BODIES]
)
def test_no_refusal_tells_whether_a_record_elsewhere_exists(
    method: str, path: str, kind: str, body: Callable[[int], Any], local: Client, sites: Sites
) -> None:
    there = records(sites[1])[kind]
    first, second = (told(send(local, method, path, body(pk)), pk) for pk in (there, NOBODY))
    assert first == second
    assert first[0] >= 400


def test_one_row_of_another_site_refuses_all_rows(local: Client, sites: Sites) -> None:
    here, there = records(sites[0]), records(sites[1])
    rows = [{"id": here["racks"], "serial": "NEW-1"}, {"id": there["racks"], "serial": "NEW-2"}]
    assert send(local, "patch", "/api/racks/", rows).status_code == 400
    assert not models.Rack.objects.filter(serial__startswith="NEW-").exists()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_export_shows_another_site(kind: str, sites: Sites) -> None:
    names = secret_names(sites[1])
    seen = KINDS[kind].limited(Scope({sites[0].pk: Role.ADMIN}).visible)
    text = b"".join(export(kind, "json", seen)).decode()
    shown = [name for name in names if f'"{name}"' in text]
    assert not shown


def test_an_archive_holds_what_one_may_see(local: Client, sites: Sites) -> None:
    packed = io.BytesIO()
    assert write_zip(packed, visible_site_ids({sites[0].pk: Role.ADMIN}), "json")
    with zipfile.ZipFile(packed) as archive:
        text = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert sites[0].slug in text
    assert not [name for name in secret_names(sites[1]) if f'"{name}"' in text]
