"""Imports from NetBox over the API: who may, what is kept, what is shown."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from access.netbox_runs import run_import
from access.tasks import run_netbox_import
from core.models import Role, Site
from core.services import ensure_user, set_credential
from core.work import dispatch
from inventory.models import Device, NetBoxRun
from inventory.netbox import run as netbox_run
from inventory.netbox.tests.fake_netbox import OLD_TOKEN, FakeNetBox
from inventory.netbox.tests.small_site import small_site

pytestmark = pytest.mark.django_db
URL = "/api/imports/netbox/"


@pytest.fixture
def netbox() -> Iterator[FakeNetBox]:
    set_credential("netbox", kind="password", username="api", secret=OLD_TOKEN, purpose="netbox", hosts=["127.0.0.1"])
    with FakeNetBox() as server:
        small_site(server)
        yield server


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What is handed to a worker."""
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(run_netbox_import, "apply_async", lambda words, queue: asked.append((words, queue)))
    return asked


def client(role: str = Role.ADMIN, site: Site | None = None) -> APIClient:
    user, _ = ensure_user(f"{role}-{site}", role=role, site=site)
    made = APIClient()
    made.force_authenticate(user)
    return made


def test_an_import_is_started_done_by_a_worker_and_looked_at(
    netbox: FakeNetBox, queued: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    admin = client()
    with django_capture_on_commit_callbacks(execute=True):
        answer = admin.post(URL, {"url": netbox.url, "credential": "netbox", "dry_run": False}, format="json")
    assert answer.status_code == 202, answer.json()
    started = answer.json()
    assert (started["status"], started["progress"]["stage"]) == ("reading", None)
    assert queued == [((started["id"], "netbox"), "ingest")]
    run_import(*queued[0][0])
    done = admin.get(f"{URL}{started['id']}/").json()
    assert (done["status"], done["version"], done["counts"]["devices"]["created"]) == ("done", "4.6.8", 11)
    assert done["findings_total"] == len(done["findings"]) > 20
    assert Device.objects.count() == 12
    listed = admin.get(URL).json()["results"]
    assert [(run["id"], run["findings"]) for run in listed] == [(started["id"], [])]
    rows = list(csv.DictReader(admin.get(f"{URL}{started['id']}/findings.csv").content.decode().splitlines()))
    assert len(rows) == done["findings_total"]


def test_only_administrators_of_every_site_may(netbox: FakeNetBox, queued: list[Any]) -> None:
    site = Site.objects.create(slug="s", name="S")
    for somebody in (client(Role.OPERATOR), client(Role.ADMIN, site)):
        answer = somebody.post(URL, {"url": netbox.url, "credential": "netbox"}, format="json")
        assert answer.status_code == 403
        assert somebody.get(URL).status_code == 403
    assert NetBoxRun.objects.count() == 0 and queued == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"credential": "none"}, "credential"),
        ({"url": "netbox"}, "url"),
        ({"options": {"colour": "red"}}, "options"),
        ({"options": ["a"]}, "options"),
    ],
)
def test_a_wrong_request_is_refused_with_its_field(
    netbox: FakeNetBox, queued: list[Any], changes: dict[str, Any], field: str
) -> None:
    answer = client().post(URL, {"url": netbox.url, "credential": "netbox", **changes}, format="json")
    assert answer.status_code == 400
    assert list(answer.json()["error"]["fields"]) == [field]
    assert queued == []


def test_an_import_that_is_handed_out_again_while_it_is_done_stays_as_it_is(netbox: FakeNetBox) -> None:
    steps = {"progress": {"stage": "x"}, "seconds": {}}
    run = NetBoxRun.objects.create(url=netbox.url, by="mk", status="writing", steps=steps)
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, %s)", [7_209, run.pk])
        run_import(run.pk, "netbox")
        dispatch.follow(netbox_run.WORK.every_s)
    finally:
        other.close()
    run.refresh_from_db()
    assert (run.status, run.message, run.steps) == ("writing", "", steps)


def test_an_import_that_is_done_is_not_done_again(netbox: FakeNetBox) -> None:
    run = NetBoxRun.objects.create(url=netbox.url, by="mk", status="done")
    run_import(run.pk, "netbox")
    assert not Device.objects.exists()


def test_what_went_wrong_stands_in_the_run(netbox: FakeNetBox) -> None:
    run = NetBoxRun.objects.create(url=netbox.url, by="x")
    netbox.tokens.clear()
    run_import(run.pk, "netbox")
    run.refresh_from_db()
    assert run.status == "failed" and "refused the token" in run.message
    run_import(run.pk, "gone")
    run.refresh_from_db()
    assert run.message == "There is no credential gone any more."
