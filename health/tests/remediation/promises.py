"""What was promised of remediation, judged by rows and calls alone, never by what the guards said."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import floor

from health.checks.levels import Rung
from health.machines.lifecycle import State
from health.machines.limits import Limits
from health.remediation.planner import Rules
from health.remediation.remedies import BY_NAME
from health.remediation.types import OPEN, WEEK, Action, ActionState, Cause, Granted, IncidentView, Remedy, Step

START = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
CHECKS = ("gpu.present", "gpu.xid", "docker.daemon")
LIMITS = Limits()
TICK_S = 30.0
CAUSE_WINDOW = timedelta(seconds=LIMITS.cause_window_s)
HOUR, TEN_MINUTES = timedelta(hours=1), timedelta(minutes=10)
VERIFY_PATIENCE_S = 180.0
NEVER = 99
PAST = 1  # the incident of the actions that a history starts with
TEST = "active:7"
OUT = (State.DRAINED, State.REMEDIATING)


@dataclass
class Box:
    """One machine: its rows first, its truth behind."""

    id: int
    pool: int
    causes: tuple[Cause, ...]
    shares_power: bool | None
    state: State = State.READY
    since: datetime = START
    incident: IncidentView | None = None
    actions: list[Action] = field(default_factory=list)
    undrained: dict[str, datetime] = field(default_factory=dict)
    held_by: tuple[str, ...] = ()
    unreadable: bool = False
    drained_by_us: bool = False
    failed_at: datetime | None = None
    # truth
    boot: int = 1
    power: str = "on"
    up: bool = True
    jobs: int = 0
    logins: int = 0
    reserved: bool = False
    broken: bool = False
    heals: int = NEVER
    drain: str = ""  # ours, theirs, or none
    traces: set[str] = field(default_factory=set)

    @property
    def open(self) -> list[Action]:
        return [action for action in self.actions if action.state in OPEN]


class Judge:
    """The rows and calls of a site that it needs; `broken_promises` are what it found."""

    now: datetime
    step_s: float
    killed: bool
    broken_breaker: str
    stale: bool
    silent_scheduler: bool
    pools_on: bool
    share: float
    suspicious: frozenset[str]
    observe_only: frozenset[str]
    rules: Rules
    boxes: list[Box]
    drains: list[tuple[datetime, Box]]
    calls: dict[str, int]
    by_hand: set[str]
    broken_promises: list[str]

    def _promise(self, kept: bool, what: str) -> None:
        if not kept:
            self.broken_promises.append(what)

    def _judge_grant(self, box: Box, answer: Granted) -> None:
        proposal, incident = answer.proposal, box.incident
        assert incident is not None
        if proposal.step is Step.PERSON:
            return
        self._promise(not self.killed, "granted with the kill switch on")
        self._promise(not self.broken_breaker, "granted with the circuit breaker open")
        self._promise(abs(self.step_s) <= LIMITS.clock_step_s, "granted right after the clock jumped")
        self._promise(not self.stale, "granted on stale numbers")
        self._promise(not incident.shared, "granted on a machine of a shared cause")
        self._promise(incident.confirmed, "granted without a second check")
        pending = any(a.state is ActionState.CONFIRMED and a.verified is None for a in box.actions)
        self._promise(not pending, "granted before the last action was verified")
        trusted = set(incident.checks) - self.observe_only and set(incident.kinds) - self.suspicious
        self._promise(bool(trusted), "granted on the word of checks that are not trusted")
        broken = any(action.remedy not in BY_NAME for action in box.actions)
        self._promise(not box.unreadable and not broken, "granted beside a record nobody can read")
        for cause in box.causes:
            others = [b for b in self.boxes if b is not box and cause in b.causes and self._counts_as_out(b)]
            self._promise(len(others) < LIMITS.cause_machines, f"granted with {len(others)} others of {cause}")
        if proposal.step is Step.REMEDY:
            if proposal.rung >= Rung.REBOOT:
                self._promise(
                    box.jobs == 0 and not self.silent_scheduler, "outside its hours, and not known to be empty"
                )
            self._judge_remedy(box, answer)

    def _judge_remedy(self, box: Box, answer: Granted) -> None:
        proposal, incident = answer.proposal, box.incident
        assert incident is not None and proposal.remedy is not None
        own = [action for action in box.actions if action.incident == incident.id]
        ambiguous = any(action.state is ActionState.AMBIGUOUS for action in own)
        self._promise(not ambiguous, "went on after an ambiguous action")
        self._promise(all(a.rung != proposal.rung for a in own if a.used), "a rung was used twice in one incident")
        done = [a for a in box.actions if a.used and a.sent_at and self.now - a.sent_at < WEEK]
        self._promise(len(done) < LIMITS.remediations_7d, "a sixth remediation in a week")
        reboots = [a for a in done if a.rung in (Rung.REBOOT, Rung.POWER_CYCLE)]
        if proposal.rung in (Rung.REBOOT, Rung.POWER_CYCLE):
            self._promise(len(reboots) < LIMITS.reboots_7d, "a third reboot in a week")
        if proposal.rung is Rung.POWER_CYCLE:
            self._promise(box.shares_power is False, "a power cycle of a shared shelf")
        on = any(self.rules.switches.modes.get((check, proposal.remedy.name)) for check in incident.checks)
        self._promise(on, "a remedy that nobody turned on")
        if proposal.remedy.power:
            power = [a for b in self.boxes for a in b.actions if BY_NAME.get(a.remedy) and BY_NAME[a.remedy].power]
            self._promise(all(a.state not in OPEN for a in power), "two power actions at once")
            sent = [a.sent_at for a in power if a.sent_at and a.incident > PAST]
            lately = [at for at in sent if timedelta() <= self.now - at < HOUR]
            self._promise(len(lately) < LIMITS.power_1h, "a fifth power action in an hour")
            close = [at for at in lately if (self.now - at).total_seconds() < LIMITS.power_spacing_s]
            self._promise(not close, "two power actions within half a minute")

    def _judge_drain(self, box: Box) -> None:
        out = sum(not (b.state is State.READY and b.up) for b in self.boxes)
        size = len(self.boxes)
        least = 1 if size >= 4 and self.share > 0 else 0
        self._promise(
            out <= max(floor(self.share * size + 1e-9), least), f"{out} of {len(self.boxes)} out by our doing"
        )
        self._promise(self.pools_on, "a drain that nobody turned on")
        recent = [at for at, _ in self.drains if timedelta() <= self.now - at < HOUR]
        self._promise(len(recent) <= LIMITS.drains_1h, "a sixth drain in an hour")
        self._promise(sum(self.now - at < TEN_MINUTES for at in recent) <= LIMITS.drains_10min, "a third drain at once")
        checks = box.incident.checks if box.incident else ()
        rest = timedelta(seconds=LIMITS.redrain_cooldown_s)
        rested = [check for check in checks if not (at := box.undrained.get(check)) or self.now - at >= rest]
        self._promise(bool(rested), "drained again right after a person undrained it")

    def _judge_by_hand(self, box: Box, remedy: Remedy) -> None:
        """What binds a person too."""
        self._promise(not box.open, "started by hand beside an open action")
        self._promise(not box.unreadable, "started by hand beside a record nobody can read")
        states = (*OUT, State.TRIAGE, State.READY) if remedy.rung is Rung.SERVICE else (*OUT, State.TRIAGE)
        self._promise(box.state in states, f"started by hand on a machine that is {box.state}")
        self._promise(TEST not in box.held_by, "started by hand during a test")
        self._promise(remedy.rung is not Rung.POWER_CYCLE or box.shares_power is False, "a shared shelf by hand")

    def _judge_sent(self, box: Box, action: Action) -> None:
        by_hand = action.key in self.by_hand
        if not by_hand:
            self._promise(not self.killed, "sent with the kill switch on")
            self._promise(not self.broken_breaker, "sent with the circuit breaker open")
            self._promise(not box.held_by, "sent while somebody holds it")
            ours = box.drain == "ours" or action.rung < Rung.GPU_RESET
            self._promise(ours, "sent to a machine whose drain is not ours")
        self._promise(TEST not in box.held_by, "sent during a test")
        states = (*OUT, State.READY, State.TRIAGE) if by_hand else (*OUT, State.READY)
        self._promise(box.state in states, f"sent to a machine that is {box.state}")
        self._promise(not self.silent_scheduler, "sent while the scheduler is silent")
        self._promise(not box.reserved and (box.logins == 0 or not box.up), "sent while somebody uses it")

    def _judge_call(self, box: Box, action: Action) -> None:
        remedy = BY_NAME[action.remedy]
        self._promise(self.calls[action.key] == 1 or remedy.idempotent, f"{action.key} was sent twice")
        if action.rung >= Rung.GPU_RESET:
            self._promise(box.jobs == 0, "called while a job runs")
            self._promise(box.drain != "", "called on a machine that is not drained")

    def _counts_as_out(self, box: Box) -> bool:
        if box.drained_by_us and box.state is not State.READY:
            return True
        return box.incident is not None and box.failed_at is not None and self.now - box.failed_at <= CAUSE_WINDOW
