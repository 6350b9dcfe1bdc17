"""A site in memory to let the remediation core loose on: machines with a truth of their own, a store of rows, workers.

`Site.work` is a service as the package's docstring describes it, as a generator that pauses after each write and each
call: a driver that stops resuming it has crashed the worker there, and one that resumes two of them in turn has two
workers on one machine. `Site.broken_promises` is written by a judge that looks at rows and calls only, never at what
the guards said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from health.checks.levels import Rung
from health.machines.calls import Report
from health.machines.lifecycle import LifecycleEvent as E
from health.machines.lifecycle import State, next_state
from health.remediation import breaker, by_hand, planner, records
from health.remediation.records import Decision, What
from health.remediation.remedies import BY_NAME, REMEDIES
from health.remediation.types import (
    WEEK,
    Action,
    ActionState,
    Cause,
    Granted,
    IncidentView,
    MachineView,
    PoolView,
    Refusal,
    Remedy,
    SiteView,
    Step,
    Switches,
    World,
)
from health.tests.remediation.promises import (
    CHECKS,
    HOUR,
    LIMITS,
    NEVER,
    PAST,
    START,
    TEN_MINUTES,
    VERIFY_PATIENCE_S,
    Box,
    Judge,
)


class Site(Judge):
    """`careless`: `late_sent` calls before it writes, `trusting` needs no verification; else the service is right."""

    def __init__(self, random: Random, size: int = 8, careless: str = "") -> None:
        self.random, self.careless = random, careless
        self.t, self.offset, self.step_s, self.now = 0.0, 0.0, 0.0, START
        self.writes, self.next_incident = 0, 100
        self.share = random.choice((0.05, 0.2, 0.5, 0.7, 1.0))
        self.pools_on = random.random() < 0.9
        self.killed, self.broken_breaker, self.breaker_closed_at = False, "", START - WEEK
        self.silent_scheduler, self.stale = False, False
        self.suspicious: frozenset[str] = frozenset()
        self.observe_only: frozenset[str] = frozenset()
        modes = {(c, r.name): random.random() < 0.95 for c in CHECKS for r in REMEDIES if random.random() < 0.97}
        self.rules = planner.Rules(Switches(modes), LIMITS, ())
        self.later: list[tuple[float, Box, str, str]] = []
        self.refused: dict[int, datetime] = {}
        self.drains: list[tuple[datetime, Box]] = []
        self.calls: Counter[str] = Counter()
        self.by_hand: set[str] = set()
        self.carried_out: Counter[tuple[int, int, int, int]] = Counter()
        self.states: dict[int, State] = {}
        self.broken_promises: list[str] = []
        self.boxes = [self._box(number) for number in range(1, size + 1)]
        for box in random.sample(self.boxes, random.choice((0, 1, 2, 3))):
            self.fail(box)
            box.state, box.drain, box.drained_by_us = State.DRAINED, "ours", True
            box.failed_at = START - HOUR

    def _box(self, number: int) -> Box:
        roll = self.random
        causes = (Cause("rack", str(roll.randint(1, 3))), Cause("feed", roll.choice("AB")))
        box = Box(number, 1, causes, roll.choices((False, True, None), (8, 1, 1))[0])
        for _ in range(roll.choices((0, 1, 2, 4), (6, 2, 2, 1))[0]):
            remedy = roll.choice(REMEDIES)
            at = START - timedelta(hours=roll.randint(2, 160))
            past = Action(number, PAST, remedy.rung, len(box.actions) + 1, remedy.name, ActionState.CONFIRMED, at)
            box.actions.append(replace(past, sent_at=at, deadline=at, finished_at=at, verified=True))
        return box

    # ---- time ----

    def pass_time(self, seconds: float) -> None:
        self.t += seconds
        self.now = START + timedelta(seconds=self.t + self.offset)
        due = [event for event in self.later if event[0] <= self.t]
        self.later = [event for event in self.later if event[0] > self.t]
        for _, box, what, key in sorted(due, key=lambda event: event[0]):
            self._happen(box, what, key)

    def jump(self, seconds: float) -> None:
        self.offset += seconds
        self.step_s = seconds
        self.now = START + timedelta(seconds=self.t + self.offset)

    def _happen(self, box: Box, what: str, key: str) -> None:
        if what == "boot" and box.power == "on":
            box.boot, box.up = box.boot + 1, True
        elif what == "down":
            box.up = False
        elif what == "off":
            box.power, box.up = "off", False
        elif what == "on" and box.power == "off":
            box.power, box.up, box.boot = "on", True, box.boot + 1
        elif what == "trace":
            box.traces.add(key)
        if what in ("boot", "on", "trace") and box.heals <= self._rung(what, key):
            box.broken = False

    @staticmethod
    def _rung(what: str, key: str) -> int:
        return int(key.split(":")[2]) if key else int(Rung.REBOOT)

    # ---- rows as values ----

    def view(self, box: Box) -> MachineView:
        return MachineView(
            id=box.id,
            pool=box.pool,
            state=box.state,
            state_since=box.since,
            incident=box.incident,
            causes=box.causes,
            shares_power=box.shares_power,
            held_by=box.held_by,
            records=None if box.unreadable else tuple(box.actions),
            undrained=dict(box.undrained),
            empty=None if self.silent_scheduler else box.jobs == 0,
            available=box.state is State.READY and box.up,
        )

    def pool(self) -> PoolView:
        now = self.now
        ours = [at for at, _ in self.drains]
        return PoolView(
            id=1,
            size=len(self.boxes),
            unavailable=sum(not (box.state is State.READY and box.up) for box in self.boxes),
            drains_10min=sum(now - at < TEN_MINUTES for at in ours),
            drains_1h=sum(now - at < HOUR for at in ours),
            stale=self.stale,
            share=self.share,
            automation_on=self.pools_on,
        )

    def site(self) -> SiteView:
        now, since = self.now, self.breaker_closed_at
        actions = [action for box in self.boxes for action in box.actions if action.incident > PAST]
        power = [action for action in actions if action.rung >= Rung.REBOOT]
        sent = [action.sent_at for action in power if action.sent_at]
        own = [a for a in actions if a.key not in self.by_hand]
        ended = sorted(
            (a for a in own if a.finished_at and a.finished_at > since), key=lambda a: a.finished_at or since
        )
        counts: dict[Cause, frozenset[int]] = {}
        for box in self.boxes:
            if self._counts_as_out(box):
                for cause in box.causes:
                    counts[cause] = counts.get(cause, frozenset()) | {box.id}
        return SiteView(
            id=1,
            killed=self.killed,
            breaker_open=bool(self.broken_breaker),
            breaker_reason=self.broken_breaker,
            power_open=sum(a.state in (ActionState.GRANTED, ActionState.SENT) for a in power),
            power_1h=sum(now - at < HOUR for at in sent),
            last_power_at=max(sent, default=None),
            cause_counts=counts,
            suspicious=self.suspicious,
            observe_only=self.observe_only,
            refused_1h=sum(now - at < HOUR and at > since for at in self.refused.values()),
            ambiguous=sum(a.state is ActionState.AMBIGUOUS for a in ended),
            failed_verifications=_failed_in_a_row(ended),
            drained=len(
                {
                    box.id
                    for at, box in self.drains
                    if at > max(since, now - timedelta(seconds=LIMITS.breaker_drained_window_s))
                }
            ),
            size=len(self.boxes),
            clock_step_s=self.step_s,
            inventory_age_s=7200.0 if self.stale else 10.0,
        )

    def read(self, box: Box, action: Action) -> World:
        """The world as a worker reads it."""
        silent = self.silent_scheduler
        return World(
            now=self.now,
            heard=box.up,
            boot_id=f"b{box.boot}",
            power=box.power,
            jobs=None if silent else box.jobs,
            reservation_by_others=None if silent else box.reserved,
            logins=box.logins if box.up else None,
            drained=None if silent else bool(box.drain),
            drain_is_ours=None if silent else box.drain == "ours",
            trace=action.key in box.traces,
            named=not silent,
            running="" if box.up else None,
        )

    # ---- the service ----

    def work(self, box: Box, owner: str) -> Iterator[None]:
        """What a task does for one machine: until nothing is left to do now. Pauses after writes and calls."""
        for _ in range(20):
            before = self.writes
            yield from self._once(box, owner)
            if self.writes == before:
                return

    def _once(self, box: Box, owner: str) -> Iterator[None]:
        before = self.writes
        if box.open:
            yield from self._look(box, box.open[0], owner)
        if any(a.state is ActionState.CONFIRMED and a.verified is None for a in box.actions):
            yield from self._verify(box)
        if box.state is State.DRAINING and box.jobs == 0 and not self.silent_scheduler:
            self._move(box, E.DRAINED)
            yield from self._written()
        if box.incident is None or self.writes != before:
            return
        machine = self.view(box)
        if isinstance(planner.plan(machine, self.rules, self.now), Refusal):
            return  # `decide` would say the same, after counting the site for nothing
        answer = planner.decide(machine, self.pool(), self.site(), self.rules, self.now)
        if isinstance(answer, Refusal):
            if answer.guard in breaker.COUNTED and box.incident.id not in self.refused:
                self.refused[box.incident.id] = self.now
                self._check_breaker()
                yield from self._written()
            return
        yield from self._follow(box, answer, owner)

    def _follow(self, box: Box, answer: Granted, owner: str) -> Iterator[None]:
        proposal = answer.proposal
        assert box.incident is not None
        self._judge_grant(box, answer)
        if proposal.step is Step.PERSON:
            box.incident = replace(box.incident, asked=True)
            self._to_triage(box)
            yield from self._written()
        elif proposal.step is Step.DRAIN:
            self._move(box, E.DRAIN)
            self.drains.append((self.now, box))
            box.drained_by_us, box.drain = True, box.drain or "ours"
            self._judge_drain(box)
            yield from self._written()
        else:
            action = records.granted(proposal, owner=owner, now=self.now, limits=LIMITS)
            box.actions.append(action)
            yield from self._written()
            yield from self._send(box, action.key, owner)

    def _send(self, box: Box, key: str, owner: str) -> Iterator[None]:
        action = self._row(box, key)
        world = self.read(box, action)
        refusal = records.before_send(
            action,
            world,
            owner=owner,
            state=box.state,
            held_by=box.held_by,
            killed=self.killed,
            breaker_open=bool(self.broken_breaker),
            by_person=key in self.by_hand,
        )
        if refusal:
            if action.state is ActionState.GRANTED and action.lease_owner == owner:
                self._store(box, records.finished(action, Decision(What.CANCEL, refusal.reason), self.now))
                yield from self._written()
            return
        self._judge_sent(box, action)
        if self.careless == "late_sent":
            report = self._call(box, action)
            yield
            if self._row(box, key) != action:
                return
        self._store(box, records.sent(action, world, owner=owner, limits=LIMITS))
        if box.state in (State.DRAINED, State.TRIAGE):
            self._move(box, E.REMEDIATE)
        yield from self._written()
        if self.careless != "late_sent":
            if not records.may_call(self._row(box, key), owner=owner, now=self.now):
                return
            report = self._call(box, action)
            yield
        yield from self._report(box, key, report)

    def _report(self, box: Box, key: str, report: Report) -> Iterator[None]:
        action = self._row(box, key)
        if (told := records.reported(action, report)) != action:
            self._store(box, told)
            yield from self._written()

    def start_by_hand(self, box: Box, remedy: Remedy, owner: str) -> Iterator[None]:
        """A person wants a remedy now, whether there is an incident or not."""
        machine = self.view(box)
        if by_hand.refusal(machine, remedy):
            return
        self._judge_by_hand(box, remedy)
        if box.incident is not None and box.state is State.TRIAGE:
            box.incident = replace(box.incident, asked=True)
        self.next_incident += box.incident is None
        incident = box.incident.id if box.incident is not None else self.next_incident
        proposal = by_hand.proposal(machine, remedy, incident, "by hand")
        action = records.granted(proposal, owner=owner, now=self.now, limits=LIMITS)
        box.actions.append(action)
        self.by_hand.add(action.key)
        yield from self._written()
        yield from self._send(box, action.key, owner)

    def _look(self, box: Box, action: Action, owner: str) -> Iterator[None]:
        decision = records.after_crash(action, self.read(box, action), LIMITS)
        if decision.what is What.SEND:
            refusal = records.before_repeat(
                action,
                self.read(box, action),
                state=box.state,
                held_by=box.held_by,
                killed=self.killed,
                breaker_open=bool(self.broken_breaker),
                by_person=action.key in self.by_hand,
            )
            if refusal:
                return
            self._judge_sent(box, action)
            self._store(box, records.leased(action, owner=owner, now=self.now, limits=LIMITS))
            yield from self._written()
            if not records.may_call(self._row(box, action.key), owner=owner, now=self.now):
                return
            report = self._call(box, action)
            yield
            yield from self._report(box, action.key, report)
        elif decision.what is What.FINISH:
            self._happen(box, "on", action.key)
            yield from self._written()
        elif decision.what is not What.WAIT:
            self._store(box, records.finished(action, decision, self.now))
            if decision.what is What.CONFIRM and self.careless == "trusting":
                self._store(box, replace(self._row(box, action.key), verified=True))
                box.incident = None
                box.state = State.READY
            elif decision.what is What.CONFIRM and box.state is State.REMEDIATING:
                self._move(box, E.VERIFY)
            elif decision.what is What.AMBIGUOUS or (decision.what is What.FAIL and action.key in self.by_hand):
                if box.incident:
                    box.incident = replace(box.incident, asked=True)
                self._to_triage(box)
            self._check_breaker()
            yield from self._written()

    def _verify(self, box: Box) -> Iterator[None]:
        """A report comes; now and then it is an old one that was long under way."""
        action = next(a for a in box.actions if a.state is ActionState.CONFIRMED and a.verified is None)
        assert action.finished_at is not None
        old = self.random.random() < 0.2
        late = abs((self.now - action.finished_at).total_seconds()) >= VERIFY_PATIENCE_S
        if not box.up and not late and not old:
            return
        report_at = action.finished_at - timedelta(seconds=5) if old else self.now
        passed = old or (box.up and not box.broken)
        after = records.verified(action, passed, report_at)
        if after == action:
            return
        self._promise(report_at > action.finished_at, f"{box.id}: an old report verified it")
        self._store(box, after)
        if passed:
            box.incident, box.failed_at = None, None
        if box.state is State.VERIFYING:
            if passed and not box.held_by:
                self._move(box, E.PASS)
                box.drain, box.drained_by_us = "", False
            elif passed:
                self._move(box, E.PASS_HELD)
            else:
                self._move(box, E.FAIL)
                self._move(box, E.RELEASE)
        self._check_breaker()
        yield from self._written()

    def _check_breaker(self) -> None:
        if not self.broken_breaker:
            self.broken_breaker = breaker.open_reason(self.site(), LIMITS) or ""

    # ---- calls ----

    def _call(self, box: Box, action: Action) -> Report:
        """Send it; the answer may be lost, and what was answered may never happen, or late."""
        self.calls[action.key] += 1
        self._judge_call(box, action)
        roll, key = self.random, action.key
        fate = roll.choices(("well", "lost", "lost_never", "never", "refused", "failed"), (10, 3, 2, 1, 1, 1))[0]
        if fate == "refused":
            return Report.REFUSED
        again = action.attempt if key in self.by_hand else 0  # a person may use a rung twice
        step = (action.machine, action.incident, int(action.rung), again)
        self.carried_out[step] += 1
        once = self.carried_out[step] == 1 or BY_NAME[action.remedy].idempotent
        self._promise(once, f"{step} was carried out twice")
        if fate == "failed":
            return Report.FAILED
        happens = fate in ("well", "lost")
        after = self.t + roll.choice((20, 60, 300))
        if happens and action.rung in (Rung.REBOOT, Rung.REIMAGE):
            self.later += [(self.t + 5, box, "down", key), (after, box, "boot", key)]
            if action.rung is Rung.REIMAGE:
                self.later.append((after, box, "trace", key))
        elif happens and action.rung is Rung.POWER_CYCLE:
            self.later.append((self.t + 1, box, "off", key))
            if roll.random() < 0.7:  # else the worker dies, or the BMC forgets, between off and on
                self.later.append((self.t + 130, box, "on", key))
        elif happens:
            self.later.append((self.t + 1, box, "trace", key))
        if fate in ("lost", "lost_never"):
            return Report.NONE
        return Report.ACCEPTED if action.rung >= Rung.REBOOT else Report.DONE

    # ---- rows ----

    def _written(self) -> Iterator[None]:
        self.writes += 1
        for box in self.boxes:
            self._promise(len(box.open) < 2, f"{box.id}: two open actions")
            before = self.states.get(box.id, box.state)
            if box.state is State.READY and before not in (State.READY, State.VERIFYING):
                self._promise(False, f"{box.id}: ready from {before}, without a verification")
            self.states[box.id] = box.state
        yield

    def _row(self, box: Box, key: str) -> Action:
        return next(action for action in box.actions if action.key == key)

    def _store(self, box: Box, action: Action) -> None:
        box.actions = [action if known.key == action.key else known for known in box.actions]

    def _move(self, box: Box, event: E) -> None:
        box.state, box.since = next_state(box.state, event), self.now

    def _to_triage(self, box: Box) -> None:
        if box.state is State.REMEDIATING:
            self._move(box, E.FAIL)
        elif box.state is State.DRAINED:
            self._move(box, E.ESCALATE)

    # ---- people: what they do is not ours to guard ----

    def give_back(self, box: Box, *, fixed: bool) -> None:
        """A person returns a machine to service, and thereby ends its incident."""
        if box.incident and not fixed:
            box.undrained.update(dict.fromkeys(box.incident.checks, self.now))
        if fixed:
            box.broken = False
        box.incident, box.state, box.since, box.drain, box.drained_by_us = None, State.READY, self.now, "", False
        self.states[box.id] = State.READY

    def _open_by_hand(self, box: Box) -> int:
        """The incident that a person's action keeps open: what fails meanwhile belongs to it."""
        unsettled = [a for a in box.actions if a.open or (a.state is ActionState.CONFIRMED and a.verified is None)]
        return next((action.incident for action in unsettled if action.key in self.by_hand), 0)

    def fail(self, box: Box) -> None:
        roll = self.random
        box.broken, box.heals = True, roll.choice((1, 2, 3, 4, 5, NEVER))
        self.next_incident += 1
        checks = tuple(roll.sample(CHECKS, roll.choice((1, 1, 2))))
        box.incident = IncidentView(
            self._open_by_hand(box) or self.next_incident,
            box.id,
            checks,
            Rung(roll.choices((0, 1, 2, 3, 4, 5, 6, 7), (1, 3, 3, 6, 4, 2, 2, 1))[0]),
            roll.randint(0, 3),
            self.now,
            confirmed=roll.random() < 0.9,
            shared=roll.random() < 0.05,
            kinds=checks,  # each check sees one kind of trouble here
        )
        box.failed_at = self.now


def _failed_in_a_row(ended: list[Action]) -> int:
    failed: set[int] = set()
    for action in reversed(ended):
        if action.verified is True:
            break
        if action.verified is False:
            failed.add(action.machine)
    return len(failed)


def consumes_nothing(site: Site) -> tuple[int, int]:
    """What a second run may not change."""
    return site.writes, sum(site.calls.values())
