"""What automation would do: the next step of one machine, and of a whole site in the order it would act. Pure.

`decide` is what the service calls with the rows locked; `plan_all` calls the same `decide`, so what is shown is what
would be done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from health.checks.levels import Rung
from health.checks.responses import Response
from health.machines.lifecycle import State
from health.machines.limits import Limits
from health.monitoring import damping
from health.remediation import budgets, ladder, records
from health.remediation.remedies import BY_RUNG
from health.remediation.types import (
    AUTOMATIC,
    ActionState,
    Granted,
    IncidentView,
    MachineView,
    PoolView,
    Proposal,
    Refusal,
    SiteView,
    Step,
    Switches,
    Window,
)
from health.remediation.types import Guard as G

# A remedy may begin here; `ready` only for one that needs no drain, while nothing runs.
AT_WORK = frozenset({State.READY, State.DRAINED, State.REMEDIATING})


@dataclass(frozen=True, slots=True)
class Rules:
    """What people set: which remedies are on, the limits, the allowed hours."""

    switches: Switches = field(default_factory=Switches)
    limits: Limits = field(default_factory=Limits)
    windows: Sequence[Window] = ()


def plan(machine: MachineView, rules: Rules, now: datetime) -> Proposal | Refusal:
    """The next step for one machine by its own rows; whether its pool and site allow it is `budgets.grant`."""
    if refusal := _standing(machine):
        return refusal
    incident = machine.incident
    assert incident is not None  # said by `_standing`
    choice = ladder.next_rung(machine, incident.start_rung, incident.id, rules.limits, now)
    if choice.rung not in AUTOMATIC or incident.asked:
        return _to_a_person(machine, incident, choice, rules, now)
    remedy = BY_RUNG[choice.rung]
    if machine.state is State.READY and (remedy.needs_drain or machine.empty is not True):
        return _drain(machine, incident, rules, now)
    if refusal := _not_now(machine, incident, rules.limits, now):
        return refusal
    own = [action for action in machine.records or () if action.incident == incident.id]
    attempt = 1 + max((action.attempt for action in own if action.rung == choice.rung), default=0)
    return Proposal(
        machine=machine.id,
        incident=incident.id,
        step=Step.REMEDY,
        rung=choice.rung,
        reason=f"{remedy.title}: {choice.reason}",
        remedy=remedy,
        attempt=attempt,
        dry_run=not rules.switches.on(incident.checks, remedy.name),
    )


def _standing(machine: MachineView) -> Refusal | None:
    """What stands against any step for this machine."""
    incident = machine.incident
    if incident is None:
        return Refusal(G.STATE, "nothing is wrong with it")
    if refusal := unreadable_or_busy(machine):
        return refusal
    if not incident.confirmed:
        return Refusal(G.STATE, "no second check confirmed it", "with the second check")
    if incident.shared or machine.in_mass:
        return Refusal(G.COMMON_CAUSE, "it is part of a common cause", "when that incident is over")
    if machine.state not in AT_WORK:
        return Refusal(G.STATE, f"it is {machine.state}", "when it is drained")
    own = [action for action in machine.records or () if action.incident == incident.id]
    if any(action.state is ActionState.CONFIRMED and action.verified is None for action in own):
        return Refusal(G.VERIFYING, "a verification will say whether the last action helped", "with its end")
    if machine.state is State.REMEDIATING and not own:
        return Refusal(G.RECORD, "it is remediating, and no record says why", "when a person has checked it")
    return None


def unreadable_or_busy(machine: MachineView) -> Refusal | None:
    """What stands against any action on a machine, whoever wants it: records nobody can read, or one under way."""
    if machine.records is None:
        return Refusal(G.RECORD, "its records cannot be read", "when a person mended them")
    if broken := next(filter(None, map(records.trouble_with, machine.records)), None):
        return Refusal(G.RECORD, broken, "when a person mended it")
    if any(action.open for action in machine.records):
        return Refusal(G.OPEN_ACTION, "an action is in progress", "when it ends")
    return None


def _to_a_person(
    machine: MachineView, incident: IncidentView, choice: ladder.Choice, rules: Rules, now: datetime
) -> Proposal | Refusal:
    """A person is asked first, at once; then the machine leaves service if it may."""
    if choice.rung is Rung.NOTE:
        return Refusal(G.LADDER, "it is only noted")
    if not incident.asked:
        return Proposal(
            machine.id, incident.id, Step.PERSON, choice.rung, choice.reason, guard=choice.guard or G.LADDER
        )
    if machine.state is State.READY:
        return _drain(machine, incident, rules, now)
    return Refusal(choice.guard or G.LADDER, f"a person was asked: {choice.reason}", "when the person gives it back")


def _drain(machine: MachineView, incident: IncidentView, rules: Rules, now: datetime) -> Proposal | Refusal:
    if not incident.response.takes_out:
        return Refusal(G.RESPONSE, "its fault leaves it in service", "when it runs nothing, or a person drains it")
    if damping.rests_until(incident.checks, machine.undrained, now, rules.limits):
        return Refusal(G.REDRAIN, "a person put it back in service", "after the cooldown")
    return Proposal(machine.id, incident.id, Step.DRAIN, incident.start_rung, "out of service for its fault")


def _not_now(machine: MachineView, incident: IncidentView, limits: Limits, now: datetime) -> Refusal | None:
    if machine.held_by:
        return Refusal(G.HELD, f"held by {', '.join(machine.held_by)}", "when the hold is lifted")
    if damping.rests_until(incident.checks, machine.undrained, now, limits):
        return Refusal(G.REDRAIN, "a person put it back in service", "after the cooldown")
    ends = [
        action.finished_at
        for action in machine.records or ()
        if action.incident == incident.id and action.in_vain and action.finished_at
    ]
    free = max(ends) + timedelta(seconds=limits.retry_s) if ends else now
    if now < free:
        return Refusal(G.BACK_OFF, "the last action could not be sent", "after a while")
    return None


def decide(
    machine: MachineView,
    pool: PoolView | None,
    site: SiteView,
    rules: Rules,
    now: datetime,
    local: datetime | None = None,
) -> Granted | Refusal:
    """The next step of one machine, if everything allows it. `local` is now in the time zone of the windows."""
    proposal = plan(machine, rules, now)
    if isinstance(proposal, Refusal):
        return proposal
    return budgets.grant(_question(proposal, machine, pool, site, rules, now, local))


def _question(
    proposal: Proposal,
    machine: MachineView,
    pool: PoolView | None,
    site: SiteView,
    rules: Rules,
    now: datetime,
    local: datetime | None,
) -> budgets.Question:
    return budgets.Question(proposal, machine, pool, site, rules.limits, rules.windows, now, local or now)


@dataclass(frozen=True, slots=True)
class Planned:
    """A row of the preview: what the next step is and whether it would be granted now, in this order."""

    machine: int
    proposal: Proposal | None
    refusal: Refusal | None

    @property
    def allowed(self) -> bool:
        return self.proposal is not None and self.refusal is None


def order(machines: Sequence[MachineView]) -> list[MachineView]:
    """The machines with an incident in the order automation looks at them: those in danger, then worst first, then the
    oldest."""

    def place(pair: tuple[IncidentView, MachineView]) -> tuple[bool, int, datetime, int]:
        incident, machine = pair
        return incident.response is not Response.DRAIN_NOW, incident.precedence, incident.opened_at, machine.id

    worst = [(machine.incident, machine) for machine in machines if machine.incident is not None]
    return [machine for _, machine in sorted(worst, key=place)]


def plan_all(
    machines: Sequence[MachineView],
    pools: Mapping[int, PoolView],
    site: SiteView,
    rules: Rules,
    now: datetime,
    local: datetime | None = None,
) -> list[Planned]:
    """What would be done now for each machine with an incident, budgets used up along the way."""
    counts = dict(pools)
    planned = []
    for machine in order(machines):
        proposal = plan(machine, rules, now)
        if isinstance(proposal, Refusal):
            planned.append(Planned(machine.id, None, proposal))
            continue
        pool = counts.get(machine.pool) if machine.pool is not None else None
        question = _question(proposal, machine, pool, site, rules, now, local)
        answer = budgets.grant(question)
        if isinstance(answer, Refusal):
            planned.append(Planned(machine.id, proposal, answer))
            continue
        after, site = budgets.consume(question)
        if after is not None:
            counts[after.id] = after
        planned.append(Planned(machine.id, proposal, None))
    return planned
