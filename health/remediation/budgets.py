"""Whether a proposal may be carried out now: every guard in its order. Pure; all must say yes.

A guard that lacks a number refuses. A refusal names the guard, the numbers compared and what would free it. `consume`
gives the counts after a grant, so that a plan for many machines uses up its budgets as it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from health.checks.levels import Rung
from health.machines.budget import PoolCount, budget, rule_for
from health.machines.limits import Limits
from health.remediation import breaker
from health.remediation.types import (
    NO_INCIDENT,
    Cause,
    Granted,
    MachineView,
    PoolView,
    Proposal,
    Refusal,
    SiteView,
    Step,
    Window,
)
from health.remediation.types import Guard as G

WINDOWED = frozenset({Rung.REBOOT, Rung.POWER_CYCLE, Rung.REIMAGE})


@dataclass(frozen=True, slots=True)
class Question:
    """A proposal and everything a guard may look at. `local` is now by the site's clock, for its windows."""

    proposal: Proposal
    machine: MachineView
    pool: PoolView | None
    site: SiteView
    limits: Limits
    windows: Sequence[Window]
    now: datetime
    local: datetime

    @property
    def drains(self) -> bool:
        return self.proposal.step is Step.DRAIN

    @property
    def power(self) -> bool:
        return self.proposal.remedy is not None and self.proposal.remedy.power


Check = Callable[[Question], Refusal | None]


def grant(question: Question) -> Granted | Refusal:
    """The first refusal, or leave to go on. Asking a person is never refused."""
    if question.proposal.step is Step.PERSON:
        return Granted(question.proposal, question.proposal.reason)
    for guard in GUARDS.values():
        if refusal := guard(question):
            return refusal
    return Granted(question.proposal, "every guard agreed")


def _unknown(what: str) -> Refusal:
    return Refusal(G.UNKNOWN, f"{what} is not known", f"when {what} is known")


def _killed(q: Question) -> Refusal | None:
    if q.site.killed is None:
        return _unknown("the kill switch")
    return Refusal(G.KILLED, "the kill switch is on", "when somebody releases it") if q.site.killed else None


def _breaker(q: Question) -> Refusal | None:
    if q.site.breaker_open is None:
        return _unknown("the circuit breaker")
    try:
        reason = q.site.breaker_reason if q.site.breaker_open else breaker.open_reason(q.site, q.limits)
    except ValueError as error:
        return Refusal(G.UNKNOWN, str(error), "when they are known")
    if not q.site.breaker_open and reason is None:
        return None
    return Refusal(G.BREAKER, f"the circuit breaker is open: {reason}", "when a person closes it, with a reason")


def _clock(q: Question) -> Refusal | None:
    step = q.site.clock_step_s
    if step is None:
        return _unknown("whether the clock jumped")
    if abs(step) <= q.limits.clock_step_s:
        return None
    return Refusal(
        G.CLOCK,
        f"the clock jumped by {step:.0f} s",
        "an hour after it went even again",
        {"step_s": step, "limit_s": q.limits.clock_step_s},
    )


def _stale(q: Question) -> Refusal | None:
    age = q.site.inventory_age_s
    if age is None:
        return _unknown("the age of the inventory")
    if age <= q.limits.inventory_age_s:
        return None
    numbers = {"age_s": age, "limit_s": q.limits.inventory_age_s}
    return Refusal(G.STALE, f"what is known of the site is {age:.0f} s old", "when sweeps arrive again", numbers)


def _dry_run(q: Question) -> Refusal | None:
    if q.proposal.dry_run:
        name = q.proposal.remedy.name if q.proposal.remedy else "this"
        return Refusal(G.DRY_RUN, f"{name} is a dry run for these checks", "when an operator turns it on")
    if q.drains and q.pool is not None and not q.pool.automation_on:
        return Refusal(G.DRY_RUN, "the pool's automation is a dry run", "when an operator turns it on")
    return None


def _checks(q: Question) -> Refusal | None:
    """One kind of trouble that is not suspected and one check that is trusted are enough; so is planned work."""
    if q.proposal.incident == NO_INCIDENT:
        return None
    if q.site.suspicious is None or q.site.observe_only is None:
        return _unknown("which faults are to be trusted")
    incident = q.machine.incident
    checks, kinds = (incident.checks, incident.kinds) if incident else ((), ())
    if kinds and q.site.suspicious.issuperset(kinds):
        return Refusal(
            G.SUSPICIOUS,
            f"{', '.join(kinds)} began on too many machines at once",
            "when its incident is closed, or a person or time lifts the suspicion",
        )
    if any(check not in q.site.observe_only for check in checks):
        return None
    return Refusal(G.AUDIT_MODE, f"{', '.join(checks) or 'its check'} is in audit mode", "when that is lifted")


