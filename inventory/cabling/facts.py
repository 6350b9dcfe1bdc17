"""What walks from some ports can meet, read in at most five statements whatever their number and wherever they lead."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from django.db import connection

from core.database import prepared
from inventory.cabling.walk import MAX_STACK, Facts, Link

# Goes the way of walk.py, but asks only which ports can be reached with which positions still to be taken out:
# UNION drops what was reached before, so loops end. `stack` is that of inventory.cabling.walk. OFFSET 0 keeps the
# planner from reading a whole table for the few rows of a step.
FAR = """
    SELECT f.port_id, o.number
    FROM inventory_connector o JOIN inventory_strandend f ON f.connector_id = o.id
    WHERE o.cable_id = {cable} AND o.side <> {side} AND f.lane = {lane} AND f.change_set_id IS NULL
"""
THROUGH = """
    SELECT t.rear_id AS port_id,
        CASE WHEN r.positions > 1 THEN {stack} || t.position::int ELSE {stack} END AS stack
    FROM inventory_passthrough t JOIN inventory_port r ON r.id = t.rear_id WHERE t.front_id = {port}
    UNION ALL
    SELECT t.front_id,
        CASE WHEN r.positions > 1 THEN trim_array({stack}, least(cardinality({stack}), 1)) ELSE {stack} END
    FROM inventory_passthrough t JOIN inventory_port r ON r.id = t.rear_id
    WHERE t.rear_id = {port}
        AND (r.positions = 1 OR {stack} = '{{}}' OR t.position = ({stack})[cardinality({stack})])
    OFFSET 0
"""
CABLE = f"""
CROSS JOIN LATERAL (
    SELECT e.lane, k.id, k.label, k.type, k.status, k.length_m, k.colour,
        (SELECT coalesce(array_agg(far.port_id ORDER BY far.number), '{{}}')
         FROM ({FAR.format(cable="c.cable_id", side="c.side", lane="e.lane")}) far)
    FROM inventory_strandend e
    JOIN inventory_connector c ON c.id = e.connector_id
    JOIN inventory_cable k ON k.id = c.cable_id
    WHERE e.port_id = w.port_id AND e.change_set_id IS NULL
    OFFSET 0
) k
"""
FIRST_CABLES = f"SELECT w.port_id, k.* FROM unnest(%(ports)s::bigint[]) w (port_id) {CABLE}"
CABLES = f"""
WITH RECURSIVE way (port_id, stack) AS (
    SELECT n.port_id, n.stack
    FROM unnest(%(ports)s::bigint[]) start (port_id)
    CROSS JOIN LATERAL (
        SELECT start.port_id, '{{}}'::int[] AS stack
        UNION ALL
        SELECT * FROM ({THROUGH.format(port="start.port_id", stack="'{}'::int[]")}) through
    ) n
    UNION
    SELECT next.port_id, next.stack
    FROM way
    CROSS JOIN LATERAL (
        SELECT far.port_id
        FROM (SELECT c.cable_id, c.side, e.lane FROM inventory_strandend e
              JOIN inventory_connector c ON c.id = e.connector_id
              WHERE e.port_id = way.port_id AND e.change_set_id IS NULL OFFSET 0) near
        CROSS JOIN LATERAL ({FAR.format(cable="near.cable_id", side="near.side", lane="near.lane")} OFFSET 0) far
        OFFSET 0
    ) far
    CROSS JOIN LATERAL ({THROUGH.format(port="far.port_id", stack="way.stack")}) next
    WHERE cardinality(way.stack) <= {MAX_STACK}
)
SELECT w.port_id, k.* FROM (SELECT DISTINCT port_id FROM way) w {CABLE}
"""

PANELS = """
SELECT t.front_id, t.rear_id, t.position FROM inventory_passthrough t
WHERE t.front_id = ANY(%(ports)s::bigint[]) OR t.rear_id = ANY(%(ports)s::bigint[])
"""

PORTS = """
SELECT p.id, p.name, p.kind, p.speed_gbps, p.cage, p.lane, p.face, p.positions,
    d.id, d.name, d.kind, d.site_id, s.name, r.name, coalesce(o.name, ''), k.name, k.id,
    lower(l.half_units), upper(l.half_units), lower(l.faces), upper(l.faces), l.side_slot, d.bay, a.name
