"""The board of stages: each machine stands at the furthest stage it reached. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from statistics import median

from health.machines.lifecycle import State
from provisioning.steps import OPEN, FailureClass, Status, StepName


class Stage(StrEnum):
    DELIVERED = "delivered"
    RACKED = "racked"
    BMC_REACHED = "bmc_reached"
    IDENTIFIED = "identified"
    BMC_SET_UP = "bmc_set_up"
    COMMISSIONED = "commissioned"
    INSTALLED = "installed"
    BASE_SOFTWARE = "base_software"
    GPU_TESTED = "gpu_tested"
    FABRIC_TESTED = "fabric_tested"
    VALIDATED = "validated"
    IN_SERVICE = "in_service"


LIMITS: Mapping[Stage, timedelta | None] = {
    Stage.DELIVERED: timedelta(hours=120),
    Stage.RACKED: timedelta(hours=24),
    Stage.BMC_REACHED: timedelta(hours=4),
    Stage.IDENTIFIED: timedelta(hours=2),
    Stage.BMC_SET_UP: timedelta(hours=2),
    Stage.COMMISSIONED: timedelta(hours=2),
    Stage.INSTALLED: timedelta(hours=3),
    Stage.BASE_SOFTWARE: timedelta(hours=3),
    Stage.GPU_TESTED: timedelta(hours=2),
    Stage.FABRIC_TESTED: timedelta(hours=1),
    Stage.VALIDATED: timedelta(minutes=10),
    Stage.IN_SERVICE: None,
}
"""How long a machine may stand at a stage before somebody should look: what an installation takes, twice over; and what
hands do, in working days."""
REACHED_BY: Mapping[StepName, Stage] = {
    StepName.IDENTITY: Stage.IDENTIFIED,
    StepName.BMC_SETUP: Stage.BMC_SET_UP,
    StepName.HARDWARE: Stage.COMMISSIONED,
    StepName.PHONE_HOME: Stage.INSTALLED,
    StepName.SSH: Stage.INSTALLED,
    StepName.SOFTWARE: Stage.BASE_SOFTWARE,
    StepName.GPU_TESTS: Stage.GPU_TESTED,
    StepName.FABRIC: Stage.FABRIC_TESTED,
    StepName.CHECKS: Stage.VALIDATED,
}
"""Steps that bring a machine to a stage when they are done."""
RATE_OVER = timedelta(hours=6)
CURVE_POINTS = 48
BEFORE_SERVICE = frozenset({State.NEW, State.PROVISIONING, State.BURN_IN})
OUT_OF_IT = frozenset({State.READY, State.RETIRED})


class Mark(StrEnum):
    """How a machine does at its stage."""

    WAITING = "waiting"
    """Nobody works on it."""
    RUNNING = "running"
    LATE = "late"
    """Past the limit of its stage."""
    FAILED = "failed"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one machine. `run_status` and what follows are of its newest run, empty without one; `steps` are
    the moments at which steps of that run were done."""

    id: int
    name: str
    state: str
    state_since: datetime
    is_placed: bool = False
    bmc_since: datetime | None = None
    """When its BMC showed its certificate first."""
    run: int | None = None
    run_status: str = ""
    step: str = ""
    failure: str = ""
    failure_text: str = ""
    ticket: str = ""
    finished_at: datetime | None = None
    steps: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def is_on_the_way(self) -> bool:
        """Whether it was not in service yet: one that failed on its way is with people, in whatever state."""
        if self.state in BEFORE_SERVICE:
            return True
        return self.state not in OUT_OF_IT and self.run_status == Status.FAILED


@dataclass(frozen=True, slots=True)
class Standing:
    machine: Facts
    stage: Stage
    since: datetime
    mark: Mark


@dataclass(frozen=True, slots=True)
class Column:
    """One stage: how many stand there, how many of them failed or are late, and how long the oldest stands."""

    stage: Stage
    count: int
    failed: int
    late: int
    oldest_s: float | None
    usual_s: float | None
    """The median of those that stand there."""
    limit_s: float | None


@dataclass(frozen=True, slots=True)
class Stuck:
    """Machines that failed alike, or wait past their limit at one stage, the longest first."""

    stage: Stage
    failure: str
    machines: tuple[Facts, ...]
    longest_s: float


@dataclass(frozen=True, slots=True)
class FirstBoot:
    """The first time that a machine was provisioned: how it failed (empty: it did not), and whether it came to service
    since."""

    failure: str
    mended: bool


@dataclass(frozen=True, slots=True)
class Board:
    columns: tuple[Column, ...]
    standings: tuple[Standing, ...]
    """Of machines on the way, the oldest of each stage first."""
    stuck: tuple[Stuck, ...]
    in_service: int
    rate_an_hour: float
    done_at: datetime | None
    """When the machines on the way that are not stuck will be in service, at this rate; None: nothing moves."""
    curve: tuple[tuple[datetime, int], ...]
    """How many were in service when, by runs of the last days."""


