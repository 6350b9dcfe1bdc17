"""The repairs of the past: for each machine what broke when, who came, what they did, and how it ended. Pure.

The same seed tells the same story. Nothing of it reaches into the last half hour: what happens now belongs to the hall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from simulator.past.faults import FIRST_BOOT, KINDS, REPORTED, Kind
from simulator.past.people import Crew

DAYS = 90
QUIET_END = timedelta(minutes=30)
INSTALLED_WITHIN = timedelta(days=7)
"""Machines come into service in the first week."""
FIRST_BOOT_FAILS = 0.10
BREAK_A_WEEK = 0.03
LEMONS = 0.02
LEMONS_SHARE = 0.3
"""So many machines have so large a share of all faults."""
BAD_BATCH_SHARE = 0.08
BAD_BATCH_FACTOR = 5.0
COMES_BACK = 0.05
PARTS_MISSING = 0.08
BATCHES = ("2412", "2419", "2424", "2431", "2437")
BAD_BATCH = "2431"
OPEN_REPORTS = 14


@dataclass(frozen=True)
class Machine:
    """`slots` is kind of slot to its slots' names."""

    id: int
    name: str
    slots: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Repair:
    """One ticket: times in order, each at or after the one before it. `attempts` are (asked, ended, passed)."""

    machine: int
    kind: Kind
    slot: str
    priority: str
    seen: datetime
    confirmed: datetime
    drained: datetime | None
    taken: datetime
    first_step: datetime
    last_step: datetime
    swapped: bool
    technician: str
    attempts: tuple[tuple[datetime, datetime, bool], ...]

    @property
    def ended(self) -> datetime:
        return self.attempts[-1][1]


@dataclass(frozen=True)
class FirstBoot:
    """How a machine came into service; `failure` is (class, what it showed) where the first boot failed."""

    machine: int
    began: datetime
    installed: datetime
    ready: datetime
    failure: tuple[str, str] | None = None
    failed: datetime | None = None
    taken: datetime | None = None
    asked: datetime | None = None
    technician: str = ""


@dataclass(frozen=True)
class Report:
    """What a person reported and nobody has closed."""

    machine: int
    text: str
    priority: str
    part: str
    at: datetime


@dataclass
class Story:
    first_boots: list[FirstBoot] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)


def tell(
    machines: Sequence[Machine],
    *,
    now: datetime,
    crew: Crew,
    priorities: Mapping[str, str],
    takes_out: Mapping[str, bool],
    days: int = DAYS,
    seed: int = 1,
) -> Story:
    """The story of these machines up to shortly before `now`. `priorities` and `takes_out` are by class of fault."""
    dice = Random(seed)
    begin, end = now - timedelta(days=days), now - QUIET_END
    story = Story()
    for machine in machines:
        story.first_boots.append(_first_boot(machine, begin, crew, dice))
    ready = {each.machine: each.ready for each in story.first_boots}
    busy: dict[int, datetime] = dict(ready)
    for at, machine in _breaks(machines, begin, end, dice):
        repair = _repair(machine, max(at, busy[machine.id]), crew, priorities, takes_out, dice)
        if repair is None:
            continue
        chain = [repair]
        if dice.random() < COMES_BACK:
            again = repair.ended + timedelta(hours=4 + dice.expovariate(1 / 40))
            returned = _mended(machine, repair.kind, repair.slot, again, crew, priorities, takes_out, dice)
            chain.append(returned)
        for each in chain:
            if each.ended < end and each.seen > busy[machine.id]:
                story.repairs.append(each)
                busy[machine.id] = each.ended + timedelta(hours=1)
    story.repairs.sort(key=lambda each: each.confirmed)
    story.reports = _reports(machines, now, days, dice)
    return story


def _first_boot(machine: Machine, begin: datetime, crew: Crew, dice: Random) -> FirstBoot:
    began = begin + INSTALLED_WITHIN * dice.random() * 0.6
    install, burn_in = timedelta(minutes=18 + 10 * dice.random()), timedelta(hours=8)
    if dice.random() >= FIRST_BOOT_FAILS:
        return FirstBoot(machine.id, began, began + install, began + install + burn_in)
    name, text, _ = dice.choices(FIRST_BOOT, [weight for *_, weight in FIRST_BOOT])[0]
    failed = began + timedelta(minutes=4 + 12 * dice.random())
    taken = crew.taken_at(failed, "P2", dice)
    asked = taken + timedelta(minutes=25 + dice.expovariate(1 / 60))
    installed = asked + install
    return FirstBoot(
        machine.id, began, installed, installed + burn_in, (name, text), failed, taken, asked, crew.on_duty(taken)
    )


