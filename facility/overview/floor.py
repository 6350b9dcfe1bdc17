"""What the floor of a room shows, as `sums` wrote it down last. Four statements, whatever the size of the room."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import orjson
from django.db import connection
from django.db.models import Q
from django.utils import timezone

from facility.findings.limits import as_limits
from facility.findings.services import policy_of
from facility.meters.models import Meter, MeterState
from facility.meters.rounds import is_fresh
from facility.overview.sums import PERIOD_S
from inventory.models import Rack, Room

NOTHING: dict[str, Any] = {
    "power_w": None, "at_least": True, "known": 0, "of": 0, "peak_w": None, "peak_at": None, "planned_w": None,
    "limit_w": None, "share": None, "inlet_c": None, "delta_t_c": None, "hottest_gpu_c": None,
    "gpu_band": "unknown", "slowed": None, "slowed_at_least": True, "free_w": None, "state": "unknown",
}  # fmt: skip
"""Of a rack of which nothing is known now."""
RACKS = """
SELECT rack.id, rack.name, line.name, told.at, told.memory
FROM inventory_rack rack LEFT JOIN inventory_row line ON line.id = rack.row_id
LEFT JOIN facility_meter meter ON meter.rack_id = rack.id AND meter.kind = 'rack'
LEFT JOIN facility_meterstate told ON told.meter_id = meter.id
WHERE rack.room_id = %s ORDER BY line.name, rack.name
"""


def floor(room: Room) -> dict[str, Any]:
    """The answer of `/api/facility/floor/`."""
    now = timezone.now()
    policy = policy_of(room.site_id)
    limits = as_limits(policy)
    with connection.cursor() as cursor:
        cursor.execute(RACKS, [room.pk])
        rows = cursor.fetchall()
    racks, read_at = [], None
    for pk, name, row, at, shown in rows:
        fresh = at is not None and is_fresh(at, PERIOD_S, now)
        read_at = max(filter(None, (read_at, at if fresh else None)), default=None)
        racks.append({"id": pk, "name": name, "row": row, **NOTHING, **(orjson.loads(shown) if fresh else {})})
    sums = MeterState.objects.filter(
        Q(meter__site=room.site_id, meter__kind=Meter.Kind.SITE) | Q(meter__room=room, meter__kind=Meter.Kind.ROOM)
    ).values_list("meter__kind", "at", "memory")
    known = {kind: memory | {"at": at} for kind, at, memory in sums if is_fresh(at, PERIOD_S, now)}
    of_site, of_room = (known.get(kind, {}) for kind in (Meter.Kind.SITE, Meter.Kind.ROOM))
    total = _sum(racks)
    return {
        "room": {"id": room.pk, "name": room.name},
        "at": read_at,
        "inlet_c_limit": policy.inlet_c,
        "load_percent": policy.load_percent,
        "gpu_bands_c": {"great": limits.gpu_great_c, "good": limits.gpu_good_c, "near": limits.gpu_near_c},
        "racks": racks,
        "rows": _by_row(racks),
        "total_w": total["power_w"],
        "at_least": total["at_least"],
        "peak_w": of_room.get("peak_w"),
        "peak_at": of_room.get("peak_at"),
        "planned_w": of_room.get("planned_w"),
        "pue": of_site.get("pue"),
        "pue_at": of_site.get("at"),
    }


def _by_row(racks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for rack in racks:
        rows[rack["row"] or ""].append(rack)
    return [{"name": name, **_sum(some)} for name, some in rows.items()]


def _sum(racks: list[dict[str, Any]]) -> dict[str, Any]:
    known = [rack["power_w"] for rack in racks if rack["power_w"] is not None]
    return {
        "power_w": sum(known) if known else None,
        "at_least": len(known) < len(racks) or any(rack["at_least"] for rack in racks),
    }


def rack_now(rack: Rack) -> dict[str, Any]:
    """What the floor shows of one rack."""
    now = timezone.now()
    state = MeterState.objects.filter(meter__rack=rack, meter__kind=Meter.Kind.RACK).first()
    fresh = state is not None and is_fresh(state.at, PERIOD_S, now)
    return NOTHING | (state.memory if state is not None and fresh else {})
