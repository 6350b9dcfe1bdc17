"""The hands of automation: one small executor per remedy, called once for each record that says `sent`.

An executor does what it is told to one machine and reports what the call itself told, never more: whether it worked is
for the world and the verification to show. Remedies of the rooms above register themselves with `register`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from health.machines.calls import Report
from health.remediation.types import Guard, Refusal
from inventory.specs.device_model import DeviceModelSpec


def nobody_asked() -> Refusal | None:
    """What a job says that nobody told what to ask: no."""
    return Refusal(Guard.UNKNOWN, "nobody asked what would be stopped")


@dataclass(frozen=True, slots=True)
class Job:
    """One remedy for one machine. `key` is the record's; `params` are those the plan wrote down; `boot_id` was the
    machine's when it was sent.

    `refusal` is the last question, to be asked by every executor right before it writes anything: the kill switch, the
    scheduler, and the machine itself. It takes some seconds and answers None when the remedy may go on.
    """

    machine_id: int
    name: str
    key: str
    params: Mapping[str, Any] = field(default_factory=dict)
    boot_id: str = ""
    refusal: Callable[[], Refusal | None] = nobody_asked


@dataclass(frozen=True, slots=True)
class Answer:
    """What the call told: `text` for people, `evidence` as it came. `guard`: what kept it from being sent."""

    report: Report
    text: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    guard: str = ""


def not_sent(refusal: Refusal) -> Answer:
    """The answer of an executor whose last question was answered with no: proven not begun."""
    return Answer(Report.REFUSED, refusal.reason, guard=str(refusal.guard))


class Executor(Protocol):
    """Takes some minutes at most and raises nothing: what goes wrong is a report."""

    def send(self, job: Job) -> Answer:
        """Do it, after `job.refusal`. Called once per record, again only when the remedy is idempotent."""

    def finish(self, job: Job) -> Answer:
        """Bring a remedy of two steps to its end, after `job.refusal`; may be called again and again."""

    def trace(self, job: Job, sent_at: datetime) -> Report:
        """What the remedy's own mark tells, asked when its worker was lost: `done`, `failed`, `refused` when it is
        proven that it never began and never will; none when that cannot be told. A mark is made after
        `job.refusal` alone.
        """

    def target(self, job: Job) -> Mapping[str, Any] | None:
        """What to do it to, read from the model and the fault; None: this machine has nothing of the kind."""

    def parts(self, spec: DeviceModelSpec) -> Mapping[str, Mapping[str, Any]]:
        """What a person can choose to do it to on a machine of this model: a name, and what `target` would say of it.

        Empty: it is done to the whole machine.
        """


_executors: dict[str, Executor] = {}


def register(name: str, executor: Executor) -> None:
    """Make a remedy known by its name in `health.remediation.remedies`; done once, at start-up."""
    _executors[name] = executor


def executor(name: str) -> Executor | None:
    return _executors.get(name)


def registered() -> frozenset[str]:
    return frozenset(_executors)


class Simple:
    """An executor without a second step and without a mark of its own."""

    def finish(self, job: Job) -> Answer:
        return Answer(Report.IMPOSSIBLE, "there is no second step")

    def trace(self, job: Job, sent_at: datetime) -> Report:
        return Report.NONE

    def parts(self, spec: DeviceModelSpec) -> Mapping[str, Mapping[str, Any]]:
        return {}
