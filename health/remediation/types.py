"""The words of automatic remediation as frozen values: what there is to do, what was done, what is read of the world.

Pure: no database, clock or network. Moments are aware datetimes handed in by the caller, durations are seconds. A
number or fact that is None is not known, and what is not known refuses: nothing here reads None as zero or as no.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from enum import StrEnum

from health.checks.levels import Rung
from health.checks.responses import Response
from health.machines.calls import Report
from health.machines.lifecycle import State

AUTOMATIC = frozenset({Rung.SERVICE, Rung.GPU_RESET, Rung.REBOOT, Rung.POWER_CYCLE, Rung.REIMAGE})


@dataclass(frozen=True, slots=True)
class Remedy:
    """A rung that automation can take.

    needs_drain   the machine must be drained; without, it must only be empty
    intrusive     stops whatever runs on the machine
    idempotent    doing it twice is doing it once, so it may be sent again after a crash
    power         the machine goes dark: counts in the site's limits on power actions
    deadline_s    from sending until its effect must show
    verification  what must pass afterwards, in a report newer than its effect
    level         of the DCGM diagnostic that fits afterwards, where diagnostics are turned on; 0: none
    next_rung     when the verification fails
    """

    name: str
    rung: Rung
    title: str
    preconditions: tuple[str, ...]
    needs_drain: bool
    intrusive: bool
    idempotent: bool
    power: bool
    deadline_s: int
    verification: str
    level: int
    next_rung: Rung


class ActionState(StrEnum):
    PLANNED = "planned"
    GRANTED = "granted"  # budget taken, nothing sent
    SENT = "sent"  # written before the call: from here on it may have happened
    CONFIRMED = "confirmed"  # its effect was seen; whether it helped is `verified`
    FAILED = "failed"  # known to have had no effect
    AMBIGUOUS = "ambiguous"  # nobody knows whether it happened: a person decides
    CANCELLED = "cancelled"  # never sent


OPEN = frozenset({ActionState.PLANNED, ActionState.GRANTED, ActionState.SENT})


@dataclass(frozen=True, slots=True)
class Action:
    """One remedy for one machine, as its record says. `verified` is what the verification after it said."""

    machine: int
    incident: int
    rung: Rung
    attempt: int
    remedy: str
    state: ActionState
    planned_at: datetime
    lease_owner: str = ""
    lease_until: datetime | None = None
    boot_id_before: str = ""
    sent_at: datetime | None = None
    deadline: datetime | None = None
    report: Report = Report.NONE
    finished_at: datetime | None = None
    verified: bool | None = None

    @property
    def key(self) -> str:
        """Unique among all actions ever: the same key is never sent twice, unless its remedy is idempotent."""
        return f"{self.machine}:{self.incident}:{int(self.rung)}:{self.attempt}"

    @property
    def open(self) -> bool:
        return self.state in OPEN

    @property
    def used(self) -> bool:
        """Whether it took its rung of the incident: it was, or may have been, done. Proven not begun takes none."""
        if self.state is ActionState.FAILED:
            return self.report is not Report.REFUSED
        return self.state in (ActionState.SENT, ActionState.CONFIRMED, ActionState.AMBIGUOUS)

    @property
    def in_vain(self) -> bool:
        """Whether it ended without having been tried, so that its rung may be tried again, with another attempt."""
        return not self.open and not self.used


@dataclass(frozen=True, slots=True)
class World:
    """What is read of one machine now, just before sending or when a worker finds an action under way.

    heard      it answered just now, over SSH
    power      on, off or unknown, by its BMC
    jobs       on it by the scheduler; None when that does not answer, or when nobody knows whether there is one
    named      a scheduler named it in its answer; without, a person declared that there is none
    running    what runs on it by its own word: empty, or in words; None when it did not tell
    unknown    why the scheduler or the machine did not tell, in words
    logins     of people, None when not known
    drained    by the scheduler, None when that does not answer; `drain_is_ours`: with our incident in its reason
    boot_id    read now, else the last one known (then `heard` is false)
    trace      the remedy's own mark newer than `sent_at` (a service's start, a reset in the kernel log, an
               installation that ended); None when it cannot be told
    """

    now: datetime
    heard: bool = False
    last_seen_at: datetime | None = None
    boot_id: str = ""
    uptime_s: float | None = None
    power: str = "unknown"
    jobs: int | None = None
    reservation_by_others: bool | None = None
    logins: int | None = None
    drained: bool | None = None
    drain_is_ours: bool | None = None
    trace: bool | None = None
    named: bool = False
    running: str | None = None
    unknown: str = ""


class Guard(StrEnum):
    """What can refuse. The word goes into `refused_by`."""

    RECORD = "record"  # a record is missing or cannot be read
    UNKNOWN = "unknown"  # a number that is needed is not known
    KILLED = "kill_switch"
    BREAKER = "breaker"
    CLOCK = "clock"
    STALE = "stale"
    EMPTY_POOL = "empty_pool"
    BUDGET = "disruption_budget"
    RATE_10MIN = "drains_10min"
    RATE_1H = "drains_1h"
    COMMON_CAUSE = "common_cause"
    RESPONSE = "response"  # its class of fault leaves the machine in service
    SUSPICIOUS = "suspicious"
    AUDIT_MODE = "audit_mode"
    DRY_RUN = "dry_run"
    POWER_BUSY = "power_busy"
    POWER_SPACING = "power_spacing"
    POWER_1H = "power_1h"
    REBOOTS = "reboots_7d"
    LEMON = "lemon"
    SHARED_POWER = "shared_power"
    WINDOW = "window"
    STATE = "state"
    HELD = "held"
    REDRAIN = "redrain_cooldown"  # a person took our drain back not long ago
    OPEN_ACTION = "open_action"
    BACK_OFF = "back_off"
    VERIFYING = "verifying"
    LADDER = "ladder"  # used up, or a person's from the start
    AMBIGUOUS = "ambiguous"
    SCHEDULER = "scheduler"
    JOBS = "jobs"
    RESERVATION = "reservation"
    LOGINS = "logins"
    NOT_DRAINED = "not_drained"
    FOREIGN_DRAIN = "foreign_drain"
    UNREACHABLE = "unreachable"
    LEASE = "lease"


@dataclass(frozen=True, slots=True)
class Refusal:
    """No, and why: `numbers` are those compared, `frees` what would change the answer."""

    guard: Guard
    reason: str
    frees: str = ""
    numbers: Mapping[str, float | int | str] = field(default_factory=dict, hash=False)


class Step(StrEnum):
    """What a plan may propose for one machine."""

    DRAIN = "drain"
    REMEDY = "remedy"
    PERSON = "person"  # to triage, with a ticket: nothing automatic is left


NO_INCIDENT = 0


@dataclass(frozen=True, slots=True)
class Proposal:
    """The next step for one machine. `attempt` and `remedy` only of a remedy; `dry_run`: only shown, never granted.

    A drain for planned work has no incident, and no check that it could rely on.
    """

    machine: int
    incident: int
    step: Step
    rung: Rung
    reason: str
    remedy: Remedy | None = None
    attempt: int = 0
    dry_run: bool = False
    guard: Guard | None = None  # of a PERSON step: what ended the automatic part


@dataclass(frozen=True, slots=True)
class Granted:
    """Yes. The caller writes the record, with the budget's rows still locked, in the same transaction."""

    proposal: Proposal
    reason: str