FROM inventory_port p
JOIN inventory_device d ON d.id = p.device_id
JOIN core_site s ON s.id = d.site_id
LEFT JOIN inventory_device a ON a.id = d.parent_id
LEFT JOIN LATERAL (
    SELECT * FROM inventory_placement WHERE device_id IN (d.id, d.parent_id) ORDER BY device_id <> d.id LIMIT 1
) l ON true
LEFT JOIN inventory_rack k ON k.id = l.rack_id
LEFT JOIN inventory_room r ON r.id = k.room_id
LEFT JOIN inventory_row o ON o.id = k.row_id
WHERE p.id = ANY(%(ports)s::bigint[])
"""


FEW = 20
"""Ports up to which all reads go by index."""


class PortInfo(NamedTuple):
    """A port, the device it is on, and where that stands (None where it is not mounted)."""

    id: int
    name: str
    kind: str
    speed_gbps: int | None
    cage: int | None
    lane: int | None
    face: str
    positions: int
    device_id: int
    device: str
    device_kind: str
    site_id: int
    site: str
    room: str | None
    row: str
    rack: str | None
    rack_id: int | None
    low: int | None
    high: int | None
    first_face: int | None
    last_face: int | None
    side: str | None
    bay: str
    parent: str | None


class CableInfo(NamedTuple):
    id: int
    label: str
    type: str
    status: str
    length_m: Decimal | None
    colour: str


@dataclass
class Cabling:
    """The facts of a walk, and what its ports and cables are called."""

    facts: Facts = field(default_factory=Facts)
    ports: dict[int, PortInfo] = field(default_factory=dict)
    cables: dict[int, CableInfo] = field(default_factory=dict)


def read(ports: list[int]) -> Cabling:
    """Everything that walks from these ports can meet. Two statements; five where there are patch panels."""
    found = Cabling()
    met = {*ports, *_keep_cables(found, _rows(FIRST_CABLES, ports))}
    _keep_ports(found, _rows(PORTS, list(met)))
    if not any(found.facts.is_panel(port) for port in met):
        return found
    met |= _keep_cables(found, _rows(CABLES, ports))
    for front, rear, position in _rows(PANELS, list(met)):
        found.facts.rear_of[front] = (rear, position)
        found.facts.fronts_of.setdefault(rear, {})[position] = front
        met.update((front, rear))
    _keep_ports(found, _rows(PORTS, list(met - found.ports.keys())))
    return found


def _keep_cables(found: Cabling, rows: list[tuple[Any, ...]]) -> set[int]:
    """Returns the ports at both ends."""
    met: set[int] = set()
    for port, lane, *values in rows:
        about, far = CableInfo(*values[:6]), values[-1]
        found.cables[about.id] = about
        found.facts.links[port] = Link(about.id, lane, tuple(far))
        met.update((port, *far))
    return met


def _keep_ports(found: Cabling, rows: list[tuple[Any, ...]]) -> None:
    for row in rows:
        info = PortInfo(*row)
        found.ports[info.id] = info
        found.facts.kinds[info.id] = info.kind
        found.facts.positions[info.id] = info.positions


def _rows(sql: str, ports: list[int]) -> list[tuple[Any, ...]]:
    """Planned once for a few ports; for many, as many as they are."""
    if len(ports) <= FEW:
        return prepared.rows(sql, {"ports": ports})
    with connection.cursor() as cursor:
        cursor.execute(sql, {"ports": ports})
        return cursor.fetchall()
