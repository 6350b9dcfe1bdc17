"""Racks that a write touches: locked in id order, their heights and who stands in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet

from inventory.kinds import sql
from inventory.kinds.kind import Lookup
from inventory.kinds.placement import Occupancy, Spans
from inventory.kinds.records import half_units
from inventory.models import Placement


def units_at(path: str) -> dict[str, Lookup]:
    """The filters by U, of a range of half units at this path: where its lowest unit is."""

    def lowest(lookup: str) -> Lookup:
        def apply(rows: QuerySet, u: float) -> QuerySet:
            return rows.filter(**{f"{path}__startswith{lookup}": int(2 * half_units(u) - 1)})

        return Lookup("number", apply, "The lowest unit: 12, or 12.5 for the upper half of U12.")

    return {"u": lowest(""), "u__gte": lowest("__gte"), "u__lte": lowest("__lte")}


def rack_heights(ids: Iterable[int]) -> dict[int, int]:
    """Lock the racks and tell their heights in units."""
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    rows = sql.execute(
        "SELECT id, height_u FROM inventory_rack WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE", wanted
    )
    return dict(rows)


def occupied(racks: Iterable[int], *, leaving: Iterable[int] = (), without: Iterable[int] = ()) -> Occupancy:
    """What stands in the racks now, but for devices that leave and placements that are written anew."""
    gone, skipped = set(leaving), set(without)
    occupancy = Occupancy()
    rows = Placement.objects.filter(rack_id__any=list(racks)).values_list(
        "pk", "rack_id", "device_id", "device__name", "kind", "reason", "half_units", "faces", "columns", "side_slot"
    )
    for pk, rack, device, name, kind, reason, units, faces, columns, side in rows:
        if pk in skipped or (device is not None and device in gone):
            continue
        who = name or (
            f"a {'reservation' if kind == 'reserved' else 'blanking panel'}{f' ({reason})' if reason else ''}"
        )
        if units is None:
            occupancy.hang(rack, side, who)
        else:
            occupancy.take(rack, Spans(_pair(units), _pair(faces), _pair(columns)), who)
    return occupancy


def _pair(value: Any) -> tuple[int, int]:
    return value.lower, value.upper