def _pool(q: Question) -> Refusal | None:
    """Whether the pool is known, and may lose one more."""
    if not q.drains:
        return None
    pool = q.pool
    if pool is None or pool.size is None or pool.unavailable is None or pool.stale is None:
        return _unknown("the size of its pool or how many are out")
    if pool.stale:
        return Refusal(G.STALE, "no machine of the pool was reachable for too long", "when sweeps arrive again")
    if pool.size <= 0:
        return Refusal(G.EMPTY_POOL, "its pool is empty", "when the pool has machines")
    others = pool.unavailable - (0 if q.machine.available else 1)
    allowed = budget(PoolCount(pool.size, max(0, others)), rule_for(pool.share, q.limits))
    if others >= 0 and allowed.left > 0:
        return None
    numbers = {"size": pool.size, "unavailable": others, "max_unavailable": allowed.max_unavailable}
    reason = f"the disruption budget of the pool is used up: {others} of {pool.size} are out, "
    reason += f"{allowed.max_unavailable} may be"
    frees = "when one of them is ready again" if allowed.max_unavailable else "when its budget is raised"
    return Refusal(G.BUDGET, reason, frees, numbers)


def _rates(q: Question) -> Refusal | None:
    if not q.drains or q.pool is None:
        return None
    in_10min, in_1h = q.pool.drains_10min, q.pool.drains_1h
    if in_10min is None or in_1h is None:
        return _unknown("how many were drained lately")
    if in_10min >= q.limits.drains_10min:
        numbers = {"drains": in_10min, "limit": q.limits.drains_10min}
        return Refusal(G.RATE_10MIN, f"{in_10min} drains in ten minutes", "within ten minutes", numbers)
    if in_1h >= q.limits.drains_1h:
        numbers = {"drains": in_1h, "limit": q.limits.drains_1h}
        return Refusal(G.RATE_1H, f"{in_1h} drains in an hour", "within the hour", numbers)
    return None


def _common_cause(q: Question) -> Refusal | None:
    if q.machine.causes is None or q.site.cause_counts is None:
        return _unknown("what the machine has in common with others")
    for cause in q.machine.causes:
        others = len(q.site.cause_counts.get(cause, frozenset()) - {q.machine.id})
        if others >= q.limits.cause_machines:
            return Refusal(
                G.COMMON_CAUSE,
                f"{others} other machines of {cause.kind} {cause.key} are out or failed",
                "when they are back",
                {"others": others, "limit": q.limits.cause_machines},
            )
    return None


def _power(q: Question) -> Refusal | None:
    if not q.power:
        return None
    site, limits = q.site, q.limits
    if site.power_open is None or site.power_1h is None or (site.power_1h > 0 and site.last_power_at is None):
        return _unknown("the power actions in progress")
    if site.power_open >= limits.power_at_once:
        numbers = {"open": site.power_open, "limit": limits.power_at_once}
        return Refusal(G.POWER_BUSY, f"{site.power_open} power action is in progress", "when it ends", numbers)
    if site.power_1h >= limits.power_1h:
        numbers = {"actions": site.power_1h, "limit": limits.power_1h}
        return Refusal(G.POWER_1H, f"{site.power_1h} power actions in an hour", "within the hour", numbers)
    if site.power_1h == 0 or site.last_power_at is None:
        return None
    free = site.last_power_at + timedelta(seconds=limits.power_spacing_s)
    if q.now >= free:
        return None
    return Refusal(G.POWER_SPACING, "the last power action was a moment ago", "in a moment")


def _windows(q: Question) -> Refusal | None:
    """Only inside allowed hours, unless the machine is known to be empty already."""
    if q.proposal.step is not Step.REMEDY or q.proposal.rung not in WINDOWED or q.machine.empty is True:
        return None
    if any(q.proposal.rung in window.rungs and inside(window, q.local) for window in q.windows):
        return None
    return Refusal(G.WINDOW, f"{q.proposal.rung.name.lower()} is outside its allowed hours", "in the next window")


def inside(window: Window, local: datetime) -> bool:
    """Whether this moment of the site's clock lies in a window; one over midnight belongs to the day it starts."""
    at, day = local.time(), local.weekday()
    if window.start < window.to:
        return day in window.weekdays and window.start <= at < window.to
    return (day in window.weekdays and at >= window.start) or ((day - 1) % 7 in window.weekdays and at < window.to)


# In the order they are asked; the tests take them out one by one.
GUARDS: dict[str, Check] = {
    "kill": _killed,
    "breaker": _breaker,
    "clock": _clock,
    "stale": _stale,
    "dry_run": _dry_run,
    "checks": _checks,
    "pool": _pool,
    "rates": _rates,
    "common_cause": _common_cause,
    "power": _power,
    "windows": _windows,
}


def consume(question: Question) -> tuple[PoolView | None, SiteView]:
    """The counts after this proposal was granted."""
    pool, site, machine = question.pool, question.site, question.machine
    if question.drains and pool is not None:
        pool = replace(
            pool,
            unavailable=_plus(pool.unavailable, int(machine.available)),
            drains_10min=_plus(pool.drains_10min, 1),
            drains_1h=_plus(pool.drains_1h, 1),
        )
        site = replace(site, cause_counts=_joined(site, machine))
    if question.power:
        site = replace(
            site,
            power_open=_plus(site.power_open, 1),
            power_1h=_plus(site.power_1h, 1),
            last_power_at=question.now,
        )
    return pool, site


def _plus(count: int | None, more: int) -> int | None:
    return None if count is None else count + more


def _joined(site: SiteView, machine: MachineView) -> dict[Cause, frozenset[int]] | None:
    if site.cause_counts is None:
        return None
    counts = dict(site.cause_counts)
    for cause in machine.causes or ():
        counts[cause] = counts.get(cause, frozenset()) | {machine.id}
    return counts
