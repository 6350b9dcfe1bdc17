"""A rack unit has one form wherever it stands: a number, 12 for U12 and 12.5 for its upper half."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
import yaml

from core.models import Site
from inventory.kinds import Scope, write
from inventory.models import Device, Port, Rack
from inventory.specs.units import unit_of, whole
from inventory.tests.full_inventory import stream
from inventory.tests.test_transfer import take

db = pytest.mark.django_db
Sites = tuple[Site, Site]
PANEL = {"model": "half", "vendor": "X", "name": "Half", "kind": "panel", "u_height": 1.5,
         "ports": [{"name": "F 1", "kind": "front"}, {"name": "F 2", "kind": "front"}]}  # fmt: skip


def put(kind: str, *rows: Any, mode: Any = "upsert") -> Any:
    return write(kind, rows, mode, scope=Scope.everything(), actor="mk")


@pytest.fixture
def mounted(two_sites: Sites) -> dict[str, float]:
    """Panels by name at a whole unit and at a half one."""
    assert put("device-models", {"spec": PANEL}).ok
    places = {"p-whole": 30, "p-half": 33.5}
    rows = [{"site": "north", "name": name, "model": "half", "rack": "B02", "u": u} for name, u in places.items()]
    assert put("devices", *rows).ok
    return places


def test_half_units_are_units() -> None:
    assert [repr(unit_of(half)) for half in (1, 2, 23, 24)] == ["1", "1.5", "12", "12.5"]
    assert [repr(whole(units)) for units in (12.0, 12.5, 0)] == ["12", "12.5", "0"]


@db
def test_every_answer_and_file_says_it_alike(mounted: dict[str, float], as_role: Any) -> None:
    client = as_role("admin")
    rack = Rack.objects.get(name="B02", room__site__slug="north")
    csv_rows = csv.DictReader(io.StringIO(stream(client.get("/api/export/devices.csv?rack_name=B02")).decode()))
    in_csv = {row["name"]: row["u"] for row in csv_rows}
    in_yaml = {
        row["name"]: row["u"] for row in yaml.safe_load(stream(client.get("/api/export/devices.yaml?rack_name=B02")))
    }
    in_list = {row["name"]: row for row in client.get("/api/devices/", {"rack": rack.pk}).json()["results"]}
    elevation = {row["name"]: row for row in client.get(f"/api/racks/{rack.pk}/elevation/").json()["front"]}
    for name, u in mounted.items():
        device = Device.objects.get(name=name)
        port = Port.objects.filter(device=device).order_by("pk")[0]
        trace = client.get(f"/api/trace/{port.pk}/").json()
        forms = [
            in_yaml[name], in_list[name]["u"], in_list[name]["place"]["u"], elevation[name]["u"],
            trace["port"]["place"]["u"],
        ]  # fmt: skip
        assert {repr(form) for form in forms} == {repr(u)}, forms
        assert in_csv[name] == str(u)
        assert client.get("/api/devices/", {"u": u, "rack": rack.pk}).json()["count"] == 1
    model = client.get("/api/device-models/half/").json()
    assert repr(model["height_u"]) == "1.5"
    assert {repr(in_list[name]["place"]["height_u"]) for name in mounted} == {"1.5"}


@db
def test_it_is_taken_as_a_number_and_anything_else_is_refused_with_the_form(
    mounted: dict[str, float], as_role: Any
) -> None:
    row = {"site": "north", "name": "p-half"}
    assert put("devices", row | {"u": "35.5"}).changed == 1
    assert take("devices", "site,name,u\nnorth,p-half,36\n").changed == 1
    for wrong in ("U12", "u12"):
        (error,) = put("devices", row | {"u": wrong}).rows[0].errors
        assert (error.field, error.reason) == ("u", "a number without the letter: 12 for U12, 12.5 for its upper half")
    assert put("devices", row | {"u": 12.3}).rows[0].errors[0].reason == "a whole or half unit"
    client = as_role("viewer")
    assert client.get("/api/devices/", {"u": 12.3}).status_code == 400
    assert client.get("/api/devices/", {"u": "U12"}).status_code == 400
    assert put("reservations", {"site": "north", "rack": "B02", "u": 40.5, "reason": "x"}).ok
    assert client.get("/api/reservations/", {"u": 40.5}).json()["count"] == 1
