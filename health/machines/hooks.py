"""What happens beside a change of a machine in the packages above. They register it in `health/registrations.py`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from core.registry import AllOffered, Offered
from health.machines.models.machines import MachineHealth, Pool


class Scheduler(Protocol):
    """Who gives work to machines. Nothing of it talks to a scheduler: the machine's row is locked."""

    def wish_drain(self, health: MachineHealth, reason: str, evidence: dict[str, Any], *, by: str) -> bool: ...
    def wish_resume(self, health: MachineHealth, *, by: str) -> None: ...
    def has_none(self, health: MachineHealth) -> bool: ...
    def follow_up(self, machine_id: int, follow: dict[str, Any]) -> None: ...
    def forget_follow_up(self, machine_id: int) -> dict[str, Any]: ...
    def send_waiting(self, pool: Pool) -> None: ...
    def tells_containers(self, machine_ids: list[int]) -> set[int]: ...


class OpenFaults(NamedTuple):
    """How many open faults of a machine lead, and how many are confirmed and take it out."""

    leading: int
    confirmed: int


class Faults(Protocol):
    """What is wrong with machines."""

    def open_faults(self, machine_id: int) -> OpenFaults: ...
    def in_the_way(self, health: MachineHealth) -> tuple[list[str], int]: ...
    def needs_verification(self, machine_id: int, since: datetime) -> bool: ...


class PutBack(Protocol):
    """Called when a person returned a machine in spite of what stood in the way."""

    def __call__(self, machine_id: int, *, by: str, reason: str) -> None: ...


scheduler = Offered[Scheduler]("the scheduler's side of a drain")
faults = Offered[Faults]("the faults of machines")
put_back = Offered[PutBack]("what ends when a person puts a machine back")
sweep_period_s = Offered[Callable[[], float]]("how many seconds lie between two sweeps")
notices = AllOffered[Callable[[int], list[dict[str, Any]]]]()
"""Each gives what a site should know: {kind, level, text} and perhaps `since`, `what_to_do`, `link`."""


def notices_of(site_id: int) -> list[dict[str, Any]]:
    """What a site should know: what stopped, mass failures, machines left in service or draining for ever, reactions to
    events that failed. Five queries, and three more where a pool is at its cap."""
    return [notice for provider in notices for notice in provider(site_id)]
