"""Machines and switches that the plan does not have, and cables that it does not have: whose are they? Pure.

One finding for each strange machine or switch, however many adapters and cables it has. What has a name is somebody's
and is never taken away, nor is the node that the capture was taken from.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fabric.facts import NodeKind, PlannedPort
from fabric.reconcile.asked import STRANGE, has_name, is_strange, touching
from fabric.reconcile.clean import is_factory, machine_of
from fabric.reconcile.finding import Finding, Kind, Severity, key
from fabric.reconcile.moves import Component, ComponentKind
from fabric.reconcile.scene import Scene, few, port_text
from fabric.reconcile.wiring import called

ASK = "Read its label in the rack, and ask whose it is. Then add it to the plan, or have its owner take it away."
NAME = "Read its label in the rack, and name it or add it to the plan."
OWN = "This capture was taken from it: whatever is done to it, the fabric is seen from somewhere else first."


def is_extra(component: Component) -> bool:
    """Whether it is a cable between two devices of the plan; one at a stranger is told with the stranger."""
    ends = [end for body in component.cables for link in body.links for end in link.ends]
    return component.kind is ComponentKind.EXTRA and not any(is_strange(end) for end in ends)


def extra(scene: Scene, component: Component) -> Finding:
    lying = [scene.lying[each] for each in component.found if each in scene.lying]
    ports = tuple(port for ends in lying for port in ends)
    own = scene.own in {port.device for port in ports}
    return Finding(
        Kind.EXTRA,
        key("extra", *sorted(f"{port.device}/{port.port}" for port in ports)),
        Severity.LOW,
        f"A cable that nobody planned between {' and '.join(port_text(port) for port in ports[:2])}",
        "The plan has no cable at these ports. Ask whose it is: take it out if nobody needs it, or add it to the plan.",
        tuple(dict.fromkeys(port.device for port in ports)),
        ports,
        (),
        tuple(move.n for move in component.moves),
        {"links": len(lying)},
        (
            *((OWN,) if own else ()),
            "Read its label: it may be another's spare or one that is dark elsewhere.",
        ),
    )


def strangers(scene: Scene, told: Collection[str]) -> list[Finding]:
    """One for each machine or switch without a place; `told` are nodes that a finding about cables tells of already."""
    found: dict[tuple[str, str], list[str]] = {}
    for guid in scene.net.nodes:
        if guid not in scene.naming.names and f"{STRANGE}{guid}" not in told:
            found.setdefault(_identity(scene, guid), []).append(guid)
    return [_stranger(scene, name, guids) for (_, name), guids in found.items()]


def _identity(scene: Scene, guid: str) -> tuple[str, str]:
    """What makes two nodes one box: the name of their machine, else the system that they report."""
    node = scene.net.nodes[guid]
    machine = machine_of(node.description) if node.kind is not NodeKind.SWITCH else ""
    if machine and not is_factory(machine):
        return "machine", machine
    return "system", node.system_guid or guid


def _stranger(scene: Scene, name: str, guids: Sequence[str]) -> Finding:
    nodes = [scene.net.nodes[guid] for guid in guids]
    devices = [f"{STRANGE}{guid}" for guid in guids]
    ports = tuple(called(scene.naming, far) for guid in guids for _, far in scene.net.ends[guid])
    mine = set(devices)
    surplus = touching(scene.plan.components, lambda end: end.device in mine)
    waiting = touching(scene.asked, lambda end: end.device in mine)
    cables = tuple(dict.fromkeys(label for component in waiting for label in component.wanted))
    named = any(has_name(scene.net, guid) for guid in guids)
    own = scene.own in mine
    return Finding(
        Kind.STRANGER,
        key("stranger", name),
        Severity.LOW,
        _title(scene, name, guids),
        _text(scene, guids, ports, cables),
        (*devices, *dict.fromkeys(port.device for port in ports if port.device not in mine)),
        ports,
        cables,
        tuple(move.n for component in surplus for move in component.moves),
        {"description": nodes[0].description, "guids": list(guids), "links": len(ports)},
        (*((OWN,) if own else ()), ASK if named else NAME),
    )


def _title(scene: Scene, name: str, guids: Sequence[str]) -> str:
    node = scene.net.nodes[guids[0]]
    if node.kind is NodeKind.SWITCH:
        return f"An unknown switch: {node.description or 'without a name'}"
    if len(guids) > 1:
        who = name if machine_of(node.description) == name else node.description or "without a name"
        return f"An unknown machine: {who}, with {len(guids)} adapters"
    return f"An unknown adapter: {node.description or 'without a name'}"


def _text(scene: Scene, guids: Sequence[str], ports: Sequence[PlannedPort], cables: Sequence[str]) -> str:
    reports = dict.fromkeys(scene.net.nodes[guid].description for guid in guids)
    names = few([f"{report or 'no name'}" for report in reports])
    at = f" It is at {few([port_text(port) for port in ports])}." if ports else " No link of it was seen."
    text = f"It reports {names} ({few([f'{STRANGE}{guid}' for guid in guids])}) and is not in the plan, or its place "
    text += f"is not known.{at}"
    if cables:
        text += f" It takes a port of {few(cables)}: nothing is moved there before it is known whose it is."
    return text
