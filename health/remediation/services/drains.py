"""Taking machines out of service by themselves: within the pool's cap, or keeping with the fault why not.

The lock order is machine, pool, site. Their rows are locked while the machines out of service are counted, so two
machines cannot both take the last place. Whether automation may drain one is `health.remediation`'s to say.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Case, Q, When
from django.utils import timezone

from core.database import prepared
from core.work.alone import alone
from health.checks.responses import IN_SERVICE, Response
from health.machines.budget import Budget
from health.machines.calls import AUTOMATION
from health.machines.hooks import notices_of
from health.machines.lifecycle import State
from health.machines.models.machines import Hold, Pool
from health.machines.queries import budgets_of
from health.machines.services.changes import Change, changing
from health.monitoring.models.faults import Fault
from health.monitoring.queries.part_lines import line_of
from health.monitoring.services import fault_responses
from health.remediation.models import IncidentMachine
from health.remediation.services import plans
from health.remediation.services.incidents import ASK_AGAIN
from health.remediation.types import Guard, Refusal
from health.schedulers.services.desired_state import NOBODY_SAYS


def take_out_if_allowed(change: Change) -> str:
    """Drain the machine of an announced fault if its pool allows; returns and records what was decided.

    One of `drained`, `over_budget`, `dry_run`, `stopped`, or empty when the machine is not in service anyway, or its
    faults leave it there.
    """
    response = fault_responses.refresh(change)
    outcome = _decide(change, response)
    open_leaders = Fault.objects.filter(
        machine_id=change.machine_id, status=Fault.Status.CONFIRMED, led_by=None, announced_at__isnull=False
    ).exclude(response__in=IN_SERVICE)
    if change.health.state != State.READY:
        for fault in open_leaders:
            _hold(change, fault)
    changed = open_leaders.exclude(drain=outcome).update(drain=outcome)
    if changed and outcome != Fault.Drain.NOT_NEEDED:
        change.later("notice.changed", f"site:{change.site_id}", {"notices": notices_of(change.site_id)})
    return outcome


def _hold(change: Change, fault: Fault) -> None:
    """A fault holds its machine from the moment it is out of service; one that is still in service has no hold."""
    Hold.objects.get_or_create(
        machine_id=change.machine_id,
        owner=fault.hold_owner,
        lifted_at=None,
        defaults={"reason": line_of(fault)[:300], "placed_by": change.actor},
    )


def follow_faults(change: Change) -> None:
    """What follows when a fault of a locked machine was confirmed or announced."""
    take_out_if_allowed(change)
    plans.settle_first(change)


def hold_within_budget(machine_id: int, *, owner: str, reason: str, actor: str) -> Refusal | None:
    """Take a machine out of service for planned work and hold it, if automation may. Safe to call again.

    None: it is out of service or on its way there, and held. A refusal: nothing was changed. Raises
    MachineHealth.DoesNotExist.
    """
    with changing(machine_id, actor=actor) as change:
        if change.health.state == State.READY and (refusal := plans.keeps_in_service(change)):
            return refusal
        Hold.objects.get_or_create(
            machine_id=machine_id,
            owner=owner,
            lifted_at=None,
            defaults={"reason": reason[:300], "placed_by": actor},
        )
        change.take_out(reason=f"held by {owner}: {reason}", evidence={"owner": owner})
        return None


# What a refused drain is called, by the guard that said no; every other guard stops it.
_WORDS = {
    "dry_run": Fault.Drain.DRY_RUN,
    "disruption_budget": Fault.Drain.OVER_BUDGET,
    "empty_pool": Fault.Drain.OVER_BUDGET,
    "stale": Fault.Drain.OVER_BUDGET,
}


def _decide(change: Change, response: Response) -> str:
    if change.health.state != State.READY or not response.takes_out:
        return Fault.Drain.NOT_NEEDED
    refusal = plans.drain(change)
    if refusal is not None:
        return _WORDS.get(refusal.guard, Fault.Drain.STOPPED)
    return Fault.Drain.NOT_NEEDED if change.health.state == State.READY else Fault.Drain.DRAINED


_OF_THE_SITE = (Guard.KILLED, Guard.BREAKER)
"""Refusals that are over at once, for all machines of a site: those are asked again without a rest."""


def drain_waiting(limit: int = 50) -> int:
    """Drain machines whose faults waited for the cap or for the automation, those in danger and then the worst first;
    returns how many.

    `limit` machines are decided upon; those of a pool that turned out to be full take no place of another pool's, and
    those that were refused a moment ago for what they are take none of those behind them. Safe to run at any time:
    each machine is decided upon again under its locks.
    """
    shared = IncidentMachine.objects.filter(recovered_at=None, incident__closed_at=None)
    refused = Q(incident__refused_at__gt=timezone.now() - ASK_AGAIN) & ~Q(incident__refused_by__in=_OF_THE_SITE)
    waiting = (
        Fault.objects.filter(
            status=Fault.Status.CONFIRMED,
            led_by=None,
            drain__in=[Fault.Drain.OVER_BUDGET, Fault.Drain.DRY_RUN, Fault.Drain.STOPPED],
            machine__health__state=State.READY.value,
            machine__health__pool__automation=Pool.Automation.ON,
        )
        .exclude(response__in=IN_SERVICE)
        .exclude(machine_id__in=shared.values("machine_id"))  # automation leaves those alone
        .exclude(refused, drain=Fault.Drain.STOPPED, incident__closed_at=None)
        .exclude(machine__device__site__automation__killed=True)
        .exclude(machine__device__site__automation__breaker_open_at__isnull=False)
        .order_by(Case(When(response=Response.DRAIN_NOW.value, then=0), default=1), "precedence", "confirmed_at")
        .values_list("machine_id", "machine__health__pool_id")
    )
    drained, decided, full = 0, 0, set()
    for machine_id, pool_id in waiting:
        if pool_id in full:
            continue
        if decided == limit:
            break
        decided += 1
        with alone("machine_not_drained", machine=machine_id):
            with changing(machine_id, actor=AUTOMATION) as change:
                outcome = take_out_if_allowed(change)
            drained += outcome == Fault.Drain.DRAINED
            if outcome == Fault.Drain.OVER_BUDGET:
                full.add(pool_id)
    return drained


NOTICES = """
SELECT fault.drain, pool.id, pool.role, model.slug, count(DISTINCT fault.machine_id)
FROM health_fault fault
JOIN health_machinehealth health ON health.machine_id = fault.machine_id
JOIN inventory_device device ON device.id = fault.machine_id
LEFT JOIN health_pool pool ON pool.id = health.pool_id
LEFT JOIN inventory_devicemodel model ON model.id = pool.model_id
WHERE fault.status = 'confirmed' AND fault.led_by_id IS NULL AND fault.drain IN ('over_budget', 'dry_run', 'stopped')
    AND health.state = 'ready' AND fault.response <> ALL(%(in_service)s) AND device.site_id = %(site)s
