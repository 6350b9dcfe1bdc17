"""Racks with all that is in them, in a fixed number of statements: one rack with its ports, or a whole floor."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.database import prepared
from inventory.elevation.spans import Box, Taken, free_boxes, open_gaps, u_of, units
from inventory.faces import face_of_port
from inventory.queries.place import COLUMNS, FACES

DRAWING = ("machine", "switch")  # kinds of devices that cannot run on nothing

RACKS = """
SELECT k.id, k.name, coalesce(o.name, ''), k.row_id, r.name, r.id, s.name, k.x_mm, k.y_mm, k.facing, k.role, k.height_u,
    k.numbering, k.outer_height_mm, k.weight_limit_kg, k.power_limit_w, k.serial, k.asset_tag
FROM inventory_rack k
JOIN inventory_room r ON r.id = k.room_id
JOIN core_site s ON s.id = r.site_id
LEFT JOIN inventory_row o ON o.id = k.row_id
WHERE k.id = ANY(%s::bigint[])
ORDER BY s.name, r.name, o.position, k.y_mm, k.x_mm, k.id
"""

PLACEMENTS = """
SELECT p.rack_id, p.kind, p.reason, p.owner, lower(p.half_units), upper(p.half_units), lower(p.faces), upper(p.faces),
    lower(p.columns), upper(p.columns), p.side_slot, d.id, d.name, d.kind, d.status, d.model_id
FROM inventory_placement p LEFT JOIN inventory_device d ON d.id = p.device_id
WHERE p.rack_id = ANY(%s::bigint[])
ORDER BY p.rack_id, upper(p.half_units) DESC NULLS LAST, lower(p.columns), p.side_slot, p.id
"""

# Blades and the like: they stand in the bays of a device and add to its weight and draw.
CHILDREN = """
SELECT c.parent_id, c.id, c.name, c.kind, c.bay, c.status, c.model_id FROM inventory_device c
JOIN inventory_placement p ON p.device_id = c.parent_id
WHERE p.rack_id = ANY(%s::bigint[]) ORDER BY c.parent_id, c.bay
"""

MODELS = """
SELECT id, slug, kind, power_w, (spec->>'weight_kg')::float8 FROM inventory_devicemodel WHERE id = ANY(%s::bigint[])
"""

# With OFFSET 0 the strand end of each port is looked up by index; joined freely, those of the whole fleet are read.
PORTS = """
SELECT p.device_id, p.id, p.name, p.kind, p.cage, p.lane, p.face, p.slot, k.id, k.label, k.status
FROM inventory_port p
LEFT JOIN LATERAL (
    SELECT e.connector_id FROM inventory_strandend e WHERE e.port_id = p.id AND e.change_set_id IS NULL OFFSET 0
) e ON true
LEFT JOIN inventory_connector c ON c.id = e.connector_id
LEFT JOIN inventory_cable k ON k.id = c.cable_id
WHERE p.device_id = ANY(%s::bigint[])
ORDER BY p.device_id, p.id
"""

BARE_PORTS = """
SELECT device_id, name, kind, face, slot FROM inventory_port WHERE device_id = ANY(%s::bigint[]) ORDER BY device_id, id
"""


class RackInfo(NamedTuple):
    id: int
    name: str
    row: str
    row_id: int | None
    room: str
    room_id: int
    site: str
    x_mm: int
    y_mm: int
    facing: str
    role: str
    height_u: int
    numbering: str
    outer_height_mm: int | None
    weight_limit_kg: int | None
    power_limit_w: int | None
    serial: str
    asset_tag: str


class Mount(NamedTuple):
    """One placement; the device's fields are None for units taken without one."""

    rack_id: int
    kind: str
    reason: str
    owner: str
    low: int | None
    high: int | None
    first_face: int
    last_face: int
    first_column: int
    last_column: int
    side_slot: str
    device: int | None
    name: str | None
    device_kind: str | None
    status: str | None
    model: int | None


class Child(NamedTuple):
    parent: int
    id: int
    name: str
    kind: str
    bay: str
    status: str
    model: int


