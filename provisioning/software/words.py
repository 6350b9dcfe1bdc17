"""The states of a software run, of its machines and of what one role or task did. Pure."""

from __future__ import annotations

from enum import StrEnum


class RunState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"  # it went to its end, and machines failed
    STOPPED = "stopped"  # too many machines failed: no other was begun
    CANCELLED = "cancelled"


class MachineState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    OK = "ok"
    FAILED = "failed"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"  # it may not be touched now; nothing was done
    CANCELLED = "cancelled"  # not begun, or not gone on with


class Outcome(StrEnum):
    """What a task did on a machine, and the sum of a role's tasks there."""

    OK = "ok"
    CHANGED = "changed"
    FAILED = "failed"
    UNREACHABLE = "unreachable"
    SKIPPED = "skipped"


OPEN_RUNS = (RunState.WAITING, RunState.RUNNING)
OPEN_MACHINES = (MachineState.WAITING, MachineState.RUNNING)
BAD = frozenset({MachineState.FAILED, MachineState.UNREACHABLE})
