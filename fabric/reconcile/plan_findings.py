"""Lines of the plan that cannot be, and cables whose lanes are crossed. Pure."""

from __future__ import annotations

from fabric.facts import PlannedPort
from fabric.reconcile.asked import touching
from fabric.reconcile.crossed import Crossed
from fabric.reconcile.finding import Finding, Kind, Severity, key
from fabric.reconcile.plan_errors import PlanError
from fabric.reconcile.scene import Scene, few, port_text
from fabric.reconcile.words import full


def plan_findings(scene: Scene) -> list[Finding]:
    return [_plan_error(scene, error) for error in scene.errors]


def _plan_error(scene: Scene, error: PlanError) -> Finding:
    cable, port = error.cable, error.port
    line = f"Line {cable.line} of the plan" if cable.line else f"Cable {cable.label} of the plan"
    wrong = (
        f"{port.device} has ports 1 to {error.has}, and none with the number {port.port}"
        if error.has
        else f"nothing that is called {port.device} was seen"
    )
    waiting = touching(scene.asked, lambda end: end in cable.ends)
    others = tuple(dict.fromkeys(label for component in waiting for label in component.wanted))
    ports = (*cable.ends, error.meant) if error.meant else cable.ends
    return Finding(
        Kind.PLAN_ERROR,
        key("plan", cable.label),
        Severity.LOW,
        f"{line}: {wrong}"[:300],
        f"{line} has {cable.label} between {port_text(cable.a)} and {port_text(cable.b)}, but {wrong}. "
        f"{_reading(scene, error)} No cable is moved for it"
        + (f", nor for {few(others)}, which hang together with it." if others else "."),
        tuple(dict.fromkeys(each.device for each in ports)),
        ports,
        (cable.label, *others),
        evidence={
            "line": cable.line,
            "device": port.device,
            "port": port.port,
            "nearest": error.nearest,
            "meant": {"device": error.meant.device, "port": error.meant.port} if error.meant else None,
        },
        checks=(
            f"Put {line[0].lower()}{line[1:]} right, or say that {port.device} is still to come.",
            f"If the line is right: check {full(scene.spots(error.other))}, where this cable begins.",
        ),
    )


def _reading(scene: Scene, error: PlanError) -> str:
    far = scene.wiring.found(error.other)
    if error.meant is not None:
        return f"{port_text(error.other)} leads to {error.nearest}: read so, it is as planned."
    leads = f"{port_text(error.other)} leads to {port_text(far)}. " if far is not None else ""
    if error.nearest:
        return f"{leads}The nearest name that was seen is {error.nearest}."
    return f"{leads}No name that was seen is like it." if not error.has else leads.rstrip()


def crossed_findings(scene: Scene) -> list[Finding]:
    return [_crossed(scene, crossed) for crossed in scene.crossed]


def _crossed(scene: Scene, crossed: Crossed) -> Finding:
    labels = tuple(cable.label for cable in crossed.cables)
    ports: tuple[PlannedPort, ...] = tuple(end for cable in crossed.cables for end in cable.ends)
    one, other = (scene.spots(end) for end in crossed.cables[0].ends)
    lanes = len(crossed.cables)
    leads = "; ".join(f"{port_text(a)} leads to {port_text(b)}" for a, b in crossed.lit)
    return Finding(
        Kind.CROSSED_LANES,
        key("lanes", crossed.body),
        Severity.HIGH,
        f"The lanes of {few(labels)} are crossed within the cable",
        f"Both ends sit in the right cages, but {leads}. No connector can be moved to put that right: it is a repair "
        "of this one cable.",
        tuple(dict.fromkeys(port.device for port in ports)),
        ports,
        labels,
        evidence={"body": crossed.body, "lit": [[port_text(a), port_text(b)] for a, b in crossed.lit]},
        checks=(
            f"With fibre: at {full(one, lanes)} or at {full(other, lanes)} the two fibres of the connector are in each "
            "other's place. Put them right at one end, not at both.",
            "With copper or a fixed optic: swap the cable, and record its serials.",
        ),
    )
