"""Walks as the API answers them: hops with names, places and cables, ends, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from inventory.cabling.facts import Cabling, PortInfo, read
from inventory.cabling.walk import Path, Step, Why, trace
from inventory.faces import face_of_port
from inventory.models import Port
from inventory.queries.place import FACES, place_line, units_of_span
from inventory.specs.units import unit_of, whole

WHY: dict[Why, str] = {
    "no_cable": "{port} has no cable.",
    "open_cable": "The cable in {port} has no other end.",
    "no_pass_through": "{port} leads nowhere: its panel has no port behind it.",
    "no_position": "{port} has no front port at the position the light comes in at.",
    "loop": "The cabling comes back to {port}: it is a loop.",
    "too_long": "{port} is not the end, but no cabling is this long.",
}


def trace_ports(ports: list[int]) -> list[dict[str, Any]]:
    """A trace for each of these ports, in their order; ids that are no port are left out. At most five statements."""
    cabling = read(ports)
    return [_answer(port, cabling) for port in ports if port in cabling.ports]


def ports_of(device: int, kinds: Iterable[str]) -> list[int]:
    """The ports of a device in their order; of some kinds only, where any are given."""
    ports = Port.objects.filter(device_id=device).order_by("id")
    wanted = list(kinds)
    return list((ports.filter(kind__in=wanted) if wanted else ports).values_list("id", flat=True))


def _answer(port: int, cabling: Cabling) -> dict[str, Any]:
    found = trace(port, cabling.facts)
    told = _path(found.out, cabling)
    answer = {"port": _port(cabling.ports[port]), "complete": found.complete} | told
    if found.back is not None:
        back = _path(found.back, cabling)
        answer["complete"] = found.complete
        answer["ends"] = told["ends"] + back["ends"]
        answer["planned"] = told["planned"] or back["planned"]
        answer["back"] = back
    else:
        answer["back"] = None
    return answer


def _path(path: Path, cabling: Cabling) -> dict[str, Any]:
    """One way: its hops, and where it forks, the branches, each in the same form."""
    branches = [_path(branch, cabling) for branch in path.branches]
    cables = [cabling.cables[step.id] for step in path.steps if step.kind == "cable"]
    lengths = [cable.length_m for cable in cables]
    last = next((step.id for step in reversed(path.steps) if step.kind == "port"), 0)
    return {
        "complete": path.complete,
        "why": _why(path.why, cabling.ports[last]) if path.why and last else None,
        "planned": any(cable.status == "planned" for cable in cables) or any(each["planned"] for each in branches),
        "length_m": None if None in lengths or branches else float(sum(filter(None, lengths), Decimal(0))),
        "ends": [_port(cabling.ports[port]) for port in path.ends()],
        "hops": [_hop(step, cabling) for step in path.steps],
        "branches": branches,
    }


def _why(why: Why, port: PortInfo) -> dict[str, Any]:
    name = f"{port.device} {port.name}"
    return {"code": why, "text": WHY[why].format(port=name), "port": port.id}


# ---- hops ----


def _hop(step: Step, cabling: Cabling) -> dict[str, Any]:
    if step.kind == "cable":
        cable = cabling.cables[step.id]
        length = None if cable.length_m is None else float(cable.length_m)
        about = {**cable._asdict(), "length_m": length, "strand": step.number}
        return {"kind": "cable", "id": cable.id, "name": cable.label, "cable": about}
    info = cabling.ports[step.id]
    if step.kind == "panel":
        hop = {"kind": "panel", "id": info.device_id, "name": info.device, "position": step.number}
        return hop | {"device": _device(info), "place": _place(info)}
    return {"kind": "port", **_port(info)}


def _port(info: PortInfo) -> dict[str, Any]:
    return {
        "id": info.id,
        "name": info.name,
        "port": {
            "id": info.id,
            "name": info.name,
            "kind": info.kind,
            "speed_gbps": info.speed_gbps,
            "cage": info.cage,
            "lane": info.lane,
            "face": info.face,
        },
        "device": _device(info),
        "place": _place(info),
    }


def _device(info: PortInfo) -> dict[str, Any]:
    return {"id": info.device_id, "name": info.device, "kind": info.device_kind}


def _place(info: PortInfo) -> dict[str, Any]:
    """Where one stands to touch the port; a device that is not mounted has its site only."""
    if info.rack is None or info.room is None:
        nowhere = {"room": "", "row": "", "rack": "", "rack_id": None, "u": None, "height_u": None, "face": ""}
        return {"site": info.site, **nowhere, "text": f"{info.site} › not mounted"}
    face = face_of_port(info.face, FACES.get((info.first_face or 0, info.last_face or 0), "rear"))
    units = f"side {info.side}"
    if info.low is not None and info.high is not None:
        units = f"{units_of_span(info.low, info.high)} {face}"
    bay = f"bay {info.bay} of {info.parent}" if info.parent else ""
    return {
        "site": info.site,
        "room": info.room,
        "row": info.row,
        "rack": info.rack,
        "rack_id": info.rack_id,
        "u": None if info.low is None else unit_of(info.low),
        "height_u": None if info.low is None or info.high is None else whole((info.high - info.low) / 2),
        "face": face,
        "text": place_line(info.room, info.row, info.rack, units, bay),
    }
