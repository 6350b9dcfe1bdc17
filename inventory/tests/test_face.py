"""What one looks at in front of a device."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from core.models import Role, User
from core.services import ensure_user
from inventory.models import Device, DeviceModel, PassThrough, Port
from inventory.queries import face_of

pytestmark = pytest.mark.django_db


def test_every_port_of_a_switch_has_its_box_within_its_cage(
    small: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    leaf = Device.objects.get(name="leaf-a01-r1")
    with django_assert_num_queries(3):
        face = face_of(leaf.pk)
    assert face["kind"] == "switch" and face["u_height"] == 1
    assert face["place"] == "Hall 1 › Row A › Rack A01 › U39 front"
    assert [port["name"] for port in face["ports"]] == [port.name for port in leaf.ports.order_by("id")]
    fabric = [port for port in face["ports"] if port["cage"] is not None]
    cages = {cage["cage"]: cage for cage in face["cages"]}
    assert len(fabric) == 64 and len(cages) == 32
    for port in fabric:
        cage, box = cages[port["cage"]], port["box"]
        assert cage["x"] <= box["x"] and box["x"] + box["w"] <= cage["x"] + cage["w"] + 1e-4
        assert cage["y"] <= box["y"] and box["y"] + box["h"] <= cage["y"] + cage["h"] + 1e-4


def test_a_pdu_has_its_outlets_without_a_place_on_a_front(small: Path) -> None:
    face = face_of(Device.objects.get(name="pdu-a01-a").pk)
    outlets = [port for port in face["ports"] if port["kind"] == "power_outlet"]
    assert outlets and not face["cages"] and all(port["box"] is None for port in outlets)


def test_a_panel_says_which_ports_are_joined_inside(small: Path) -> None:
    panel = Device.objects.get(name="pdu-a01-a")
    rear, one, two = (
        Port.objects.create(device=panel, name=name, kind=kind)
        for name, kind in (("R1", "rear"), ("F1", "front"), ("F2", "front"))
    )
    PassThrough.objects.create(device=panel, rear=rear, front=two, position=2)
    PassThrough.objects.create(device=panel, rear=rear, front=one, position=1)
    inside = {port["id"]: port["inside"] for port in face_of(panel.pk)["ports"]}
    assert inside[rear.pk] == [one.pk, two.pk] and inside[one.pk] == inside[two.pk] == [rear.pk]


def test_a_model_that_cannot_be_used_costs_the_picture_and_not_the_ports(small: Path) -> None:
    leaf = Device.objects.get(name="leaf-a01-r1")
    DeviceModel.objects.filter(pk=leaf.model_id).update(spec={"model": "x", "ports": "none"})
    face = face_of(leaf.pk)
    assert not face["cages"] and len(face["ports"]) == leaf.ports.count()
    assert all(port["box"] is None for port in face["ports"])


def test_the_front_is_told_over_http_to_whoever_may_see_the_device(small: Path, client: Client) -> None:
    leaf = Device.objects.get(name="leaf-a01-r1")
    client.force_login(User.objects.create_user("stranger"))
    assert client.get(f"/api/devices/{leaf.pk}/face/").status_code == 403
    client.force_login(ensure_user("vera", role=Role.VIEWER)[0])
    assert client.get(f"/api/devices/{leaf.pk}/face/").json()["ports"][0]["name"]
    assert client.get("/api/devices/999999/face/").status_code == 404
