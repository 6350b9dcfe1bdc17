"""Arista switches over eAPI: `show lldp neighbors detail` and `show interfaces status` of one or several switches.

Takes the document of `drivers.eapi.EapiClient.capture`, or a list of them. An adapter gives its MAC as port id.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric.facts import Seen, SeenState
from fabric.formats.ethernet import Heard, Said, devices, mac_of, note, read_json

WHERE = "eapi"
_LINK = {"connected": ("Active", "LinkUp"), "notconnect": ("Down", "Polling"), "disabled": ("Down", "Disabled"),
         "errdisabled": ("Down", "Disabled")}  # fmt: skip


def read(text: str) -> Seen:
    """Raises Unreadable for JSON of another kind; text that breaks off is TRUNCATED, no neighbour at all EMPTY."""
    document, seen = read_json(text, WHERE)
    if document is None:
        return seen
    return note(seen, [_switch(row) for row in devices(document, WHERE, {"neighbors", "lldpNeighbors"})], WHERE)


def _switch(row: Mapping[str, Any]) -> Heard:
    neighbours = row.get("neighbors") or row.get("lldpNeighbors") or {}
    said = [
        each
        for name, told in neighbours.items()
        for info in (told.get("lldpNeighborInfo") or [])[:1]
        if (each := _said(name, info)) is not None
    ]
    states = {
        name: SeenState(*_LINK.get(str(state.get("linkStatus")), ("", str(state.get("linkStatus")))))
        for name, state in (row.get("status") or {}).items()
    }
    return Heard(str(row.get("switch") or ""), mac_of(str(row.get("mac") or "")), said, states)


def _said(name: str, info: Mapping[str, Any]) -> Said:
    far = info.get("neighborInterfaceInfo") or {}
    port_id = str(far.get("interfaceId") or far.get("interfaceId_v2") or "").strip('"')
    is_mac = bool(mac_of(port_id)) and far.get("interfaceIdType", "macAddress") == "macAddress"
    return Said(
        name,
        chassis=mac_of(str(info.get("chassisId") or "")),
        name=str(info.get("systemName") or "").strip(),
        far_port=port_id,
        far_port_is_mac=is_mac,
        far_description=str(far.get("interfaceDescription") or ""),
    )
