"""Where a device is, in words and for the drawings of a ticket."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet

from core.database import prepared
from inventory.faces import face_of_port, face_of_slot
from inventory.models import Aisle, Device, DeviceModel, Landmark, Placement, Rack
from inventory.slot_text import slot_text
from inventory.specs.units import unit_of, whole
from inventory.way import Mark, RowRack, aisle_words, way

Span = tuple[int, int]
REAR: Span = (1, 2)
FACES = {(0, 2): "both", (0, 1): "front", (1, 2): "rear"}
COLUMNS = {(0, 2): "full", (0, 1): "left", (1, 2): "right"}


def device_path(kind: str, device: int) -> str:
    """The dashboard's page of a device, which stays its own wherever it is mounted."""
    return f"/{'machines' if kind == 'machine' else 'devices'}/{device}"


def with_place(devices: QuerySet[Device], *, models: bool = True) -> QuerySet[Device]:
    """Devices with all that their place needs, in the same query, and with their models.

    A model holds its whole specification: to decode it for every row of a list takes four times what the list does.
    """
    placed = devices.select_related(
        "site", "placement__rack__row", "placement__rack__room", "parent__placement__rack__row",
        "parent__placement__rack__room",
    )  # fmt: skip
    return placed.select_related("model", "parent__model") if models else placed


def placement_of(device: Device) -> Placement | None:
    """Its own placement, or that of the device whose bay it sits in."""
    placement = getattr(device, "placement", None)
    if placement is None and device.parent is not None:
        placement = getattr(device.parent, "placement", None)
    return placement


def u_of(placement: Placement) -> float | None:
    """The lowest unit; 5.5 is the upper half of U5. None for a zero-U slot."""
    span = placement.half_units
    return None if span is None else unit_of(span.lower)


def height_of(placement: Placement) -> float | None:
    span = placement.half_units
    return None if span is None else whole((span.upper - span.lower) / 2)


def face_of(placement: Placement) -> str:
    """front, rear or both."""
    faces = placement.faces
    return "rear" if faces is None else FACES[faces.lower, faces.upper]


def column_of(placement: Placement) -> str:
    columns = placement.columns
    return "full" if columns is None else COLUMNS[columns.lower, columns.upper]


def units_of_span(low: int, high: int) -> str:
    """U17–22 or U41, from a half-open span of half units."""
    first, last = (low + 1) / 2, (high - 1) / 2
    return f"U{first:g}–{last:g}" if last > first else f"U{first:g}"


def place_text(device: Device, face: str = "") -> str:
    """Hall 1 › Row A › Rack A17 › U17–22 front. A device of `with_place` costs no query."""
    placement = placement_of(device)
    if placement is None:
        return f"{device.site.name} › not mounted"
    rack, span, faces = placement.rack, placement.half_units, placement.faces
    return place_line(
        rack.room.name,
        rack.row.name if rack.row else "",
        rack.name,
        units_text(span and (span.lower, span.upper), faces and (faces.lower, faces.upper), placement.side_slot, face),
        f"bay {device.bay} of {device.parent.name}" if device.parent is not None else "",
    )


def port_place_text(device: Device, face: str) -> str:
    """Where one stands to touch a port of that face, empty where it says none. A device of `with_place` costs no
    query."""
    placement = placement_of(device)
    return place_text(device, face_of_port(face, face_of(placement)) if placement is not None else "")


def slot_place_text(device: Device, port: str | None) -> str:
    """Where one stands to touch a part; `port` as `face_of_slot` has it. A device of `with_place` costs no query."""
    placement = placement_of(device)
    return place_text(device, face_of_slot(port, face_of(placement)) if placement is not None else "")


def units_text(half_units: Span | None, faces: Span | None, side_slot: str, face: str = "") -> str:
    """U17–22 front, or side rear-left; what takes both faces is looked at from the front unless `face` says so."""
    if half_units is None:
        return f"side {side_slot}"
    return f"{units_of_span(*half_units)} {face or ('rear' if faces in (None, REAR) else 'front')}"


