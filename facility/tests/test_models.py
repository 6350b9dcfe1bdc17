"""What a device model says of air, from its file to the findings."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from facility.findings.models import Finding
from facility.overview import sums
from facility.tests.conftest import Hall
from inventory.models import Device, DeviceModel, Rack

pytestmark = pytest.mark.django_db
MODEL = "dell-xe9680-h100"


@pytest.fixture
def admin(as_role: Callable[..., APIClient]) -> APIClient:
    return as_role("admin")


def found(hall: Hall) -> set[tuple[str, str]]:
    """Kind and subject of what is open now."""
    sums.add_up_site(hall.site.pk, timezone.now())
    return set(Finding.objects.filter(closed_at=None).values_list("kind", "subject_name"))


def of_class(client: APIClient, name: str, air_class: str) -> DeviceModel:
    """A model like that of the hall's first machine, written over the API."""
    spec = DeviceModel.objects.get(slug=MODEL).spec | {"model": name, "air_class": air_class}
    answer = client.post("/api/device-models/", {"spec": spec}, format="json")
    assert answer.status_code == 201, answer.content
    assert answer.json()["air_class"] == air_class
    return DeviceModel.objects.get(slug=name)


def test_machines_of_two_classes_in_the_same_air_are_found_by_their_own(hall: Hall, admin: APIClient) -> None:
    strict, wide = of_class(admin, "strict-box", "H1"), of_class(admin, "wide-box", "A4")
    one, other, plain = (machine.device for machine in hall.machines[:3])
    Device.objects.filter(pk=one.pk).update(model=strict)
    Device.objects.filter(pk=other.pk).update(model=wide)
    assert [each["slug"] for each in admin.get("/api/device-models/", {"air_class": "H1"}).json()["results"]] == [
        "strict-box"
    ]
    hall.tell_all(inlet_c=24.0)
    assert found(hall) == {("inlet.hot", one.name)}
    hall.tell_all(inlet_c=26.0)
    assert found(hall) == {("air.class", one.name)}
    assert "class H1 allows 15 to 25 °C" in Finding.objects.get(kind="air.class", closed_at=None).text
    hall.tell_all(inlet_c=38.0)
    hot = found(hall)
    assert {("air.class", one.name), ("inlet.hot", other.name), ("air.class", plain.name)} <= hot
    assert ("air.class", other.name) not in hot, "class A4 allows it"

    rack = Rack.objects.get(placements__device=one)
    page = admin.get(f"/api/facility/racks/{rack.pk}/").json()
    states = {each["device"]["name"]: each["state"] for each in page["heights"] if each["kind"] == "machine"}
    assert (states[one.name], states[other.name], states[plain.name]) == ("bad", "warn", "bad")
    answer = admin.get("/api/facility/what-if/", {"question": "inlet", "site": hall.site.pk, "by_c": 5}).json()
    assert answer["racks"], answer


@pytest.mark.parametrize("air_class", ["A5", "a1", 1])
def test_a_class_that_ashrae_does_not_have_is_refused_with_the_field(
    hall: Hall, admin: APIClient, air_class: object
) -> None:
    spec = DeviceModel.objects.get(slug=MODEL).spec | {"model": "odd-box", "air_class": air_class}
    answer = admin.post("/api/device-models/", {"spec": spec}, format="json")
    assert answer.status_code == 400 and "air_class" in answer.content.decode()
