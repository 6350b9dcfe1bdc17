"""Carrying out an action: one claim, one look at the world, at most one call, and every step written before the next.

`sent` is committed before the call. A worker that dies anywhere leaves a record from which the next one goes on; the
decisions are those of `health.remediation.records`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import structlog
from django.db import transaction
from django.utils import timezone

from core.instance import state as instance
from health.checks.levels import Rung
from health.machines.calls import ACTION, AUTOMATION, Report
from health.machines.lifecycle import LifecycleEvent, State, allowed
from health.machines.models.automation import SiteAutomation
from health.machines.services import kill_switch
from health.machines.services.changes import Change, changing
from health.machines.services.limits import automation_of, limits_of
from health.monitoring.models.faults import Verification
from health.monitoring.services.verifications import request_verification
from health.remediation import records
from health.remediation.executors import Answer, executor
from health.remediation.models import OPEN_ACTIONS, Incident, RemediationAction
from health.remediation.records import Decision, What
from health.remediation.remedies import BY_NAME
from health.remediation.services import incidents, plans, views, world
from health.remediation.services.causes import alike
from health.remediation.services.diagnostic import level_after
from health.remediation.types import Action, ActionState, Guard, Refusal, World

log = structlog.get_logger(__name__)

LOOK_AGAIN = timedelta(seconds=5)
LOOK_IS_FRESH = timedelta(seconds=30)
"""What was seen of the machine is older when its row was locked by others meanwhile: jobs may have begun since."""


def due(limit: int = 50) -> list[int]:
    """Open actions in nobody's hands: their lease is dead and it is time to look."""
    now = timezone.now()
    rows = RemediationAction.objects.filter(state__in=OPEN_ACTIONS, next_look_at__lte=now, lease_until__lte=now)
    return list(rows.order_by("next_look_at").values_list("pk", flat=True)[:limit])


def carry_out(action_id: int, owner: str = "") -> str:
    """Do what is next for an action; returns what was done in a word. Safe to run twice and by two workers.

    `owner` is the lease under which the action was granted; without it only a dead lease is taken.
    """
    row = RemediationAction.objects.select_related("machine__device").filter(pk=action_id).first()
    if row is None or row.state not in OPEN_ACTIONS:
        return "ended"
    action = _readable(row)
    if action is None:
        return "unreadable"
    if action.state is ActionState.SENT:
        return _look(row)
    if action.lease_owner == owner and records.lease_lives(action, timezone.now()):
        return _begin(row, action)
    if not records.lease_lives(action, timezone.now()):
        limits = limits_of(automation_of(row.machine.device.site_id))
        return _end(row.pk, action, records.after_crash(action, World(timezone.now()), limits))
    return "leased by another worker"


def _readable(row: RemediationAction) -> Action | None:
    """The record; one that cannot be read stops its machine and calls a person."""
    try:
        return views.action_view(row)
    except records.UnreadableRecord as error:
        log.error("action_unreadable", action=row.pk, why=str(error))
        with changing(row.machine_id, actor=AUTOMATION) as change:
            incident = Incident.objects.select_for_update().get(pk=row.incident_id)
            incidents.call_person(change, incident, str(error))
        return None


# ---- sending ----


def _begin(row: RemediationAction, action: Action) -> str:
    """Read the world, write `sent` with what was seen, and only then call."""
    seen = world.read(row)
    with changing(row.machine_id, actor=row.planned_by) as change:
        automation = automation_of(change.site_id, lock=True)
        row = RemediationAction.objects.select_for_update().select_related("machine__device").get(pk=row.pk)
        action = views.action_view(row)
        if action.state is not ActionState.GRANTED:
            return "leased by another worker"
        refusal = records.before_send(
            action, seen, owner=action.lease_owner, **_standing(change, automation, row)
        ) or _overtaken(row, automation, seen)
        if refusal is not None:
            row.refused_by, row.refused_reason = str(refusal.guard), refusal.reason[:300]
            row.refused_at = seen.now
            _finish(change, row, action, Decision(What.CANCEL, refusal.reason), seen)
            return "cancelled"
        limits = limits_of(automation)
        action = records.sent(action, seen, owner=action.lease_owner, limits=limits)
        row.evidence = {"before": _evidence(seen)}
        views.store_action(row, action)
        # A run that installs the machine takes it into `provisioning` by itself.
        if action.rung is not Rung.REIMAGE and allowed(change.health.state, LifecycleEvent.REMEDIATE):
            change.move(LifecycleEvent.REMEDIATE, reason=row.reason, evidence={"action": row.pk})
        plans.tell_action(change, row)
    return _call(row.pk, action)