def place_line(room: str, row: str, rack: str, units: str, bay: str = "") -> str:
    """Hall 1 › Row A › Rack A17 › U17–22 front, from its parts; those that are empty are left out."""
    parts = (room, f"Row {row}" if row else "", f"Rack {rack}", units, bay)
    return " › ".join(part for part in parts if part)


def place_dict(device: Device) -> dict[str, Any] | None:
    """The `place` of a device in the API; None when it is not mounted. A device of `with_place` costs no query."""
    placement = placement_of(device)
    if placement is None:
        return None
    rack = placement.rack
    return {
        "site": device.site.name,
        "room": rack.room.name,
        "row": rack.row.name if rack.row else "",
        "rack": rack.name,
        "rack_id": rack.pk,
        "u": u_of(placement),
        "height_u": height_of(placement),
        "face": face_of(placement),
        "column": column_of(placement),
        "side": placement.side_slot,
        "text": place_text(device),
    }


PLACES = """
SELECT d.id, s.name, r.name, coalesce(o.name, ''), k.name, k.id, lower(p.half_units), upper(p.half_units),
    lower(p.faces), upper(p.faces), lower(p.columns), upper(p.columns), p.side_slot, d.bay, h.name
FROM inventory_device d
JOIN core_site s ON s.id = d.site_id
LEFT JOIN inventory_device h ON h.id = d.parent_id
LEFT JOIN inventory_placement own ON own.device_id = d.id
JOIN inventory_placement p ON p.device_id = CASE WHEN own.id IS NULL THEN d.parent_id ELSE d.id END
JOIN inventory_rack k ON k.id = p.rack_id
JOIN inventory_room r ON r.id = k.room_id
LEFT JOIN inventory_row o ON o.id = k.row_id
WHERE d.id = ANY(%s)
"""


def places(devices: list[int]) -> dict[int, dict[str, Any]]:
    """`place_dict` of many devices, those that are mounted: one query, and no device is made into an object."""
    return {device: _place(*columns) for device, *columns in prepared.rows_by_id(PLACES, devices)}


def _place(
    site: str,
    room: str,
    row: str,
    rack: str,
    rack_id: int,
    low: int | None,
    high: int | None,
    first_face: int | None,
    last_face: int | None,
    first_column: int | None,
    last_column: int | None,
    side: str,
    bay: str,
    parent: str | None,
) -> dict[str, Any]:
    span = None if low is None or high is None else (low, high)
    faces = None if first_face is None or last_face is None else (first_face, last_face)
    columns = None if first_column is None or last_column is None else (first_column, last_column)
    units, inside = units_text(span, faces, side), f"bay {bay} of {parent}" if parent is not None else ""
    return {
        "site": site,
        "room": room,
        "row": row,
        "rack": rack,
        "rack_id": rack_id,
        "u": None if span is None else unit_of(span[0]),
        "height_u": None if span is None else whole((span[1] - span[0]) / 2),
        "face": "rear" if faces is None else FACES[faces],
        "column": "full" if columns is None else COLUMNS[columns],
        "side": side,
        "text": place_line(room, row, rack, units, inside),
    }


def place_of(device_id: int, slot: str = "") -> dict[str, Any]:
    """Everything a person needs to walk to a slot of a device and find it. Five queries.

    `walk.row_racks` are the racks of the row from its low end, `walk.position` is the index of the right one among
    them, from 0, `walk.from_end` the end one comes from, and `walk.side` the hand it stands on then. `unit`
    draws the rack, `slots` are the slots of the same kind in the device (its GPUs, without a slot). Raises
    Device.DoesNotExist.
    """
    device = with_place(Device.objects.all()).get(pk=device_id)
    placement = placement_of(device)
    face, label, slots = _slot_facts(device.model, slot, face_of(placement) if placement is not None else "both")
    place = place_dict(device) or {
        "site": device.site.name, "room": "", "row": "", "rack": "", "rack_id": None, "u": None, "height_u": None,
        "face": "", "column": "", "side": "", "text": place_text(device),
    }  # fmt: skip
    if placement is not None:
        place["text"] = place_text(device, face)
    if slot:
        place["text"] += f" › {slot_text(slot, label)}"
    return place | {
        "face": face or place["face"],
        "slot": slot,
        "slot_label": label,
        "slot_text": slot_text(slot, label),
        "walk": _walk(placement.rack, face or face_of(placement)) if placement else None,
        "unit": _unit(placement) if placement else None,
        "slots": slots,
    }


