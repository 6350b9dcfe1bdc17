"""Verifications: a repair is done when a newer look shows that it is, not when somebody says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.work.alone import alone
from core.work.kinds import Lease, Work
from core.work.queue import after_commit
from core.work.rules import Backoff
from health.machines.calls import ACTION, AUTOMATION
from health.machines.hooks import notices_of
from health.machines.lifecycle import LifecycleEvent, State, allowed
from health.machines.models.machines import MachineHealth
from health.machines.services.changes import Change, changing, end_hold_of_maintenance, obstacles_of
from health.monitoring import hooks
from health.monitoring.events import Cursor
from health.monitoring.faults import event_data, group_of
from health.monitoring.judgement import Judgement, Outcome, Target, Timing, conclude, judge, too_early
from health.monitoring.models.faults import EventCursor, Fault, FaultEvidence, Verification
from health.monitoring.queries.responses import is_mild, rules_at
from health.monitoring.services.fault_changes import lift_fault_hold, mark_cleared
from health.monitoring.services.sweeps import observation_store
from health.monitoring.services.sweeps.clean_text import clean_finding
from health.monitoring.services.sweeps.stored import Observation, cursor_of
from inventory.models import Machine
from inventory.queries import slot_texts_of

PATIENCE = timedelta(seconds=180)  # a machine that was just repaired may still be booting
# Owners behind whom nobody stands at the machine: when their verification fails it waits for one who does.
NOBODY = (AUTOMATION, "maintenance")
OPEN = (Verification.Status.WAITING, Verification.Status.RUNNING)

WORK = Work(
    name="verification",
    model=Verification,
    open=Q(status__in=OPEN),
    hold=Lease(90, column="next_try_at"),
    due="next_try_at",
    attempts="attempts",  # it ends by its deadline, not by their number
    retry=Backoff(20, 20),
    reason="reason",
    taken=lambda verification, now: {"status": Verification.Status.RUNNING},
    task="health.monitoring.tasks.verify_machine",
    every_s=15,
)


def is_nobody(owner: str) -> bool:
    return owner in NOBODY or owner.startswith(ACTION)


@transaction.atomic
def request_verification(
    machine_id: int, *, fault_ids: Sequence[int], owner: str, actor: str, diagnostic: int = 0
) -> Verification:
    """Queue a verification of these faults; the machine is `verifying` meanwhile, unless it is in service anyway.

    `diagnostic`: of this level, asked for by the remedy that it follows; 0: none.
    Without faults the whole machine is verified. Ends with the event `verification.finished {verification, passed}`.
    """
    with changing(machine_id, actor=actor) as change:
        if allowed(change.health.state, LifecycleEvent.VERIFY):
            evidence = {"faults": list(fault_ids)}
            change.move(LifecycleEvent.VERIFY, reason=f"verification asked by {owner}", evidence=evidence)
        cursor = cursor_of(EventCursor.objects.filter(pk=machine_id).first())
        now = timezone.now()
        verification = Verification.objects.create(
            machine_id=machine_id,
            owner=owner,
            actor=actor,
            requested_at=now,
            next_try_at=now,
            deadline_at=now + _patience(machine_id, fault_ids, diagnostic),
            boot_id=cursor.boot_id,
            at_us=cursor.at_us,
            bmc_at_us=cursor.bmc_at_us,
        )
        verification.faults.set(Fault.objects.filter(machine_id=machine_id, pk__in=list(fault_ids)))
    faults = list(verification.faults.all())
    for proof in hooks.proofs:
        proof.request(machine_id, faults, by=actor, level=diagnostic)
    after_commit("health.monitoring.tasks.verify_machine", verification.pk)
    return verification


def _patience(machine_id: int, fault_ids: Sequence[int], diagnostic: int) -> timedelta:
    """How long to wait for an answer: until the last of those who know whether the fault is gone may have said so."""
    faults = list(Fault.objects.filter(machine_id=machine_id, pk__in=list(fault_ids)))
    return max([PATIENCE, *(proof.patience(machine_id, faults, diagnostic) for proof in hooks.proofs)])


def decide(verification: Verification, observation: Observation) -> str:
    """Store the look and decide on it; returns `passed`, `failed` or `again`."""
    observation = replace(observation, findings=tuple(clean_finding(f) for f in observation.findings))
    timing = Timing(verification.requested_at, observation.at, verification.deadline_at, observation.heard)
    if observation.at > verification.requested_at:
        observation_store.record([observation], actor="verification")
    if why := too_early(timing):
        return _again(verification, why)
    with transaction.atomic():
        faults = _targets(verification, observation)
        judgement = _judged(verification, observation, faults)
        outcome, reason = conclude(judgement, timing, slot_texts_of(verification.machine_id))
        if outcome is Outcome.AGAIN:
            return _again(verification, reason)
        judgement = replace(judgement, passed=outcome is Outcome.PASSED)
        _finish(verification, observation, judgement, faults, reason)
    return outcome.value


def _judged(verification: Verification, observation: Observation, faults: list[Fault]) -> Judgement:
    """What the look says of these faults, together with what other systems and active checks said since."""
    cursor = Cursor(verification.boot_id, verification.at_us, bmc_at_us=verification.bmc_at_us)
    targets = [Target(fault.slot, frozenset(fault.checks)) for fault in faults]
    slots = {fault.slot for fault in faults}
    said = [finding for proof in hooks.proofs for finding in proof.since(verification, targets, slots)]
    site_id = Machine.objects.values_list("device__site_id", flat=True).get(pk=verification.machine_id)
    rules = rules_at(site_id)
    is_new = MachineHealth.objects.filter(machine_id=verification.machine_id, state=State.BURN_IN).exists()
    return judge(
        [*observation.findings, *said],
        targets,
        observation.slots,
        cursor,
        observation.boot_id,
        observation.policy.mutes,
        observation.layout,
        lambda finding: is_mild(finding.fault_class, rules, is_new=is_new),
    )


def _again(verification: Verification, reason: str) -> str:
    WORK.put_back(verification, reason, status=Verification.Status.WAITING)
    return "again"


def _targets(verification: Verification, observation: Observation) -> list[Fault]:
    """The faults asked about, and every open fault of the same repair: led by them, or in the same slot."""
    asked = list(verification.faults.all())
    if not asked:
        return []
    groups = {group_of(f.slot, f.fault_class, observation.slots) for f in asked}
    pks = [fault.pk for fault in asked]
    still_open = Fault.objects.filter(machine_id=verification.machine_id).exclude(status=Fault.Status.CLEARED)
    others = [
        fault
        for fault in still_open.exclude(pk__in=pks)
        if fault.led_by_id in pks or group_of(fault.slot, fault.fault_class, observation.slots) in groups
    ]
    return asked + others


def _finish(
    verification: Verification, observation: Observation, outcome: Judgement, faults: list[Fault], reason: str
) -> None:
    """Record the outcome, clear what passed, tell the rooms above, and only then decide the machine's state.

    The room that asked may lift a hold of its own when it hears the outcome; the machine is ready by itself after that.
    """
    machine_id = verification.machine_id
    with changing(machine_id, actor=verification.actor) as change:
        locked = WORK.mine(verification).select_for_update().first()
        if locked is None:
            return
        passed = bool(outcome.passed)
        locked.status = Verification.Status.PASSED if passed else Verification.Status.FAILED
        locked.finished_at, locked.reason = timezone.now(), reason[:300]
        locked.results = list(outcome.results)
        locked.save()
        if passed:
            _clear(change, faults, locked)
        else:
            _keep_evidence(change, faults, outcome, observation, owner=locked.owner)
        window_is_over = passed or locked.owner == "maintenance"
        if window_is_over and not faults and change.health.maintenance_until is not None:
            end_hold_of_maintenance(change)
        change.later(
            "verification.finished",
            f"verification:{locked.pk}",
            {"verification": locked.pk, "passed": passed, "machine": machine_id, "owner": locked.owner},
        )
    with changing(machine_id, actor=verification.actor) as change:
        _settle_state(change, locked, reason=reason)


def _clear(change: Change, faults: list[Fault], verification: Verification) -> None:
    still_open = [fault for fault in faults if fault.status != Fault.Status.CLEARED]
    observation_store.forget(
        change.health,
        [(check, fault.slot) for fault in still_open if fault.kind == "event" for check in fault.checks],
    )
    for fault in still_open:
        mark_cleared(fault, f"verification {verification.pk} passed")
        fault.save()
        if fault.announced_at and fault.led_by_id is None:
            data = event_data(fault.pk, change.machine_id, fault.slot, fault.fault_class)
            change.later("fault.cleared", f"fault:{fault.pk}", data)
    for fault in faults:
        lift_fault_hold(fault, reason=fault.cleared_by or "verified", actor=verification.actor)
    if any(fault.drain in (Fault.Drain.OVER_BUDGET, Fault.Drain.DRY_RUN) for fault in still_open):
        change.later("notice.changed", f"site:{change.site_id}", {"notices": notices_of(change.site_id)})


def _keep_evidence(
    change: Change, faults: list[Fault], outcome: Judgement, observation: Observation, *, owner: str
) -> None:
    """What failed the verification is evidence of the fault that was thought repaired.

    Whoever asked hears of the outcome and fetches it; of what nobody asked for, the fault's own room has to be told.
    """
    lead = next((fault for fault in faults if fault.led_by_id is None), None)
    if lead is None:
        return
    FaultEvidence.objects.bulk_create(
        FaultEvidence(
            fault=lead,
            at=observation.at,
            check_id=finding.check,
            part=finding.part,
            verdict=str(finding.verdict),
            message=f"Verification failed: {finding.message}",
            command=finding.command or "",
            exit_status=finding.exit_status,
            excerpt=finding.excerpt or "",
            observed=dict(finding.observed or {}),
        )
        for finding in outcome.failing
    )
    if outcome.failing and lead.announced_at and is_nobody(owner):
        data = event_data(lead.pk, change.machine_id, lead.slot, lead.fault_class)
        change.later("fault.seen_again", f"fault:{lead.pk}", data)


def _settle_state(change: Change, verification: Verification, *, reason: str) -> None:
    """The step that follows a finished verification, unless another one of the machine is still open."""
    if change.health.state != State.VERIFYING:
        return
    passed = verification.status == Verification.Status.PASSED
    others = Verification.objects.filter(machine_id=change.machine_id, status__in=OPEN).exists()
    nobody = is_nobody(verification.owner)
    if others and (passed or nobody):
        return
    evidence: dict[str, Any] = {"verification": verification.pk}
    if not passed:
        change.move(LifecycleEvent.FAIL, reason=reason, evidence=evidence)
        if nobody:
            change.move(LifecycleEvent.RELEASE, reason="nobody works on it", evidence=evidence)
        return
    obstacles = obstacles_of(change.health)
    event = LifecycleEvent.PASS_HELD if obstacles else LifecycleEvent.PASS
    change.move(event, reason="; ".join([reason, *obstacles]), evidence=evidence)


@transaction.atomic
def dismiss_fault(fault_id: int, *, reason: str, actor: str) -> Fault:
    """A person decides that a fault is none, or lives with it: it is cleared without a verification, and logged.

    The faults it leads go with it. The machine's state does not change; `return_to_service` does that.
    """
    fault = Fault.objects.get(pk=fault_id)
    with changing(fault.machine_id, actor=actor) as change:
        group = Fault.objects.select_for_update().filter(Q(pk=fault_id) | Q(led_by_id=fault_id))
        still_open = list(group.exclude(status=Fault.Status.CLEARED))
        observation_store.forget(
            change.health,
            [(check, member.slot) for member in still_open if member.kind == "event" for check in member.checks],
        )
        for member in still_open:
            mark_cleared(member, f"dismissed by {actor}: {reason}")
            member.save()
            lift_fault_hold(member, reason=reason, actor=actor)
        if still_open and fault.announced_at:
            data = event_data(fault.pk, change.machine_id, fault.slot, fault.fault_class)
            change.later("fault.cleared", f"fault:{fault.pk}", data)
    fault.refresh_from_db()
    return fault


def end_due_maintenance() -> int:
    """Verify machines whose maintenance window is over; returns how many were asked for."""
    over = MachineHealth.objects.filter(state=State.MAINTENANCE.value, maintenance_until__lte=timezone.now())
    asked = 0
    for machine_id in list(over.order_by("machine_id").values_list("machine_id", flat=True)):
        with alone("maintenance_not_ended", machine=machine_id):
            request_verification(machine_id, fault_ids=[], owner="maintenance", actor="maintenance")
            asked += 1
    return asked
