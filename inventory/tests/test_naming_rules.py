"""Naming rules of a site: saving them, the report, renaming in bulk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from core.models import Role, Site
from inventory.fleet.load import load
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.kinds import Scope, write
from inventory.models import Device, NamingRule
from inventory.queries.naming import site_names

pytestmark = pytest.mark.django_db

RULES = (
    ("machine", "", "hgx-{rack}-{n:02}"),
    ("switch", "tor", "mgmt-{rack}"),
    ("switch", "leaf", "{tier}-{rack}-u{u:02}"),
    ("pdu", "", "pdu-{rack}-{feed}"),
)


@pytest.fixture
def site(small: Path) -> Site:
    found = Site.objects.get()
    NamingRule.objects.bulk_create(NamingRule(site=found, kind=k, tier=t, pattern=p) for k, t, p in RULES)
    return found


@pytest.fixture
def operator(as_role: Callable[..., APIClient]) -> APIClient:
    return as_role("operator")


def report(client: APIClient, site: Site) -> dict[str, Any]:
    answer = client.get("/api/naming/report/", {"site": site.pk})
    assert answer.status_code == 200, answer.content
    return answer.json()


def apply(client: APIClient, site: Site, **more: Any) -> Any:
    return client.post("/api/naming/apply/", {"site": site.pk, **more}, format="json")


def save(site: Site, **rule: Any) -> Any:
    row = {"site": site.pk, "kind": "machine", "pattern": "hgx-{rack}-{n:02}"} | rule
    return write("naming-rules", [row], scope=Scope.everything(), actor="test")


def test_a_rule_is_refused_when_its_names_lead_to_no_single_place(small: Path) -> None:
    site = Site.objects.get()
    room = site.rooms.get()
    for name in ("X01", "A0"):  # a second rack 01, and one that runs into the unit
        room.racks.create(name=name, x_mm=0, y_mm=0)
    for pattern, reason in (
        ("{rack", "opens or closes no field"), ("{row}-u{u}", "no {rack}"), ("{rack:02}-u{u}", "could be"),
        ("{rack}{u}", "could be"),
    ):  # fmt: skip
        found = save(site, pattern=pattern)
        assert not found.ok
        (error,) = found.rows[0].errors
        assert error.field == "pattern" and reason in error.reason
        with pytest.raises(ValidationError):
            NamingRule(site=site, kind="machine", pattern=pattern).clean()
    assert not NamingRule.objects.exists()
    assert save(site).ok


def test_devices_that_are_called_what_their_place_says_agree(site: Site, operator: APIClient) -> None:
    found = report(operator, site)
    names = {each["name"]: each["proposed"] for each in found["disagree"]}
    assert not any(name.startswith(("hgx", "mgmt-a", "pdu")) for name in names)
    assert names["leaf-a01-r1"] == "leaf-a01-u39"
    assert found["agree"] == 24 + 7 + 14
    assert found["collisions"] == []


def test_a_machine_that_moved_is_reported_with_both_places(site: Site, operator: APIClient) -> None:
    machine = Device.objects.get(name="hgx-a02-04")
    machine.placement.half_units = (57, 69)  # U29 of the same rack: still the uppermost
    machine.placement.save()
    assert "hgx-a02-04" not in {each["name"] for each in report(operator, site)["disagree"]}
    first = Device.objects.get(name="hgx-a02-01")
    first.placement.delete()
    found = report(operator, site)
    moved = {each["name"]: each for each in found["disagree"]}["hgx-a02-02"]
    assert (moved["proposed"], moved["place"], moved["name_says"]) == (
        "hgx-a02-01", "Hall 1 row A rack A02 U11", "Hall 1 row A rack A02 number 2",
    )  # fmt: skip
    (nameless,) = found["unnamed"]
    assert (nameless["name"], nameless["reason"]) == ("hgx-a02-01", "it is not mounted")


def test_devices_trade_names_in_one_go_and_a_dry_run_writes_nothing(site: Site, operator: APIClient) -> None:
    one, two = Device.objects.get(name="hgx-a01-01"), Device.objects.get(name="hgx-a01-02")
    Device.objects.filter(pk=one.pk).update(name="x")
    Device.objects.filter(pk=two.pk).update(name="hgx-a01-01")
    Device.objects.filter(pk=one.pk).update(name="hgx-a01-02")
    wrong = {each["name"]: each["proposed"] for each in report(operator, site)["disagree"] if each["kind"] == "machine"}
    assert wrong == {"hgx-a01-01": "hgx-a01-02", "hgx-a01-02": "hgx-a01-01"}
    tried = apply(operator, site, devices=[one.pk, two.pk])
    assert (tried.status_code, tried.json()["dry_run"]) == (200, True)
    assert tried.json()["counts"]["changed"] == 2
    assert Device.objects.get(pk=one.pk).name == "hgx-a01-02"
    done = apply(operator, site, devices=[one.pk, two.pk], dry_run=False)
    assert done.status_code == 200, done.content
    assert [Device.objects.get(pk=pk).name for pk in (one.pk, two.pk)] == ["hgx-a01-01", "hgx-a01-02"]


def test_names_that_would_collide_are_refused_and_nothing_is_renamed(site: Site, operator: APIClient) -> None:
    NamingRule.objects.filter(kind="machine").update(pattern="hgx-{rack}")
    refused = apply(operator, site, dry_run=False)
    assert refused.status_code == 409
    error = refused.json()["error"]
    assert error["code"] == "duplicate"
    assert any("hgx-a01 is also that of" in row["errors"][0]["reason"] for row in error["rows"])
    assert Device.objects.filter(name="hgx-a01-01").exists()


def test_a_name_that_somebody_else_keeps_is_a_collision_too(site: Site, operator: APIClient) -> None:
    moved = Device.objects.get(name="leaf-a01-r1")
    Device.objects.filter(name="pdu-a01-b").update(name="leaf-a01-u39")
    refused = apply(operator, site, devices=[moved.pk], dry_run=False)
    assert refused.status_code == 409
    assert {row["key"] for row in refused.json()["error"]["rows"]} == {"leaf-a01-r1", "leaf-a01-u39"}


def test_the_whole_site_is_renamed_in_one_write_and_then_agrees(site: Site, operator: APIClient) -> None:
    before = len(report(operator, site)["disagree"])
    done = apply(operator, site, dry_run=False)
    assert done.status_code == 200, done.content
    assert done.json()["counts"]["changed"] == before > 0
    assert report(operator, site)["disagree"] == []


def test_only_operators_of_the_site_rename(site: Site, as_role: Callable[..., APIClient]) -> None:
    other = Site.objects.create(slug="other", name="Other")
    assert apply(as_role("viewer"), site).status_code == 403
    assert apply(as_role("operator", site=other), site).status_code == 400
    assert as_role("viewer", site=other).get("/api/naming/report/", {"site": site.pk}).status_code == 404
    assert report(as_role("viewer", site=site), site)["agree"]


def test_what_is_asked_wrongly_is_refused_by_field(site: Site, operator: APIClient) -> None:
    assert operator.get("/api/naming/report/").json()["error"]["fields"] == {"site": ["A number is needed."]}
    spine = Device.objects.get(name="spine-01")
    for devices in ([10**9], [spine.pk], ["x"], [0]):
        answer = apply(operator, site, devices=devices)
        assert (answer.status_code, list(answer.json()["error"]["fields"])) == (400, ["devices"])


def test_a_rule_that_new_racks_spoiled_names_nobody_and_says_why(site: Site, operator: APIClient) -> None:
    NamingRule.objects.filter(kind="machine").update(pattern="hgx-{rack:02}-{n}")
    found = report(operator, site)
    assert [rule["problem"] for rule in found["rules"]] == [None] * 4
    site.rooms.get().racks.create(name="X01", x_mm=0, y_mm=0)
    found = report(operator, site)
    problem = next(rule["problem"] for rule in found["rules"] if rule["kind"] == "machine")
    assert "could be" in problem
    assert {each["reason"] for each in found["unnamed"]} == {f"its rule is no good: {problem}"}


@pytest.mark.slow
def test_the_number_of_queries_does_not_grow_with_the_site(tmp_path: Path) -> None:
    taken = []
    for machines in (4, 60):
        path = tmp_path / f"{machines}.yaml"
        path.write_text(fleet_file(machines).replace("slug: north", f"slug: s{machines}"))
        load(path)
        site = Site.objects.get(slug=f"s{machines}")
        NamingRule.objects.bulk_create(NamingRule(site=site, kind=k, tier=t, pattern=p) for k, t, p in RULES)
        with CaptureQueriesContext(connection) as seen:
            names = site_names(site.pk)
        with CaptureQueriesContext(connection) as written:
            rows = [{"id": each.device.id, "name": each.proposed} for each in names.changes]
            assert write("devices", rows, "update", scope=Scope({None: Role.ADMIN}), actor="test").ok
        taken.append((len(seen), len(written)))
    assert taken[0] == taken[1]
    assert taken[0][0] == 4