def _breaks(
    machines: Sequence[Machine], begin: datetime, end: datetime, dice: Random
) -> list[tuple[datetime, Machine]]:
    """When which machine breaks, in the order of time: most at random, a share of it on the lemons."""
    if not machines:
        return []
    weeks = (end - begin) / timedelta(weeks=1)
    count = _poisson(len(machines) * BREAK_A_WEEK * weeks, dice)
    lemons = dice.sample(list(machines), max(1, round(len(machines) * LEMONS)))
    bad = list(machines[: max(1, round(len(machines) * BAD_BATCH_SHARE))])
    found = []
    for _ in range(count):
        chance = dice.random()
        group: Sequence[Machine] = lemons if chance < LEMONS_SHARE else machines
        if LEMONS_SHARE <= chance < LEMONS_SHARE + (BAD_BATCH_FACTOR - 1) * BAD_BATCH_SHARE / 3:
            group = bad
        found.append((begin + (end - begin) * dice.random(), dice.choice(group)))
    return sorted(found, key=lambda each: each[0])


def _poisson(mean: float, dice: Random) -> int:
    """Counted by waiting: the mean is a few hundred at most."""
    count, at = 0, dice.expovariate(1)
    while at < mean:
        count, at = count + 1, at + dice.expovariate(1)
    return count


def _repair(
    machine: Machine, at: datetime, crew: Crew, priorities: Mapping[str, str], takes_out: Mapping[str, bool],
    dice: Random,
) -> Repair | None:  # fmt: skip
    kinds = [kind for kind in KINDS if machine.slots.get(kind.slots)]
    if not kinds:
        return None
    kind = dice.choices(kinds, [kind.weight for kind in kinds])[0]
    return _mended(machine, kind, dice.choice(machine.slots[kind.slots]), at, crew, priorities, takes_out, dice)


def _mended(
    machine: Machine, kind: Kind, slot: str, at: datetime, crew: Crew, priorities: Mapping[str, str],
    takes_out: Mapping[str, bool], dice: Random,
) -> Repair:  # fmt: skip
    priority = priorities[kind.fault_class]
    confirmed = at + timedelta(seconds=15 + 30 * dice.random())
    drained = confirmed + timedelta(minutes=1 + dice.expovariate(1 / 6)) if takes_out[kind.fault_class] else None
    taken = crew.taken_at(max(confirmed, drained or confirmed), priority, dice)
    first = taken + timedelta(minutes=4 + dice.expovariate(1 / 9))
    work = timedelta(hours=kind.hours * (0.5 + dice.random()))
    swapped = dice.random() < kind.swapped
    if swapped and dice.random() < PARTS_MISSING:
        work += timedelta(days=1 + 2 * dice.random())  # the part has to come first
    asked = first + work
    attempts: list[tuple[datetime, datetime, bool]] = []
    while dice.random() < kind.fails and len(attempts) < 2:
        ended = asked + timedelta(minutes=2 + 4 * dice.random())
        attempts.append((asked, ended, False))
        asked = ended + work * 0.6
    attempts.append((asked, asked + timedelta(minutes=2 + 4 * dice.random()), True))
    last = first + work * 0.95
    return Repair(
        machine.id, kind, slot, priority, at, confirmed, drained, taken, first, last, swapped, crew.on_duty(taken),
        tuple(attempts),
    )  # fmt: skip


def _reports(machines: Sequence[Machine], now: datetime, days: int, dice: Random) -> list[Report]:
    """Small things that people saw; one a machine at most, so that each can be its only open ticket of the kind."""
    chosen = dice.sample(list(machines), min(OPEN_REPORTS, len(machines) // 4))
    found = []
    for n, machine in enumerate(chosen):
        text, priority, part = REPORTED[n % len(REPORTED)]
        age = timedelta(days=min(days - 8, 0.2 + dice.expovariate(1 / 6))) if days > 8 else timedelta(hours=2)
        found.append(Report(machine.id, text, priority, part, now - max(age, timedelta(hours=1))))
    return sorted(found, key=lambda each: each.at)
