"""The moves of a finding in words."""

from __future__ import annotations

from typing import Any


def worded(moves: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The moves as they are stored, each with its sentence."""
    return [{**move, "text": sentence(move)} for move in moves]


def sentence(move: dict[str, Any]) -> str:
    cable = f"the cable labelled {move['cable']}" if move["cable"] else "the unplanned cable"
    start, end = move["take_from"], move["put_into"]
    if start is None:
        return f"Plug the hanging end of {cable} into {where(end)}."
    if end is None:
        return f"At {where(start)}: pull {cable} and let it hang."
    return f"At {where(start)}: pull {cable}. Plug it into {where(end, near=start)}."


def where(end: dict[str, Any], near: dict[str, Any] | None = None) -> str:
    """`cage 11 lower (port 22) of leaf-7, Hall 1 › Row A › Rack A09 › U40`, or `.. of the same switch`."""
    socket = f"port {end['port']}"
    if end["cage"] is not None:
        socket = f"cage {end['cage']} {end['half']}".rstrip() + f" (port {end['port']})"
    elif end["port_name"]:
        socket = end["port_name"]
    if near is not None and near["device"] == end["device"]:
        return f"{socket} of the same switch"
    return f"{socket} of {end['device']}" + (f", {end['place']}" if end["place"] else "")


def of_moves(moves: list[dict[str, Any]]) -> list[dict[str, str]]:
    return []