def _slot_facts(model: DeviceModel, slot: str, device_face: str) -> tuple[str, str, list[dict[str, str]]]:
    """On which face one reaches a slot, its printed label, and the slots of its kind."""
    slots: list[dict[str, Any]] = model.spec.get("slots", [])
    wanted = next((row for row in slots if row["name"] == slot), None)
    ports = {port["slot"]: port["face"] for port in model.spec.get("ports", []) if port.get("slot")}
    face = face_of_slot(ports.get(slot), device_face) if wanted else ""
    kind = wanted["kind"] if wanted else "gpu"
    alike = [{key: row.get(key) or "" for key in ("name", "label", "kind")} for row in slots if row["kind"] == kind]
    return face, (wanted.get("label") or "") if wanted else "", alike


def _walk(rack: Rack, face: str) -> dict[str, Any]:
    """The row, and the way to the rack's face. Three queries."""
    columns = ("id", "name", "x_mm", "width_mm", "role")
    racks: list[Any] = [{name: getattr(rack, name) for name in columns}]
    if rack.row_id:
        racks = list(Rack.objects.filter(row_id=rack.row_id).order_by("x_mm", "id").values(*columns))
    position = [row["id"] for row in racks].index(rack.pk)
    looks_up = (rack.facing == Rack.Facing.DOWN) == (face != "rear")
    front_y = rack.y_mm + rack.depth_mm if looks_up else rack.y_mm
    aisles = Aisle.objects.filter(room_id=rack.room_id).values_list("name", "kind", "y_mm", "depth_mm")
    before = (
        (name, kind) for name, kind, y_mm, depth_mm in aisles if (y_mm if looks_up else y_mm + depth_mm) == front_y
    )
    aisle, kind = next(before, ("", ""))
    marks = list(Landmark.objects.filter(room_id=rack.room_id).order_by("name", "id"))
    found = way(
        [RowRack(row["name"], row["x_mm"], row["width_mm"], row["role"] == Rack.RackRole.NETWORK) for row in racks],
        position,
        stand_y_mm=front_y,
        looks_up=looks_up,
        aisle=aisle_words(aisle, kind),
        doors=[Mark(mark.name, mark.x_mm, mark.y_mm) for mark in marks if mark.kind == Landmark.Kind.DOOR],
        landmarks=[Mark(mark.name, mark.x_mm, mark.y_mm) for mark in marks if mark.kind == Landmark.Kind.LANDMARK],
        door_name=rack.room.door,
    )
    return {
        "row_racks": [{"id": row["id"], "name": row["name"]} for row in racks],
        "position": position,
        "aisle": aisle,
        "aisle_kind": kind,
        **asdict(found),
    }


def _unit(placement: Placement) -> dict[str, Any]:
    mounted = Placement.objects.filter(rack_id=placement.rack_id, half_units__isnull=False, device__isnull=False)
    neighbours = mounted.exclude(pk=placement.pk).select_related("device").order_by("half_units")
    return {
        "height_u": placement.rack_height_u,
        "u": u_of(placement),
        "machine_height_u": height_of(placement),
        "neighbours": [
            {"name": other.device.name if other.device else "", "u": u_of(other), "height_u": height_of(other)}
            for other in neighbours
        ],
    }