GROUP BY 1, 2, 3, 4
UNION ALL
SELECT 'undeclared', pool.id, pool.role, model.slug, count(*)
FROM health_schedulerwish wish
JOIN health_machinehealth health ON health.machine_id = wish.machine_id
JOIN inventory_device device ON device.id = wish.machine_id
LEFT JOIN health_pool pool ON pool.id = health.pool_id
LEFT JOIN inventory_devicemodel model ON model.id = pool.model_id
WHERE wish.status = 'waiting' AND wish.error = %(nobody)s AND device.site_id = %(site)s
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3
"""


STUCK = """
SELECT count(*) FROM live_handlerfailure failure JOIN live_event event ON event.id = failure.event_id
WHERE failure.resolved_at IS NULL AND event.site_id = %s
"""


def left_in_service(site_id: int) -> list[dict[str, Any]]:
    """Machines left in service or draining for ever, and reactions to events that failed.

    Two queries, and three more where a pool is at its cap.
    """
    in_service = [response.value for response in IN_SERVICE]
    rows = prepared.rows(NOTICES, {"site": site_id, "nobody": NOBODY_SAYS, "in_service": in_service})
    ((stuck,),) = prepared.rows(STUCK, [site_id])
    full = {pool_id for drain, pool_id, *_ in rows if drain == Fault.Drain.OVER_BUDGET and pool_id is not None}
    budgets = budgets_of(Pool.objects.filter(pk__in=full)) if full else {}
    told = [_notice(drain, budgets.get(pool_id), *row) for drain, pool_id, *row in rows]
    return told + ([_stuck(stuck)] if stuck else [])


def _stuck(failures: int) -> dict[str, Any]:
    what = "one reaction to an event" if failures == 1 else f"{failures} reactions to events"
    text = f"{what} failed and will be tried again; the log says why.".capitalize()
    return {"kind": "handlers", "level": "warn", "text": text}


def _notice(drain: str, allowed: Budget | None, role: str | None, model: str | None, machines: int) -> dict[str, Any]:
    count = f"{machines} machine{'s' if machines > 1 else ''}"
    verb = "stay" if machines > 1 else "stays"
    pool = f"pool {role} {model}" if role else "no pool"
    if drain == Fault.Drain.DRY_RUN:
        text = f"{count} of {pool} would be drained: its automation is a dry run."
        return {"kind": "dry_run", "level": "info", "text": text}
    if drain == "undeclared":
        text = (
            f"{count} of {pool} {verb} draining: no scheduler is known to run that pool, and "
            "no administrator declared that there is none (Automation, Scheduler)."
        )
        return {"kind": "undeclared", "level": "warn", "text": text}
    if drain == Fault.Drain.STOPPED:
        text = f"{count} of {pool} with a confirmed fault {verb} in service: automation is stopped or slowed down."
        return {"kind": "stopped", "level": "warn", "text": text}
    why = (
        f"{pool} has used up its disruption budget. {allowed.reason}"
        if allowed is not None
        else f"{pool} has no budget."
    )
    text = f"{count} with a confirmed fault {verb} in service: {why}"
    return {"kind": "budget", "level": "warn", "text": text}
