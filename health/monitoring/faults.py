"""From findings to faults: what opens, what a second look confirms, what leads, what clears. Pure.

A fault is one class of trouble in one slot. All faults of one slot form a group with one leader, the most precedent,
and only the leader is announced; the others attach to it as evidence, so one dead GPU is one fault to repair. Once a
leader is announced it keeps the lead: what shows later in the same slot is more evidence for the same repair. What is
not in a slot of the device model (docker, a disk) groups by the first word of its class instead, and joins the group of
the part that another source tells it of (`health.monitoring.same_fault`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from health.checks.responses import TAKES_OUT_FOR_GOOD, UNKNOWN_CLASS
from health.machines.lifecycle import State
from health.monitoring.same_fault import candidates

# Hands are on the machine, or it is not in use: what fails now is expected, and looked at again afterwards.
LEVELS_MUTED = frozenset(
    {
        State.NEW,
        State.PROVISIONING,
        State.BURN_IN,
        State.RETIRED,
        State.REMEDIATING,
        State.VERIFYING,
        State.REPAIR,
        State.RMA,
        State.MAINTENANCE,
    }
)
# Events wait behind the cursor until the machine leaves these states.
EVENTS_WAIT = frozenset({State.NEW, State.PROVISIONING, State.BURN_IN, State.MAINTENANCE, State.RETIRED})
# A machine in service, where a level that passes again clears its fault; elsewhere a verification must.
CLEARS_BY_ITSELF = frozenset({State.READY})
# What asks for no repair of the machine (up to a cordon) clears by itself until hands are on it.
NO_HANDS = frozenset({State.READY, State.DRAINING, State.DRAINED, State.TRIAGE})
PASSED_AGAIN = "seen to pass again"
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Sighting:
    """A failing finding that shows a fault class. `evidence` is kept as it is; remediation starts at `start_rung`."""

    slot: str
    fault_class: str
    precedence: int
    kind: str
    check: str
    message: str
    action: str
    evidence: Any = None
    start_rung: int = 0
    at: datetime | None = None
    """When it was seen, where that is not the time of the report it came in."""

    @property
    def key(self) -> tuple[str, str]:
        return self.slot, self.fault_class

    @property
    def signature(self) -> str:
        """The same message with other numbers is no new evidence."""
        return f"{self.check}|{_NUMBER.sub('#', self.message)}"[:200]


@dataclass
class FaultView:
    """An open fault while it is decided upon; the flags say what this report made of it."""

    slot: str
    fault_class: str
    precedence: int
    kind: str
    status: str
    opened_at: datetime
    confirm_due_at: datetime | None
    message: str = ""
    action: str = ""
    start_rung: int = 0
    response: str = UNKNOWN_CLASS
    pk: int | None = None
    leader: FaultView | None = None
    announced: bool = False
    checks: set[str] = field(default_factory=set)
    signatures: set[str] = field(default_factory=set)
    # what this report did
    seen: bool = False
    changed: bool = False
    confirmed_now: bool = False
    cleared_now: bool = False
    cleared_why: str = PASSED_AGAIN
    announce: bool = False
    new_evidence: list[Sighting] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, str]:
        return self.slot, self.fault_class

    @property
    def open(self) -> bool:
        return not self.cleared_now


@dataclass(frozen=True)
class Situation:
    """The machine around the findings: `slots` are the component slots of its model."""

    state: str
    at: datetime
    confirm_delay_s: float
    slots: frozenset[str]


def sightings(findings: Iterable[Any]) -> list[Sighting]:
    """The findings that show a fault: failing, with a class."""
    return [
        Sighting(
            slot=f.part,
            fault_class=f.fault_class,
            precedence=int(f.precedence),
            kind=f.kind,
            check=f.check,
            message=f.message,
            action=f.action or "",
            evidence=f,
            start_rung=f.start_rung,
            at=getattr(f, "at", None),
        )
        for f in findings
        if str(f.verdict) == "fail" and f.fault_class
    ]


def muted(state: str, sighting: Sighting) -> bool:
    """Whether a fault that is not open yet stays closed in this state."""
    if sighting.kind == "event":
        return state in EVENTS_WAIT
    return state in LEVELS_MUTED


def decide(
    open_faults: list[FaultView],
    seen: list[Sighting],
    passing: set[tuple[str, str]],
    situation: Situation,
    quiet: Callable[[str, str], bool] = lambda check, slot: False,
) -> list[FaultView]:
    """What this report makes of the faults of one machine; `passing` are the (check, slot) that were seen to pass.

    `seen` holds levels, and events that are new. Of a check that is `quiet` in a slot (silenced, or only observed) a
    fault that is not confirmed yet is dropped; a confirmed one stays. Returns all faults, the changed ones marked. The
    same report decided twice changes nothing the second time.
    """
    by_key = {fault.key: fault for fault in open_faults}
    for sighting in seen:
        fault = by_key.get(sighting.key)
        if fault is None:
            if muted(situation.state, sighting):
                continue
            fault = by_key[sighting.key] = _opened(sighting, situation)
        _sight(fault, sighting, situation)
    for fault in by_key.values():
        _clear_if_passing(fault, passing, situation, quiet)
    for group in _groups(by_key.values(), situation.slots):
        _elect(group, situation.slots)
    return list(by_key.values())


def _opened(sighting: Sighting, situation: Situation) -> FaultView:
    level, at = sighting.kind == "level", sighting.at or situation.at
    return FaultView(
        slot=sighting.slot,
        fault_class=sighting.fault_class,
        precedence=sighting.precedence,
        kind=sighting.kind,
        status="suspected",
        opened_at=at,
        confirm_due_at=at + timedelta(seconds=situation.confirm_delay_s) if level else None,
        message=sighting.message,
        action=sighting.action,
        start_rung=sighting.start_rung,
        changed=True,
    )


def _sight(fault: FaultView, sighting: Sighting, situation: Situation) -> None:
    fault.seen = True
    if sighting.check not in fault.checks:
        fault.checks.add(sighting.check)
        fault.changed = True
    if sighting.start_rung > fault.start_rung:
        fault.start_rung, fault.changed = sighting.start_rung, True
    if fault.kind == "level" and sighting.kind == "event":
        fault.kind, fault.changed = "event", True  # an event is not undone by a level that passes
    due, at = fault.confirm_due_at, sighting.at or situation.at
    second_look = due is not None and at >= due and at > fault.opened_at
    ripe = sighting.kind == "event" or second_look
    if fault.status == "suspected" and ripe and not muted(situation.state, sighting):
        fault.status, fault.confirmed_now, fault.changed = "confirmed", True, True
    if sighting.signature not in fault.signatures or sighting.kind == "event" or fault.confirmed_now:
        fault.signatures.add(sighting.signature)
        fault.new_evidence.append(sighting)
        fault.changed = True


def _clear_if_passing(
    fault: FaultView, passing: set[tuple[str, str]], situation: Situation, quiet: Callable[[str, str], bool]
) -> None:
    """A level is gone when every check that showed it was seen to pass; unknown is not a pass."""
    if fault.seen or fault.kind == "event" or not fault.checks:
        return
    for_good = fault.response in TAKES_OUT_FOR_GOOD
    if fault.status == "confirmed" and situation.state not in (CLEARS_BY_ITSELF if for_good else NO_HANDS):
        return
    failing = [check for check in fault.checks if (check, fault.slot) not in passing]
    if not failing:
        fault.cleared_now = fault.changed = True
    elif fault.status == "suspected" and all(quiet(check, fault.slot) for check in failing):
        fault.cleared_now = fault.changed = True
        fault.cleared_why = "silenced or in audit mode before a second check"


def _groups(faults: Iterable[FaultView], slots: frozenset[str]) -> list[list[FaultView]]:
    """Faults that are one repair. What joined a group from elsewhere stands behind those that are of it."""
    groups: dict[tuple[str, str], list[FaultView]] = defaultdict(list)
    every = list(faults)
    for fault in every:
        groups[group_of(fault.slot, fault.fault_class, slots)].append(fault)
    if len(groups) > 1:
        _join(groups, [fault for fault in every if fault.open], slots)
    return list(groups.values())


def _join(groups: dict[tuple[str, str], list[FaultView]], open_ones: list[FaultView], slots: frozenset[str]) -> None:
    """Bring together what two sources tell of one part. Two that were announced apart stay so, each with its ticket.

    What a fault joined may itself join another one, so it is gone over until nothing moves any more.
    """
    home = {id(fault): group_of(fault.slot, fault.fault_class, slots) for fault in open_ones}
    for _ in open_ones:
        if not _join_once(groups, home, open_ones, slots):
            return


def _join_once(
    groups: dict[tuple[str, str], list[FaultView]],
    home: dict[int, tuple[str, str]],
    open_ones: list[FaultView],
    slots: frozenset[str],
) -> bool:
    """One round over all open faults; returns whether one of them moved."""
    moved = False
    for fault in sorted(open_ones, key=lambda fault: (fault.opened_at, fault.slot, fault.fault_class)):
        others = candidates(fault, sorted(open_ones, key=lambda other: (other.opened_at, other.slot)), slots)
        others.sort(key=lambda other: not _are_together(fault, other))
        target = next((home[id(other)] for other in others), home[id(fault)])
        if target == home[id(fault)]:
            continue
        there = groups[target]
        if not fault.announced and not any(led.leader is fault for led in open_ones):
            groups[home[id(fault)]].remove(fault)
            there.append(fault)
            home[id(fault)], moved = target, True
        elif not any(other.announced for other in there):
            own = groups[home[id(fault)]]  # its ticket is open: what says which part it is becomes evidence there
            own.extend(there)
            home.update((id(other), home[id(fault)]) for other in there)
            groups[target], moved = [], True
    return moved


def group_of(slot: str, fault_class: str, slots: frozenset[str]) -> tuple[str, str]:
    """Faults with the same answer are one repair."""
    return (slot, "") if slot in slots else (slot, fault_class.partition(".")[0])


def _are_together(fault: FaultView, other: FaultView) -> bool:
    """Whether one of the two leads the other, or a third one both."""
    return fault.leader is other or other.leader is fault or (fault.leader is not None and fault.leader is other.leader)


def _elect(group: list[FaultView], slots: frozenset[str]) -> None:
    """One open fault leads, and what another one explains only when it was announced before. It is announced once
    something in its group is confirmed."""
    members = [fault for fault in group if fault.open]
    if not members:
        return
    leader = next((fault for fault in members if fault.announced), None)
    if leader is None:
        leader = min(members, key=lambda fault: (
            bool(candidates(fault, members, slots)),
            fault.precedence, fault.opened_at, fault.kind, fault.fault_class,
        ))  # fmt: skip
    for fault in members:
        wanted = None if fault is leader else leader
        if fault.leader is not wanted:
            fault.leader, fault.changed = wanted, True
    if leader.announced or not any(fault.status == "confirmed" for fault in members):
        return
    # Whatever confirmed a member confirms the fault that explains it.
    if leader.status != "confirmed":
        leader.status, leader.confirmed_now = "confirmed", True
    leader.announce = leader.announced = leader.changed = True


def event_data(fault_id: int | None, machine_id: int, slot: str, fault_class: str) -> dict[str, Any]:
    """What every fault event carries."""
    return {"fault": fault_id, "machine": machine_id, "slot": slot, "fault_class": fault_class}
