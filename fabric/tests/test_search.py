"""Findings and links of the fabric in `/api/search/`."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, RoleGrant, Site, User
from fabric.models import Finding
from fabric.tests.small import join, small_fabric

pytestmark = pytest.mark.django_db


def found(client: Client, query: str) -> list[tuple[str, str, str]]:
    rows = client.get("/api/search/", {"q": query}).json()["results"]
    return [(row["kind"], row["title"], row["url"]) for row in rows if row["kind"] in ("finding", "link")]


def of_site(slug: str, name: str) -> tuple[Finding, Client]:
    site = Site.objects.create(slug=slug, name=slug)
    source = small_fabric(site)
    join(source, "leaf-9", 7, "spine-9", 7, "wrong")
    now = timezone.now()
    finding = Finding.objects.create(
        source=source, site=site, key="cables:C0042", kind="wrong_port", state="open", severity="high", title="C0042",
        text="x", devices=["leaf-9"], cables=["C0042"], detail={}, first_seen_at=now, last_seen_at=now,
    )  # fmt: skip
    user = User.objects.create(username=name)
    RoleGrant.objects.create(user=user, site=site, role=Role.VIEWER)
    client = Client()
    client.force_login(user)
    return finding, client


@pytest.mark.parametrize("query", ["C0042", "leaf-9", "cables:C0042"])
def test_a_finding_is_found_by_key_device_and_cable_at_its_own_site(query: str) -> None:
    ours, client = of_site("west", "wilma")
    of_site("east", "emil")
    results = [row for row in found(client, query) if row[0] == "finding"]
    assert results == [("finding", "C0042", f"/fabric/findings/{ours.pk}")]
    Finding.objects.update(state="closed", closed_at=timezone.now(), opened_at=timezone.now())
    assert not [row for row in found(client, query) if row[0] == "finding"]


def test_a_link_is_found_by_its_key_and_by_its_ends_at_its_own_site() -> None:
    _, client = of_site("west", "wilma")
    of_site("east", "emil")
    link = ("link", "leaf-9:7", "/fabric/links?search=leaf-9%3A7")
    assert [row for row in found(client, "leaf-9:7") if row[0] == "link"] == [link]
    assert [row for row in found(client, "SPINE-9") if row[0] == "link"] == [link]
    assert found(client, "le") == [], "two letters are no answer"
