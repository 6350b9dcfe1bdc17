"""What a device model says ends in commands that run as root on every machine of it: an administrator's to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from core.models import Role, Site
from inventory.kinds import KINDS, Scope, write
from inventory.models import Device, DeviceModel
from inventory.transfer.imports import import_file

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]
SignIn = Callable[..., APIClient]
SPEC: dict[str, Any] = {"model": "my-box", "vendor": "V", "name": "N", "kind": "machine", "u_height": 1}
NOT_ADMIN = (Role.VIEWER, Role.TECHNICIAN, Role.OPERATOR)


@pytest.mark.parametrize("role", NOT_ADMIN)
def test_whoever_is_no_administrator_changes_no_device_model_by_any_way(
    role: Role, two_sites: Sites, as_role: SignIn
) -> None:
    client, before = as_role(role), list(DeviceModel.objects.order_by("pk").values())
    known = DeviceModel.objects.first()
    assert known is not None
    answers = [
        client.post("/api/device-models/", {"spec": SPEC}, format="json"),
        client.post("/api/device-models/", [{"spec": SPEC}], format="json"),
        client.patch(f"/api/device-models/{known.slug}/", {"spec": known.spec | {"power_w": 1}}, format="json"),
        client.patch("/api/device-models/", [{"id": known.pk, "spec": known.spec | {"power_w": 1}}], format="json"),
        client.delete(f"/api/device-models/{known.slug}/"),
    ]
    assert {answer.status_code for answer in answers} <= {400, 403}
    scope = Scope({None: role})
    for row in ({"spec": SPEC}, {"id": known.pk, "spec": known.spec | {"power_w": 1}}):
        report = write("device-models", [row], "upsert", scope=scope, actor="x")
        assert [error.code for each in report.rows for error in each.errors] == ["permission_denied"]
    refused = import_file(KINDS["device-models"], "m.json", b'[{"spec": ' + _json(SPEC) + b"}]", scope=scope, actor="x")
    assert not refused.ok
    assert list(DeviceModel.objects.order_by("pk").values()) == before


def _json(value: Any) -> bytes:
    import json

    return json.dumps(value).encode()


def test_an_administrator_of_one_site_is_none_of_what_all_sites_share(two_sites: Sites, as_role: SignIn) -> None:
    client = as_role(Role.ADMIN, site=two_sites[0])
    assert client.post("/api/device-models/", {"spec": SPEC}, format="json").status_code in (400, 403)
    assert not DeviceModel.objects.filter(slug="my-box").exists()


def test_an_administrator_writes_them_and_an_operator_places_devices_of_them(two_sites: Sites, as_role: SignIn) -> None:
    made = as_role(Role.ADMIN).post("/api/device-models/", {"spec": SPEC}, format="json")
    assert made.status_code == 201, made.json()
    placed = as_role(Role.OPERATOR).post(
        "/api/devices/", {"site": two_sites[0].slug, "name": "box-1", "model": "my-box"}, format="json"
    )
    assert placed.status_code == 201, placed.json()
    assert Device.objects.get(name="box-1").model.slug == "my-box"
    same = as_role(Role.OPERATOR).post("/api/device-models/", [{"spec": SPEC}], format="json")
    assert same.status_code in (200, 201, 400, 403)  # whatever it is called, nothing changes
    assert DeviceModel.objects.get(slug="my-box").power_w == 0
