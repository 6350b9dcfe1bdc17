"""What charts mark: whole sites and single devices, by whom, and never the wrong way round in time."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from core.models import Role, Site
from core.services import ensure_user
from inventory.models import Annotation, Device

pytestmark = pytest.mark.django_db
AT, LATER = "2026-11-01T10:00:00Z", "2026-11-01T11:00:00Z"


@pytest.fixture
def tina(two_sites: Any) -> Client:
    user, _ = ensure_user("tina", role=Role.TECHNICIAN)
    client = Client()
    client.force_login(user)
    return client


def annotate(client: Client, **body: Any) -> Any:
    return client.post("/api/annotations/", body, content_type="application/json")


def test_a_technician_annotates_a_device_whose_site_it_takes_and_its_maker_is_kept(tina: Client) -> None:
    device = Device.objects.filter(machine__isnull=False).first()
    assert device is not None
    made = annotate(tina, device=device.pk, at=AT, text="New firmware")
    assert made.status_code == 201, made.content
    row = Annotation.objects.get()
    assert (row.site_id, row.device_id, row.author, row.until) == (device.site_id, device.pk, "tina", None)
    found = tina.get(f"/api/annotations/?site={device.site_id}&at__lte={LATER}&ordering=-at").json()
    assert [(each["text"], each["author"], each["device_name"]) for each in found["results"]] == [
        ("New firmware", "tina", device.name)
    ]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"until": AT}, "until"),
        ({"until": "2026-11-01T09:00:00Z"}, "until"),
        ({"text": " "}, "text"),
        ({"at": "yesterday"}, "at"),
        ({"site": None}, "site"),
    ],
)
def test_what_cannot_be_is_refused_by_its_field_and_changes_nothing(
    wrong: dict[str, Any], field: str, tina: Client
) -> None:
    body = {"site": Site.objects.order_by("pk")[0].pk, "at": AT, "text": "Cooling"} | wrong
    refused = annotate(tina, **body)
    assert refused.status_code == 400 and field in refused.json()["error"]["fields"], refused.content
    assert not Annotation.objects.exists()


def test_a_device_of_another_site_and_the_same_words_at_the_same_time_are_refused(tina: Client) -> None:
    one, other = Site.objects.order_by("pk")[:2]
    elsewhere = Device.objects.filter(site=other).first()
    assert elsewhere is not None
    assert annotate(tina, site=one.pk, device=elsewhere.pk, at=AT, text="x").status_code == 400
    assert annotate(tina, site=one.pk, at=AT, text="Cooling").status_code == 201
    assert annotate(tina, site=one.pk, at=AT, text="Cooling").status_code in (400, 409)
    assert annotate(tina, site=other.pk, at=AT, text="Cooling").status_code == 201


def test_a_viewer_reads_annotations_and_makes_none(tina: Client) -> None:
    site = Site.objects.order_by("pk")[0]
    annotate(tina, site=site.pk, at=AT, until=LATER, text="Cooling")
    viewer = Client()
    viewer.force_login(ensure_user("vera", role=Role.VIEWER)[0])
    assert viewer.get("/api/annotations/").json()["count"] == 1
    assert annotate(viewer, site=site.pk, at=AT, text="Mine").status_code == 403
    pk = Annotation.objects.get().pk
    assert viewer.delete(f"/api/annotations/{pk}/").status_code == 403
    assert tina.delete(f"/api/annotations/{pk}/").status_code == 204
