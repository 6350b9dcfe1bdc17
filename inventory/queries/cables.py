"""What is plugged into a device, and where the other ends are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any, NamedTuple

from inventory.models import Device, Installation, StrandEnd
from inventory.queries.place import port_place_text, with_place

OPPOSITE = {"A": "B", "B": "A"}

Optics = dict[tuple[int, int], dict[str, Any]]  # by device and cage


def device_cables(device_id: int) -> list[dict[str, Any]]:
    """Every live cable end of a device with its far port, in the order of the ports. Four queries.

    A cable with several strands here gives one row for each port. `far` is the port at the other end; where one end
    meets several (a breakout), it is the first, and `branches` tells all of them.
    """
    near = list(
        StrandEnd.objects.filter(port__device_id=device_id, change_set=None)
        .select_related("port", "connector__cable")
        .order_by("port_id")
    )
    ends = StrandEnd.objects.filter(
        connector__cable__in={end.connector.cable_id for end in near}, change_set=None
    ).select_related("port", "connector")
    far: dict[tuple[int, int, str], list[StrandEnd]] = defaultdict(list)
    for end in sorted(ends, key=lambda end: end.connector.number):
        far[end.connector.cable_id, end.lane, end.connector.side].append(end)
    at_all_ends = {device_id} | {end.port.device_id for ends_there in far.values() for end in ends_there}
    devices = with_place(Device.objects.all()).in_bulk(at_all_ends)
    optics = _optics(devices)
    return [
        _cable(end, far.get((end.connector.cable_id, end.lane, OPPOSITE[end.connector.side]), []), devices, optics)
        for end in near
    ]


class SwitchEnd(NamedTuple):
    """Where a cable ends at a switch."""

    device_id: int
    device: str
    port: str


def switch_ends(cables: Collection[int]) -> dict[int, SwitchEnd]:
    """The ends at switches of these cables, in the plan as it is. One statement."""
    ends = StrandEnd.objects.filter(connector__cable_id__in=cables, change_set=None, port__device__kind="switch")
    names = ("connector__cable_id", "port__device_id", "port__device__name", "port__name")
    return {cable: SwitchEnd(*end) for cable, *end in ends.values_list(*names)}


def _cable(end: StrandEnd, far: list[StrandEnd], devices: dict[int, Device], optics: Optics) -> dict[str, Any]:
    cable = end.connector.cable
    others = [_far(other, devices, optics) for other in far]
    return {
        "id": cable.pk,
        "label": cable.label,
        "type": cable.type,
        "length_m": None if cable.length_m is None else float(cable.length_m),
        "colour": cable.colour,
        "status": cable.status,
        "vendor": cable.vendor,
        "part_number": cable.part_number,
        "bundle": cable.bundle,
        "near": port_dict(end) | _plugged(end, optics),
        "far": others[0] if others else None,
        "branches": others if len(others) > 1 else [],
    }


def port_dict(end: StrandEnd) -> dict[str, Any]:
    port = end.port
    return {"port": port.name, "kind": port.kind, "speed_gbps": port.speed_gbps, "cage": port.cage, "lane": port.lane}


def _plugged(end: StrandEnd, optics: Optics) -> dict[str, Any]:
    """The serial on the plug, and the optic it is plugged into."""
    port = end.port
    return {
        "port_id": port.pk,
        "serial": end.connector.serial,
        "optic": None if port.cage is None else optics.get((port.device_id, port.cage)),
    }


def _far(end: StrandEnd, devices: dict[int, Device], optics: Optics) -> dict[str, Any]:
    device = devices[end.port.device_id]
    return {
        "device": device.name,
        "device_id": device.pk,
        "kind": device.kind,
        "port": end.port.name,
        "cage": end.port.cage,
        "lane": end.port.lane,
        "place": port_place_text(device, end.port.face),
    } | _plugged(end, optics)


def _optics(devices: dict[int, Device]) -> Optics:
    """The optics installed now, by the cage that the device's model has their slot in. One query."""
    rows = Installation.objects.filter(
        device_id__in=devices, during__endswith=None, component__kind="optic"
    ).select_related("component")
    found: Optics = {}
    for row in rows:
        slots = {slot["name"]: slot.get("cage") for slot in devices[row.device_id].model.spec["slots"]}
        cage = slots.get(row.slot)
        if cage is not None:
            part = row.component
            about = {"component": part.pk, "vendor": part.vendor, "part_number": part.part_number}
            found[row.device_id, cage] = about | {"serial": part.serial, "slot": row.slot}
    return found
