"""Every planned link beside what was seen of it, and every seen link that nobody planned. Pure.

`diagnose` says what to do about the fabric; this says how each single link stands, for lists, counts and the matrix.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from fabric.facts import NodeKind, Plan, PlannedCable, PlannedPort, Seen, SeenLink, SeenPort
from fabric.reconcile.slow import slow_links


class LinkState(StrEnum):
    """`off`: a device of it was not found at all. `dark`: both are there and tell of ports without light. `missing`:
    both are there and tell nothing of the ports, as an output that lists only lit ports does."""

    CORRECT = "correct"
    SLOW = "slow"
    WRONG = "wrong"
    DARK = "dark"
    MISSING = "missing"
    OFF = "off"
    EXTRA = "extra"
    UNKNOWN = "unknown"


class Compared(NamedTuple):
    """One link. `key` keeps its meaning over time. Ports of nodes without a name are called 0x and their GUID."""

    key: str
    state: LinkState
    a: PlannedPort
    b: PlannedPort
    a_guid: str
    b_guid: str
    width: str
    speed: str


def compare(plan: Plan, seen: Seen, names: Mapping[str, str]) -> list[Compared]:
    """How each link stands, planned ones in the order of the plan. `names` gives the GUIDs of planned devices."""
    guids = {name: guid for guid, name in names.items()}
    lit = {PlannedPort(*_named(near, names)): (far, link) for near, far, link in _ends(seen)}
    kinds = {guid: (node.kind, node.ports) for guid, node in seen.nodes.items()}
    alike = slow_links(seen, seen.links, lambda link: frozenset((kinds.get(link.a.guid), kinds.get(link.b.guid))))
    slow = {each.link for each in alike}
    found = [_planned(cable, seen, names, guids, lit, slow) for cable in plan.cables]
    used = {frozenset((each.a, each.b)) for each in found if each.state in (LinkState.CORRECT, LinkState.SLOW)}
    aggregation = {guid for guid, node in seen.nodes.items() if node.kind is NodeKind.AGGREGATION}
    inside = _boards(plan, seen, names)
    for link in seen.links:
        a, b = _named(link.a, names), _named(link.b, names)
        if frozenset((a, b)) in used or link.a.guid in aggregation or link.b.guid in aggregation:
            continue
        if link.a.guid != link.b.guid and inside.get(link.a.guid, 1) == inside.get(link.b.guid, 2):
            continue
        key = f"{link.a.guid}/{link.a.port}-{link.b.guid}/{link.b.port}"
        state = LinkState.EXTRA if link.a.guid in names and link.b.guid in names else LinkState.UNKNOWN
        found.append(Compared(key, state, a, b, link.a.guid, link.b.guid, link.width, link.speed))
    return found


def _boards(plan: Plan, seen: Seen, names: Mapping[str, str]) -> dict[str, str]:
    """The chassis of each board: links between two of one are no cables."""
    found = {}
    for guid, node in seen.nodes.items():
        device = plan.devices.get(names.get(guid, ""))
        if node.kind is NodeKind.SWITCH and (device is None or device.group != device.name):
            found[guid] = device.group if device is not None else node.system_guid or guid
    return found


def _planned(
    cable: PlannedCable,
    seen: Seen,
    names: Mapping[str, str],
    guids: Mapping[str, str],
    lit: Mapping[PlannedPort, tuple[SeenPort, SeenLink]],
    slow: Collection[SeenLink],
) -> Compared:
    a_guid, b_guid = guids.get(cable.a.device, ""), guids.get(cable.b.device, "")
    at_a, at_b = lit.get(cable.a), lit.get(cable.b)
    width = speed = ""
    if at_a is not None and _named(at_a[0], names) == cable.b:
        link = at_a[1]
        state, width, speed = LinkState.CORRECT, link.width, link.speed
        if link in slow:
            state = LinkState.SLOW
    elif at_a is not None or at_b is not None:
        state = LinkState.WRONG
    elif not a_guid or not b_guid:
        state = LinkState.OFF
    elif SeenPort(a_guid, cable.a.port) in seen.states or SeenPort(b_guid, cable.b.port) in seen.states:
        state = LinkState.DARK
    else:
        state = LinkState.MISSING
    return Compared(cable.label, state, cable.a, cable.b, a_guid, b_guid, width, speed)


def _ends(seen: Seen) -> Iterator[tuple[SeenPort, SeenPort, SeenLink]]:
    for link in seen.links:
        yield link.a, link.b, link
        yield link.b, link.a, link


def _named(port: SeenPort, names: Mapping[str, str]) -> PlannedPort:
    return PlannedPort(names.get(port.guid) or f"0x{port.guid}", port.port)