@dataclass(frozen=True, slots=True)
class Cause:
    """What machines can have in common: kind is switch, management (switch), feed, cooling (unit), rack, row, room,
    rollout (a new version of software) or site (nothing else known); key its name.

    `of` is the kind of trouble it would explain, where only alike faults are counted: a dead PSU and an ECC error
    behind one switch have nothing in common.
    """

    kind: str
    key: str
    of: str = ""


@dataclass(frozen=True, slots=True)
class IncidentView:
    """An open incident of one machine.

    checks      that showed its leading faults
    kinds       of trouble that these faults are (`causes.Alike`, in words)
    start_rung  the highest that its faults ask for
    precedence  of its worst fault, 0 leads
    confirmed   a second look agreed
    shared      part of a shared cause: automation leaves its machines alone
    asked       a person was already asked to take over
    response    the hardest that its faults ask for; below a cordon the machine is never taken out
    """

    id: int
    machine: int
    checks: tuple[str, ...]
    start_rung: Rung
    precedence: int
    opened_at: datetime
    confirmed: bool = True
    shared: bool = False
    asked: bool = False
    response: Response = Response.DRAIN
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MachineView:
    """One machine as its rows say.

    causes            rack, switches and feeds it hangs on, for each kind of its trouble; None: its place is not known
    in_mass           it lost contact with many others at once: automation leaves it alone, fault or not
    shares_power      its BMC switches a chassis or shelf with other machines that work
    held_by           owners of live holds other than the faults of this incident (a person, a ticket, maintenance)
    records           its actions of the last seven days and all of its open incident; None when one cannot be read
    undrained         check to when a person last took back a drain for it
    empty             nothing runs on it, by the scheduler; None when not known
    available         ready and heard, so not among its pool's `unavailable`
    """

    id: int
    pool: int | None
    state: State
    state_since: datetime
    incident: IncidentView | None = None
    causes: tuple[Cause, ...] | None = None
    shares_power: bool | None = None
    held_by: tuple[str, ...] = ()
    records: tuple[Action, ...] | None = None
    undrained: Mapping[str, datetime] = field(default_factory=dict, hash=False)
    empty: bool | None = None
    available: bool = True
    in_mass: bool = False


