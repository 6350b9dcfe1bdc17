"""Devices with their place and everything a document or label says of them, in one query whatever their number."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection

from inventory.queries.place import device_path, units_of_span
from inventory.specs.units import unit_of


@dataclass(frozen=True, slots=True)
class DeviceRow:
    id: int
    name: str
    kind: str
    status: str
    serial: str
    asset_tag: str
    site: str  # slug
    site_name: str
    room: str
    row: str
    row_position: int | None
    rack: str
    rack_x_mm: int | None
    half_u: int | None  # lowest half unit, 1 is the lower half of U1
    half_u_end: int | None
    side: str
    face: str  # front, rear, both; empty when it is not mounted
    bay: str
    model: str  # slug
    model_name: str
    vendor: str
    gpu_count: int
    gpu_type: str
    role: str
    primary_ip: str
    bmc_ip: str
    boot_mac: str
    fabric: str
    tier: str
    node_guid: str
    tags: list[str]
    custom: dict[str, Any]
    rails: list[int]

    @property
    def u(self) -> float | None:
        return None if self.half_u is None else unit_of(self.half_u)

    @property
    def units(self) -> str:
        """U17–22, or the name of a zero-U slot, or nothing."""
        if not self.rack:
            return ""
        if self.half_u is None or self.half_u_end is None:
            return f"side {self.side}"
        return units_of_span(self.half_u, self.half_u_end)

    @property
    def place(self) -> str:
        """Hall 1 · A17 · U17–22, as short as a label needs it."""
        return " · ".join(part for part in (self.room, self.rack, self.units) if part)

    @property
    def url(self) -> str:
        """The dashboard's page for it."""
        return settings.PUBLIC_URL + device_path(self.kind, self.id)

    @property
    def walk(self) -> tuple[Any, ...]:
        """Sorts devices as one walks past them: room, row, rack from the low end, from the top of the rack down."""
        return (
            not self.rack, natural(self.site), natural(self.room), self.row_position or 0, self.rack_x_mm or 0,
            natural(self.rack), -(self.half_u or 0), natural(self.name),
        )  # fmt: skip


def natural(text: str) -> tuple[tuple[int, int | str], ...]:
    """A2 before A10."""
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in re.split(r"([0-9]+)", text) if part)


DEVICES = """
SELECT d.id, d.name, d.kind, d.status, d.serial, d.asset_tag, s.slug AS site, s.name AS site_name,
    coalesce(m.name, '') AS room, coalesce(w.name, '') AS row, w.position AS row_position,
    coalesce(k.name, '') AS rack, k.x_mm AS rack_x_mm,
    lower(p.half_units) AS half_u, upper(p.half_units) AS half_u_end, coalesce(p.side_slot, '') AS side,
    CASE WHEN p.id IS NULL THEN '' WHEN p.faces IS NULL OR lower(p.faces) = 1 THEN 'rear'
        WHEN upper(p.faces) = 2 THEN 'both' ELSE 'front' END AS face,
    d.bay, o.slug AS model, o.name AS model_name, o.vendor, o.gpu_count, o.gpu_type,
    coalesce(h.role, '') AS role, coalesce(host(h.primary_ip), '') AS primary_ip,
    coalesce(host(h.bmc_ip), '') AS bmc_ip, coalesce(h.boot_mac, '') AS boot_mac,
    coalesce(x.fabric, '') AS fabric, coalesce(x.tier, '') AS tier, coalesce(x.node_guid, '') AS node_guid,
    coalesce(t.names, '{}') AS tags, d.custom, coalesce(r.rails, '{}') AS rails
FROM inventory_device d
JOIN core_site s ON s.id = d.site_id
JOIN inventory_devicemodel o ON o.id = d.model_id
LEFT JOIN inventory_machine h ON h.device_id = d.id
LEFT JOIN inventory_switch x ON x.device_id = d.id
LEFT JOIN inventory_placement own ON own.device_id = d.id
LEFT JOIN inventory_placement parents ON parents.device_id = d.parent_id
LEFT JOIN inventory_placement p ON p.id = coalesce(own.id, parents.id)
LEFT JOIN inventory_rack k ON k.id = p.rack_id
LEFT JOIN inventory_room m ON m.id = k.room_id
LEFT JOIN inventory_row w ON w.id = k.row_id
LEFT JOIN (
    SELECT l.device_id, array_agg(g.name ORDER BY g.name) AS names
    FROM inventory_device_tags l JOIN inventory_tag g ON g.id = l.tag_id GROUP BY l.device_id
) t ON t.device_id = d.id
LEFT JOIN (
    SELECT device_id, array_agg(DISTINCT rail ORDER BY rail) AS rails
    FROM inventory_port WHERE rail IS NOT NULL GROUP BY device_id
) r ON r.device_id = d.id
WHERE (%(visible)s::bigint[] IS NULL OR d.site_id = ANY(%(visible)s::bigint[]))
    AND (%(site)s::bigint IS NULL OR d.site_id = %(site)s)
    AND (%(kinds)s::text[] IS NULL OR d.kind = ANY(%(kinds)s::text[]))
    AND (%(ids)s::bigint[] IS NULL OR d.id = ANY(%(ids)s::bigint[]))
    AND (%(any_status)s OR %(status)s::text IS NULL AND d.status <> 'retired' OR d.status = %(status)s)
    AND (%(room)s::bigint IS NULL OR m.id = %(room)s) AND (%(row)s::bigint IS NULL OR w.id = %(row)s)
    AND (%(rack)s::bigint IS NULL OR k.id = %(rack)s)
    AND (%(role)s::text IS NULL OR h.role = %(role)s) AND (%(model)s::text IS NULL OR o.slug = %(model)s)
    AND (%(fabric)s::text IS NULL OR x.fabric = %(fabric)s) AND (%(tier)s::text IS NULL OR x.tier = %(tier)s)
    AND (%(tag)s::text IS NULL OR %(tag)s = ANY(t.names))
"""
FILTERS = ("site", "room", "row", "rack", "role", "model", "fabric", "tier", "tag", "status", "ids")


def devices(
    visible: list[int] | None, kinds: Sequence[str] | None = None, *, any_status: bool = False, **wanted: Any
) -> list[DeviceRow]:
    """Devices of these sites (None: all) in walking order; retired ones only where `status` or `any_status` asks.

    `wanted` are values of FILTERS: ids of places, words of the rest.
    """
    given = {name: wanted.get(name) for name in FILTERS}
    with connection.cursor() as cursor:
        given |= {"visible": visible, "kinds": list(kinds) if kinds else None, "any_status": any_status}
        cursor.execute(DEVICES, given)
        # Django leaves JSON to its fields: a cursor of its own gives text.
        names = [column.name for column in cursor.description or ()]
        found = (dict(zip(names, row, strict=True)) for row in cursor.fetchall())
        rows = (DeviceRow(**fields | {"custom": json.loads(fields["custom"])}) for fields in found)
        return sorted(rows, key=lambda row: row.walk)
