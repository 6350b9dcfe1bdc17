"""What is wrong, one finding for each thing that is wrong, in words. Pure.

A cause is told once: a switch that is off is not 64 dark links, two machines in each other's place are not 16 moves,
and a stranger's cable is told with the stranger.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.counts import counted
from fabric.facts import PlannedCable, PlannedPort, SeenPort
from fabric.reconcile.alternatives import alternatives, unplanned
from fabric.reconcile.asked import STRANGE, touching
from fabric.reconcile.cables import FoundCable
from fabric.reconcile.device_findings import off_findings
from fabric.reconcile.finding import Finding, Kind, Severity, key, told_apart
from fabric.reconcile.moves import Component, ComponentKind
from fabric.reconcile.names_findings import name_findings
from fabric.reconcile.plan_findings import crossed_findings, plan_findings
from fabric.reconcile.scene import Scene, few, port_text
from fabric.reconcile.stranger_findings import extra, is_extra, strangers
from fabric.reconcile.wiring import called
from fabric.reconcile.words import unlit_words

SLOW_CHECKS = (
    "Reseat the connector at both ends.",
    "Clean both connectors and inspect them with a scope.",
    "Swap the optic at one end, then at the other.",
    "Swap the cable.",
)
TURNED = (
    "If the labels in hand read the other way round, the other ends were exchanged: moving those is as short and "
    "leaves the labels true."
)
FIXED_PLUGS = re.compile(r"dac|aoc|copper|active optical", re.IGNORECASE)
ORDER = tuple(Kind)


def all_findings(scene: Scene) -> tuple[Finding, ...]:
    """Every finding, in the order of Kind and then of key; no two have the same key."""
    scene.unplanned = tuple(unplanned(scene.plan))
    found = [*off_findings(scene), *_cables(scene), *_slow(scene), *_stale(scene)]
    found += [*plan_findings(scene), *crossed_findings(scene)]
    found += name_findings(scene.net, scene.book, scene.naming, scene.renames, scene.recorded)
    return tuple(told_apart(sorted(found, key=lambda finding: (ORDER.index(finding.kind), finding.key))))


def _cables(scene: Scene) -> list[Finding]:
    """One for each component: cables that can only be put right together."""
    cables = {cable.label: cable for cable in scene.wiring.missing}
    found = []
    told: set[str] = set()
    for component in scene.plan.components:
        finding = _component(scene, component, cables)
        if finding is not None:
            found.append(finding)
            told.update(device for device in finding.devices if device.startswith(STRANGE))
    told.update(error.meant.device for error in scene.errors if error.meant is not None)
    doubtful = {error.other for error in scene.errors}
    told_there = {each.number for each in touching(scene.asked, lambda end: end in doubtful)}
    found += [extra(scene, each) for each in scene.asked if is_extra(each) and each.number not in told_there]
    return found + strangers(scene, told)


def _component(
    scene: Scene,
    component: Component,
    cables: Mapping[str, PlannedCable],
) -> Finding | None:
    wanted = [label for label in component.wanted if label in cables]
    lying = [scene.lying[each] for each in component.found if each in scene.lying]
    if not lying and not wanted:
        return None
    if component.kind is ComponentKind.EXTRA:
        return extra(scene, component) if is_extra(component) else None
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
        return f"{few(labels)} are swapped", f"Each sits in the other's port. {moves} them right. {TURNED}"
    if component.kind is ComponentKind.CYCLE:
        return (
            f"{len(labels)} cables sit in each other's ports",
            f"{few(labels)} form a circle. {moves} it right. {TURNED}",
        )
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
    return tuple(unlit_words(cable.label, cable.ends, scene.spots, fixed_plugs=fixed))


def _slow(scene: Scene) -> list[Finding]:
    found = []
    cables = scene.book.cables_at({called(scene.naming, slow.link.a) for slow in scene.slow})
    for slow in scene.slow:
        a, b = called(scene.naming, slow.link.a), called(scene.naming, slow.link.b)
        planned = cables.get(a)
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
            f"{len(ports)} ports report different things about the same link",
            f"The two ends disagree at {few(map(port_text, ports))}: something changed while it was read. Ask again; "
            f"nothing is said about these ports and their {counted(len(cables), 'cable')}.",
            tuple(dict.fromkeys(port.device for port in ports)),
            ports,
            cables,
        )
    ]
