"""The next step of one machine, and of every machine of a site: decided under the locks, carried out or kept back."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta

from core.work.alone import alone
from health.machines.calls import AUTOMATION
from health.machines.lifecycle import State
from health.machines.services.changes import changing
from health.remediation import planner
from health.remediation.models import Incident
from health.remediation.services import incidents, views
from health.remediation.services.drains import take_out_if_allowed
from health.remediation.services.incidents import attach
from health.remediation.services.plans import Ground, aim, give_up, ground, preview, record
from health.remediation.types import (
    Guard,
    MachineView,
    Refusal,
    Step,
)


def step(machine_id: int) -> int | None:
    """Decide on one machine under its locks and write what was granted; the id of a new action, if there is one."""
    with changing(machine_id, actor=AUTOMATION) as change:
        incident = attach(change)
        held = ground(change.site_id, [change.health.pool_id], lock=True)
        machine = views.machine_views([machine_id], held.now)[machine_id]
        pool = held.pools.get(machine.pool) if machine.pool is not None else None
        answer = planner.decide(machine, pool, held.site, held.rules, held.now, held.local)
        if isinstance(answer, Refusal):
            if incident is not None:
                incidents.refused(incident.pk, answer, held.now)
            return None
        proposal = answer.proposal
        if proposal.step is Step.DRAIN:
            take_out_if_allowed(change)
            return None
        if proposal.step is Step.PERSON:
            assert incident is not None
            give_up(change, incident, proposal.reason)
            return None
        fault, params = aim(proposal, change)
        row = record(change, proposal, held.rules.limits, held.now, fault=fault, params=params, by=AUTOMATION)
        return row.pk


def plan_site(site_id: int) -> int:
    """Take every step that the plan allows now; returns how many machines were decided upon."""
    planned, machines, held = preview(site_id)
    waiting: dict[int, Refusal] = {}
    decided = 0
    for each in planned:
        if each.allowed:
            with alone("step_not_taken", machine=each.machine):
                step(each.machine)
                decided += 1
        elif each.refusal is not None:
            waiting[each.machine] = each.refusal
    _keep_refusals(waiting, machines, held)
    _lose_patience(waiting, machines, held)
    return decided


def _keep_refusals(waiting: dict[int, Refusal], machines: dict[int, MachineView], held: Ground) -> None:
    known = dict(Incident.objects.filter(site_id=held.row.site_id, closed_at=None).values_list("pk", "refused_by"))
    changed: dict[str, list[int]] = defaultdict(list)
    for machine_id, refusal in waiting.items():
        incident = machines[machine_id].incident
        if incident is not None and known.get(incident.id) != refusal.guard:
            changed[str(refusal.guard)].append(incident.id)
    for guard, ids in changed.items():
        Incident.objects.filter(pk__in=ids).update(refused_by=guard, refused_at=held.now)


# Guards that say that automation is at work, not that it is kept from it.
_AT_WORK = frozenset({Guard.OPEN_ACTION, Guard.VERIFYING, Guard.STATE})


def _lose_patience(waiting: dict[int, Refusal], machines: dict[int, MachineView], held: Ground) -> None:
    """Call a person where people wait for automation, and automation has not got leave for too long."""
    late = held.now - timedelta(seconds=held.rules.limits.patience_s)
    open_ones = Incident.objects.filter(site_id=held.row.site_id, closed_at=None, needs_person_at=None)
    waited_for = dict(open_ones.values_list("pk", "automation_first"))
    for machine_id, refusal in waiting.items():
        machine = machines[machine_id]
        incident = machine.incident
        if incident is None or refusal.guard in _AT_WORK or incident.opened_at > late or incident.id not in waited_for:
            continue
        # Nobody can take up a machine that is `remediating`, so that one is given back even when a ticket is open.
        if not waited_for[incident.id] and machine.state is not State.REMEDIATING:
            continue
        with alone("person_not_called", machine=machine_id), changing(machine_id, actor=AUTOMATION) as change:
            row = Incident.objects.select_for_update().get(pk=incident.id)
            give_up(change, row, f"automation got no leave in time: {refusal.reason}")