def _standing(change: Change, automation: SiteAutomation, row: RemediationAction) -> dict[str, Any]:
    """Who wants the action, and what people and the breaker say of its locked machine and site."""
    return {
        "by_person": views.is_by_person(row),
        "state": State(change.health.state),
        "held_by": views.held_by_others(change.machine_id),
        "killed": automation.killed or instance.is_paused(),
        "breaker_open": automation.breaker_open_at is not None,
    }


def _overtaken(row: RemediationAction, automation: SiteAutomation, seen: World) -> Refusal | None:
    """Whether the reason of an action is gone, or people decided otherwise, since it was granted."""
    if timezone.now() - seen.now > LOOK_IS_FRESH:
        return Refusal(Guard.UNKNOWN, "what was seen of it is too old by now", "with the next check")
    incident = Incident.objects.get(pk=row.incident_id)
    if incident.closed_at is not None:
        return Refusal(Guard.STATE, f"its incident is closed by {incident.closed_by} by now")
    if views.is_by_person(row):
        return None
    if incident.needs_person_at is not None:
        return Refusal(Guard.STATE, "its incident is left to people by now")
    if alike.in_mass([row.machine_id]):
        return Refusal(Guard.COMMON_CAUSE, "it is part of a common cause by now", "when that incident is over")
    faults = views.leading_faults(machine_id=row.machine_id, incident_id=row.incident_id)
    checks = tuple(sorted({check for fault in faults for check in fault.checks}))
    if not faults:
        return Refusal(Guard.STATE, "nothing is wrong with it any more")
    if not views.rules_of(automation).switches.on(checks, row.remedy):
        return Refusal(Guard.DRY_RUN, f"{row.remedy} is a dry run by now", "when an operator turns it on")
    return None


def _call(action_id: int, action: Action) -> str:
    """Send, write down what the call told, and look once whether that ends it."""
    row = RemediationAction.objects.select_related("machine__device").get(pk=action_id)
    if not records.may_call(views.action_view(row), owner=action.lease_owner, now=timezone.now()):
        return "leased by another worker"
    hand = executor(row.remedy)
    answer = Answer(Report.IMPOSSIBLE, "nothing here can do that")
    if hand is not None:
        try:
            answer = hand.send(world.job_of(row, lambda: _last_question(action_id, action.lease_owner)))
        except Exception as error:  # whatever it was, it may have been done: the record says that nobody knows
            log.exception("remedy_failed", action=action_id, remedy=row.remedy)
            answer = Answer(Report.NONE, f"{type(error).__name__}: {error}")
    _note(action_id, action.lease_owner, answer)
    row.refresh_from_db()
    return _settle(row, views.action_view(row), World(timezone.now()))


def _last_question(action_id: int, owner: str) -> Refusal | None:
    """Why the write that comes next may not happen, asked by the executor: what runs there now, then the kill switch.

    The world was read before `sent` was written as well. Seconds have passed since then, and jobs begin in less.
    """
    try:
        row = RemediationAction.objects.select_related("machine__device").get(pk=action_id)
        refusal = records.busy(BY_NAME[row.remedy], world.read(row), by_person=views.is_by_person(row))
        return refusal or _stopped(action_id, owner)
    except Exception as error:  # also the task's time limit: nothing was written yet, and the executor must know that
        log.exception("last_question_failed", action=action_id)
        return Refusal(Guard.UNKNOWN, f"it could not be asked what runs there: {type(error).__name__}: {error}"[:300])


def _stopped(action_id: int, owner: str) -> Refusal | None:
    """Whether the kill switch is on, or the record is in other hands by now."""
    row = RemediationAction.objects.select_related("machine__device").get(pk=action_id)
    if row.lease_owner != owner or row.state != ActionState.SENT or row.lease_until is None:
        return Refusal(Guard.LEASE, "the action is not in our hands any more")
    if row.lease_until <= timezone.now():
        return Refusal(Guard.LEASE, "the world took too long to read")
    why = kill_switch.why_stopped(row.machine.device.site_id, by_person=views.is_by_person(row))
    return Refusal(Guard.KILLED, why, "when somebody releases it") if why else None


