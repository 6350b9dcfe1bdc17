"""Faults of one machine: decide with `health.monitoring.faults`, store what it decided, announce what leads.

`concerns` is asked in the shard, with what was read in bulk; only where it says yes does `apply` lock the machine, read
again and decide again, so that two shards, or a shard run twice, agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import timezone

from health.machines.hooks import notices_of
from health.machines.lifecycle import State
from health.machines.models.machines import Hold, MachineHealth
from health.machines.services import changes
from health.machines.services.changes import Change, Shown, changing
from health.machines.services.limits import automation_of, limits_of
from health.monitoring import damping, hooks
from health.monitoring.events import advance, is_event, is_new, key_of
from health.monitoring.faults import (
    EVENTS_WAIT,
    PASSED_AGAIN,
    FaultView,
    Sighting,
    Situation,
    decide,
    event_data,
    sightings,
)
from health.monitoring.models.faults import EventCursor, Fault, FaultEvidence
from health.monitoring.policy import muted_events
from health.monitoring.queries.faults import open_faults_of
from health.monitoring.services import fault_responses
from health.monitoring.services.sweeps.stored import Observation, Stored, load

if TYPE_CHECKING:
    from health.monitoring.services.sweeps.stored import Observation, Stored

MAY_RETURN = (State.DRAINING, State.DRAINED)
"""Where a look that changes no fault may still return a machine to service."""


def concerns(observation: Observation, worst: str, held: Stored) -> bool:
    """Whether this look changes anything beyond the stored verdicts."""
    health = held.health
    if _shown(observation, worst, health) != (health.worst, health.reachability, health.power):
        return True
    return _goes_deeper(observation, held)


def _shown(observation: Observation, worst: str, health: MachineHealth) -> tuple[str, str, str]:
    """The machine's worst verdict, reachability and power after this look."""
    return (
        worst,
        "reachable" if observation.heard else str(health.reachability),
        observation.power if observation.power != "unknown" else str(health.power),
    )


def _goes_deeper(observation: Observation, held: Stored) -> bool:
    """Whether it changes faults, or something has to come of an event."""
    state = held.health.state
    if new_events(observation, held) and state not in EVENTS_WAIT:
        return True
    return any(fault.changed for fault in _decide(observation, views_of(held.faults), held, state))


def show(looks: Mapping[int, tuple[Observation, str]], stored: Mapping[int, Stored], *, actor: str) -> set[int]:
    """Carry those looks that change no more than columns into their machines, which the caller has locked and read.

    `looks` are by machine, each with the worst verdict after it. Returns the machines; the others need `apply`, as do
    those that a look may return to service.
    """
    shown = {
        machine_id: Shown(held.health, *_shown(observation, worst, held.health), open_faults_of(held.faults))
        for machine_id, (observation, worst) in looks.items()
        if (held := stored[machine_id]).health.state not in MAY_RETURN and not _goes_deeper(observation, held)
    }
    changes.show(list(shown.values()), actor=actor)
    return set(shown)


def new_events(observation: Observation, held: Stored) -> list[Any]:
    """Events that something has to come of: unread ones, where nobody silenced or only observes the check."""
    return [
        finding
        for finding in observation.findings
        if is_event(finding) and not _is_muted(observation, finding) and is_fresh(finding, observation, held)
    ]


def is_fresh(finding: Any, observation: Observation, held: Stored) -> bool:
    """Whether an event was not read yet, or happened while its check was silenced or only observed."""
    if is_new(held.cursor, observation.boot_id, finding):
        return True
    return key_of(finding) in muted_events(held.before.rows.get((finding.check, finding.part)))


def _is_muted(observation: Observation, finding: Any) -> bool:
    return observation.policy.mutes(finding.check, finding.part)


