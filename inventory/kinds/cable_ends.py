"""The ends of a cable: connectors on side A and side B, and the port each lane of a connector ends in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field

from inventory.kinds import sql
from inventory.kinds.records import Id, KeyText, Record, Text

MAX_PLUGS = 64


class End(NamedTuple):
    """One lane of one connector. `port` is None where nothing is plugged in."""

    connector: int
    lane: int
    port: int | None
    serial: str


class CableConnector(Record):
    """Where a lane of a connector ends: a port by its id, or by its device (id or name) and its name.

    An answer has the same fields, and the names beside the ids.
    """

    port: Id | KeyText | None = Field(None, description="Id or name; null: not plugged in.")
    device: Id | KeyText | None = Field(None, description="Id or name.")
    connector: int | None = Field(None, ge=1, le=MAX_PLUGS, description="The connector on this side, from 1.")
    lane: int | None = Field(None, ge=1, le=MAX_PLUGS, description="The same on both sides: what is linked.")
    serial: Text = Field("", max_length=64, description="Printed on the connector.")
    port_name: str | None = Field(None, max_length=200, description="In answers only; not read.")
    device_name: str | None = Field(None, max_length=200, description="In answers only; not read.")
    kind: str | None = Field(None, max_length=20, description="In answers only; not read.")
    cage: int | None = Field(None, description="In answers only; not read.")


def as_plugs(value: Any) -> Any:
    """One connector or several; `leaf-a01-r1 1/1` is a device and its port, a number the id of a port."""
    plugs = value if isinstance(value, list) else [value]
    return [_as_plug(plug) if isinstance(plug, str | int) else plug for plug in plugs]


def _as_plug(plug: str | int) -> Any:
    if isinstance(plug, bool):
        return plug
    return {"port": plug} if isinstance(plug, int) else _from_text(plug)


def _from_text(text: str) -> Any:
    device, _, port = text.strip().partition(" ")
    if not port and device.isascii() and device.isdecimal():
        return {"port": device}
    if not port:
        raise ValueError("a device and its port, such as leaf-1 1/1")
    return {"device": device, "port": port.strip()}


Plugs = Annotated[list[CableConnector], Field(max_length=MAX_PLUGS), BeforeValidator(as_plugs)]


def numbered(plugs: list[CableConnector], others: int) -> list[tuple[int, int]]:
    """Connector and lane of each end of a side; `others` is the number of ends on the other side.

    Unless told: one connector with as many lanes as there are ports (a twin), or, facing a single port, as many
    connectors as there are ports (a fan-out).
    """
    fan = others == 1 and len(plugs) > 1
    return [
        (plug.connector or (at if fan else 1), plug.lane or (1 if fan else at))
        for at, plug in enumerate(plugs, start=1)
    ]  # fmt: skip


ENDS = """
SELECT n.cable_id, n.side, n.number, coalesce(e.lane, 1), e.port_id, n.serial, p.name, p.kind, p.cage, d.id, d.name
FROM inventory_connector n
LEFT JOIN inventory_strandend e ON e.connector_id = n.id AND e.change_set_id IS NULL
LEFT JOIN inventory_port p ON p.id = e.port_id
LEFT JOIN inventory_device d ON d.id = p.device_id
WHERE n.cable_id = ANY(%s)
AND (e.id IS NOT NULL OR NOT EXISTS (SELECT FROM inventory_strandend x WHERE x.connector_id = n.id))
ORDER BY n.cable_id, n.side, n.number, e.lane
"""


def load_ends(cables: Iterable[int]) -> dict[int, dict[str, list[dict[str, Any]]]]:
    """The plugs of both sides by cable, as answers have them, without those only a change set knows. One query."""
    found: dict[int, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: {"a": [], "b": []})
    for cable, side, connector, lane, port, serial, port_name, kind, cage, device, device_name in sql.execute(
        ENDS, list(cables)
    ):
        found[cable][side.lower()].append(
            {
                "port": port,
                "port_name": port_name,
                "device": device,
                "device_name": device_name,
                "kind": kind,
                "cage": cage,
                "connector": connector,
                "lane": lane,
                "serial": serial,
            }
        )
    return found


def ends_of(plugs: Iterable[dict[str, Any]]) -> list[End]:
    """In the form that a write compares."""
    return sorted(
        (End(plug["connector"], plug["lane"], plug["port"], plug["serial"]) for plug in plugs),
        key=lambda end: (end.connector, end.lane),
    )


def told(plugs: Iterable[dict[str, Any]]) -> str:
    """A side in words: `leaf-1 1/1, leaf-1 1/2`."""
    return ", ".join(f"{plug['device_name']} {plug['port_name']}" for plug in plugs if plug["port"] is not None)