def _note(action_id: int, owner: str, answer: Answer) -> None:
    """Write what a call told, unless the action is in other hands by now."""
    with transaction.atomic():
        row = RemediationAction.objects.select_for_update().get(pk=action_id)
        if row.lease_owner != owner:
            return
        action = records.reported(views.action_view(row), answer.report)
        row.result = answer.text[:300]
        row.evidence = row.evidence | {"call": dict(answer.evidence)}
        if answer.guard:
            row.refused_by, row.refused_reason, row.refused_at = answer.guard, answer.text[:300], timezone.now()
        views.store_action(row, action)


# ---- looking ----


def _look(row: RemediationAction) -> str:
    """An action that was sent, in nobody's hands: take it, read the world, and do what the record allows."""
    with transaction.atomic():
        locked = RemediationAction.objects.select_for_update(skip_locked=True).filter(pk=row.pk).first()
        if locked is None:
            return "leased by another worker"
        before = views.action_view(locked)
        now = timezone.now()
        if not before.open or records.lease_lives(before, now):
            return "leased by another worker"
        limits = limits_of(automation_of(locked.machine.device.site_id))
        taken = records.leased(before, owner=uuid4().hex, now=now, limits=limits)
        views.store_action(locked, taken)
    row.refresh_from_db()
    mark = world.mark_of(row)
    seen = replace(world.read(row), trace=True if mark is Report.DONE else None)
    if mark is not Report.NONE:
        _keep_mark(row.pk, taken.lease_owner, mark)
        before, taken = records.traced(before, mark), records.traced(taken, mark)
    return _settle(row, taken, seen, found=before)


def _keep_mark(action_id: int, owner: str, mark: Report) -> None:
    with transaction.atomic():
        row = RemediationAction.objects.select_for_update().get(pk=action_id)
        if row.lease_owner == owner:
            views.store_action(row, records.traced(views.action_view(row), mark))


def _settle(row: RemediationAction, action: Action, seen: World, *, found: Action | None = None) -> str:
    """Decide by the world, and write or do what follows. `found` is the record as a lost worker left it."""
    limits = limits_of(automation_of(row.machine.device.site_id))
    decision = records.settle(action, seen, limits) if found is None else records.after_crash(found, seen, limits)
    if decision.what in records.ENDS:
        return _end(row.pk, action, decision, seen)
    if decision.what is What.SEND and _may_repeat(row.pk, action, seen):
        return _call(row.pk, action)
    hand = executor(row.remedy)
    if decision.what is What.FINISH and hand is not None:
        answer = hand.finish(world.job_of(row, lambda: _stopped(row.pk, action.lease_owner)))
        log.info("remedy_finished", action=row.pk, told=answer.text)
        if answer.guard:
            refused = {"refused_by": answer.guard, "refused_reason": answer.text[:300], "refused_at": timezone.now()}
            RemediationAction.objects.filter(pk=row.pk, lease_owner=action.lease_owner).update(**refused)
    _let_go(row.pk, action)
    return str(What.WAIT if decision.what is What.SEND else decision.what)


def _may_repeat(action_id: int, action: Action, seen: World) -> bool:
    """Whether it may be sent again now; what says no is kept, and its deadline ends it."""
    with changing(_machine_of(action_id), actor=AUTOMATION) as change:
        automation = automation_of(change.site_id, lock=True)
        row = RemediationAction.objects.select_for_update().get(pk=action_id)
        if row.lease_owner != action.lease_owner:
            return False
        refusal = records.before_repeat(
            views.action_view(row), seen, **_standing(change, automation, row)
        ) or _overtaken(row, automation, seen)
        if refusal is None:
            return True
        row.refused_by, row.refused_reason, row.refused_at = str(refusal.guard), refusal.reason[:300], seen.now
        row.save(update_fields=["refused_by", "refused_reason", "refused_at"])
        return False


def _let_go(action_id: int, action: Action) -> None:
    """Nothing to do now: whoever comes next may take it."""
    now = timezone.now()
    RemediationAction.objects.filter(pk=action_id, lease_owner=action.lease_owner, state="sent").update(
        lease_until=now, next_look_at=now + LOOK_AGAIN
    )


# ---- ending ----


def _end(action_id: int, action: Action, decision: Decision, seen: World | None = None) -> str:
    """End an action by a decision, unless somebody else did meanwhile."""
    with transaction.atomic():
        machine_id, by = RemediationAction.objects.values_list("machine_id", "planned_by").get(pk=action_id)
        with changing(machine_id, actor=by) as change:
            row = RemediationAction.objects.select_for_update().get(pk=action_id)
            now = views.action_view(row)
            if now.state is not action.state or now.lease_owner != action.lease_owner:
                return "leased by another worker"
            _finish(change, row, now, decision, seen)
        if row.state == ActionState.CONFIRMED:
            verify(row)  # which changes the machine as well, so its row is saved by now
    return str(row.state)


