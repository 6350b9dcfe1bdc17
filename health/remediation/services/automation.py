"""What people set for automation, and its own round: common causes, the breaker, the next steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.instance import state as instance
from core.models import Site
from core.work.alone import alone
from health.checks import catalogue
from health.machines import limits
from health.machines.calls import AUTOMATION
from health.machines.lifecycle import State
from health.machines.models.automation import SiteAutomation
from health.machines.models.machines import MachineHealth
from health.machines.services.changes import changing
from health.machines.services.limits import automation_of, limits_of
from health.machines.sla import LIMITS_S, stuck_since
from health.monitoring.services.verifications import request_verification
from health.remediation import breaker
from health.remediation.models import OPEN_ACTIONS, AllowedWindow, Incident, RemediationAction, RemedySwitch
from health.remediation.remedies import BY_NAME
from health.remediation.services import incidents, plans, steps, views
from health.remediation.services.causes import mass
from live.events import emit


class Unknown(ValueError):
    """No such check or remedy; the message names it."""


# ---- the kill switch ----


def _changed(row: SiteAutomation, actor: str) -> None:
    data = {"site": row.site_id, "killed": row.killed, "breaker": row.breaker_open_at is not None}
    emit("automation.changed", site_id=row.site_id, subject=f"automation:{row.site_id}", data=data, actor=actor)


@transaction.atomic
def kill(site_id: int, *, reason: str, actor: str) -> SiteAutomation:
    """Stop automation at a site: nothing is granted or sent from here on. What was sent before is followed
    to its end, but nothing more is sent for it either, as the second half of a power cycle.

    People are called for every incident whose ticket waited for automation.
    """
    row = automation_of(site_id, lock=True)
    if not row.killed:
        row.killed, row.killed_by, row.killed_reason, row.killed_at = True, actor, reason[:300], timezone.now()
        row.save()
        _changed(row, actor)
        transaction.on_commit(lambda: call_for_all(site_id, f"{actor} stopped automation: {reason}"))
    return row


@transaction.atomic
def release(site_id: int, *, reason: str, actor: str) -> SiteAutomation:
    """Let automation go on."""
    row = automation_of(site_id, lock=True)
    if row.killed:
        row.killed, row.killed_by, row.killed_reason, row.killed_at = False, actor, reason[:300], timezone.now()
        row.save()
        _changed(row, actor)
    return row


def call_for_all(site_id: int, reason: str) -> int:
    """Call people for every machine whose ticket waited for automation; returns for how many."""
    waiting = Incident.objects.filter(
        site_id=site_id, closed_at=None, automation_first=True, needs_person_at=None, kind=Incident.Kind.MACHINE
    )
    count = 0
    for pk, machine_id in list(waiting.values_list("pk", "machine_id")):
        assert machine_id is not None
        with alone("person_not_called", machine=machine_id), changing(machine_id, actor=AUTOMATION) as change:
            incident = Incident.objects.select_for_update().get(pk=pk)
            if incident.closed_at is None and incident.needs_person_at is None:
                incidents.call_person(change, incident, reason)
                count += 1
    return count


# ---- the breaker ----


def _breaker_changed(row: SiteAutomation, actor: str) -> None:
    data = {"site": row.site_id, "open": row.breaker_open_at is not None, "reason": row.breaker_reason}
    emit("breaker.changed", site_id=row.site_id, subject=f"automation:{row.site_id}", data=data, actor=actor)


def trip(site_id: int) -> str:
    """Open the breaker when its counts say so; returns why, empty when it stays as it is."""
    with transaction.atomic():
        row = automation_of(site_id, lock=True)
        if row.breaker_open_at is not None:
            return ""
        try:
            reason = breaker.open_reason(views.site_view(row, timezone.now()), limits_of(row))
        except ValueError as error:
            reason = str(error)
        if not reason:
            return ""
        row.breaker_open_at, row.breaker_reason = timezone.now(), reason[:300]
        row.save()
        _breaker_changed(row, AUTOMATION)
    call_for_all(site_id, f"the circuit breaker opened: {reason}")
    return reason


@transaction.atomic
def close_breaker(site_id: int, *, reason: str, actor: str) -> SiteAutomation:
    """Only a person closes it; its counts begin anew."""
    row = automation_of(site_id, lock=True)
    if row.breaker_open_at is not None:
        row.breaker_open_at, row.breaker_reason = None, ""
        row.breaker_closed_at, row.breaker_closed_by = timezone.now(), actor
        row.breaker_close_reason = reason[:300]
        row.save()
        _breaker_changed(row, actor)
    return row


# ---- limits, switches, windows ----


@transaction.atomic
def set_limits(site_id: int, wanted: Mapping[str, float], *, actor: str) -> SiteAutomation:
    """Change limits by name. Raises LimitsRefused, and changes nothing, for a name or value that cannot be."""
    values = limits.checked(wanted)
    row = automation_of(site_id, lock=True)
    for name, value in values.items():
        setattr(row, name, value)
    row.save()
    _changed(row, actor)
    return row


@transaction.atomic
def set_switch(check: str, remedy: str, *, site_id: int | None, mode: str, reason: str, actor: str) -> RemedySwitch:
    """Turn a remedy on for a check, or back to a dry run. Raises Unknown."""
    if remedy not in BY_NAME:
        raise Unknown(f"no remedy is called {remedy}")
    if check not in {each.id for each in catalogue()}:
        raise Unknown(f"no check is called {check}")
    switch, _ = RemedySwitch.objects.update_or_create(
        check_id=check,
        remedy=remedy,
        site=Site.objects.get(pk=site_id) if site_id is not None else None,
        defaults={"mode": mode, "by": actor, "reason": reason[:300], "at": timezone.now()},
    )
    _switched(site_id, actor)
    return switch


def _switched(site_id: int | None, actor: str) -> None:
    emit(
        "automation.changed",
        site_id=site_id,
        subject=f"automation:{site_id or 'all'}",
        data={"site": site_id},
        actor=actor,
    )


@transaction.atomic
def remove_switch(switch_id: int, *, actor: str) -> None:
    """Take a switch away: what it was about is a dry run again, or as every site has it."""
    switch = RemedySwitch.objects.select_for_update().get(pk=switch_id)
    site_id = switch.site_id
    switch.delete()
    _switched(site_id, actor)


@transaction.atomic
def save_window(values: Mapping[str, Any], *, actor: str, window: AllowedWindow | None = None) -> AllowedWindow:
    """Write an allowed window, a new one without `window`."""
    window = window or AllowedWindow()
    for name, value in values.items():
        setattr(window, name, value)
    window.by = actor
    window.save()
    _switched(window.site_id, actor)
    return window


@transaction.atomic
def remove_window(window: AllowedWindow, *, actor: str) -> None:
    site_id = window.site_id
    window.delete()
    _switched(site_id, actor)


# ---- the round ----


def round_of_all() -> int:
    """One round over every site with machines; one that fails does not keep the others. Safe to run twice."""
    decided = 0
    for site_id in Site.objects.filter(pools__isnull=False).distinct().order_by("pk").values_list("pk", flat=True):
        with alone("remediation_round_failed", site=site_id):
            decided += round_of(site_id)
    return decided


def round_of(site_id: int) -> int:
    """What many machines share first, then the breaker, then what the plan allows.

    A paused instance only looks: what is wrong with its machines is told there as anywhere. When it cannot be looked
    for what they share, nothing is done.
    """
    acts = not instance.is_paused()
    if acts:
        give_back(site_id)
    mass.look(site_id)
    if not acts or not Incident.objects.filter(site_id=site_id, closed_at=None).exists():
        return 0
    trip(site_id)
    return steps.plan_site(site_id)


def give_back(site_id: int) -> int:
    """Let go of machines that are `remediating` while automation has nothing more to do there; returns how many.

    People were called, or nothing is wrong any more, while an action was under way. Nobody else can take such a machine
    up: it goes to triage, and one with nothing wrong is verified.
    """
    idle = MachineHealth.objects.filter(machine__device__site_id=site_id, state=State.REMEDIATING.value).exclude(
        machine__remediation_actions__state__in=OPEN_ACTIONS
    )
    count = 0
    for machine_id in list(idle.order_by("pk").values_list("pk", flat=True)):
        with alone("machine_not_given_back", machine=machine_id):
            count += _give_back(machine_id)
    return count


def _give_back(machine_id: int) -> bool:
    with changing(machine_id, actor=AUTOMATION) as change:
        open_action = RemediationAction.objects.filter(machine_id=machine_id, state__in=OPEN_ACTIONS).exists()
        if change.health.state != State.REMEDIATING or open_action:
            return False
        machine = views.machine_views([machine_id], timezone.now())[machine_id]
        incident = machine.incident
        known = incident is None or any(each.incident == incident.id for each in machine.records or ())
        if incident is not None and known and not (incident.asked or incident.shared):
            return False
        if incident is not None:
            why = "people were called meanwhile" if known else "no record says what was done to it"
            plans.give_up(change, Incident.objects.select_for_update().get(pk=incident.id), why)
    if incident is None:
        request_verification(machine_id, fault_ids=[], owner=AUTOMATION, actor=AUTOMATION)
    return True


# ---- machines that are stuck ----


def mark_stuck() -> int:
    """Tell once of every machine that is longer in its state than that should take; returns how many are new."""
    now, found = timezone.now(), 0
    rows = MachineHealth.objects.filter(stuck=False, state__in=[state.value for state in LIMITS_S])
    for health in rows.only("machine_id", "state", "state_since", "maintenance_until").order_by("pk"):
        if stuck_since(health.state, health.state_since, now, until=health.maintenance_until) is None:
            continue
        about = {"machine": health.machine_id}
        with alone("stuck_not_told", **about), changing(health.machine_id, actor=AUTOMATION) as change:
            own = change.health
            since = stuck_since(own.state, own.state_since, now, until=own.maintenance_until)
            if since is None or own.stuck:
                continue
            own.stuck = True
            data = {"machine": own.machine_id, "state": own.state, "since": own.state_since.isoformat()}
            change.later("machine.stuck", f"machine:{own.machine_id}", data)
            found += 1
    return found
