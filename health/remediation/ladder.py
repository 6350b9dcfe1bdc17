"""Which rung comes next: from where the faults start, what this incident tried already, and what the machine allows.

A rung is used once per incident, one step at a time, and never downwards. What the ladder cannot offer ends at a
person. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from health.checks.levels import Rung
from health.machines.limits import Limits
from health.remediation.remedies import BY_RUNG
from health.remediation.types import AUTOMATIC, WEEK, Action, ActionState, Guard, MachineView

REBOOTS = frozenset({Rung.REBOOT, Rung.POWER_CYCLE})


@dataclass(frozen=True, slots=True)
class Choice:
    """The rung and why; `guard` where something other than the ladder's order led to a person."""

    rung: Rung
    reason: str
    guard: Guard | None = None


def within_a_week(records: tuple[Action, ...], now: datetime) -> list[Action]:
    """The actions that were, or may have been, done in the last seven days; also those dated after `now`."""
    return [action for action in records if action.used and now - (action.sent_at or action.planned_at) < WEEK]


def next_rung(machine: MachineView, start: Rung, incident: int, limits: Limits, now: datetime) -> Choice:
    """The next rung for this incident of a machine whose records are readable."""
    records = machine.records or ()
    own = [action for action in records if action.incident == incident]
    tried = [action for action in own if action.used]
    if any(action.state is ActionState.AMBIGUOUS for action in own):
        return Choice(Rung.TICKET, "nobody knows whether an action happened", Guard.AMBIGUOUS)
    unsent = sum(action.in_vain for action in own)
    if unsent >= limits.retries:
        return Choice(Rung.TICKET, f"{unsent} actions could not be sent", Guard.BACK_OFF)
    rung, reason = _in_order(start, tried)
    if rung not in AUTOMATIC:
        return Choice(rung, reason)
    done = within_a_week(records, now)
    if len(done) >= limits.remediations_7d:
        return Choice(Rung.TICKET, f"{len(done)} remediations in seven days: this machine is a lemon", Guard.LEMON)
    reboots = sum(action.rung in REBOOTS for action in done)
    if rung in REBOOTS and reboots >= limits.reboots_7d:
        return Choice(Rung.TICKET, f"{reboots} reboots in seven days", Guard.REBOOTS)
    if rung is Rung.POWER_CYCLE and (why := no_power_cycle(machine)):
        return Choice(Rung.TICKET, f"no power cycle: {why}", Guard.SHARED_POWER)
    return Choice(rung, reason)


def no_power_cycle(machine: MachineView) -> str:
    """Why a power cycle could reach other machines; empty when it is known not to."""
    if machine.shares_power is None:
        return "not known whether its BMC switches other machines"
    return "its BMC switches machines that work" if machine.shares_power else ""


def _in_order(start: Rung, tried: list[Action]) -> tuple[Rung, str]:
    if not tried:
        return start, "where its faults start" if start in AUTOMATIC else "its faults are a person's from the start"
    last = max(action.rung for action in tried)
    following = max(start, BY_RUNG[last].next_rung)
    return following, f"{BY_RUNG[last].name} did not help"