class Model(NamedTuple):
    id: int
    slug: str
    kind: str
    power_w: int
    weight_kg: float | None


@dataclass
class Contents:
    """One rack and what is in it."""

    rack: RackInfo
    mounts: list[Mount] = field(default_factory=list)
    children: dict[int, list[Child]] = field(default_factory=dict)
    models: dict[int, Model] = field(default_factory=dict)

    def taken(self) -> list[Taken]:
        return [
            Taken(
                (mount.low, mount.high),
                (mount.first_face, mount.last_face),
                (mount.first_column, mount.last_column),
                mount.kind != "reserved",
            )
            for mount in self.mounts
            if mount.low is not None and mount.high is not None
        ]

    def devices(self) -> Iterable[tuple[str, Model]]:
        """Name and model of everything that weighs and draws here, also in bays."""
        for mount in self.mounts:
            if mount.device is not None and mount.model is not None:
                yield mount.name or "", self.models[mount.model]
                for child in self.children.get(mount.device, ()):
                    yield child.name, self.models[child.model]


def read(racks: list[int]) -> list[Contents]:
    """These racks as they stand on the floor, row by row. Four statements."""
    found = {row[0]: Contents(RackInfo(*row)) for row in prepared.rows_by_id(RACKS, racks)}
    wanted: set[int] = set()
    for row in prepared.rows_by_id(PLACEMENTS, racks):
        mount = Mount(*row)
        found[mount.rack_id].mounts.append(mount)
        wanted.update(() if mount.model is None else (mount.model,))
    children: dict[int, list[Child]] = defaultdict(list)
    for row in prepared.rows_by_id(CHILDREN, racks):
        child = Child(*row)
        children[child.parent].append(child)
        wanted.add(child.model)
    models = {row[0]: Model(*row) for row in prepared.rows_by_id(MODELS, list(wanted))}
    for contents in found.values():
        contents.children, contents.models = children, models
    return list(found.values())


# ---- what is told of them ----


def elevation(rack: int, *, ports: bool = True) -> dict[str, Any]:
    """One rack from the front and the rear, free boxes, open gaps and sums. Five statements; four without ports."""
    (contents,) = read([rack])
    there = _ports([mount.device for mount in contents.mounts if mount.device is not None]) if ports else {}
    weight, power = sums(contents)
    taken = contents.taken()
    faces: dict[str, list[dict[str, Any]]] = {"front": [], "rear": []}
    for mount in contents.mounts:
        if mount.low is None:
            continue
        item = _item(mount, contents) | {
            "status": mount.status,
            "reason": mount.reason,
            "owner": mount.owner,
            "children": [
                {"id": child.id, "name": child.name, "kind": child.kind, "bay": child.bay}
                for child in contents.children.get(mount.device or 0, ())
            ],
        }
        for face, items in faces.items():
            if item["face"] in (face, "both"):
                items.append(
                    item | {"ports": on_face(face, there.get(mount.device, ()), item)} if ports else item.copy()
                )
    return {
        "rack": contents.rack._asdict() | {"planned_w": power["planned_w"]},
        **faces,
        "sides": [
            _side(mount) | ({"ports": there.get(mount.device, [])} if ports else {})
            for mount in contents.mounts
            if mount.side_slot and mount.device is not None
        ],
        "free": [_box(contents.rack, box) for box in free_boxes(contents.rack.height_u, taken)],
        "open_gaps": [_box(contents.rack, gap) for gap in open_gaps(contents.rack.height_u, taken)],
        "weight": weight,
        "power": power,
    }


def elevations(racks: list[int]) -> list[dict[str, Any]]:
    """Many racks, small: what stands where, what is free, the sums. Four statements."""
    return [_thumbnail(contents) for contents in read(racks)]


