"""A diagnosis as JSON and as words for a terminal. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from core.counts import counted
from fabric.facts import Completeness, NodeKind, Plan, PlannedPort, Seen
from fabric.formats.common import told
from fabric.reconcile.diagnose import Diagnosis, Finding
from fabric.reconcile.moves import ComponentKind, Move
from fabric.reconcile.words import Spots, move_words

COUNTS = ("moves", "unlit_links", "unlit_links_at_dead_devices", "unplanned_links", "renames")
MOST_TOLD = 12


def as_json(diagnosis: Diagnosis, plan: Plan, seen: Seen, *, words: bool = False) -> dict[str, Any]:
    """What other programs read. Counts are null where nothing could be concluded. `moves` are the steps that put cables
    into planned ports and what must be pulled for them; cables that are only to be taken out are under `take_out`."""
    spots = Spots(plan, diagnosis.cage_of)
    steps = [_step(n, move, spots if words else None) for n, move in enumerate(needed_moves(diagnosis), start=1)]
    return {
        "counts": {name: diagnosis.counts.get(name) for name in COUNTS},
        "findings": [_finding(finding) for finding in diagnosis.findings],
        "moves": steps,
        "take_out": [_taken(move) for move in _surplus(diagnosis) if move.take_from is not None],
        "names": dict(sorted(switch_names(diagnosis, seen).items())),
        "renames": [
            {"guid": rename.guid, "device": rename.device, "reports": rename.reported, "sure": rename.sure}
            for rename in diagnosis.renames
        ],
        "held_back": diagnosis.held_back,
        "as_planned": as_planned(diagnosis, seen),
        "completeness": seen.completeness.value,
        "problems": [told(problem) for problem in seen.problems],
        "seen": {"nodes": len(seen.nodes), "links": len(seen.links), "planned_links": len(plan.cables)},
        "errors": [
            {"device": port.device, "port": port.port, "counters": counters}
            for port, counters in errors_of(diagnosis, seen)
        ],
    }


def doubts(seen: Seen) -> str:
    """Why a look is not to be taken for the whole fabric; empty when nothing speaks against it."""
    if seen.completeness is not Completeness.COMPLETE:
        return f"the capture is {seen.completeness.value}"
    if seen.doubtful:
        return "the capture contradicts itself"
    return "there were problems in reading it" if seen.problems else ""


def as_planned(diagnosis: Diagnosis, seen: Seen) -> bool:
    """Whether a whole look at the fabric found nothing wrong."""
    return diagnosis.held_back is None and not diagnosis.findings and not doubts(seen)


def switch_names(diagnosis: Diagnosis, seen: Seen) -> dict[str, str]:
    """GUID of each named switch to the planned device in whose place it stands."""
    switches = {guid for guid, node in seen.nodes.items() if node.kind is NodeKind.SWITCH}
    return {guid: name for guid, name in diagnosis.names.items() if guid in switches}


def needed_moves(diagnosis: Diagnosis) -> list[Move]:
    surplus = _surplus_components(diagnosis)
    return [move for move in diagnosis.moves if move.component not in surplus]


def _surplus(diagnosis: Diagnosis) -> list[Move]:
    """Steps that take out a cable that is in nobody's way."""
    surplus = _surplus_components(diagnosis)
    return [move for move in diagnosis.moves if move.component in surplus]


def _surplus_components(diagnosis: Diagnosis) -> set[int]:
    return {each.number for each in diagnosis.plan.components if each.kind is ComponentKind.EXTRA}


def errors_of(diagnosis: Diagnosis, seen: Seen) -> Iterator[tuple[PlannedPort, dict[str, int]]]:
    """Counters over their thresholds, at planned ports."""
    for port, counters in sorted(seen.counters.items()):
        yield PlannedPort(diagnosis.names.get(port.guid) or f"0x{port.guid}", port.port), counters


def _port(port: PlannedPort | None) -> dict[str, Any] | None:
    return None if port is None else {"device": port.device, "port": port.port}


