"""A rack from the front and the rear, every device with what its machine is like now."""

from __future__ import annotations

from typing import Any

from health.queries.verdicts import part_verdicts
from health.specs import spec_of
from inventory.models import Placement, Port, Rack
from inventory.queries.place import column_of, face_of, height_of, u_of


def elevation(rack: Rack) -> dict[str, Any]:
    """The answer of `/api/racks/ID/elevation/`; `rack` comes with row and room. A fixed number of queries."""
    placements = list(
        Placement.objects.filter(rack=rack)
        .select_related("device__model", "device__machine__health")
        .order_by("-half_units", "columns", "id")
    )
    machines = [p.device_id for p in placements if p.device is not None and p.device.kind == "machine"]
    verdicts = part_verdicts([pk for pk in machines if pk is not None])
    ports = _ports([p.device_id for p in placements if p.device_id is not None])
    mounted = [(_item(p), p) for p in placements if p.half_units is not None]
    return {
        "rack": {
            "id": rack.pk,
            "name": rack.name,
            "row": rack.row.name if rack.row else "",
            "room": rack.room.name,
            "site": rack.room.site.name,
            "height_u": rack.height_u,
            "power_limit_w": rack.power_limit_w,
            "planned_w": sum(p.device.model.power_w for p in placements if p.device is not None),
        },
        "front": [
            item | {"parts": _gpu_parts(p, verdicts)} for item, p in mounted if item["face"] in ("front", "both")
        ],
        "rear": [
            item | {"parts": _port_parts(p, ports, verdicts)} for item, p in mounted if item["face"] in ("rear", "both")
        ],
        "sides": [
            {"slot": p.side_slot, "id": p.device_id, "name": p.device.name, "kind": p.device.kind}
            for p in placements
            if p.side_slot and p.device is not None
        ],
    }


def _item(placement: Placement) -> dict[str, Any]:
    device = placement.device
    machine = getattr(device, "machine", None) if device is not None and device.kind == "machine" else None
    health = getattr(machine, "health", None)
    return {
        "id": device.pk if device else None,
        "name": device.name if device else placement.reason,
        "kind": device.kind if device else placement.kind,
        "machine": device.pk if machine and device else None,
        "model": device.model.slug if device else None,
        "u": u_of(placement),
        "height_u": height_of(placement),
        "face": face_of(placement),
        "column": column_of(placement),
        "cell": health.cell if health else None,
        "worst": health.worst if health else None,
        "ticket": (health.ticket_key or None) if health else None,
    }


def _gpu_parts(placement: Placement, verdicts: dict[int, dict[str, str]]) -> list[dict[str, str]]:
    device = placement.device
    if device is None or device.kind != "machine":
        return []
    known = verdicts.get(device.pk, {})
    return [
        {"slot": slot.name, "label": slot.label, "kind": "gpu", "verdict": known.get(slot.name, "unknown")}
        for slot in spec_of(device.model.spec).slots_of("gpu")
    ]


def _ports(device_ids: list[int]) -> dict[int, list[tuple[str, str]]]:
    ports: dict[int, list[tuple[str, str]]] = {}
    rows = Port.objects.filter(device_id__in=device_ids).exclude(kind=Port.Kind.POWER_OUTLET).order_by("id")
    for device_id, name, slot in rows.values_list("device_id", "name", "slot"):
        ports.setdefault(device_id, []).append((name, slot))
    return ports


def _port_parts(
    placement: Placement, ports: dict[int, list[tuple[str, str]]], verdicts: dict[int, dict[str, str]]
) -> list[dict[str, str]]:
    """A port is as good as the part it is on; ports of other devices are not checked here."""
    device = placement.device
    if device is None or device.kind != "machine":
        return []
    known = verdicts.get(device.pk, {})
    return [
        {"slot": name, "label": name, "kind": "port", "verdict": known.get(slot or name, "unknown")}
        for name, slot in ports.get(device.pk, [])
    ]
