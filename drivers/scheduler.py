"""The job scheduler of a fleet, seen from the repair desk: keep jobs away from a machine, let them back, say what runs.

Reasons we write begin with `rackside:`; a drain with another reason belongs to somebody else and is never resumed here.
What a driver may do to a drain is decided by `before_drain` and `before_resume`, on facts read right before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

REASON_PREFIX = "rackside:"
REASON_LENGTH = 180
_UNSAFE = re.compile(r"[^\x20-\x7e]|['\"\\`$|]")
RESERVATION_AHEAD_S = 15 * 60
"""A reservation that begins within this time counts as begun: a remedy may take so long."""


class SchedulerError(Exception):
    """The scheduler did not answer, or refused."""


class NotQueued(SchedulerError):
    """The scheduler answered that it does not take a job: nothing of it is in the queue."""


class UnknownMachine(SchedulerError):
    """The scheduler answered, and has no machine of that name."""


class MachineState(StrEnum):
    """What the scheduler does with a machine, in one word. A draining machine is `allocated` and closed."""

    IDLE = "idle"
    ALLOCATED = "allocated"
    DRAINED = "drained"
    DOWN = "down"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """What became of a drain or a resume."""

    DONE = "done"
    ALREADY = "already"
    THEIRS = "theirs"
    """Somebody else drained it: his reason stays, and only he resumes it."""
    SILENT = "silent"
    """It is down or does not answer the scheduler: not resumed; try again."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """Times in seconds since 1970."""

    name: str
    machines: frozenset[str]
    starts: int
    ends: int
    by: str = ""

    def holds(self, now: float) -> bool:
        """Whether it keeps its machines now or soon."""
        return self.starts - RESERVATION_AHEAD_S <= now < self.ends

    @property
    def is_ours(self) -> bool:
        return self.name.lower().startswith("rackside")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a job asked for, and who asked. What the scheduler does not tell is None or empty.

    Times in seconds since 1970: `submitted`, and `expected`, when a job that waits may start. `time_limit_s` None: it
    may run for ever. `machines` is the least number it takes.
    """

    name: str = ""
    user: str = ""
    qos: str = ""
    reservation: str = ""
    priority: int | None = None
    submitted: int | None = None
    expected: int | None = None
    time_limit_s: int | None = None
    machines: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One part of a job that the scheduler started by itself: a call of srun (0, 1, ..), or the script (`batch`).

    Times, state and exit as of a job; `machines` and `gpus` None: not told.
    """

    id: str
    name: str = ""
    state: str = ""
    started: int | None = None
    ended: int | None = None
    exit_status: int | None = None
    signal: int | None = None
    machines: int | None = None
    gpus: int | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A job that the scheduler lists: it waits, runs, or ended a short while ago.

    `state` is Slurm's word in lower case, whatever the scheduler. Times in seconds since 1970: `started` of this run,
    None before it; `ended` only once it gave its machines back. `exit_status` and `signal` of its program, `why` the
    scheduler's own word for the state. `label` is what people and launchers call it: 88213_4 of an array, the leading
    job of a heterogeneous one (88213+1 is its second component, `component` 1); empty: as its id. `restarts` counts how
    often it was put back in the queue; `gpus` None: not told. `steps` are told by the accounting alone. `containers`
    are the first 12 letters of the ids of those that it runs, where the scheduler knows them. `first_machine` is
    where its script runs.
    """

    id: str
    state: str
    running: bool
    machines: frozenset[str]
    started: int | None = None
    ended: int | None = None
    exit_status: int | None = None
    signal: int | None = None
    why: str = ""
    partition: str = ""
    account: str = ""
    label: str = ""
    component: int | None = None
    restarts: int = 0
    gpus: int | None = None
    asked: Asked = Asked()
    steps: tuple[Step, ...] = ()
    containers: frozenset[str] = frozenset()
    first_machine: str = ""


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job of our own on exactly these machines, each of them whole. `name` begins `rackside-` and is used once: by it
    the job is found again. `script` is run by sh on the first of the machines, `output` is a file there."""

    name: str
    machines: tuple[str, ...]
    tasks_per_machine: int
    gpus_per_machine: int
    time_limit_s: int
    script: str
    output: str
    partition: str = ""
    account: str = ""
    reservation: str = ""


@dataclass(frozen=True, slots=True)
class Partition:
    """A queue of the scheduler. `state` is its word in lower case: up, down, drain, inactive. Time limits in seconds;
    None: without a limit, or not told."""

    name: str
    state: str = ""
    default: bool = False
    max_time_s: int | None = None
    priority_tier: int | None = None
    machines: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """One machine as the scheduler sees it. What it does not tell is None or empty; memory in MB, time since 1970.

    `closed`: no new job starts there, also once it is back. `by_itself`: the scheduler wrote the reason, and nobody
    decided anything. `answers` is False when the scheduler's own daemon is not heard. `jobs` is None
    when the state does not say whether something runs. `registered`: since when the scheduler has it, where one that
    is registered anew forgets its drain.
    """

    name: str
    state: MachineState
    words: tuple[str, ...]
    closed: bool
    answers: bool
    jobs: int | None
    reason: str = ""
    reason_by: str = ""
    reason_at: int | None = None
    cpus: int | None = None
    memory_mb: int | None = None
    gpus: int | None = None
    partitions: tuple[str, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    by_itself: bool = False
    registered: int | None = None

    @property
    def drained(self) -> bool:
        """No job runs there and none will start."""
        return self.closed and self.jobs == 0

    @property
    def is_ours(self) -> bool:
        return self.reason.startswith(REASON_PREFIX)

    def reserved_by_others(self, now: float) -> bool:
        return any(each.holds(now) and not each.is_ours for each in self.reservations)


@dataclass(frozen=True, slots=True)
class View:
    """All machines and jobs of the scheduler at one moment. `since` is what to ask changes from next time; None: not
    known. `partitions` None: it did not tell of them."""

    machines: Mapping[str, MachineFacts]
    jobs: tuple[Job, ...] = ()
    since: int | None = None
    reservations: tuple[Reservation, ...] = ()
    partitions: tuple[Partition, ...] | None = None


class Scheduler(Protocol):
    """Machines are named as the scheduler names them. Every method may raise SchedulerError."""

    async def read(self, since: int | None = None) -> View | None:
        """Every machine, with its jobs and reservations. None when nothing changed since that time."""

    async def machine(self, name: str) -> MachineFacts:
        """One machine now. Raises UnknownMachine."""

    async def past(self, since_s: int, until_s: int = 0) -> tuple[Job, ...] | None:
        """All runs of that span, counted back from now in seconds, as its accounting knows them; None: it has none."""

    async def drain(self, name: str, reason: str, *, ours: str = "") -> Outcome:
        """Start no new job there; running jobs go on. `ours` is the reason we wrote before, which may be replaced."""

    async def resume(self, name: str, *, ours: str) -> Outcome:
        """Let jobs start there again when the drain is ours: its reason is still `ours`, word for word."""


class JobScheduler(Scheduler, Protocol):
    """One that takes jobs of ours too."""

    async def submit(self, job: NewJob) -> str:
        """Put a job of ours in the queue; gives its id. Whether one of its name is there already is not asked. Raises
        NotQueued where it is certain that it was not."""

    async def find(self, name: str) -> Job | None:
        """The newest job of exactly this name; None when the scheduler lists none."""

    async def cancel(self, name: str) -> None:
        """End all jobs of exactly this name of ours, those that wait and those that run; none is no error."""


def written_reason(text: str) -> str:
    """A reason as we write it: our mark first, one line of characters that no shell reads otherwise."""
    plain = " ".join(_UNSAFE.sub(" ", text).split())
    plain = plain.removeprefix(REASON_PREFIX).strip()
    return f"{REASON_PREFIX} {plain or 'taken out of service'}"[:REASON_LENGTH].rstrip()


def before_drain(facts: MachineFacts, reason: str, ours: str) -> Outcome | None:
    """What to answer without writing; None: write it.

    Who drained it, said that it fails, or set it down keeps his reason. That it is down because the scheduler found so
    is nobody's decision: it may be over in a minute, and jobs start there again.
    """
    if not facts.closed and (facts.state is not MachineState.DOWN or facts.by_itself):
        return None
    if facts.closed and facts.reason == reason:
        return Outcome.ALREADY
    if facts.reason and facts.reason != ours:
        return Outcome.THEIRS
    return None


def before_resume(facts: MachineFacts, ours: str) -> Outcome | None:
    """What to answer without writing; None: write it.

    Only our own drain is resumed: another text, even an edit of ours, is somebody's decision. A machine that is down or
    silent is not given work by saying so.
    """
    if not facts.closed:
        return Outcome.SILENT if facts.state is MachineState.DOWN and facts.reason == ours else Outcome.ALREADY
    if not ours or facts.reason != ours:
        return Outcome.THEIRS
    if facts.state is MachineState.DOWN or not facts.answers:
        return Outcome.SILENT
    return None
