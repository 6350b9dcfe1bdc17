"""What an engine is: it carries out the steps that need the outside world before the machine itself can speak."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from access.queries import BmcTarget
from provisioning.steps import FailureClass, StepName


@dataclass(frozen=True, slots=True)
class Job:
    """One machine at one step, with plain values only. `data` is what the engine left at its last look."""

    machine_id: int
    name: str
    serial: str
    system_uuid: UUID | None
    boot_mac: str
    bmc: BmcTarget
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finished:
    """The step is done."""

    detail: str


@dataclass(frozen=True, slots=True)
class Again:
    """Not yet: look again after `after_s` seconds (None: as the step says). `data` replaces what is remembered."""

    detail: str
    data: dict[str, Any] | None = None
    after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """It cannot succeed any more."""

    failure: FailureClass
    detail: str


@dataclass(frozen=True, slots=True)
class Waits:
    """Not allowed now, and nothing was done: its time begins anew when it may go on."""

    detail: str


Outcome = Finished | Again | Broken | Waits


class Engine(Protocol):
    """A way to bring a bare machine to boot its installer. Each call takes at most `timeout_s` and may come twice."""

    slug: str
    performs: frozenset[StepName]

    def perform(self, step: StepName, job: Job, *, timeout_s: float) -> Outcome:
        """Do, or look at, one of the steps it performs."""

    def explain_silence(self, job: Job, *, timeout_s: float) -> tuple[FailureClass, str] | None:
        """Why the machine never asked for its boot script, when the outside can tell."""
