"""What is plugged into a device, and where the other ends are."""

from __future__ import annotations

from typing import Any

from inventory.models import Device, StrandEnd
from inventory.queries.place import place_text, with_place

OPPOSITE = {"A": "B", "B": "A"}


def device_cables(device_id: int) -> list[dict[str, Any]]:
    """Every live cable end of a device with its far port, in the order of the ports. Three queries.

    A cable with several strands here gives one row for each port.
    """
    near = list(
        StrandEnd.objects.filter(port__device_id=device_id, change_set=None)
        .select_related("port", "connector__cable")
        .order_by("port_id")
    )
    ends = StrandEnd.objects.filter(
        connector__cable__in={end.connector.cable_id for end in near}, change_set=None
    ).select_related("port", "connector")
    far = {(end.connector.cable_id, end.lane, end.connector.side): end for end in ends}
    devices = with_place(Device.objects.all()).in_bulk({end.port.device_id for end in far.values()})
    return [
        {
            "id": end.connector.cable_id,
            "label": end.connector.cable.label,
            "type": end.connector.cable.type,
            "length_m": None if (length := end.connector.cable.length_m) is None else float(length),
            "colour": end.connector.cable.colour,
            "status": end.connector.cable.status,
            "near": port_dict(end),
            "far": _far(far.get((end.connector.cable_id, end.lane, OPPOSITE[end.connector.side])), devices),
        }
        for end in near
    ]


def port_dict(end: StrandEnd) -> dict[str, Any]:
    port = end.port
    return {"port": port.name, "kind": port.kind, "speed_gbps": port.speed_gbps, "cage": port.cage, "lane": port.lane}


def _far(end: StrandEnd | None, devices: dict[int, Device]) -> dict[str, Any] | None:
    if end is None:
        return None
    device = devices[end.port.device_id]
    return {
        "device": device.name,
        "device_id": device.pk,
        "kind": device.kind,
        "port": end.port.name,
        "cage": end.port.cage,
        "lane": end.port.lane,
        "place": place_text(device, "rear" if device.kind == "machine" else ""),
    }
