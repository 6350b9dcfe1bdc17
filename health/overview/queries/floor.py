"""The whole floor of one room in a handful of queries, as positional rows."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from django.utils import timezone

from core.database import prepared
from health.machines.cells import CELLS
from health.machines.hooks import notices_of

RACK_COLUMNS = ("id", "name", "row", "x_mm", "y_mm", "width_mm", "depth_mm", "facing", "height_u", "role")
RACK_FIELDS = ("id", "name", "row_id", "x_mm", "y_mm", "width_mm", "depth_mm", "facing", "height_u", "role")
MACHINE_COLUMNS = (
    "id", "name", "rack", "u", "height_u", "cell", "state", "worst", "reachability", "since", "ticket", "faults",
)  # fmt: skip
CELL_AT = MACHINE_COLUMNS.index("cell")

MACHINES = """
SELECT device.id, device.name, placement.rack_id, (lower(placement.half_units) + 1)::float8 / 2,
    (upper(placement.half_units) - lower(placement.half_units))::float8 / 2,
    health.cell, health.state, health.worst, health.reachability, health.state_since,
    nullif(health.ticket_key, ''), health.open_faults
FROM health_machinehealth health
JOIN inventory_device device ON device.id = health.machine_id
JOIN inventory_placement placement ON placement.device_id = device.id
JOIN inventory_rack rack ON rack.id = placement.rack_id
WHERE rack.room_id = %s AND health.state <> 'retired' AND placement.half_units IS NOT NULL
ORDER BY placement.rack_id, lower(placement.half_units)
"""

ROW_FIELDS = ("id", "name")
ROWS = f"SELECT {', '.join(ROW_FIELDS)} FROM inventory_row WHERE room_id = %s ORDER BY position"
AISLE_FIELDS = ("kind", "name", "x_mm", "y_mm", "width_mm", "depth_mm")
AISLES = f"SELECT {', '.join(AISLE_FIELDS)} FROM inventory_aisle WHERE room_id = %s ORDER BY y_mm, x_mm"
RACKS = f"SELECT {', '.join(RACK_FIELDS)} FROM inventory_rack WHERE room_id = %s ORDER BY id"


class FloorRoom(NamedTuple):
    """A room and its site, in millimetres."""

    id: int
    name: str
    width_mm: int
    depth_mm: int
    site: int
    slug: str
    site_name: str


ROOMS = """
SELECT room.id, room.name, room.width_mm, room.depth_mm, site.id, site.slug, site.name
FROM inventory_room room JOIN core_site site ON site.id = room.site_id
WHERE %(sites)s::bigint[] IS NULL OR site.id = ANY(%(sites)s::bigint[]) ORDER BY site.name, room.name
"""


def visible_rooms(sites: list[int] | None) -> list[FloorRoom]:
    """Rooms of these sites (None: of all), in the order a selector shows them."""
    return [FloorRoom(*row) for row in prepared.rows(ROOMS, {"sites": sites})]


def machine_rows(room_id: int) -> list[tuple[Any, ...]]:
    return prepared.rows(MACHINES, [room_id])


def floor(room: FloorRoom, rooms: list[FloorRoom], cursor: str) -> dict[str, Any]:
    """The answer of `/api/floor/`. `cursor` must have been read before this is called."""
    machines = machine_rows(room.id)
    totals = Counter(row[CELL_AT] for row in machines)
    return {
        "cursor": cursor,
        "generated_at": timezone.now(),
        "site": {"id": room.site, "slug": room.slug, "name": room.site_name},
        "room": {"id": room.id, "name": room.name, "width_mm": room.width_mm, "depth_mm": room.depth_mm},
        "rooms": [{"id": each.id, "name": each.name, "site": each.site} for each in rooms],
        "rows": [dict(zip(ROW_FIELDS, row, strict=True)) for row in prepared.rows(ROWS, [room.id])],
        "aisles": [dict(zip(AISLE_FIELDS, row, strict=True)) for row in prepared.rows(AISLES, [room.id])],
        "racks": {"columns": RACK_COLUMNS, "rows": prepared.rows(RACKS, [room.id])},
        "machines": {"columns": MACHINE_COLUMNS, "rows": machines},
        "cells": CELLS,
        "totals": {cell: totals[cell] for cell in CELLS},
        "notices": notices_of(room.site),
    }
