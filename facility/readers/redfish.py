"""PDUs, cooling units and sensors of a room, asked by Redfish."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from drivers.gate import Gate
from drivers.redfish_connection import SERVICE_ROOT, RedfishConnection
from facility.facts import Measured
from facility.readers import redfish_cooling, redfish_pdu, redfish_sensors
from facility.readers.answers import Answer, Login, NotKnown
from facility.readers.redfish_readings import Source
from facility.readers.redfish_tree import Plan, Resource, fetched

TIMEOUT_S = 10.0


class Shape(NamedTuple):
    """What is followed from the service root, and from one resource that is named; and how it is read."""

    plan: Plan
    of_one: Plan
    read: Callable[[Source, Resource], list[Measured]]
    what: str


PDU = Shape(redfish_pdu.PLAN, redfish_pdu.OF_A_PDU, redfish_pdu.read, "PDU in PowerEquipment")
COOLING = Shape(
    redfish_cooling.PLAN, redfish_cooling.OF_A_UNIT, redfish_cooling.read, "cooling unit in ThermalEquipment"
)
SENSORS = Shape(redfish_sensors.PLAN, redfish_sensors.OF_A_CHASSIS, redfish_sensors.read, "chassis with sensors")


def of(host: str, access: Login, port: int, gate: Gate | None) -> RedfishConnection:
    url = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
    return RedfishConnection(url, access.username, access.password, access.pinned, TIMEOUT_S, gate=gate)


async def read(service: RedfishConnection, shape: Shape, path: str | None, now: float) -> Answer:
    """Everything of this shape that a service measures, or of the one resource at `path`. Raises RedfishError, and
    NotKnown for a service without one."""
    root = path or SERVICE_ROOT
    tree = await fetched(service, root, shape.of_one if path else shape.plan)
    start = tree.resources.get(root.rstrip("/"), {})
    values = shape.read(Source(tree, now), start)
    if not values:
        raise NotKnown(
            f"it answers as {_said(start) or 'a Redfish service'} and has no {shape.what}"
            + (f" at {path}" if path else "")
        )
    return Answer(_said(start), values, fingerprint=service.fingerprint if service.let_in else None)


def _said(resource: Resource) -> str:
    told = (resource.get(name) for name in ("Vendor", "Manufacturer", "Product", "Model", "Name"))
    return " ".join(dict.fromkeys(text.strip()[:100] for text in told if isinstance(text, str) and text.strip()))
