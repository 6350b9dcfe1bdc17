"""In which order connectors are moved: never into an occupied port, at most one cable hanging, few walks. Pure.

A component is ordered by what must be free before what. Its cables that have no place are taken out first. A plug goes
where the plug before it has left; in a circle one is pulled and hangs until the rest is done. Components do not touch
each other's ports, so their steps may be mixed: all that can be done at one rack is done in one visit, as long as only
one cable hangs at a time.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from fabric.facts import PlannedPort
from fabric.reconcile.cables import LOOSE, FoundBody, Socket, WantedBody


class StepKind(StrEnum):
    MOVE = "move"  # from one port into another
    HANG = "hang"  # pulled; it hangs until its insertion
    INSERT = "insert"  # of the plug that hangs
    REMOVE = "remove"  # a cable without a place: one step for each plug


@dataclass(frozen=True, slots=True)
class Plug:
    """A plug of a cable and where it goes; `into` is None for a cable that is taken out, `take` equals `into` for a
    plug that stays."""

    body: FoundBody
    take: Socket
    into: Socket | None
    wanted: WantedBody | None

    @property
    def hangs(self) -> bool:
        """It is in no port to begin with."""
        return self.take[0].device == LOOSE


@dataclass(slots=True)
class Step:
    """One act at one or two ports. `after`: numbers of the steps of its component that must be done. `holds`: from
    this step on a cable hangs, until a step that `frees`. `ends_hang`: its cable hangs before the first step of all."""

    kind: StepKind
    plug: Plug
    component: int
    after: list[int] = field(default_factory=list)
    holds: bool = False
    frees: bool = False
    ends_hang: bool = False


def component_steps(plugs: Sequence[Plug], component: int) -> list[Step]:
    """The steps for the plugs of one component, each after those it needs.

    One hanging cable opens every circle of plain and of twin plugs. Breakouts can be knotted so that it does not; then
    a cable is taken out whole at the beginning and put back at the end, which costs one insertion more.
    """
    relaid: set[int] = set()
    while True:
        answer = _Bench(plugs, component, relaid).work()
        if isinstance(answer, list):
            return answer
        relaid.add(id(answer.body))


class _Bench:
    """The plugs of one component while their order is worked out."""

    def __init__(self, plugs: Sequence[Plug], component: int, relaid: set[int]) -> None:
        self.component = component
        self.steps: list[Step] = []
        self.freed: dict[PlannedPort, int] = {}  # the step that leaves the port free
        gone = [plug for plug in plugs if plug.into is None or id(plug.body) in relaid]
        self.gone: dict[int, list[Plug]] = defaultdict(list)
        for plug in gone:
            self.gone[id(plug.body)].append(plug)
        self.plugs = {
            at: plug
            for at, plug in enumerate(plugs)
            if plug.into is not None and plug.into != plug.take and id(plug.body) not in relaid
        }
        sits = {port: at for at, plug in self.plugs.items() for port in plug.take}
        self.waits = {
            at: {sits[port] for port in plug.into or () if port in sits} - {at} for at, plug in self.plugs.items()
        }
        self.needed_by: dict[int, list[int]] = defaultdict(list)
        for at, others in self.waits.items():
            for other in others:
                self.needed_by[other].append(at)
        self.ready = deque(at for at, others in self.waits.items() if not others)
        self.hanging: int | None = None
        self.floor: list[int] = []  # what the next step after which something hangs has to wait for

    def work(self) -> list[Step] | Plug:
        """The steps, or the plug whose cable has to be taken out whole."""
        for plugs in self.gone.values():
            left = [plug for plug in plugs if not plug.hangs]
            self._chain(StepKind.REMOVE, left, half_out=len(left) < len(plugs))
        waiting = deque(self.plugs)
        while self.waits:
            if self.ready:
                self._put(self.ready.popleft())
                continue
            while waiting[0] not in self.waits:
                waiting.popleft()
            chosen = self._opening(waiting[0])
            if chosen is None:
                return self.plugs[waiting[0]]
            self._hang(chosen)
        for plugs in self.gone.values():
            if plugs[0].into is not None:
                self.floor = list(range(len(self.steps)))
                self._chain(StepKind.INSERT, plugs)
        return self.steps

    def _chain(self, kind: StepKind, plugs: list[Plug], half_out: bool = False) -> None:
        """All plugs of a cable, one after the other: while some are in and others out, it hangs, as it does from the
        beginning when it is `half_out`."""
        for at, plug in enumerate(plugs):
            last = at == len(plugs) - 1
            holds = at == 0 and not half_out
            self.steps.append(Step(kind, plug, self.component, self.floor, holds, last, half_out and last))
            self.floor = [len(self.steps) - 1]
            if kind is StepKind.REMOVE:
                self.freed.update((port, len(self.steps) - 1) for port in plug.take)

    def _put(self, at: int) -> None:
        plug = self.plugs[at]
        after = {self.freed[port] for port in plug.into or () if port in self.freed}
        if at == self.hanging:
            self.steps.append(Step(StepKind.INSERT, plug, self.component, sorted(after), frees=True))
            self.hanging, self.floor = None, [len(self.steps) - 1]
            del self.waits[at]
            return
        kind = StepKind.INSERT if plug.hangs else StepKind.MOVE
        self.steps.append(Step(kind, plug, self.component, sorted(after), frees=plug.hangs, ends_hang=plug.hangs))
        del self.waits[at]
        self._leave(at)

    def _hang(self, at: int) -> None:
        self.steps.append(Step(StepKind.HANG, self.plugs[at], self.component, self.floor, holds=True))
        self.hanging = at
        self._leave(at)

    def _leave(self, at: int) -> None:
        self.freed.update((port, len(self.steps) - 1) for port in self.plugs[at].take)
        for other in self.needed_by[at]:
            self.waits[other].discard(at)
            if not self.waits[other]:
                self.ready.append(other)

    def _opening(self, start: int) -> int | None:
        """A plug which, pulled, opens the circle that `start` waits for; best one that stays at its device."""
        if self.hanging is not None:
            return None
        trail: dict[int, None] = {}
        at = start
        while at not in trail:
            trail[at] = None
            at = min(self.waits[at])
        circle = list(trail)[list(trail).index(at) :]
        circle.sort(key=lambda at: self.plugs[at].take[0].device != (self.plugs[at].into or ())[0].device)
        if all(len(self.waits[at]) == 1 for at in circle):
            return circle[0]
        return next((at for at in [*circle, *self.waits] if self._opens(at)), None)

    def _opens(self, hung: int) -> bool:
        """Whether with this one hanging enough others can move for it to be put in."""
        left = {at: set(others) for at, others in self.waits.items()}
        leaving = deque([hung])
        while leaving:
            gone = leaving.popleft()
            for other in self.needed_by[gone]:
                if other in left:
                    left[other].discard(gone)
                    if not left[other]:
                        if other == hung:
                            return True
                        leaving.append(other)
        return False


def by_visits(components: Sequence[Sequence[Step]], visit: Callable[[Step], tuple[str, ...]]) -> list[Step]:
    """All steps in one legal order with few changes of rack. `visit` says at which rack a step is done.

    What can be done where one stands is done first. Then the rack of the hanging cable's next step, or else the next
    rack along the rows that has something to do.
    """
    return _Round(components, visit).walk()


class _Round:
    """A walk through the racks."""

    def __init__(self, components: Sequence[Sequence[Step]], visit: Callable[[Step], tuple[str, ...]]) -> None:
        self.visit = visit
        self.components = components
        self.open: dict[tuple[int, int], int] = {}  # step -> how many it still waits for
        self.next: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.free: dict[tuple[str, ...], deque[tuple[int, int]]] = defaultdict(deque)
        self.pulls: dict[tuple[str, ...], deque[tuple[int, int]]] = defaultdict(deque)
        self.holder: int | None = None
        for component, steps in enumerate(components):
            for at, step in enumerate(steps):
                self.open[component, at] = len(step.after)
                for before in step.after:
                    self.next[component, before].append(at)
                if step.ends_hang and self.holder is None:
                    self.holder = component
        self.stops = sorted({visit(step) for steps in components for step in steps})
        self.mine: deque[tuple[int, int]] = deque()  # of the component with the hanging cable
        for key, waits in self.open.items():
            if not waits:
                self._offer(key)

    def _step(self, key: tuple[int, int]) -> Step:
        return self.components[key[0]][key[1]]

    def _offer(self, key: tuple[int, int]) -> None:
        step = self._step(key)
        where = self.visit(step)
        if key[0] == self.holder:
            self.mine.append(key)
            self.free[where].append(key)
        else:
            (self.pulls if step.holds else self.free)[where].append(key)

    def walk(self) -> list[Step]:
        order: list[Step] = []
        done: set[tuple[int, int]] = set()
        at = 0
        while len(order) < len(self.open):
            key = self._here(self.stops[at])
            if key is None:
                at = self._onward(at, done)
                continue
            step = self._step(key)
            done.add(key)
            order.append(step)
            if step.holds:
                self.holder = key[0]
                self.mine = deque(
                    (key[0], n)
                    for n in range(len(self.components[key[0]]))
                    if (key[0], n) not in done and not self.open[key[0], n]
                )
            if step.frees and self.holder == key[0]:
                self.holder = None
            for other in self.next[key]:
                self.open[key[0], other] -= 1
                if not self.open[key[0], other]:
                    self._offer((key[0], other))
        return order

    def _here(self, stop: tuple[str, ...]) -> tuple[int, int] | None:
        while self.free[stop]:
            key = self.free[stop].popleft()
            if not self._step(key).holds or self.holder in (None, key[0]):
                return key
            self.pulls[stop].append(key)  # offered while its own component held a cable, which is in by now
        if self.holder is None and self.pulls[stop]:
            return self.pulls[stop].popleft()
        return None

    def _onward(self, at: int, done: set[tuple[int, int]]) -> int:
        while self.holder is not None and self.mine:
            if self.mine[0] not in done:
                return self.stops.index(self.visit(self._step(self.mine[0])))
            self.mine.popleft()
        count = len(self.stops)
        for ahead in range(1, count + 1):
            stop = self.stops[(at + ahead) % count]
            if self.free[stop] or (self.holder is None and self.pulls[stop]):
                return (at + ahead) % count
        raise AssertionError("steps wait for each other")  # component_steps gives none that do
