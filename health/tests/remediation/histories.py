"""Random histories of a simulated site: what goes wrong, who interferes, and where workers die."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random

from health.machines.lifecycle import LifecycleEvent as E
from health.machines.lifecycle import State
from health.remediation.by_hand import REMEDIES_BY_HAND
from health.remediation.types import ActionState
from health.tests.remediation.promises import CHECKS, LIMITS, TEST, TICK_S, Box
from health.tests.remediation.world import Site, consumes_nothing

EVENTS = {
    "tick": 24,
    "fail": 16,
    "wait": 12,
    "half": 10,  # a worker starts and pauses somewhere
    "resume": 8,  # a paused one goes on
    "race": 8,  # somebody interferes between grant and sending
    "crash": 5,  # a paused one never does
    "jobs": 5,
    "scheduler": 3,
    "person_returns": 3,
    "technician": 2,
    "by_hand": 3,
    "hold": 2,
    "kill": 2,
    "breaker": 1,
    "jump": 2,
    "stale": 1,
    "policy": 2,
    "login": 1,
    "dies": 1,
    "corrupt": 1,
    "foreign": 1,
}
WORDS, WEIGHTS = list(EVENTS), list(EVENTS.values())


class History:
    """One random history of one site, from a seed. Raises nothing: what broke stands in `site.broken_promises`."""

    def __init__(self, seed: int, steps: int = 36, careless: str = "") -> None:
        self.random = Random(seed)
        self.site = Site(self.random, self.random.randint(5, 12), careless)
        self.steps, self.owners = steps, 0
        self.paused: list[tuple[Box, Iterator[None]]] = []

    def run(self) -> Site:
        for word in self.random.choices(WORDS, WEIGHTS, k=self.steps):
            getattr(self, word)()
            if self.site.broken_promises:
                return self.site
        self.twice()
        self.settle()
        return self.site

    def any_box(self, *states: State) -> Box | None:
        found = [box for box in self.site.boxes if not states or box.state in states]
        return self.random.choice(found) if found else None

    def worker(self, box: Box) -> Iterator[None]:
        self.owners += 1
        return self.site.work(box, f"w{self.owners}")

    # ---- workers ----

    def tick(self) -> None:
        """A beat: time goes on, and every machine's task is delivered; now and then one is lost."""
        self.site.pass_time(TICK_S)
        for box in self.site.boxes:
            if self.random.random() < 0.93:
                for _ in self.worker(box):
                    pass
        self.site.step_s = 0.0

    def half(self) -> None:
        busy = [box for box in self.site.boxes if box.incident]
        box = self.random.choice(busy or self.site.boxes)
        worker = self.worker(box)
        for _ in range(self.random.randint(1, 5)):
            if next(worker, StopIteration) is StopIteration:
                return
        self.paused.append((box, worker))

    def race(self) -> None:
        busy = [box for box in self.site.boxes if box.incident]
        if not busy:
            return
        box = self.random.choice(busy)
        worker, stage = (
            self.worker(box),
            self.random.choice((ActionState.GRANTED, ActionState.GRANTED, ActionState.SENT)),
        )
        for _ in worker:
            if any(action.state is stage for action in box.open):
                self._interfere(box) if stage is ActionState.GRANTED else self._oversleep(box)
                break
        for _ in worker:
            pass

    def _oversleep(self, box: Box) -> None:
        """The worker sleeps right before its call, past the deadline; meanwhile life goes on for the machine."""
        self.site.pass_time(self.random.choice((LIMITS.lease_s + 1, 4 * 3600)))
        for _ in self.worker(box):
            pass
        if not box.open:
            self.site.give_back(box, fixed=True)
            box.jobs = 1

    def _interfere(self, box: Box) -> None:
        what = self.random.choice(("kill", "breaker", "hold", "repair", "foreign", "job", "scheduler", "lease"))
        if what == "repair" and box.state is State.DRAINED:
            self.site._move(box, E.START_REPAIR)
        elif what == "hold":
            box.held_by = ("person:olga",)
        elif what == "foreign":
            box.drain = "theirs"
        elif what == "job":
            box.jobs = 1
        elif what == "lease":
            self.site.pass_time(LIMITS.lease_s + 1)
            for _ in self.worker(box):
                pass
        elif what != "repair":
            getattr(self, what)()

    def resume(self) -> None:
        if self.paused:
            _, worker = self.paused.pop(self.random.randrange(len(self.paused)))
            for _ in worker:
                pass

    def crash(self) -> None:
        if self.paused:
            self.paused.pop(self.random.randrange(len(self.paused)))

    # ---- the world ----

    def wait(self) -> None:
        self.site.pass_time(self.random.choice((1, 40, 130, 400, 2000)))

    def fail(self) -> None:
        fine = [box for box in self.site.boxes if box.state is State.READY and box.incident is None]
        for box in self.random.sample(fine, min(len(fine), self.random.choice((1, 1, 2)))):
            self.site.fail(box)
        for each in self.site.boxes:
            if each.incident and not each.incident.confirmed and self.random.random() < 0.5:
                each.incident = replace(each.incident, confirmed=True)

    def jobs(self) -> None:
        for box in self.site.boxes:
            if box.jobs:
                box.jobs = self.random.choice((0, box.jobs))
            elif box.state is State.READY and not box.drain and box.up:
                box.jobs = self.random.choice((0, 1))

    def scheduler(self) -> None:
        self.site.silent_scheduler = not self.site.silent_scheduler

    def jump(self) -> None:
        self.site.jump(self.random.choice((-7200, -90, 90, 7200)))

    def stale(self) -> None:
        self.site.stale = not self.site.stale

    def dies(self) -> None:
        box = self.any_box()
        if box:
            box.up = not box.up and box.power == "on"

    def login(self) -> None:
        box = self.any_box()
        if box:
            box.logins, box.reserved = self.random.choice(((0, False), (1, False), (0, True)))

    def corrupt(self) -> None:
        box = self.any_box()
        if box and not box.open:
            box.unreadable = not box.unreadable

    def foreign(self) -> None:
        """Somebody drains it too, with a reason of their own."""
        box = self.any_box(State.DRAINED)
        if box:
            box.drain = "theirs"

    # ---- people ----

    def person_returns(self) -> None:
        box = self.any_box(State.DRAINING, State.DRAINED, State.TRIAGE)
        if box and not box.open:
            self.site.give_back(box, fixed=self.random.random() < 0.4)

    def technician(self) -> None:
        """Takes a machine in repair, or gives one back."""
        box = self.any_box(State.DRAINED, State.TRIAGE, State.REPAIR)
        if box is None:
            return
        if box.state is State.REPAIR:
            self.site.give_back(box, fixed=True)
        else:
            self.site._move(box, E.START_REPAIR)

    def hold(self) -> None:
        box = self.any_box()
        if box:
            box.held_by = () if box.held_by else (self.random.choice(("person:olga", TEST)),)

    def by_hand(self) -> None:
        """A person starts a remedy; the worker may be slow, and somebody may interfere."""
        box = self.any_box(*self.random.choice(((), (State.DRAINED, State.TRIAGE)))) or self.site.boxes[0]
        self.owners += 1
        worker = self.site.start_by_hand(box, self.random.choice(REMEDIES_BY_HAND), f"w{self.owners}")
        if next(worker, StopIteration) is StopIteration:
            return
        if self.random.random() < 0.5:
            self._interfere(box)
        if self.random.random() < 0.3:
            self.paused.append((box, worker))
            return
        for _ in worker:
            pass

    def kill(self) -> None:
        self.site.killed = not self.site.killed

    def breaker(self) -> None:
        if self.site.broken_breaker:
            self.site.broken_breaker, self.site.breaker_closed_at = "", self.site.now
        else:
            self.site.broken_breaker = "a person opened it"

    def policy(self) -> None:
        check = frozenset({self.random.choice(CHECKS)})
        if self.random.random() < 0.5:
            self.site.suspicious = self.site.suspicious ^ check
        else:
            self.site.observe_only = self.site.observe_only ^ check

    # ---- at the end ----

    def twice(self) -> None:
        """A second run over the same events changes nothing."""
        self.paused.clear()
        for box in self.site.boxes:
            for _ in self.worker(box):
                pass
            if any(a.state is ActionState.CONFIRMED and a.verified is None for a in box.actions):
                continue  # which report comes next is chance
            before = consumes_nothing(self.site)
            for _ in self.worker(box):
                pass
            if consumes_nothing(self.site) != before:
                self.site.broken_promises.append("a second run did something again")

    def settle(self) -> None:
        """Whatever was under way ends within its deadline and two ticks, without anybody's help."""
        under_way = [(box, action) for box in self.site.boxes for action in box.open]
        if not under_way:
            return
        ends = [a.deadline or (a.lease_until or self.site.now) for _, a in under_way]
        until = max([*ends, *(a.lease_until for _, a in under_way if a.lease_until)])
        far = max(0.0, (until - self.site.now) / timedelta(seconds=1))
        self.site.pass_time(far)
        for _ in range(2):
            self.site.pass_time(TICK_S)
            for box, _ in under_way:
                for _ in self.worker(box):
                    pass
        for box, action in under_way:
            if any(a.key == action.key for a in box.open):
                self.site.broken_promises.append(f"{action.key} hangs after its deadline")
