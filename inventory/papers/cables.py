"""Cables with both ends and their places: two queries whatever their number."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from django.conf import settings
from django.db import connection

from inventory.papers.devices import DeviceRow, devices, natural

LANES = {1: "lower", 2: "upper"}  # of a cage with two ports


@dataclass(frozen=True, slots=True)
class Socket:
    """Where one strand end is plugged in."""

    device: int
    port: str
    cage: int | None
    lane: int | None

    @property
    def text(self) -> str:
        """p21 (cage 11 lower)."""
        if self.cage is None:
            return self.port
        where = f"cage {self.cage}"
        return f"{self.port} ({where} {LANES.get(self.lane, self.lane)})" if self.lane else f"{self.port} ({where})"


@dataclass(frozen=True, slots=True)
class Plug:
    """One plug of a cable with the ports it goes into: two for a plug of two ports, none where that is not planned."""

    side: str
    number: int
    sockets: tuple[Socket, ...]
    device: DeviceRow | None

    @property
    def port(self) -> str:
        return " + ".join(socket.port for socket in self.sockets)

    @property
    def text(self) -> str:
        return " + ".join(socket.text for socket in self.sockets)

    @property
    def cage(self) -> str:
        return " + ".join(dict.fromkeys(str(socket.cage) for socket in self.sockets if socket.cage is not None))

    @property
    def lane(self) -> str:
        lanes = (LANES.get(socket.lane, str(socket.lane)) for socket in self.sockets if socket.lane is not None)
        return " + ".join(lanes)

    @property
    def walk(self) -> tuple[Any, ...]:
        return (self.device is None, self.device.walk if self.device else (), natural(self.port))


@dataclass(frozen=True, slots=True)
class CableRow:
    id: int
    label: str
    type: str
    status: str
    length_m: Decimal | None
    colour: str
    vendor: str
    part_number: str
    bundle: str
    site: str
    a: tuple[Plug, ...]
    b: tuple[Plug, ...]

    @property
    def url(self) -> str:
        return f"{settings.PUBLIC_URL}/cables/{self.id}"

    @property
    def walk(self) -> tuple[Any, ...]:
        """Cables as one walks past their ends on side A; those without an end come last."""
        return (self.a[0].walk if self.a else (True, (), ()), natural(self.label))

    def pairs(self) -> Iterator[tuple[Plug | None, Plug | None]]:
        """The plugs of both sides beside each other; the single plug of a breakout stands beside each of the many."""
        yield from zip_longest(
            self.a * len(self.b) if len(self.a) == 1 and self.b else self.a,
            self.b * len(self.a) if len(self.b) == 1 and self.a else self.b,
        )


CABLES = """
SELECT c.id, c.label, c.type, c.status, c.length_m, c.colour, c.vendor, c.part_number, c.bundle, s.slug, n.plugs
FROM inventory_cable c
JOIN core_site s ON s.id = c.site_id
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_array(n.side, n.number, e.ends) ORDER BY n.side, n.number) AS plugs
    FROM inventory_connector n
    LEFT JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_array(p.device_id, p.name, p.cage, p.lane) ORDER BY t.lane) AS ends
        FROM inventory_strandend t JOIN inventory_port p ON p.id = t.port_id
        WHERE t.connector_id = n.id AND t.change_set_id IS NULL
    ) e ON true
    WHERE n.cable_id = c.id
) n ON true
WHERE (%(visible)s::bigint[] IS NULL OR c.site_id = ANY(%(visible)s::bigint[]))
    AND (%(site)s::bigint IS NULL OR c.site_id = %(site)s)
    AND (%(ids)s::bigint[] IS NULL OR c.id = ANY(%(ids)s::bigint[]))
    AND (%(status)s::text IS NULL AND c.status <> 'removed' OR c.status = %(status)s)
    AND (%(type)s::text IS NULL OR c.type = %(type)s) AND (%(bundle)s::text IS NULL OR c.bundle = %(bundle)s)
    AND (%(label)s::text IS NULL OR starts_with(upper(c.label), upper(%(label)s)))
    AND (%(tag)s::text IS NULL OR EXISTS (
        SELECT FROM inventory_cable_tags l JOIN inventory_tag g ON g.id = l.tag_id
        WHERE l.cable_id = c.id AND g.name = %(tag)s))
    AND (coalesce(%(room)s::bigint, %(row)s::bigint, %(rack)s::bigint, %(device)s::bigint) IS NULL OR c.id IN (
        SELECT n.cable_id FROM inventory_connector n
        JOIN inventory_strandend t ON t.connector_id = n.id AND t.change_set_id IS NULL
        JOIN inventory_port p ON p.id = t.port_id
        JOIN inventory_device d ON d.id = p.device_id
        LEFT JOIN inventory_placement own ON own.device_id = d.id
        LEFT JOIN inventory_placement parents ON parents.device_id = d.parent_id
        LEFT JOIN inventory_rack k ON k.id = coalesce(own.rack_id, parents.rack_id)
        WHERE (%(device)s::bigint IS NULL OR d.id = %(device)s) AND (%(rack)s::bigint IS NULL OR k.id = %(rack)s)
            AND (%(row)s::bigint IS NULL OR k.row_id = %(row)s) AND (%(room)s::bigint IS NULL OR k.room_id = %(room)s)))
"""
FILTERS = ("site", "room", "row", "rack", "device", "status", "type", "bundle", "label", "tag", "ids")


def cables(visible: list[int] | None, **wanted: Any) -> list[CableRow]:
    """Cables of these sites (None: all) in walking order; removed ones only where `status` asks for them.

    `room`, `row`, `rack` and `device` find cables with an end there. `wanted` are values of FILTERS.
    """
    given = {name: wanted.get(name) for name in FILTERS}
    with connection.cursor() as cursor:
        cursor.execute(CABLES, {"visible": visible, **given})
        # Django leaves JSON to its fields: a cursor of its own gives text.
        found = [(*row[:-1], json.loads(row[-1] or "[]")) for row in cursor.fetchall()]
    ends = {end[0] for *_, plugs in found for _, _, sockets in plugs for end in sockets or ()}
    at = {row.id: row for row in devices(None, ids=sorted(ends), any_status=True)} if ends else {}
    return sorted((_row(row, at) for row in found), key=lambda row: row.walk)


FIELDS = (
    "id", "label", "type", "status", "length_m", "colour", "vendor", "part_number", "bundle", "site",
)  # fmt: skip


def _row(row: tuple[Any, ...], at: dict[int, DeviceRow]) -> CableRow:
    plugs = row[-1]
    made = [_plug(side, number, tuple(Socket(*end) for end in ends or ()), at) for side, number, ends in plugs]
    a, b = (tuple(plug for plug in made if plug.side == side) for side in "AB")
    return CableRow(**dict(zip(FIELDS, row, strict=False)), a=a, b=b)


def _plug(side: str, number: int, sockets: tuple[Socket, ...], at: dict[int, DeviceRow]) -> Plug:
    return Plug(side, number, sockets, at.get(sockets[0].device) if sockets else None)
