"""An inventory with at least one record of every kind, for tests of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from core.models import Role, Site
from core.services import ensure_user
from inventory import models
from inventory.kinds import Scope, write
from tests.kept_rows import load_fleet, once

TWO_SITES = Path(__file__).parents[1] / "fleets" / "two-sites.yaml"
Sites = tuple[Site, Site]
ALL = Scope.everything()


def put(kind: str, *rows: Any) -> None:
    report = write(kind, rows, "upsert", scope=ALL, actor="mk")
    assert report.ok, report.errors()


def stream(answer: Any) -> bytes:
    """What a download has in it."""

    async def all_of() -> bytes:
        return b"".join([piece async for piece in answer.streaming_content])

    return async_to_sync(all_of)()


@pytest.fixture
def full(db: Any) -> Sites:
    """Two sites with at least one record of every kind, some with odd texts."""
    once("full", fill)
    return Site.objects.get(slug="north"), Site.objects.get(slug="south")


def fill() -> None:
    load_fleet(TWO_SITES)
    put("contacts", {"name": "Vendor", "phone": "+31 20 5555"}, {"site": "north", "name": "NOC", "note": "=1+1"})
    put("tags", {"name": "new", "colour": "#00ff00"}, {"name": "-old", "description": "'=x"})
    put("custom-fields",
        {"name": "zone", "title": "Zone", "type": "choices", "kinds": ["racks", "devices"], "choices": ["b", "a"]},
        {"name": "price", "title": "Price", "type": "number", "kinds": ["racks"], "minimum": 0.5})  # fmt: skip
    put("racks", {"site": "north", "room": "Hall 1", "name": "B02", "tags": ["-old", "new"], "contact": "NOC",
                  "custom": {"zone": ["a", "b"], "price": 12.5}})  # fmt: skip
    put("racks", {"site": "north", "room": "Hall 1", "name": "007", "x_mm": 1, "y_mm": 2, "serial": "1e5"})
    put("landmarks",
        {"site": "north", "room": "Hall 1", "name": "Fire panel", "kind": "landmark", "x_mm": 0, "y_mm": 1200},
        {"site": "north", "room": "Hall 1", "name": "=Door 2", "kind": "door", "x_mm": 0, "y_mm": 0})  # fmt: skip
    put("power-panels", {"site": "north", "name": "P1", "room": "Hall 1"})
    put("power-feeds", {"site": "north", "name": "F1", "panel": "P1", "voltage_v": 400, "current_a": 32})
    put("naming-rules", {"site": "north", "kind": "switch", "tier": "leaf", "pattern": "{tier}-{rack}-u{u:02}"})
    put("storage-places", {"site": "north", "name": "Shelf 1"})
    put("stock", {"site": "north", "storage": "Shelf 1", "kind": "optic", "part_number": "M4", "quantity": 3})
    put("reservations", {"site": "north", "rack": "B02", "u": 40.5, "height_u": 1.5, "reason": "@later"})
    put("ip-addresses", {"site": "north", "device": "hgx-a01-01", "port": "mlx5_0", "address": "fd00::1"})
    ensure_user("mk", role=Role.ADMIN)
    put("comments", {"site": "north", "device": "hgx-a01-01", "text": "=1+1 and\nmore"},
        {"site": "north", "rack": "A01", "text": "Door squeaks.", "at": "2026-03-01T10:00:00.000001Z"})  # fmt: skip
    put("annotations", {"site": "north", "at": "2026-03-01T10:00:00.000001Z", "text": "=Cooling worked on"},
        {"site": "north", "device": "hgx-a01-01", "at": "2026-03-02T10:00:00Z", "until": "2026-03-02T11:00:00Z",
         "text": "New firmware"})  # fmt: skip
    put("change-sets", {"site": "north", "name": "Plan 1"})
    panel = {
        "model": "panel-2", "vendor": "X", "name": "Panel", "kind": "panel", "u_height": 1,
        "ports": [{"name": "R 1", "kind": "rear", "positions": 2}, {"name": "F 1", "kind": "front", "rear": "R 1"}],
    }  # fmt: skip
    put("device-models", {"spec": panel})
    put("devices",
        {"site": "north", "name": "p1", "model": "panel-2", "rack": "B02", "u": 39, "warranty_until": "2030-01-31"},
        {"site": "north", "name": "p2", "model": "panel-2", "parent": "p1", "bay": "1"})  # fmt: skip
    put("components", {"site": "north", "kind": "gpu", "serial": "007", "part_number": "P", "storage": "Shelf 1"})
    put("cables", {"site": "north", "label": "B-1", "type": "DAC", "bundle": "x",
                   "a": [{"device": "leaf-1", "port": "20/1"}, {"device": "leaf-1", "port": "20/2"}],
                   "b": [{"device": "leaf-2", "port": "20/1", "connector": 1, "lane": 1, "serial": "S1"},
                         {"device": "leaf-2", "port": "20/2", "connector": 2, "lane": 2}]},
        {"site": "north", "label": "Gone", "type": "DAC", "status": "removed"})  # fmt: skip
    device = models.Device.objects.get(name="hgx-b01-02")
    assert write("devices", [{"id": device.pk}], "delete", scope=ALL, actor="mk").ok
