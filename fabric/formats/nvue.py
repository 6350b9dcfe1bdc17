"""Cumulus switches over NVUE: `GET /nvue_v1/interface?rev=applied` of one or several switches.

Takes the document of `drivers.nvue.NvueClient.capture`, or a list of them. A state is an object with one key (`up` or
`down`); neighbours are keyed by their names, or by their chassis where they send none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric.facts import Seen, SeenState
from fabric.formats.ethernet import Heard, Said, devices, mac_of, note, read_json

WHERE = "nvue"


def read(text: str) -> Seen:
    """Raises Unreadable for JSON of another kind; text that breaks off is TRUNCATED, no neighbour at all EMPTY."""
    document, seen = read_json(text, WHERE)
    if document is None:
        return seen
    return note(seen, [_switch(row) for row in devices(document, WHERE, {"interfaces"})], WHERE)


def _switch(row: Mapping[str, Any]) -> Heard:
    said, states = [], {}
    for name, interface in (row.get("interfaces") or {}).items():
        state = (interface.get("link") or {}).get("state")
        if isinstance(state, dict | str):
            up = "up" in state if isinstance(state, dict) else state == "up"
            states[name] = SeenState(*(("Active", "LinkUp") if up else ("Down", "Polling")))
        neighbours = (interface.get("lldp") or {}).get("neighbor") or {}
        said += [_said(name, key, each) for key, each in list(neighbours.items())[:1]]
    return Heard(str(row.get("switch") or ""), mac_of(str(row.get("mac") or "")), said, states)


def _said(name: str, key: str, neighbour: Mapping[str, Any]) -> Said:
    chassis, far = neighbour.get("chassis") or {}, neighbour.get("port") or {}
    port_id = str(far.get("id") or far.get("name") or "")
    return Said(
        name,
        chassis=mac_of(str(chassis.get("chassis-id") or "")),
        name=str(chassis.get("system-name") or ("" if mac_of(key) else key)),
        far_port=port_id,
        far_port_is_mac=bool(mac_of(port_id)) and str(far.get("id-type") or far.get("type") or "mac") == "mac",
        far_description=str(far.get("description") or ""),
    )
