"""What the packages above add to checks and verifications. They register it in `health/registrations.py`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from core.registry import AllOffered, Offered
from health.checks import CheckDeclaration
from health.checks.model import ProfileRead
from health.machines.services.changes import Change
from health.monitoring.judgement import Target
from health.monitoring.models.faults import Fault, Verification
from health.monitoring.models.policy import ObserveOnly, Silence
from health.monitoring.watchdog import Sign


class Drains(Protocol):
    """Taking a locked machine out of service when its faults changed, within the budget."""

    def take_out_if_allowed(self, change: Change) -> str: ...
    def follow_faults(self, change: Change) -> None: ...


class Reported(Protocol):
    """Checks of other systems."""

    def check_of(self, check_id: str, site_ids: Sequence[int] | None) -> CheckDeclaration | None: ...
    def parts_of(self, check_id: str, where: Mapping[str, int | None]) -> set[str]: ...
    def follow_decision(self, decision: Silence | ObserveOnly) -> None: ...


def _no_patience(machine_id: int, faults: Sequence[Fault], diagnostic: int) -> timedelta:
    return timedelta()


def _no_request(machine_id: int, faults: Sequence[Fault], *, by: str, level: int) -> None:
    """Nothing has to be asked for."""


@dataclass(frozen=True)
class Proof:
    """Another place that knows whether a fault is gone, beside the machine's own answer.

    since     findings of these targets newer than the request; unknown where nothing was said yet
    patience  how long after the request it may take to say so
    request   asks for it
    """

    since: Callable[[Verification, Sequence[Target], Collection[str]], list[Any]]
    patience: Callable[[int, Sequence[Fault], int], timedelta] = _no_patience
    request: Callable[..., None] = _no_request


drains = Offered[Drains]("drains")
reported = Offered[Reported]("checks of other systems")
bmc_profiles = Offered[Callable[[Collection[int]], Mapping[int, ProfileRead]]]("profiles of BMCs")
"""What BMCs told last beside the profile of their model; a machine whose model has none is left out."""
proofs = AllOffered[Proof]()
signs = AllOffered[Callable[[list[int] | None], list[Sign]]]()
"""Heartbeats of what the packages above keep running, for these sites (None: all)."""
image_users = AllOffered[Callable[[Collection[int], str], dict[int, list[str]]]]()
"""Each says of these machines what of its package uses a container image there, by its name with registry and tag."""
measured = AllOffered[Callable[[Sequence[tuple[int, datetime, Sequence[tuple[str, str, str, float]]]]], None]]()
"""Each takes what machines measured of their power and heat, after the look was stored: the machine, when, and
(part, name, quantity, value) of `health.checks.measured`."""
expiry = AllOffered[Callable[[datetime], None]]()
"""Each removes what its package keeps for some time only. Called once a day with the time."""
