"""From an incident to its next step: what the plan says, and the transaction that grants it.

`health.remediation.planner` decides; here its question is read under the locks of machine, pool and site, and the
answer is written before they are released. The preview asks the same planner without locks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.utils import timezone

from core.instance import state
from core.work.queue import after_commit
from health.checks.levels import Rung
from health.machines.lifecycle import LifecycleEvent, State
from health.machines.limits import Limits
from health.machines.models.automation import SiteAutomation
from health.machines.models.machines import MachineHealth, Pool
from health.machines.services.changes import Change
from health.machines.services.limits import automation_of
from health.machines.specs import slot_of
from health.monitoring.models.faults import Fault
from health.monitoring.queries.part_lines import line_of
from health.remediation import budgets, ladder, planner, records
from health.remediation.executors import Job, executor
from health.remediation.models import Incident, RemediationAction
from health.remediation.planner import Planned, Rules
from health.remediation.remedies import BY_RUNG
from health.remediation.services import incidents, views
from health.remediation.services.causes import mass
from health.remediation.services.incidents import attach
from health.remediation.services.rungs import start_rung
from health.remediation.types import (
    NO_INCIDENT,
    Granted,
    MachineView,
    PoolView,
    Proposal,
    Refusal,
    SiteView,
    Step,
)


@dataclass(frozen=True)
class Ground:
    """A site as a decision needs it: the row, its counts, what people set, and the time."""

    row: SiteAutomation
    site: SiteView
    rules: Rules
    now: datetime
    pools: dict[int, PoolView] = field(default_factory=dict)

    @property
    def local(self) -> datetime:
        return views.local_time(self.row.site, self.now)


def ground(site_id: int, pool_ids: Any, *, lock: bool) -> Ground:
    """Read a site and these pools; with `lock` their rows are held until the transaction ends, pools first."""
    now, pool_ids = timezone.now(), sorted({pk for pk in pool_ids if pk is not None})
    if lock:
        list(Pool.objects.select_for_update().filter(pk__in=pool_ids).order_by("pk"))
    row = automation_of(site_id, lock=lock)
    return Ground(row, views.site_view(row, now), views.rules_of(row), now, views.pool_views(pool_ids, now))


# ---- taking a machine out of service ----


def drain(change: Change) -> Refusal | None:
    """Decide on a machine in service with a confirmed fault. None: it is drained now, or left to its first remedy.

    The caller holds the machine's lock. A person is called at once when the fault is one for hands.
    """
    incident = attach(change)
    held = ground(change.site_id, [change.health.pool_id], lock=True)
    for _ in range(2):
        machine = views.machine_views([change.machine_id], held.now)[change.machine_id]
        proposal = planner.plan(machine, held.rules, held.now)
        if isinstance(proposal, Proposal) and proposal.step is Step.PERSON and incident is not None:
            incidents.call_person(change, incident, proposal.reason)
            incident.refresh_from_db()
            continue
        break
    if isinstance(proposal, Proposal) and proposal.step is Step.REMEDY:
        if not proposal.dry_run:
            return None
        proposal = Proposal(machine.id, proposal.incident, Step.DRAIN, proposal.rung, "out of service for its fault")
    answer = proposal if isinstance(proposal, Refusal) else _grant(proposal, machine, held)
    if isinstance(answer, Refusal):
        if incident is not None:
            incidents.refused(incident.pk, answer, held.now)
        return answer
    _take_out(change, answer.proposal, held.now)
    return None


def keeps_in_service(change: Change) -> Refusal | None:
    """What stands against taking a machine in service out for planned work, by the guards of any other drain.

    The caller holds the machine's lock; its pool and site are locked here, until the transaction ends.
    """
    held = ground(change.site_id, [change.health.pool_id], lock=True)
    machine = views.machine_views([change.machine_id], held.now)[change.machine_id]
    answer = _grant(Proposal(machine.id, NO_INCIDENT, Step.DRAIN, Rung.NOTE, "planned work"), machine, held)
    return answer if isinstance(answer, Refusal) else None


def stands_against_taking_out(machine_id: int) -> Refusal | None:
    """The same as a look, without locks: what `keeps_in_service` would say now. Writes nothing.

    Raises MachineHealth.DoesNotExist.
    """
    health = MachineHealth.objects.select_related("machine__device").get(pk=machine_id)
    held = ground(health.machine.device.site_id, [health.pool_id], lock=False)
    machine = views.machine_views([machine_id], held.now)[machine_id]
    answer = _grant(Proposal(machine.id, NO_INCIDENT, Step.DRAIN, Rung.NOTE, "planned work"), machine, held)
    return answer if isinstance(answer, Refusal) else None


def _grant(proposal: Proposal, machine: MachineView, held: Ground) -> Granted | Refusal:
    pool = held.pools.get(machine.pool) if machine.pool is not None else None
    return budgets.grant(
        budgets.Question(
            proposal, machine, pool, held.site, held.rules.limits, held.rules.windows, held.now, held.local
        )
    )


def _take_out(change: Change, proposal: Proposal, now: datetime) -> None:
    """Drain for an incident; the evidence names it, and with that the reason that the scheduler shows."""
    fault = (
        Fault.objects.filter(machine_id=change.machine_id, status=Fault.Status.CONFIRMED, led_by=None)
        .order_by("precedence", "confirmed_at")
        .first()
    )
    what = line_of(fault) if fault else "confirmed fault"
    reason = f"rackside: {what}"
    evidence = {
        "fault": fault.pk if fault else None,
        "incident": proposal.incident,
        "response": views.response_of(change.machine_id).value,
    }
    change.take_out(reason=reason, evidence=evidence)
    Incident.objects.filter(pk=proposal.incident).update(drained_at=now)


def settle_first(change: Change) -> None:
    """Write down whether automation handles this machine's incident first, or others fail alike, so that its ticket
    may wait.

    Asked when faults are announced, before anybody hears of them.
    """
    incident = attach(change)
    mass.hold_supplies(change)
    if incident is None:
        return
    row = automation_of(change.site_id)
    rules, now = views.rules_of(row), timezone.now()
    machine = views.machine_views([change.machine_id], now)[change.machine_id]
    stopped = row.killed or state.is_paused() or row.breaker_open_at is not None
    first = not stopped and would_handle(machine, rules, now) is not None
    # Only a round that looked for a common cause lets it go (`mass.look`): it is never taken back here.
    due = incident.cause_due or mass.may_be_mass(
        change, views.leading_faults(machine_id=change.machine_id, incident=incident)
    )
    if (incident.automation_first, incident.cause_due) != (first, due):
        incident.automation_first, incident.cause_due = first, due
        incident.save(update_fields=["automation_first", "cause_due"])


def would_handle(machine: MachineView, rules: Rules, now: datetime) -> str | None:
    """The remedy that is on and comes next for a machine's incident; None when a person is next or it is a dry run."""
    incident = machine.incident
    if incident is None or incident.shared or incident.asked or machine.records is None:
        return None
    choice = ladder.next_rung(machine, incident.start_rung, incident.id, rules.limits, now)
    remedy = BY_RUNG.get(choice.rung)
    if remedy is None or executor(remedy.name) is None:
        return None
    if not incident.response.takes_out and (remedy.needs_drain or machine.empty is not True):
        return None  # it stays in service with its jobs, so automation would only keep people waiting
    return remedy.name if rules.switches.on(incident.checks, remedy.name) else None


