"""`lldpctl -f json0` and `-f json` on machines: which switch port each adapter hears.

lldpctl does not say on which machine it ran, so the capture does: {"machine": NAME, "lldpctl": OUTPUT}, or a list of
such. The shape of `json` changes: one interface is an object, several are a list of objects with one key; a chassis is
keyed by its name, or has its fields directly when the neighbour sends none; a value may be a string or a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabric.facts import Seen
from fabric.formats.ethernet import Heard, Said, devices, mac_of, note, read_json

WHERE = "lldpctl"


def read(text: str) -> Seen:
    """Raises Unreadable for JSON of another kind; text that breaks off is TRUNCATED, no neighbour at all EMPTY."""
    document, seen = read_json(text, WHERE)
    if document is None:
        return seen
    heard = [
        Heard(str(row.get("machine") or ""), "", list(_neighbours(row.get("lldpctl"))), {}, is_switch=False)
        for row in devices(document, WHERE, {"lldpctl"})
    ]
    return note(seen, heard, WHERE)


def _neighbours(output: Any) -> Iterator[Said]:
    for block in _list(output.get("lldp") if isinstance(output, Mapping) else None):
        for interface in _list(block.get("interface")):
            if "name" in interface and isinstance(interface["name"], str):  # json0
                yield _said(interface["name"], interface)
            else:
                for name, told in interface.items():
                    for each in _list(told)[:1]:
                        yield _said(name, each)


def _said(name: str, told: Mapping[str, Any]) -> Said:
    chassis, named = _chassis(told.get("chassis"))
    far = next(iter(_list(told.get("port"))), {})
    kind, port_id = _id(far)
    chassis_kind, chassis_id = _id(chassis)
    return Said(
        name,
        chassis=mac_of(chassis_id) if chassis_kind in ("mac", "") else "",
        name=named,
        far_port=port_id,
        far_port_is_mac=bool(mac_of(port_id)) and kind in ("mac", ""),
        far_description=_text(far.get("descr")),
    )


def _chassis(value: Any) -> tuple[Mapping[str, Any], str]:
    """Its fields, and the neighbour's name."""
    first = next(iter(_list(value)), {})
    if "id" in first:
        return first, _text(first.get("name"))
    for name, fields in first.items():
        if isinstance(fields, Mapping):
            return fields, str(name)
    return {}, ""


def _id(fields: Mapping[str, Any]) -> tuple[str, str]:
    """Type and value."""
    first = next(iter(_list(fields.get("id"))), {})
    return str(first.get("type") or ""), str(first.get("value") or "")


def _text(value: Any) -> str:
    """`"x"`, `["x"]` and `[{"value": "x"}]` alike."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, Mapping):
        value = value.get("value")
    return str(value or "")


def _list(value: Any) -> list[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        return [value]
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