@dataclass(frozen=True, slots=True)
class PoolView:
    """A pool counted under its lock.

    `unavailable` is all that is not ready and heard, for whatever reason. The drains are those automation made.
    `share` is the pool's own cap.
    """

    id: int
    size: int | None
    unavailable: int | None
    drains_10min: int | None
    drains_1h: int | None
    stale: bool | None
    share: float
    automation_on: bool


@dataclass(frozen=True, slots=True)
class SiteView:
    """A site counted in the same transaction as the grant.

    power_open        actions granted or sent that take a machine dark
    cause_counts      machines we took out within `cause_out_s`, or with a fault newer than `cause_window_s`, by cause
    suspicious        kinds of trouble that began on too many machines at once: no automation by them for now
    observe_only      checks that a person set so
    drained           machines of the site that automation drained within `breaker_drained_window_s`
    size              of all pools of the site
    clock_step_s      by how much the clock jumped lately
    inventory_age_s   since the inventory and the sweeps were last known to be right
    The counts of the breaker are taken since it was last closed; a machine counts once in each.
    """

    id: int
    killed: bool | None
    breaker_open: bool | None
    breaker_reason: str = ""
    power_open: int | None = None
    power_1h: int | None = None
    last_power_at: datetime | None = None
    cause_counts: Mapping[Cause, frozenset[int]] | None = field(default=None, hash=False)
    suspicious: frozenset[str] | None = None
    observe_only: frozenset[str] | None = None
    refused_1h: int | None = None
    ambiguous: int | None = None
    failed_verifications: int | None = None
    drained: int | None = None
    size: int | None = None
    clock_step_s: float | None = None
    inventory_age_s: float | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """Allowed hours in the site's own time: weekdays 0 (Monday) to 6; `to` before or at `start` ends the next day."""

    weekdays: frozenset[int]
    start: time
    to: time
    rungs: frozenset[Rung]


@dataclass(frozen=True, slots=True)
class Switches:
    """Which remedies an operator turned on: (check, remedy) to on (True) or dry run (False), the site's row first."""

    modes: Mapping[tuple[str, str], bool] = field(default_factory=dict, hash=False)

    def on(self, checks: tuple[str, ...], remedy: str) -> bool:
        """On for one of these checks and set to dry run for none. What nobody turned on is a dry run."""
        said = [self.modes[check, remedy] for check in checks if (check, remedy) in self.modes]
        return bool(said) and all(said)


WEEK = timedelta(days=7)