def _decide(
    observation: Observation,
    views: list[FaultView],
    held: Stored,
    state: str,
    nervous: frozenset[tuple[str, str]] = frozenset(),
) -> list[FaultView]:
    """`nervous` are (check, slot) that come and go: that they pass now clears nothing."""
    new = {id(f) for f in new_events(observation, held)}
    levels = (f for f in observation.findings if not is_event(f) and not _is_muted(observation, f))
    seen = sightings([*levels, *(f for f in observation.findings if id(f) in new)])
    passing = _passing(observation.findings) - nervous
    situation = Situation(state, observation.at, settings.CONFIRM_DELAY_S, observation.slots)
    return decide(views, seen, passing, situation, observation.policy.mutes)


def _passing(findings: Sequence[Any]) -> set[tuple[str, str]]:
    """(check, part) that this report shows to be good: every finding of it is neither fail nor unknown."""
    bad = {(f.check, f.part) for f in findings if str(f.verdict) in ("fail", "unknown")}
    return {(f.check, f.part) for f in findings} - bad


def views_of(faults: Sequence[Fault]) -> list[FaultView]:
    """Stored faults as values, leaders linked."""
    views = {
        fault.pk: FaultView(
            pk=fault.pk,
            slot=fault.slot,
            fault_class=fault.fault_class,
            precedence=fault.precedence,
            kind=fault.kind,
            status=fault.status,
            opened_at=fault.opened_at,
            confirm_due_at=fault.confirm_due_at,
            message=fault.message,
            action=fault.action,
            start_rung=fault.start_rung,
            response=fault.response,
            announced=fault.announced_at is not None,
            checks=set(fault.checks),
            signatures=set(fault.signatures),
        )
        for fault in sorted(faults, key=lambda f: f.pk)
    }
    for fault in faults:
        if fault.led_by_id in views:
            views[fault.pk].leader = views[fault.led_by_id]
    return list(views.values())


def apply(observation: Observation, worst: str, *, actor: str) -> None:
    """Carry one look into the machine's row, faults, holds and state, in one short transaction."""

    with changing(observation.machine_id, actor=actor) as change:
        held = load([observation.machine_id])[observation.machine_id]
        if held.checked_at is not None and held.checked_at > observation.at:
            return  # a newer look came between and carries everything this one saw
        health = change.health
        health.worst, health.reachability, health.power = _shown(observation, worst, health)
        fresh = new_events(observation, held)
        enter(change, observation, held)
        if fresh and health.state not in EVENTS_WAIT:
            _advance_cursor(observation, held)
        change.return_if_verified()
        change.return_if_uncordoned()


def enter(change: Change, observation: Observation, held: Stored) -> None:
    """Open, confirm, announce and clear the faults of a locked machine by these findings."""
    state = change.health.state
    views = _decide(observation, views_of(held.faults), held, state)
    if nervous := _nervous(change, views, observation.at):
        views = _decide(observation, views_of(held.faults), held, state, nervous)
    stored: dict[int | None, Fault] = {fault.pk: fault for fault in held.faults}
    for view in _leaders_first(views):
        if view.changed:
            _store(change, view, stored, observation.at)
    for view in views:
        if view.changed:
            _tell(change, view)
    if any(view.announce or view.confirmed_now for view in views):
        hooks.drains().follow_faults(change)
    elif any(view.cleared_now for view in views):
        fault_responses.refresh(change)
    if any(view.cleared_now and view.announced for view in views):
        change.later("notice.changed", f"site:{change.site_id}", {"notices": notices_of(change.site_id)})


def _nervous(change: Change, views: list[FaultView], at: datetime) -> frozenset[tuple[str, str]]:
    """The checks of faults about to be cleared that came and went too often within a day. A query only if there are."""
    ending = [view for view in views if view.cleared_now and view.cleared_why == PASSED_AGAIN]
    if not ending:
        return frozenset()
    earlier = list(
        Fault.objects.filter(
            machine_id=change.machine_id, slot__in={view.slot for view in ending}, cleared_by=PASSED_AGAIN,
            cleared_at__gt=at - damping.DAY,
        ).order_by("opened_at").values_list("slot", "checks", "opened_at", "cleared_at")
    )  # fmt: skip
    found: set[tuple[str, str]] = set()
    limits = limits_of(automation_of(change.site_id))
    for view in ending:
        for check in view.checks:
            spans = [(begun, over) for slot, checks, begun, over in earlier if slot == view.slot and check in checks]
            verdicts = [each for begun, over in spans if over for each in ((begun, "fail"), (over, "ok"))]
            if damping.flapping([*verdicts, (view.opened_at, "fail"), (at, "ok")], at, limits):
                found.add((check, view.slot))
    return frozenset(found)


