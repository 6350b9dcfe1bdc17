"""Where the scheduler and we differ about a machine, and what follows from each difference. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from health.machines.lifecycle import OUTSIDE_POOL, State

OUR_MARK = "rackside:"
KINDS = (
    "drained_without_ticket", "closed_still_drained", "bad_allocated", "facts_differ", "unknown_machine",
    "missing_machine", "not_read",
)  # fmt: skip
IN_SERVICE = frozenset({State.READY, State.DRAINING})
NOT_RUN_YET = OUTSIDE_POOL | {State.PROVISIONING, State.BURN_IN, State.RMA}
"""A machine in these states may be missing at the scheduler, and jobs there are nobody's mistake but its own."""
MEMORY_SHARE = 0.9
"""Slurm is told less memory than is built in, for the system itself; below this share something is missing."""


@dataclass(frozen=True)
class Ours:
    """One machine as we know it. `confirmed`: faults that are confirmed; numbers are what it should have."""

    id: int
    name: str
    state: str
    ticket: str = ""
    confirmed: int = 0
    waiting: bool = False
    """A drain or a resume is on its way to the scheduler."""
    cpus: int | None = None
    memory_mb: int | None = None
    gpus: int | None = None


@dataclass(frozen=True)
class Theirs:
    """The same machine as the scheduler says."""

    name: str
    state: str
    closed: bool
    jobs: int | None
    reason: str = ""
    by: str = ""
    since: datetime | None = None
    cpus: int | None = None
    memory_mb: int | None = None
    gpus: int | None = None


@dataclass(frozen=True)
class Disagreement:
    """One difference, in words. `machine` is our id, None for a machine that only the scheduler has."""

    kind: str
    machine: int | None
    name: str
    text: str
    since: datetime | None = None
    details: dict[str, Any] = field(default_factory=dict)


def disagreements(pairs: Iterable[tuple[Ours | None, Theirs | None]]) -> Iterator[Disagreement]:
    """Of machines side by side; either side may be missing. One machine may be in several."""
    for ours, theirs in pairs:
        if ours is None and theirs is not None:
            text = "The scheduler runs it, the inventory does not have it."
            yield Disagreement("unknown_machine", None, theirs.name, text, theirs.since, {"state": theirs.state})
        elif ours is not None and theirs is None and State(ours.state) not in NOT_RUN_YET:
            text = "The inventory has it, the scheduler does not know it: no job can start there."
            yield Disagreement("missing_machine", ours.id, ours.name, text)
        elif ours is not None and theirs is not None:
            yield from _of_one(ours, theirs)


def _of_one(ours: Ours, theirs: Theirs) -> Iterator[Disagreement]:
    said = {"state": ours.state, "ticket": ours.ticket, "scheduler": theirs.state, "reason": theirs.reason,
            "by": theirs.by, "jobs": theirs.jobs}  # fmt: skip
    if not ours.waiting:
        if theirs.closed and ours.state == State.READY and not ours.ticket:
            yield _drained(ours, theirs, said)
        elif text := _allocated(ours, theirs):
            yield Disagreement("bad_allocated", ours.id, ours.name, text, theirs.since, said)
    if differing := _facts(ours, theirs):
        told = ", ".join(f"{each['what']} {each['theirs']} instead of {each['ours']}" for each in differing)
        text = f"The scheduler has other facts than the inventory: {told}."
        yield Disagreement("facts_differ", ours.id, ours.name, text, None, {"facts": differing})


def _drained(ours: Ours, theirs: Theirs, said: dict[str, Any]) -> Disagreement:
    why = f": {theirs.reason}" if theirs.reason else ""
    if theirs.reason.startswith(OUR_MARK):
        text = f"In service and without a ticket, yet our drain still stands at the scheduler{why}."
        return Disagreement("closed_still_drained", ours.id, ours.name, text, theirs.since, said)
    who = theirs.by or "somebody"
    text = f"{who} drained it at the scheduler{why}; no ticket says that something is wrong with it."
    return Disagreement("drained_without_ticket", ours.id, ours.name, text, theirs.since, said)


def _allocated(ours: Ours, theirs: Theirs) -> str:
    """Why a bad machine may still run jobs; empty when it does not."""
    state = State(ours.state)
    if state == State.READY and ours.confirmed and theirs.jobs:
        return "It has a confirmed fault, and jobs run on it."
    if state in IN_SERVICE or state in NOT_RUN_YET:
        return ""
    if theirs.jobs:
        return f"It is out of service ({ours.state}), and jobs run on it."
    if not theirs.closed and theirs.state != "down":
        return f"It is out of service ({ours.state}), and the scheduler may start jobs on it."
    return ""


def _facts(ours: Ours, theirs: Theirs) -> list[dict[str, Any]]:
    """What differs of processors, memory and GPUs; what either side does not tell is not compared."""
    found: list[dict[str, Any]] = []
    for what, own, told in (("CPUs", ours.cpus, theirs.cpus), ("GPUs", ours.gpus, theirs.gpus)):
        if own is not None and told is not None and own != told:
            found.append({"what": what, "ours": own, "theirs": told})
    own, told = ours.memory_mb, theirs.memory_mb
    if own is not None and told is not None and not MEMORY_SHARE * own <= told <= own:
        found.append({"what": "MB of memory", "ours": own, "theirs": told})
    return found