def in_words(machine: MachineView, rules: Rules, now: datetime) -> str:
    """What automation does about a machine's incident, or would do if it were allowed."""
    proposal = planner.plan(machine, rules, now)
    if isinstance(proposal, Refusal):
        return f"Automation waits: {proposal.reason}."
    if proposal.step is Step.PERSON:
        return f"Automation leaves it to people: {proposal.reason}."
    if proposal.step is Step.DRAIN:
        return "Automation would take the machine out of service first."
    assert proposal.remedy is not None
    if proposal.dry_run:
        return f"Automation would do this, but is a dry run for it: {proposal.remedy.title}."
    return f"Automation does this next: {proposal.remedy.title}."


# ---- the next step ----


def give_up(change: Change, incident: Incident, reason: str) -> None:
    """Nothing automatic is left: a person is called, and a machine that automation worked on goes to triage."""
    incidents.call_person(change, incident, reason)
    worked_on = RemediationAction.objects.filter(incident=incident, sent_at__isnull=False).exists()
    if change.health.state == State.REMEDIATING:
        change.move(LifecycleEvent.FAIL, reason=reason, evidence={"incident": incident.pk})
    elif change.health.state == State.DRAINED and worked_on:
        change.move(LifecycleEvent.ESCALATE, reason=reason, evidence={"incident": incident.pk})


