"""The places of a site that names of devices can lead to, read straight from the tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db import connection

from inventory.naming import Places, RackPlace

RACKS = """
SELECT room.site_id, room.name, coalesce(line.name, ''), rack.name, rack.height_u
FROM inventory_rack rack JOIN inventory_room room ON room.id = rack.room_id
LEFT JOIN inventory_row line ON line.id = rack.row_id
WHERE room.site_id = ANY(%s) ORDER BY room.name, rack.name
"""
WORDS = """
SELECT device.site_id, 'tiers', switch.tier
FROM inventory_switch switch JOIN inventory_device device ON device.id = switch.device_id
WHERE device.site_id = ANY(%s)
UNION SELECT device.site_id, 'sides', placement.side_slot
FROM inventory_placement placement JOIN inventory_device device ON device.id = placement.device_id
WHERE device.site_id = ANY(%s)
UNION SELECT site_id, 'feeds', side FROM inventory_powerfeed WHERE site_id = ANY(%s)
"""


def places_of(site_ids: Iterable[int]) -> dict[int, Places]:
    """What names of these sites can lead to. Two queries."""
    ids = sorted(set(site_ids))
    racks: dict[int, list[RackPlace]] = defaultdict(list)
    words: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for site, *rack in _select(RACKS, ids):
        racks[site].append(RackPlace(*rack))
    for site, what, word in _select(WORDS, ids, ids, ids):
        words[site][what].add(word)
    return {site: Places(racks[site], **words[site]) for site in ids}


def _select(sql: str, *params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()
