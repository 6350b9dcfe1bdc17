"""Rooms and rows by name, and the parts of a device by its name and theirs: `hall 1`, `row a`, `a05-01 GPU`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.database import prepared
from inventory.search import Found, placed, register_provider, starts, visible
from inventory.search.words import machine_and_part, matches
from inventory.slot_text import slot_text

DEVICES_OF_PARTS = 4
"""More devices of one name are better told apart by more letters of it than by their parts."""

ROOMS = f"""
SELECT 'room', room.id, room.name, site.name, upper(room.name) = %(upper)s::text
FROM inventory_room room JOIN core_site site ON site.id = room.site_id
WHERE upper(room.name) LIKE %(start)s::text AND {visible("room.site_id")}
UNION ALL
SELECT 'row', line.id, line.name, site.name || ' › ' || room.name, true
FROM inventory_row line JOIN inventory_room room ON room.id = line.room_id JOIN core_site site ON site.id = room.site_id
WHERE upper(line.name) IN (%(upper)s::text, %(row)s::text) AND {visible("room.site_id")}
ORDER BY 5 DESC, 1, 4, 3 LIMIT %(limit)s::int
"""


def find_rooms(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    """Rooms by the first letters of their names, rows by all of them, with or without the word itself."""
    upper = query.upper()
    row = re.sub(r"^ROW\s+", "", upper)
    asked = {"upper": upper, "start": starts(upper), "row": row, "sites": sites, "limit": limit}
    for kind, pk, name, where, exact in prepared.rows(ROOMS, asked):
        title = name if kind == "room" or name.lower().startswith("row") else f"Row {name}"
        url = f"/?room={pk}" if kind == "room" else f"/rows/{pk}"
        yield Found(kind, pk, title, where, url, 0 if exact else 1)


PARTS = f"""
SELECT c.id, c.kind, c.serial, c.part_number, d.id, d.name, i.slot,
    coalesce(jsonb_path_query_first(m.spec, '$.slots[*] ? (@.name == $slot).label', jsonb_build_object('slot', i.slot))
        #>> '{{}}', '')
FROM (
    SELECT id, name, model_id FROM inventory_device
    WHERE upper(name) LIKE %(part)s::text AND status <> 'retired' AND {visible("site_id")}
    ORDER BY upper(name) <> %(upper)s::text, kind <> 'machine', name LIMIT {DEVICES_OF_PARTS}
) d
JOIN inventory_installation i ON i.device_id = d.id AND upper_inf(i.during)
JOIN inventory_component c ON c.id = i.component_id
JOIN inventory_devicemodel m ON m.id = d.model_id
ORDER BY d.name, i.slot
"""


def find_parts(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    """The parts of a device: one word has letters of its name, the others say kind, slot or number of the part."""
    meant = machine_and_part(query)
    if meant is None:
        return
    upper = meant.device.upper()
    found = []
    for row in prepared.rows(PARTS, {"part": "%" + starts(upper), "upper": upper, "sites": sites}):
        _, kind, serial, _, _, name, slot, label = row
        rank = matches(meant.part, kind, slot_text(slot, label), serial)
        if rank is not None:
            found.append((rank, name, _numbers(slot), row))
    chosen = sorted(found, key=lambda each: each[:3])[:limit]
    devices = placed({row[4] for *_, row in chosen})
    for rank, _, _, (pk, kind, serial, part_number, device, name, slot, label) in chosen:
        about = (f"{kind.upper()} {part_number}".strip(), serial, devices[device].place())
        title, subtitle = f"{name} · {slot_text(slot, label)}", " · ".join(filter(None, about))
        yield Found("component", pk, title, subtitle, f"/components/{pk}", rank)


def _numbers(slot: str) -> list[tuple[int, str]]:
    """`GPU 2` before `GPU 10`."""
    return [(int(text), "") if text.isdigit() else (0, text) for text in re.split(r"(\d+)", slot)]


def register() -> None:
    register_provider("rooms", find_rooms)
    register_provider("parts", find_parts)
