"""What one looks at in front of a device: its ports, and where its model says they are."""

from __future__ import annotations

from typing import Any

from inventory.cabling.faceplate import Cage, Lane, faceplate
from inventory.models import Device, PassThrough, Port
from inventory.models.stored_json import Unreadable
from inventory.queries.place import place_text, with_place
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec


def face_of(device_id: int) -> dict[str, Any]:
    """Every port of a device in its order, with its box on the faceplate where the model tells one. Three queries.

    A box is in shares of the faceplate, 0 to 1, from its upper left corner. Raises Device.DoesNotExist.
    """
    device = with_place(Device.objects.all()).get(pk=device_id)
    model = device.model
    cages = _cages(model.spec)
    boxes = {lane["port"]: _box(lane) for cage in cages for lane in cage["lanes"]}
    ports = Port.objects.filter(device_id=device_id).order_by("id")
    inside = _inside(device_id)
    return {
        "kind": device.kind,
        "model": f"{model.vendor} {model.name}".strip(),
        "place": place_text(device),
        "u_height": model.half_u_height / 2,
        "cages": [{"cage": cage["cage"], **_box(cage)} for cage in cages],
        "ports": [_port(port, boxes.get(port.name), inside.get(port.pk, [])) for port in ports],
    }


def _port(port: Port, box: dict[str, float] | None, inside: list[int]) -> dict[str, Any]:
    return {
        "id": port.pk, "name": port.name, "kind": port.kind, "speed_gbps": port.speed_gbps, "cage": port.cage,
        "lane": port.lane, "face": port.face, "box": box, "inside": inside,
    }  # fmt: skip


def _cages(spec: dict[str, Any]) -> list[Cage]:
    """Nothing of a model that cannot be read: its ports are listed all the same."""
    if isinstance(spec, Unreadable):
        return []
    try:
        return faceplate(DeviceModelSpec.from_dict(spec, source="spec"))
    except DeviceModelError:
        return []


def _box(of: Cage | Lane) -> dict[str, float]:
    return {"x": of["x"], "y": of["y"], "w": of["w"], "h": of["h"]}


def _inside(device_id: int) -> dict[int, list[int]]:
    """By a panel's port, the ports it is joined with inside, in the order of their positions."""
    joined: dict[int, list[int]] = {}
    rows = PassThrough.objects.filter(device_id=device_id).order_by("rear_id", "position")
    for front, rear in rows.values_list("front_id", "rear_id"):
        joined.setdefault(front, []).append(rear)
        joined.setdefault(rear, []).append(front)
    return joined