Limits = Mapping[Stage, timedelta | None]


def limits_with(sites: Sequence[Mapping[str, timedelta]]) -> Limits:
    """The usual limits with those of each site: the longest, so that no machine is late too early. What is no stage
    with a limit is passed over."""
    return {
        stage: max((own.get(stage, usual) for own in sites), default=usual) if usual else None
        for stage, usual in LIMITS.items()
    }


def standing(machine: Facts, now: datetime, limits: Limits = LIMITS) -> Standing:
    stage, since = _reached(machine)
    return Standing(machine, stage, since, _mark(machine, stage, since, now, limits[stage]))


def _reached(machine: Facts) -> tuple[Stage, datetime]:
    if not machine.is_on_the_way:
        return Stage.IN_SERVICE, machine.state_since
    for step, stage in reversed(list(REACHED_BY.items())):
        if at := machine.steps.get(step):
            return stage, at
    if machine.bmc_since is not None:
        return Stage.BMC_REACHED, machine.bmc_since
    return (Stage.RACKED if machine.is_placed else Stage.DELIVERED), machine.state_since


def _mark(machine: Facts, stage: Stage, since: datetime, now: datetime, limit: timedelta | None) -> Mark:
    if stage is Stage.IN_SERVICE:
        return Mark.DONE
    if machine.run_status == Status.FAILED:
        return Mark.FAILED
    if limit is not None and now - since > limit:
        return Mark.LATE
    return Mark.RUNNING if machine.run_status in OPEN else Mark.WAITING


def board_of(machines: Iterable[Facts], arrivals: Sequence[datetime], now: datetime, limits: Limits = LIMITS) -> Board:
    """`arrivals` are the moments of the last days at which a run brought a machine to service, in order."""
    standings = [standing(each, now, limits) for each in machines if each.state != State.RETIRED]
    standings.sort(key=lambda each: (each.since, each.machine.name))
    by_stage: dict[Stage, list[Standing]] = defaultdict(list)
    for each in standings:
        by_stage[each.stage].append(each)
    in_service = len(by_stage[Stage.IN_SERVICE])
    way = [each for each in standings if each.stage is not Stage.IN_SERVICE]
    rate = sum(now - RATE_OVER < at <= now for at in arrivals) / (RATE_OVER / timedelta(hours=1))
    goes_on = sum(each.mark in (Mark.RUNNING, Mark.WAITING) for each in way)
    done_at = now + timedelta(hours=goes_on / rate) if rate and goes_on else None
    return Board(
        tuple(_column(stage, by_stage[stage], now, limits[stage]) for stage in Stage),
        tuple(way),
        _stuck(way, now),
        in_service,
        rate,
        done_at,
        _curve(arrivals, in_service),
    )


def _column(stage: Stage, those: Sequence[Standing], now: datetime, limit: timedelta | None) -> Column:
    marks = Counter(each.mark for each in those)
    ages = [(now - each.since).total_seconds() for each in those] if stage is not Stage.IN_SERVICE else []
    return Column(
        stage, len(those), marks[Mark.FAILED], marks[Mark.LATE],
        max(ages, default=None), median(ages) if ages else None, limit.total_seconds() if limit else None,
    )  # fmt: skip


def _stuck(way: Sequence[Standing], now: datetime) -> tuple[Stuck, ...]:
    groups: dict[tuple[Stage, str], list[Standing]] = defaultdict(list)
    for each in way:
        if each.mark in (Mark.FAILED, Mark.LATE):
            groups[each.stage, each.machine.failure if each.mark is Mark.FAILED else ""].append(each)
    found = [
        Stuck(stage, failure, tuple(each.machine for each in those),
              max((now - (each.machine.finished_at or each.since)).total_seconds() for each in those))
        for (stage, failure), those in groups.items()
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda each: (-each.longest_s, each.stage)))


def _curve(arrivals: Sequence[datetime], in_service: int) -> tuple[tuple[datetime, int], ...]:
    """At most CURVE_POINTS of them; the last is now's count."""
    before = in_service - len(arrivals)
    points = [(at, before + number) for number, at in enumerate(arrivals, start=1)]
    every = max(1, -(-len(points) // CURVE_POINTS))
    return tuple(points[len(points) - 1 :: -every][::-1]) if points else ()


def first_boots_by_class(boots: Iterable[FirstBoot]) -> list[tuple[FailureClass, int, int]]:
    """(class, still open, mended since) of those whose first boot failed, the most frequent first."""
    counts: dict[FailureClass, list[int]] = defaultdict(lambda: [0, 0])
    for boot in boots:
        if boot.failure:
            counts[FailureClass(boot.failure)][boot.mended] += 1
    rows = [(kind, still, mended) for kind, (still, mended) in counts.items()]
    return sorted(rows, key=lambda row: (-row[1] - row[2], row[0]))
