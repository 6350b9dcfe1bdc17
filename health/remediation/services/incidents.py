"""Incidents: what opens and closes one, and when a person is called. Those of many machines: `mass`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from health.machines.calls import AUTOMATION
from health.machines.hooks import notices_of
from health.machines.models.machines import MachineHealth
from health.machines.services.changes import Change, changing
from health.monitoring.faults import event_data
from health.monitoring.models.faults import Fault
from health.monitoring.queries.part_lines import line_of
from health.remediation.causes import FOLLOWS
from health.remediation.models import CauseKind, Incident, RemediationAction
from health.remediation.services.causes.mass_members import join_open
from health.remediation.services.views import concerns_automation, leading_faults
from health.remediation.types import Refusal
from live.events import emit

REASON = 300
ASK_AGAIN = timedelta(seconds=30)
"""How long a refused drain rests before it is asked for again."""


def tell(incident: Incident, kind: str, actor: str) -> None:
    """Emit `incident.opened`, `.changed`, `.still_failing` or `.closed`.

    Inside a transaction, with what it is about locked.
    """
    data: dict[str, Any] = {"incident": incident.pk, "kind": incident.kind, "machine": incident.machine_id}
    emit(kind, site_id=incident.site_id, subject=f"incident:{incident.pk}", data=data, actor=actor)
    if incident.kind == Incident.Kind.SHARED:
        data = {"notices": notices_of(incident.site_id)}
        emit("notice.changed", site_id=incident.site_id, subject=f"site:{incident.site_id}", data=data)


def call_person(change: Change, incident: Incident, reason: str) -> None:
    """Automation leaves this incident to people: tickets that waited open now. Safe to call again."""
    if incident.needs_person_at is not None:
        return
    incident.needs_person_at, incident.needs_person_reason = timezone.now(), reason[:REASON]
    incident.automation_first = False
    incident.save(update_fields=["needs_person_at", "needs_person_reason", "automation_first"])
    say_person_is_needed(change, incident, leading_faults(machine_id=change.machine_id, incident=incident))


def say_person_is_needed(change: Change, incident: Incident, faults: Iterable[Fault]) -> None:
    for fault in faults:
        data = {"fault": fault.pk, "incident": incident.pk, "reason": incident.needs_person_reason}
        change.later("remediation.needs_person", f"fault:{fault.pk}", data)


def refused(incident_id: int, refusal: Refusal, now: datetime) -> None:
    """Keep what said no last; written only when it is another guard, or the machine was due to be asked again."""
    rows = Incident.objects.filter(pk=incident_id)
    known = rows.values_list("refused_by", "refused_at").first()
    if known is None:
        return
    by, at = known
    if by != refusal.guard or at is None or now - at >= ASK_AGAIN:
        rows.update(refused_by=str(refusal.guard), refused_at=now)


def close(incident: Incident, *, by: str, reason: str) -> None:
    """End an incident whose subject the caller has locked."""
    incident.closed_at, incident.closed_by, incident.close_reason = timezone.now(), by, reason[:REASON]
    incident.save(update_fields=["closed_at", "closed_by", "close_reason"])
    tell(incident, "incident.closed", by)


def close_if_over(incident_id: int, *, by: str, reason: str = "nothing is wrong any more") -> bool:
    """Close an incident none of whose faults is open any more, or that never had one; returns whether it was."""
    incident = Incident.objects.select_for_update().filter(pk=incident_id, closed_at=None).first()
    if incident is None or incident.kind == Incident.Kind.SHARED:
        return False  # the machines of a shared one are followed by `mass.settle`
    if incident.faults.exclude(status=Fault.Status.CLEARED).exists():
        return False
    close(incident, by=by or AUTOMATION, reason=reason)
    return True


@transaction.atomic
def close_by_person(incident_id: int, *, by: str, reason: str) -> Incident:
    """A person ends an incident. Faults of a shared one that still stand become incidents of their machines, and get
    their own tickets."""
    standing = Fault.objects.filter(incident_id=incident_id).exclude(status=Fault.Status.CLEARED)
    ids = set(standing.values_list("machine_id", flat=True))
    incident = Incident.objects.get(pk=incident_id)
    if incident.machine_id is not None:
        ids.add(incident.machine_id)
    list(MachineHealth.objects.select_for_update(of=("self",)).filter(pk__in=ids).order_by("pk"))
    incident = Incident.objects.select_for_update().get(pk=incident_id)
    if incident.closed_at is not None:
        return incident
    if incident.machine_id is not None and incident.automation_first:
        with changing(incident.machine_id, actor=by) as change:
            call_person(change, incident, f"{by} ended the incident: {reason}")
    close(incident, by=by, reason=reason)
    for machine_id in sorted(ids):
        with changing(machine_id, actor=by) as change:
            stand_alone(change, incident)
    return incident


def overridden(machine_id: int, *, by: str, reason: str) -> None:
    """A person put the machine back in service against its incident, which is over with that.

    The same checks may not drain the machine again for a while; one that the person had not seen failing may.
    """
    incident = (
        Incident.objects.select_for_update()
        .filter(machine_id=machine_id, kind=Incident.Kind.MACHINE, closed_at=None)
        .first()
    )
    if incident is None:
        return
    incident.overridden_at = timezone.now()
    incident.save(update_fields=["overridden_at"])
    close(incident, by=by, reason=f"put back in service: {reason}")


# ---- what an active run found ----


def open_for_switch(site_id: int, switch: str, *, title: str, reason: str) -> Incident:
    """An incident of a switch over which tests fail. No machine is at fault, and people are called."""
    with transaction.atomic():
        incident, created = Incident.objects.get_or_create(
            site_id=site_id,
            kind=Incident.Kind.SHARED,
            cause_kind=CauseKind.SWITCH,
            cause=switch[:120],
            fault_class="",
            code="",
            closed_at=None,
            defaults={
                "title": title[:200],
                "text": reason,
                "opened_at": timezone.now(),
                "needs_person_at": timezone.now(),
                "needs_person_reason": reason[:REASON],
            },
        )
        if created:
            tell(incident, "incident.opened", AUTOMATION)
    return incident


def tried(incident_ids: Iterable[int]) -> dict[int, list[dict[str, Any]]]:
    """What automation did for incidents, oldest first: {at, remedy, state, verified, text}."""
    found: dict[int, list[dict[str, Any]]] = {}
    rows = RemediationAction.objects.filter(incident_id__in=list(incident_ids), sent_at__isnull=False).order_by("pk")
    for row in rows:
        found.setdefault(row.incident_id, []).append(
            {"at": row.sent_at, "remedy": row.remedy, "state": row.state, "verified": row.verified, "text": row.result}
        )
    return found


def attach(change: Change) -> Incident | None:
    """The open incident of a locked machine with its leading faults attached, opened when there is none.

    None while nothing confirmed stands, or while all of it is part of an incident with a shared cause. A fault that
    leaves the machine in service is part of none, unless a service can be restarted for it there: the incident would be
    a person's for as long as that small thing waits, and automation of no use when something large breaks.
    """

    faults = [f for f in leading_faults(machine_id=change.machine_id) if f.incident is None or f.incident.closed_at]
    alone = join_open(change, faults)
    _tell_measured(change, [f.pk for f in faults if f not in alone])
    faults = [f for f in alone if concerns_automation(f)]
    mine = Incident.objects.filter(machine_id=change.machine_id, kind=Incident.Kind.MACHINE, closed_at=None).first()
    if not faults:
        return mine
    what = "incident.opened" if mine is None else "incident.changed"
    if mine is None:
        first = min(faults, key=lambda fault: (fault.precedence, fault.pk))
        mine = _open(change, line_of(first))
    Fault.objects.filter(pk__in=[fault.pk for fault in faults]).update(incident=mine)
    tell(mine, what, change.actor)
    return mine


def _tell_measured(change: Change, joined: list[int]) -> None:
    """The title of a mass failure counts its machines, and a round tells when it changed; that of a measured cause
    stays, and its ticket has to know whom else it hit."""
    if joined:
        into = Fault.objects.filter(pk__in=joined).values("incident_id")
        for incident in Incident.objects.select_for_update().filter(pk__in=into, fault_class__in=FOLLOWS):
            tell(incident, "incident.changed", change.actor)


def _open(change: Change, about: str) -> Incident:
    return Incident.objects.create(
        site_id=change.site_id,
        kind=Incident.Kind.MACHINE,
        machine_id=change.machine_id,
        title=f"{change.name}: {about}"[:200],
        opened_at=timezone.now(),
    )


def for_a_person(change: Change, about: str) -> Incident:
    """The incident that an action by hand belongs to: the open one of the locked machine, or one of its own.

    One without faults is over with its action.
    """
    incident = attach(change)
    if incident is None:
        incident = _open(change, about)
        tell(incident, "incident.opened", change.actor)
    return incident


def stand_alone(change: Change, incident: Incident) -> None:
    """What an ended incident leaves of a locked machine's faults."""
    mine = Fault.objects.filter(incident=incident, machine_id=change.machine_id)
    faults = list(mine.filter(led_by=None).exclude(status=Fault.Status.CLEARED))
    mine.update(incident=None)
    if incident.kind == Incident.Kind.MACHINE:
        return
    attach(change)
    for fault in faults:
        data = event_data(fault.pk, change.machine_id, fault.slot, fault.fault_class)
        change.later("fault.seen_again", f"fault:{fault.pk}", data)