def _leaders_first(views: list[FaultView]) -> list[FaultView]:
    return sorted(views, key=lambda view: view.leader is not None)


def _advance_cursor(observation: Observation, held: Stored) -> None:
    cursor = advance(held.cursor, observation.boot_id, observation.findings)
    EventCursor.objects.update_or_create(
        machine_id=observation.machine_id,
        defaults={
            "boot_id": cursor.boot_id,
            "at_us": cursor.at_us,
            "recent_keys": list(cursor.recent),
            "bmc_at_us": cursor.bmc_at_us,
        },
    )


def _store(change: Change, view: FaultView, stored: dict[int | None, Fault], at: datetime) -> None:
    """One fault row, with its new evidence. A leader is stored before those it leads."""
    fault = stored.get(view.pk) or Fault(machine_id=change.machine_id, opened_at=view.opened_at, seen_at=at)
    fault.slot, fault.fault_class, fault.precedence = view.slot, view.fault_class, view.precedence
    fault.kind, fault.status, fault.confirm_due_at = view.kind, view.status, view.confirm_due_at
    fault.message, fault.action = view.message, view.action
    fault.checks, fault.signatures = sorted(view.checks), sorted(view.signatures)
    fault.led_by_id = view.leader.pk if view.leader else None
    if view.new_evidence:
        fault.seen_at = at
    fault.start_rung = view.start_rung
    if view.confirmed_now:
        fault.confirmed_at = at
    if view.announce:
        fault.announced_at = at
    if view.cleared_now:
        mark_cleared(fault, view.cleared_why)
    fault.save()
    view.pk = fault.pk
    stored[fault.pk] = fault
    FaultEvidence.objects.bulk_create([_evidence(fault, sighting, at) for sighting in view.new_evidence])
    if view.cleared_now:
        lift_fault_hold(fault, reason=fault.cleared_by, actor=change.actor)


def mark_cleared(fault: Fault, why: str) -> None:
    fault.status, fault.cleared_at, fault.cleared_by = Fault.Status.CLEARED, timezone.now(), why[:300]


def lift_fault_hold(fault: Fault, *, reason: str, actor: str) -> None:
    Hold.objects.filter(machine_id=fault.machine_id, owner=fault.hold_owner, lifted_at=None).update(
        lifted_at=timezone.now(), lifted_by=actor, lift_reason=reason[:300]
    )


def _evidence(fault: Fault, sighting: Sighting, at: datetime) -> FaultEvidence:
    finding = sighting.evidence
    return FaultEvidence(
        fault=fault,
        at=at,
        check_id=finding.check,
        part=finding.part,
        verdict=str(finding.verdict),
        message=finding.message,
        command=finding.command or "",
        exit_status=finding.exit_status,
        excerpt=finding.excerpt or "",
        observed=dict(finding.observed or {}),
    )


def _tell(change: Change, view: FaultView) -> None:
    """Announce a leader, more evidence for an announced one, or its end."""
    if view.announce:
        kind, about = "fault.confirmed", view
    elif view.cleared_now and view.announced:
        kind, about = "fault.cleared", view
    elif view.new_evidence and view.leader is not None and view.leader.announced and not view.leader.announce:
        kind, about = "fault.seen_again", view.leader
    elif view.new_evidence and view.announced:
        kind, about = "fault.seen_again", view
    else:
        return
    change.later(kind, f"fault:{about.pk}", event_data(about.pk, change.machine_id, about.slot, about.fault_class))
