"""What is wrong, one finding for each thing that is wrong, in words. Pure.

A cause is told once: a switch that is off is not 64 dark links, two machines in each other's place are not 16 moves,
and a stranger's cable is told with the stranger.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fabric.facts import NodeKind, PlannedCable, PlannedPort, Seen, SeenPort
from fabric.reconcile.alternatives import alternatives, unplanned
from fabric.reconcile.cables import FoundCable
from fabric.reconcile.clean import Book, Net
from fabric.reconcile.finding import Finding, Kind, Severity, key
from fabric.reconcile.misnamed import renames_of
from fabric.reconcile.moves import Component, ComponentKind, MovePlan
from fabric.reconcile.names_findings import name_findings
from fabric.reconcile.naming import Naming
from fabric.reconcile.prices import Prices
from fabric.reconcile.slow import Slow
from fabric.reconcile.wiring import Wiring, called, link_id
from fabric.reconcile.words import Spots, unlit_words

SLOW_CHECKS = (
    "Reseat the connector at both ends.",
    "Clean both connectors and look at them with a scope.",
    "Swap the optic at one end, then at the other.",
    "Swap the cable.",
)
FIXED_PLUGS = re.compile(r"dac|aoc|copper|active optical", re.IGNORECASE)
OFF_CHECKS = (
    "Is it powered? Look at its supplies and at the feed of its rack.",
    "Does its management answer?",
    "Only then look at its cables.",
)
ORDER = tuple(Kind)


@dataclass(slots=True)
class Scene:
    """All that findings are made of."""

    seen: Seen
    net: Net
    book: Book
    naming: Naming
    wiring: Wiring
    plan: MovePlan
    slow: Sequence[Slow]
    known: Mapping[str, str]
    prices: Prices
    unplanned: Sequence[FoundCable]


def all_findings(
    seen: Seen,
    net: Net,
    book: Book,
    naming: Naming,
    wiring: Wiring,
    plan: MovePlan,
    slow: Sequence[Slow],
    known: Mapping[str, str],
    prices: Prices,
) -> tuple[Finding, ...]:
    """Every finding, in the order of Kind and then of key."""
    scene = Scene(seen, net, book, naming, wiring, plan, slow, known, prices, tuple(unplanned(plan)))
    found = [*_off(scene), *_cables(scene), *_slow(scene), *_stale(scene)]
    found += name_findings(net, book, naming, renames_of(net, book, naming), known)
    return tuple(sorted(found, key=lambda finding: (ORDER.index(finding.kind), finding.key)))


def port_text(port: PlannedPort) -> str:
    return f"{port.device} port {port.port}"


def few(names: Iterable[str], most: int = 6) -> str:
    """`a, b and 3 more`"""
    names = list(names)
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"


def _off(scene: Scene) -> list[Finding]:
    """One for each device that is off, but none for those that only hang behind others that are."""
    found = []
    off, book = scene.wiring.off, scene.book
    for group, cables in off.items():
        behind = {book.group[end.device] for cable in cables for end in cable.ends} - {group}
        if behind and behind <= off.keys() and any(len(off[other]) > len(cables) for other in behind):
            continue
        members = book.members[group]
        switch = any(book.plan.devices[name].role == "switch" for name in members)
        found.append(
            Finding(
                Kind.DEVICE_OFF,
                key("off", group),
                Severity.CRITICAL if switch else Severity.HIGH,
                f"{group} is not there",
                f"Nothing of {group} was seen: its {len(cables)} links are dark. It is off, or cut off as a whole.",
                tuple(members),
                (),
                tuple(cable.label for cable in cables),
                evidence={"links": len(cables)},
                checks=OFF_CHECKS,
            )
        )
    return found


def _cables(scene: Scene) -> list[Finding]:
    """One for each component: cables that can only be put right together."""
    lying = {link_id(link): (a, b) for a, b, link in scene.wiring.wrong}
    cables = {cable.label: cable for cable in scene.wiring.missing}
    found = []
    told: set[str] = set()
    for component in scene.plan.components:
        finding = _component(scene, component, lying, cables)
        if finding is not None:
            found.append(finding)
            told.update(device for device in finding.devices if device.startswith("0x"))
    return found + _strangers(scene, told)


def _component(
    scene: Scene,
    component: Component,
    links: Mapping[str, tuple[PlannedPort, PlannedPort]],
    cables: Mapping[str, PlannedCable],
) -> Finding | None:
    wanted = [label for label in component.wanted if label in cables]
    lying = [links[each] for each in component.found if each in links]
    if not lying and not wanted:
        return None
    if component.kind is ComponentKind.EXTRA:
        return _extra(scene, component, lying)
    ports = tuple(dict.fromkeys(port for ends in [*lying, *(cables[label].ends for label in wanted)] for port in ends))
    devices = tuple(dict.fromkeys(port.device for port in ports))
    moves = tuple(move.n for move in component.moves)
    if component.kind is ComponentKind.MISSING:
        return _unlit(scene, cables[wanted[0]], wanted, ports, devices)
    kind = Kind(component.kind.value)
    title, text = _words(component, lying, [cables[label] for label in wanted])
    return Finding(
        kind,
        key("cables", min(wanted, default=link_id_of(component))),
        Severity.HIGH,
        title,
        text,
        devices,
        ports,
        tuple(wanted),
        moves,
        {"insertions": component.insertions, "unlit": list(component.new_cables), "links": len(lying)},
        tuple(step for label in component.new_cables if label in cables for step in _ladder(scene, cables[label])),
    )


def link_id_of(component: Component) -> str:
    return min(component.found)


def _words(
    component: Component, lying: Sequence[tuple[PlannedPort, PlannedPort]], wanted: Sequence[PlannedCable]
) -> tuple[str, str]:
    labels = [cable.label for cable in wanted]
    number = component.insertions
    moves = "1 move puts" if number == 1 else f"{number} moves put"
    if component.kind is ComponentKind.WRONG_PORT and lying and wanted:
        kept = set(lying[0]) & set(wanted[0].ends)
        wrong = next((port for port in lying[0] if port not in kept), lying[0][0])
        meant = next((port for port in wanted[0].ends if port not in kept), wanted[0].a)
        text = f"{labels[0]} belongs into {port_text(meant)} and sits in {port_text(wrong)}. {moves} it right."
        return f"{labels[0]} sits in a wrong port", text
    if component.kind is ComponentKind.SWAPPED_PAIR:
        return f"{few(labels)} are swapped", f"Each sits in the other's port. {moves} them right."
    if component.kind is ComponentKind.CYCLE:
        return f"{len(labels)} cables sit in each other's ports", f"{few(labels)} form a circle. {moves} it right."
    text = f"{few(labels)} hang together: one sits where another belongs. {moves} right what is lit"
    if component.new_cables:
        text += f"; then {few(component.new_cables)} is dark: look for a loose connector before anything else"
    return f"{few(labels)}: cables in a row of wrong ports", f"{text}."


def _unlit(
    scene: Scene, cable: PlannedCable, labels: Sequence[str], ports: tuple[PlannedPort, ...], devices: tuple[str, ...]
) -> Finding:
    """Dark where a port tells that it is down, missing where nothing tells anything."""
    states = {}
    for port in cable.ends:
        guid = scene.naming.holder.get(port.device)
        state = scene.seen.states.get(SeenPort(guid, port.port)) if guid else None
        if state is not None:
            states[port_text(port)] = f"{state.logical}/{state.physical}"
    disabled = [where for where, state in states.items() if state.endswith("/Disabled")]
    text = f"{few(labels)} between {port_text(cable.a)} and {port_text(cable.b)} gives no link."
    offers = alternatives(scene.unplanned, cable, scene.prices)
    *ladder, new_cable = _ladder(scene, cable)
    if disabled:
        text += f" {few(disabled)} is disabled: somebody may have meant it."
    return Finding(
        Kind.DARK if states else Kind.MISSING,
        key("cables", min(labels)),
        Severity.HIGH,
        f"{few(labels)} is dark" if states else f"{few(labels)} is not seen",
        text,
        devices,
        ports,
        tuple(labels),
        evidence={"states": states, "unlit": list(labels)} | ({"alternatives": _offered(offers)} if offers else {}),
        checks=(
            *(("Find out who disabled the port, and why.",) if disabled else ()),
            *ladder,
            *(
                f"A cable that nobody planned, from {port_text(link.ends[0])} to {port_text(link.ends[1])} "
                f"({link.length_m:g} m), is long enough: read its label, and move both its ends here if it is free."
                for link in offers
            ),
            new_cable,
        ),
    )


def _offered(offers: Sequence[FoundCable]) -> list[dict[str, Any]]:
    return [
        {
            "ends": [{"device": end.device, "port": end.port} for end in link.ends],
            "length_m": link.length_m,
            "insertions": 2,
        }
        for link in offers
    ]


def _ladder(scene: Scene, cable: PlannedCable) -> tuple[str, ...]:
    """What to try at a cable without light, least first."""
    fixed = bool(FIXED_PLUGS.search(cable.type))
    return tuple(unlit_words(cable.label, cable.ends, Spots(scene.book.plan), fixed_plugs=fixed))


def _extra(scene: Scene, component: Component, lying: Sequence[tuple[PlannedPort, PlannedPort]]) -> Finding:
    ports = tuple(port for ends in lying for port in ends)
    strangers = [port.device for port in ports if port.device.startswith("0x")]
    moves = tuple(move.n for move in component.moves)
    devices = tuple(dict.fromkeys(port.device for port in ports))
    if strangers:
        node = scene.net.nodes[strangers[0][2:]]
        title, text = _stranger_words(scene, node.guid)
        return Finding(
            Kind.STRANGER,
            key("stranger", node.guid),
            Severity.LOW,
            title,
            text,
            devices,
            ports,
            (),
            moves,
            {"description": node.description, "links": len(lying)},
            ("Ask who put it there. Then take it out, or add it to the plan.",),
        )
    where = " and ".join(port_text(port) for port in ports[:2])
    return Finding(
        Kind.EXTRA,
        key("extra", *sorted(f"{port.device}/{port.port}" for port in ports)),
        Severity.LOW,
        f"A cable that nobody planned between {where}",
        "The plan has no cable at these ports. Take it out, or add it to the plan.",
        devices,
        ports,
        (),
        moves,
        {"links": len(lying)},
        ("Read its label: it may be another's spare or one that is dark elsewhere.",),
    )


def _stranger_words(scene: Scene, guid: str) -> tuple[str, str]:
    node = scene.net.nodes[guid]
    name = f"{node.description or 'without a name'} (0x{guid})"
    at = [port_text(called(scene.naming, far)) for _, far in scene.net.ends[guid]]
    kind = "switch" if node.kind is NodeKind.SWITCH else "adapter"
    return f"An unknown {kind}: {name}", f"{name} is not in the plan, or its place cannot be told. It is at {few(at)}."


def _strangers(scene: Scene, told: set[str]) -> list[Finding]:
    """Nodes without a place that no finding about cables has told of yet."""
    found = []
    for guid, node in scene.net.nodes.items():
        if guid in scene.naming.names or f"0x{guid}" in told:
            continue
        title, text = _stranger_words(scene, guid)
        ports = tuple(called(scene.naming, far) for _, far in scene.net.ends[guid])
        found.append(
            Finding(
                Kind.STRANGER,
                key("stranger", guid),
                Severity.LOW,
                title,
                text,
                (f"0x{guid}",),
                ports,
                evidence={"description": node.description, "links": len(ports)},
                checks=("Read its label in the rack, and name it or add it to the plan.",),
            )
        )
    return found


def _slow(scene: Scene) -> list[Finding]:
    found = []
    for slow in scene.slow:
        a, b = called(scene.naming, slow.link.a), called(scene.naming, slow.link.b)
        planned = scene.book.cable.get(a)
        label = planned.label if planned is not None and b in planned.ends else ""
        name = label or f"{port_text(a)} - {port_text(b)}"
        kind = Kind.NARROW_LINK if slow.narrow else Kind.SLOW_LINK
        why = "both ends could do" if slow.told else "the links beside it run at"
        found.append(
            Finding(
                kind,
                key(kind.value, label or f"{a.device}/{a.port}+{b.device}/{b.port}"),
                Severity.HIGH,
                f"{name} runs at {slow.runs} and not {slow.could}",
                f"{port_text(a)} to {port_text(b)} runs at {slow.runs}; {why} {slow.could}.",
                (a.device, b.device),
                (a, b),
                (label,) if label else (),
                evidence={"runs": slow.runs, "could": slow.could, "told_by_ends": slow.told},
                checks=SLOW_CHECKS,
            )
        )
    return found


def _stale(scene: Scene) -> list[Finding]:
    """One for all ports whose two ends disagree: the source has to be asked again."""
    ports = tuple(sorted(called(scene.naming, port) for port in scene.net.doubtful))
    if not ports:
        return []
    cables = tuple(cable.label for cable in scene.wiring.unknown)
    return [
        Finding(
            Kind.STALE_ENDS,
            "stale",
            Severity.LOW,
            f"{len(ports)} ports tell different things of the same link",
            f"The two ends disagree at {few(map(port_text, ports))}: something changed while it was read. Ask again; "
            f"nothing is said about these ports and their {len(cables)} cables.",
            tuple(dict.fromkeys(port.device for port in ports)),
            ports,
            cables,
        )
    ]
