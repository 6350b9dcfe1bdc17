"""What the Ethernet readers share: names of ports to numbers, and neighbours to nodes and links.

A node of an Ethernet fabric is known by a MAC with zeros before it, in the place of a GUID: a switch by its chassis, an
adapter by its port. Port numbers are those of the plan: cage by cage, and lane by lane where a cage is split.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from core.counts import counted
from fabric.facts import Completeness, NodeKind, Problem, Seen, SeenLink, SeenNode, SeenPort, SeenState
from fabric.formats.common import Unreadable, complain, lower, port
from fabric.formats.port_names import Counting, spelled

_NOT_HEX = re.compile(r"[^0-9a-f]")


@dataclass(frozen=True, slots=True)
class Said:
    """What a device's port heard of its neighbour; empty where it was not told."""

    port: str
    chassis: str = ""  # MAC
    name: str = ""
    far_port: str = ""  # a name, or a MAC
    far_port_is_mac: bool = False
    far_description: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """One device, its ports' states and neighbours. `is_switch` false: a machine, whose adapters are nodes."""

    name: str
    mac: str
    said: list[Said]
    states: dict[str, SeenState]
    is_switch: bool = True


def mac_of(text: str) -> str:
    """12 hex digits of a MAC however it is written (`00:1c:..`, `001c.7300.1122`); empty for anything else."""
    digits = _NOT_HEX.sub("", text.lower().strip('"'))
    separators = sum(text.count(sign) for sign in ":.-")
    return digits if len(digits) == 12 and len(digits) + separators == len(text.strip('"')) else ""


def guid_of(mac: str) -> str:
    return mac.rjust(16, "0")


def made_guid(*words: str) -> str:
    """Of a neighbour that tells names only; begins with f, as no MAC with zeros before it does."""
    return "f" + hashlib.sha256("/".join(words).encode()).hexdigest()[:15]


def numbers(names: Iterable[str]) -> dict[str, int]:
    """Number of each port of one switch: `swp21` -> 21; with split cages `swp21s1` is lane 2 of cage 21, as
    `Ethernet21/2` is. Names of another form are not in it."""
    told = {name: read for name in names if (read := spelled(name)) and read.counts in ("split", "cages")}
    counting = Counting.of(told.values(), from_zero=True)
    return {name: counting.number(read) for name, read in told.items()}


def read_json(text: str, where: str) -> tuple[Any, Seen]:
    """The document and a Seen to fill; a TRUNCATED or EMPTY one and None where there is nothing to read."""
    if not text.strip():
        return None, Seen(completeness=Completeness.EMPTY)
    try:
        return json.loads(text), Seen()
    except ValueError as error:
        line = text.count("\n", 0, getattr(error, "pos", 0)) + 1
        problem = Problem(where, line, f"the JSON cannot be read, or breaks off: {error}")
        return None, Seen(completeness=Completeness.TRUNCATED, problems=[problem])


def devices(document: Any, where: str, marks: set[str]) -> list[dict[str, Any]]:
    """The devices of a capture: one document, or a list of them. Raises Unreadable."""
    rows = document if isinstance(document, list) else [document]
    if not all(isinstance(row, dict) and marks & row.keys() for row in rows):
        raise Unreadable([Problem(where, 0, f"not a capture: {' or '.join(sorted(marks))} is missing")])
    return rows


def note(seen: Seen, heard: Iterable[Heard], where: str) -> Seen:
    """Put what all devices heard into `seen`: each link once, ends that disagree aside as doubtful."""
    all_heard = list(heard)
    known = {each.name: guid_of(each.mac) for each in all_heard if each.is_switch and each.mac}
    names = _port_names(all_heard)
    found: dict[SeenPort, SeenPort] = {}
    for each in all_heard:
        _note_device(seen, each, known, names, found, where)
    told = {SeenLink(min(a, b), max(a, b)) for a, b in found.items()}
    often = Counter(end for link in told for end in (link.a, link.b))
    for link in sorted(told):
        (seen.links if often[link.a] == often[link.b] == 1 else seen.doubtful).append(link)
    if seen.doubtful:
        complain(seen, where, 0, f"the ends of {counted(len(seen.doubtful), 'link')} disagree: LLDP may be old")
        lower(seen, Completeness.PARTIAL)
    if not seen.links:
        lower(seen, Completeness.EMPTY)
    return seen


def _port_names(heard: list[Heard]) -> dict[str, dict[str, int]]:
    """Numbers of the ports of each device that spoke or is spoken of."""
    names: dict[str, set[str]] = {}
    for each in heard:
        names.setdefault(each.name, set()).update(said.port for said in each.said)
        names[each.name].update(each.states)
        for said in each.said:
            if not said.far_port_is_mac:
                names.setdefault(said.name, set()).add(said.far_port)
    return {name: numbers(ports) for name, ports in names.items()}


def _note_device(
    seen: Seen, heard: Heard, known: dict[str, str], names: dict[str, dict[str, int]],
    found: dict[SeenPort, SeenPort], where: str,
) -> None:  # fmt: skip
    own = guid_of(heard.mac) if heard.mac else made_guid(heard.name)
    if heard.is_switch:
        ports = names.get(heard.name, {})
        _node(seen, own, NodeKind.SWITCH, heard.name, max(ports.values(), default=0))
        for name, state in heard.states.items():
            if name in ports:
                seen.states[port(own, ports[name])] = state
    for said in heard.said:
        near = _near(seen, heard, said, own, names)
        far = _far(seen, said, known, names)
        if near is None or far is None:
            complain(seen, where, 0, f"{heard.name} {said.port}: a neighbour that cannot be placed: {said.name}")
            lower(seen, Completeness.PARTIAL)
        elif near in found and found[near] != far:
            complain(seen, where, 0, f"{heard.name} {said.port} sees several neighbours")
        else:
            found[near] = far


def _near(seen: Seen, heard: Heard, said: Said, own: str, names: dict[str, dict[str, int]]) -> SeenPort | None:
    if heard.is_switch:
        number = names.get(heard.name, {}).get(said.port)
        return port(own, number) if number else None
    guid = made_guid(heard.name, said.port)
    _node(seen, guid, NodeKind.ADAPTER, f"{heard.name} {said.port}", 1)
    return port(guid, 1)


def _far(seen: Seen, said: Said, known: dict[str, str], names: dict[str, dict[str, int]]) -> SeenPort | None:
    """A neighbour that gives its port's MAC is a machine's adapter; one that gives a port's name, mostly a switch."""
    if said.far_port_is_mac:
        guid = guid_of(mac_of(said.far_port))
        _node(seen, guid, NodeKind.ADAPTER, f"{said.name} {said.far_description}".strip(), 1)
        return port(guid, 1)
    number = names.get(said.name, {}).get(said.far_port)
    if number is None:
        if not said.name or not said.far_port:
            return None
        guid = made_guid(said.name, said.far_port)
        _node(seen, guid, NodeKind.ADAPTER, f"{said.name} {said.far_port}", 1)
        return port(guid, 1)
    guid = known.get(said.name) or (guid_of(said.chassis) if said.chassis else made_guid(said.name))
    _node(seen, guid, NodeKind.SWITCH, said.name, max(names[said.name].values()))
    return port(guid, number)


def _node(seen: Seen, guid: str, kind: NodeKind, description: str, ports: int) -> None:
    before = seen.nodes.get(guid)
    if before is None or before.ports < ports:
        seen.nodes[guid] = SeenNode(guid, kind, (before.description if before else "") or description, ports)