def _step(n: int, move: Move, spots: Spots | None) -> dict[str, Any]:
    step: dict[str, Any] = {
        "n": n,
        "cable": move.cable,
        "printed": list(move.printed),
        "take_from": _port(move.take_from),
        "put_into": _port(move.put_into),
    }
    if len(move.takes) > 1 or len(move.puts) > 1:  # a wide plug: all its lanes
        step["lanes"] = {
            "cables": list(move.cables),
            "take_from": [_port(port) for port in move.takes],
            "put_into": [_port(port) for port in move.puts],
        }
    if spots is not None:
        step["text"] = move_words(move, spots)
    return step


def _taken(move: Move) -> dict[str, Any]:
    return {"take_from": _port(move.take_from), "other_end": _port(move.stays)}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind.value,
        "key": finding.key,
        "severity": finding.severity.value,
        "title": finding.title,
        "text": finding.text,
        "devices": list(finding.devices),
        "ports": [_port(port) for port in finding.ports],
        "cables": list(finding.cables),
        "evidence": dict(finding.evidence),
        "checks": list(finding.checks),
    }


def as_text(diagnosis: Diagnosis, plan: Plan, seen: Seen, *, moves: bool) -> str:
    """What a person reads."""
    planned = counted(len(plan.cables), "link is", "links are")
    there = f"{counted(len(seen.nodes), 'node')} and {counted(len(seen.links), 'link')}"
    lines = [f"{there} were seen, {planned} planned."]
    lines += [f"  {told(problem)}" for problem in seen.problems]
    if diagnosis.held_back is not None:
        return "\n".join([*lines, f"Nothing is concluded: {diagnosis.held_back.rstrip('.')}."])
    if as_planned(diagnosis, seen):
        lines.append("All is as planned.")
    elif not diagnosis.findings:
        lines.append(
            f"What could be read is as planned, but {doubts(seen)}: that is not the whole fabric. Read it again."
        )
    lines += _told_findings(diagnosis)
    counts = diagnosis.counts
    lines.append(
        f"\nMoves: {counts['moves']}. Dark links: {counts['unlit_links']}, "
        f"and {counts['unlit_links_at_dead_devices']} at devices that are off. "
        f"Cables that nobody planned: {counts['unplanned_links']}. Names to set: {counts['renames']}."
    )
    errors = [
        f"  {port.device} port {port.port}: {', '.join(f'{name} {value}' for name, value in counters.items())}"
        for port, counters in errors_of(diagnosis, seen)
    ]
    if errors:
        lines += ["\nCounters over their thresholds:", *errors]
    if moves:
        spots = Spots(plan, diagnosis.cage_of)
        steps = [f"  {n}. {move_words(move, spots)}" for n, move in enumerate(needed_moves(diagnosis), start=1)]
        lines += ["\nMoves, in this order:", *(steps or ["  none"])]
        surplus = [f"  {move_words(move, spots)}" for move in _surplus(diagnosis)]
        lines += ["\nTo take out, when nobody needs them:", *surplus] if surplus else []
    else:
        lines.append("With --moves the steps are listed.")
    return "\n".join(lines)


def _told_findings(diagnosis: Diagnosis) -> Iterator[str]:
    """All findings, of each kind the first in full."""
    number = Counter(finding.kind for finding in diagnosis.findings)
    told_of: Counter[str] = Counter()
    for finding in diagnosis.findings:
        told_of[finding.kind] += 1
        if told_of[finding.kind] == 1:
            yield f"\n{finding.kind.value.replace('_', ' ')}: {number[finding.kind]}"
        if told_of[finding.kind] <= MOST_TOLD:
            yield f"  {finding.title}. {finding.text}"
            if told_of[finding.kind] == 1:
                yield from (f"    {n}. {check}" for n, check in enumerate(finding.checks, start=1))
        elif told_of[finding.kind] == MOST_TOLD + 1:
            yield f"  and {number[finding.kind] - MOST_TOLD} more: see --json"
