"""What a person may start by hand, and what holds against a person too. Pure.

A person answers for it, so budgets, rates, hours, shared causes, the order of the ladder, dry runs, the breaker and the
kill switch bind automation only. What protects other people's work and other machines binds everybody: one action at a
time, a machine out of service, no test under way, nobody's jobs, reservations or logins (`records.before_send`), no
power of machines beside it, and records that can be read.
"""

from __future__ import annotations

from health.checks.levels import Rung
from health.machines.lifecycle import State
from health.remediation import ladder, planner, records
from health.remediation.remedies import REMEDIES
from health.remediation.types import Guard as G
from health.remediation.types import MachineView, Proposal, Refusal, Remedy, Step

# A person installs anew with a provisioning run, which asks for the profile.
REMEDIES_BY_HAND: tuple[Remedy, ...] = tuple(remedy for remedy in REMEDIES if remedy.rung < Rung.REIMAGE)


def refusal(machine: MachineView, remedy: Remedy) -> Refusal | None:
    """Why a person may not start this remedy now, by what the rows say; None when they may."""
    if why := planner.unreadable_or_busy(machine):
        return why
    if machine.state not in records.begins_in(remedy, by_person=True):
        frees = "when it is drained" if machine.state in (State.READY, State.DRAINING) else "when that is over"
        return Refusal(G.STATE, f"it is {machine.state}", frees)
    if tests := records.tests_of(machine.held_by):
        return Refusal(G.HELD, f"held by {', '.join(tests)}", "when the tests end")
    if machine.empty is False:
        return Refusal(G.JOBS, "jobs run on it", "when they end")
    if remedy.rung is Rung.POWER_CYCLE and (why_not := ladder.no_power_cycle(machine)):
        return Refusal(G.SHARED_POWER, why_not, "when no other machine in use hangs on its BMC or shelf")
    return None


def proposal(machine: MachineView, remedy: Remedy, incident: int, reason: str) -> Proposal:
    """The action to record; the caller asked `refusal`. A rung that was used may be used again by a person."""
    own = [action for action in machine.records or () if action.incident == incident and action.rung == remedy.rung]
    return Proposal(
        machine=machine.id,
        incident=incident,
        step=Step.REMEDY,
        rung=remedy.rung,
        reason=reason,
        remedy=remedy,
        attempt=1 + max((action.attempt for action in own), default=0),
    )