def record(
    change: Change,
    proposal: Proposal,
    limits: Limits,
    now: datetime,
    *,
    fault: Fault | None,
    params: Mapping[str, Any],
    by: str,
) -> RemediationAction:
    """Write a granted remedy down, the machine and its site locked, and queue the worker that carries it out."""
    action = records.granted(proposal, owner=uuid4().hex, now=now, limits=limits)
    row = RemediationAction(
        key=action.key,
        machine_id=change.machine_id,
        incident_id=proposal.incident,
        fault=fault,
        check_id=fault.checks[0] if fault is not None and fault.checks else "",
        rung=int(action.rung),
        remedy=action.remedy,
        attempt=action.attempt,
        params=dict(params),
        planned_by=by,
        planned_at=now,
        granted_at=now,
        reason=proposal.reason[:300],
    )
    views.store_action(row, action)
    tell_action(change, row)
    hand_over(row)
    return row


def aim(proposal: Proposal, change: Change) -> tuple[Fault, dict[str, Any]]:
    """The fault that a remedy is for, the worst of those that start on its rung, and what it is to be done to.

    Of several faults of that rung it is done to the parts of all, joined by commas. Without parameters there is nothing
    of the kind on this machine, which the executor then says.
    """
    assert proposal.remedy is not None
    faults = views.leading_faults(machine_id=change.machine_id, incident_id=proposal.incident)
    faults.sort(key=lambda fault: (start_rung(fault) != proposal.rung, fault.precedence, fault.pk))
    found: dict[str, list[str]] = defaultdict(list)
    aimed: list[Fault] = []
    for fault in faults:
        target = target_of(proposal.remedy.name, change.health, fault)
        if target is None or (aimed and start_rung(fault) != proposal.rung):
            continue
        aimed.append(fault)
        for name, what in target.items():
            if what not in found[name]:
                found[name].append(str(what))
    return (aimed or faults)[0], {name: ",".join(whats) for name, whats in found.items()}


def target_of(remedy: str, health: MachineHealth, fault: Fault) -> dict[str, Any] | None:
    """What the remedy is to be done to on this machine; None when there is nothing of the kind."""
    hand = executor(remedy)
    slot = slot_of(health.machine.device.model.spec, fault.slot)
    about = {
        "fault_class": fault.fault_class,
        "slot": fault.slot,
        "message": fault.message,
        "pci": slot.pci if slot is not None and slot.kind == "gpu" else None,
    }
    job = Job(health.machine_id, health.machine.device.name, "", about)
    found = hand.target(job) if hand is not None else None
    return None if found is None else dict(found)


def tell_action(change: Change, row: RemediationAction) -> None:
    data = {"action": row.pk, "machine": row.machine_id, "remedy": row.remedy, "state": row.state}
    change.later("action.changed", f"action:{row.pk}", data)


def hand_over(row: RemediationAction) -> None:
    """Queue the worker that carries it out, with the lease that was granted."""
    after_commit("health.remediation.tasks.carry_out", row.pk, row.lease_owner)


# ---- what would be done ----


def preview(site_id: int) -> tuple[list[Planned], dict[int, MachineView], Ground]:
    """What automation would do at a site now, in its order. A fixed number of queries; nothing is locked or changed."""
    now = timezone.now()
    broken = Fault.objects.filter(
        machine__device__site_id=site_id, status=Fault.Status.CONFIRMED, led_by=None, incident__closed_at=None
    ).exclude(incident=None)
    ids = sorted(set(broken.values_list("machine_id", flat=True)))
    machines = views.machine_views(ids, now)
    held = ground(site_id, {machine.pool for machine in machines.values()}, lock=False)
    planned = planner.plan_all(list(machines.values()), held.pools, held.site, held.rules, held.now, held.local)
    return planned, machines, held
