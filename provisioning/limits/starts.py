"""Which waiting machines start now: the limits of racks, switches and boot servers, fair between runs. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """What several machines share."""

    ALL_RUNS = "all_runs"
    """The instance: machines under way in all runs together."""
    RUN = "run"
    RACK = "rack"
    """Its power: not all of it is switched on together."""
    SWITCH = "switch"
    """The switch that the cable of the boot port, or of the BMC, leads to."""
    MIRROR = "mirror"
    """A site's server of kernels, images and packages; shared until the machine is installed."""


@dataclass(frozen=True, slots=True)
class Share:
    """All runs, one run, one rack, one switch, or one site's boot server, and how many machines it bears at once."""

    kind: Kind
    id: int
    most: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A machine that waits or is under way, and what it shares as far as that is limited."""

    id: int
    run: int
    run_limit: int
    shares: tuple[Share, ...] = ()

    @property
    def own_run(self) -> Share:
        return Share(Kind.RUN, self.run, self.run_limit)


@dataclass
class UnderWay:
    """Machines under way in all runs together, and how many may be."""

    most: int
    by_run: Counter[int] = field(default_factory=Counter)
    by_share: Counter[Share] = field(default_factory=Counter)
    limits: dict[int, int] = field(default_factory=dict)

    @property
    def room(self) -> int:
        return max(0, self.most - self.by_run.total())

    def add(self, machine: Candidate) -> None:
        self.by_run[machine.run] += 1
        self.limits[machine.run] = machine.run_limit
        self.by_share.update(machine.shares)

    def has_room(self, machine: Candidate) -> bool:
        return not self.held_by(machine)

    def run_has_room(self, machine: Candidate) -> bool:
        return not (self.is_full(self.all_runs) or self.is_full(machine.own_run))

    def is_full(self, share: Share) -> bool:
        return self.used(share) >= share.most

    def held_by(self, machine: Candidate) -> list[Share]:
        """The limits for which it waits, the widest first; none: it starts with the next ones."""
        return [share for share in (self.all_runs, machine.own_run, *machine.shares) if self.is_full(share)]

    @property
    def all_runs(self) -> Share:
        return Share(Kind.ALL_RUNS, 0, self.most)

    def used(self, share: Share) -> int:
        """How many machines under way it has."""
        match share.kind:
            case Kind.ALL_RUNS:
                return self.by_run.total()
            case Kind.RUN:
                return self.by_run[share.id]
        return self.by_share[share]

    def shares(self) -> set[Share]:
        """All that machines under way have a part of."""
        runs = {Share(Kind.RUN, run, self.limits[run]) for run, count in self.by_run.items() if count}
        return {self.all_runs, *runs, *self.by_share}

    def full_runs(self) -> list[int]:
        return [run for run, count in self.by_run.items() if count >= self.limits[run]]

    def full(self, kind: Kind) -> list[int]:
        return [share.id for share in self.by_share if share.kind is kind and self.is_full(share)]


def next_ones(waiting: Iterable[Candidate], now: UnderWay) -> list[int]:
    """In which order they start: each time the first with room of the run with the fewest under way, the older run
    first. `waiting` in the order in which each run wants them; `now` counts in who starts."""
    queues: dict[int, deque[Candidate]] = defaultdict(deque)
    for machine in waiting:
        queues[machine.run].append(machine)
    order: list[int] = []
    while queues:
        run = min(queues, key=lambda each: (now.by_run[each], each))
        first = _first_with_room(queues[run], now)
        if first is None:
            del queues[run]  # room only becomes less
        else:
            now.add(first)
            order.append(first.id)
    return order


def _first_with_room(queue: deque[Candidate], now: UnderWay) -> Candidate | None:
    while queue and now.run_has_room(queue[0]):
        machine = queue.popleft()
        if now.has_room(machine):
            return machine
    return None