def _thumbnail(contents: Contents) -> dict[str, Any]:
    rack, taken = contents.rack, contents.taken()
    weight, power = sums(contents)
    free = [box for box in free_boxes(rack.height_u, taken) if (box.face, box.column) == ("both", "full")]
    items = [_item(mount, contents) for mount in contents.mounts if mount.low is not None]
    return {
        "rack": rack._asdict()
        | {
            "planned_w": power["planned_w"],
            "weight_kg": weight["planned_kg"],
            "weight_unknown": len(weight["unknown"]),
            "free_u": units(sum(box.high - box.low for box in free)),
            "open_gap_u": units(sum(gap.high - gap.low for gap in open_gaps(rack.height_u, taken))),
        },
        "front": [item for item in items if item["face"] in ("front", "both")],
        "rear": [item for item in items if item["face"] in ("rear", "both")],
        "sides": [_side(mount) for mount in contents.mounts if mount.side_slot and mount.device is not None],
    }


def _side(mount: Mount) -> dict[str, Any]:
    return {"slot": mount.side_slot, "id": mount.device, "name": mount.name, "kind": mount.device_kind}


def _item(mount: Mount, contents: Contents) -> dict[str, Any]:
    assert mount.low is not None and mount.high is not None
    u, height = u_of(mount.low), units(mount.high - mount.low)
    return {
        "id": mount.device,
        "name": mount.name or mount.reason,
        "kind": mount.device_kind or mount.kind,
        "machine": mount.device if mount.device_kind == "machine" else None,
        "model": contents.models[mount.model].slug if mount.model is not None else None,
        "u": u,
        "height_u": height,
        "face": FACES[mount.first_face, mount.last_face],
        "column": COLUMNS[mount.first_column, mount.last_column],
        "from_top_u": from_top(contents.rack, u, height),
    }


def _box(rack: RackInfo, box: Box) -> dict[str, Any]:
    u, height = u_of(box.low), units(box.high - box.low)
    return {"face": box.face, "column": box.column, "u": u, "height_u": height, "from_top_u": from_top(rack, u, height)}


def from_top(rack: RackInfo, u: float, height_u: float) -> float:
    """Units between the top of the rack and the upper edge, whichever way the numbers run."""
    return u - 1 if rack.numbering == "down" else rack.height_u + 1 - u - height_u


def on_face(face: str, ports: Iterable[dict[str, Any]], item: dict[str, Any]) -> list[dict[str, Any]]:
    """The ports on a face of an item."""
    return [port | {"face": face} for port in ports if face_of_port(port["face"], item["face"]) == face]


def _ports(devices: list[int]) -> dict[int | None, list[dict[str, Any]]]:
    ports: dict[int | None, list[dict[str, Any]]] = defaultdict(list)
    for device, pk, name, kind, cage, lane, face, slot, cable, label, status in prepared.rows_by_id(PORTS, devices):
        about = {"id": pk, "name": name, "kind": kind, "cage": cage, "lane": lane, "face": face, "slot": slot}
        about["cable"] = None if cable is None else {"id": cable, "label": label, "status": status}
        ports[device].append(about)
    return ports


def bare_ports(devices: list[int]) -> dict[int, list[dict[str, Any]]]:
    """The ports of these devices by name, without their cables. One statement."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for device, name, kind, face, slot in prepared.rows_by_id(BARE_PORTS, devices):
        found[device].append({"name": name, "kind": kind, "face": face, "slot": slot})
    return found


def sums(contents: Contents) -> tuple[dict[str, Any], dict[str, Any]]:
    """Weight and planned draw against the rack's limits. Where a device's is not known, the sum is a lower bound."""
    weights = [(name, model.weight_kg) for name, model in contents.devices()]
    heavy = round(sum(weight or 0.0 for _, weight in weights), 1)
    drawn = sum(model.power_w for _, model in contents.devices())
    limit_kg, limit_w = contents.rack.weight_limit_kg, contents.rack.power_limit_w
    return (
        {
            "limit_kg": limit_kg,
            "planned_kg": heavy,
            "unknown": [name for name, weight in weights if weight is None],
            "over": None if limit_kg is None else heavy > limit_kg,
        },
        {
            "limit_w": limit_w,
            "planned_w": drawn,
            "unknown": [name for name, model in contents.devices() if model.kind in DRAWING and not model.power_w],
            "over": None if limit_w is None else drawn > limit_w,
        },
    )
