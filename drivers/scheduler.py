"""The job scheduler of the fleet, seen from the repair desk: keep jobs away from a machine, let them back.

Reasons we write begin with `rackside:`; a drain with another reason belongs to somebody else and is never resumed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

REASON_PREFIX = "rackside:"


class SchedulerError(Exception):
    """The scheduler did not answer, or refused."""


@dataclass(frozen=True, slots=True)
class SchedulerState:
    """What the scheduler says of one machine. `allocated` is None when it does not know the machine."""

    drained: bool
    allocated: bool | None = None
    reason: str = ""


class Scheduler(Protocol):
    """Machines are named as the scheduler names them. Every method may raise SchedulerError."""

    def drain(self, machine: str, reason: str) -> None:
        """Start no new job there; running jobs go on. Draining twice changes the reason only."""

    def resume(self, machine: str) -> None:
        """Let jobs start there again, when the drain is ours; otherwise do nothing."""

    def state(self, machine: str) -> SchedulerState:
        """What the scheduler knows now."""

    def is_drained(self, machine: str) -> bool:
        """Whether no job runs there and none will start."""


class NullScheduler:
    """No scheduler: nothing runs on any machine that we know of, so a drain is complete at once."""

    def drain(self, machine: str, reason: str) -> None:
        return None

    def resume(self, machine: str) -> None:
        return None

    def state(self, machine: str) -> SchedulerState:
        return SchedulerState(drained=True)

    def is_drained(self, machine: str) -> bool:
        return True