def _machine_of(action_id: int) -> int:
    return int(RemediationAction.objects.values_list("machine_id", flat=True).get(pk=action_id))


def _finish(
    change: Change, row: RemediationAction, action: Action, decision: Decision, seen: World | None = None
) -> None:
    """Write the end, and call people where nobody knows what happened; the machine is locked."""
    action = records.finished(action, decision, timezone.now())
    row.result = f"{decision.reason}. {row.result}".strip()[:300]
    if seen is not None and seen.heard:
        row.evidence = row.evidence | {"after": _evidence(seen)}
    views.store_action(row, action)
    plans.tell_action(change, row)
    failed_by_hand = action.state is ActionState.FAILED and views.is_by_person(row)
    if action.state is ActionState.AMBIGUOUS or failed_by_hand:
        incident = Incident.objects.select_for_update().get(pk=row.incident_id)
        plans.give_up(change, incident, f"{BY_NAME[row.remedy].title}: {decision.reason}")
    if action.state not in (ActionState.CONFIRMED, ActionState.AMBIGUOUS):
        _close_own(row)


def _close_own(row: RemediationAction) -> None:
    """The incident that was opened for an action by hand ends with it; one with faults goes on."""
    if views.is_by_person(row):
        incidents.close_if_over(row.incident_id, by=row.planned_by, reason=row.result or "it helped")


def verify(row: RemediationAction) -> Verification:
    """Ask for the look that says whether the remedy helped."""
    faults = views.leading_faults(machine_id=row.machine_id, incident_id=row.incident_id)
    asked = request_verification(
        row.machine_id,
        fault_ids=[fault.pk for fault in faults],
        owner=f"{ACTION}{row.pk}",
        actor=AUTOMATION,
        diagnostic=level_after(row.remedy, row.machine_id, {fault.slot for fault in faults}),
    )
    row.verification = asked
    row.save(update_fields=["verification"])
    return asked


def verification_finished(verification_id: int) -> None:
    """Write what the verification of an action said. In the transaction of its end, the machine locked."""
    row = RemediationAction.objects.select_for_update().filter(verification_id=verification_id).first()
    if row is None or row.state != ActionState.CONFIRMED:
        return
    said = Verification.objects.get(pk=verification_id)
    passed, at = said.status == Verification.Status.PASSED, said.finished_at or timezone.now()
    action = records.verified(views.action_view(row), passed, at)
    if not passed:
        row.result = f"It did not help: {said.reason}"[:300]
    views.store_action(row, action)
    _close_own(row)


def _evidence(seen: World) -> dict[str, str | int | float | None]:
    return {
        "at": seen.now.isoformat(),
        "heard": seen.heard,
        "boot_id": seen.boot_id,
        "uptime_s": seen.uptime_s,
        "power": seen.power,
        "jobs": seen.jobs,
        "running": seen.running,
        "logins": seen.logins,
    }


# ---- people ----


class NotAmbiguous(Exception):
    """Only an action of which nobody knows whether it happened is decided by a person."""


@transaction.atomic
def resolve(action_id: int, *, outcome: str, reason: str, actor: str) -> RemediationAction:
    """A person says whether an ambiguous action happened (`confirmed`), had no effect (`failed`) or never began
    (`cancelled`: its rung counts as not used). Raises NotAmbiguous. One that happened is verified when its machine is
    out of service.
    """
    what = What.CONFIRM if outcome == "confirmed" else What.FAIL
    with changing(_machine_of(action_id), actor=actor) as change:
        row = RemediationAction.objects.select_for_update().get(pk=action_id)
        if row.state != ActionState.AMBIGUOUS:
            raise NotAmbiguous(f"the action is {row.state}")
        action = records.finished(views.action_view(row), Decision(what, reason), timezone.now())
        row.result = f"{actor}: {reason}"[:300]
        views.store_action(row, replace(action, report=Report.REFUSED) if outcome == "cancelled" else action)
        plans.tell_action(change, row)
        out = change.health.state in (State.DRAINED, State.TRIAGE)
        verified_next = outcome == "confirmed" and out
        if not verified_next:
            _close_own(row)
    if verified_next:
        verify(row)
    return row
