"""Which machines belong to the open incident of many that fail alike."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from health.machines.limits import Limits
from health.machines.services.changes import Change
from health.machines.services.limits import automation_of, limits_of
from health.monitoring.models.faults import Fault
from health.remediation.causes import FOLLOWS, SITE, is_about
from health.remediation.models import CauseKind, Incident, IncidentMachine
from health.remediation.services.causes import alike
from health.remediation.services.causes.places import ALL_KINDS, causes_of, rollouts
from health.remediation.types import Cause


def open_incidents(site_id: int) -> Any:
    return Incident.objects.filter(site_id=site_id, kind=Incident.Kind.SHARED, closed_at=None).exclude(fault_class="")


def rollouts_since(now: datetime, limits: Limits) -> datetime:
    return now - timedelta(seconds=limits.rollout_s)


def add_members(incident: Incident, machines: Iterable[int]) -> None:
    """Make machines members of an incident; one that had recovered is affected again."""
    ids = sorted(machines)
    IncidentMachine.objects.bulk_create(
        [IncidentMachine(incident=incident, machine_id=pk, joined_at=timezone.now()) for pk in ids],
        ignore_conflicts=True,
    )
    again = incident.members.filter(machine_id__in=ids).exclude(recovered_at=None)
    again.update(recovered_at=None, joined_at=timezone.now())


def join_open(change: Change, faults: Sequence[Fault]) -> list[Fault]:
    """Bring faults of a locked machine into the open incident of what fails like them; returns those of none.

    One query while there is no such incident.
    """
    if not faults:
        return []
    now = timezone.now()
    classes = {fault.fault_class for fault in faults}
    classes |= {cause for cause, follow in FOLLOWS.items() if classes & follow}
    known = list(open_incidents(change.site_id).filter(fault_class__in=classes).order_by("pk"))
    if not known:
        return list(faults)
    behind = _behind(change, known, now)
    members = set(
        IncidentMachine.objects.filter(machine_id=change.machine_id, incident__in=known).values_list(
            "incident_id", flat=True
        )
    )
    left = []
    for fault in faults:
        about = [each for each in known if is_about(alike.of_incident(each), alike.of_fault(fault))]
        fitting = [
            each for each in about
            if each.pk in members or change.machine_id in each.behind or _covers(each, behind, now)
        ]  # fmt: skip
        if not fitting:
            left.append(fault)
            continue
        add_members(fitting[0], [change.machine_id])
        Fault.objects.filter(pk=fault.pk).update(incident=fitting[0])
    return left


def _behind(change: Change, known: Iterable[Incident], now: datetime) -> set[Cause]:
    """What a machine hangs on, and the new versions that came to it where one is the cause of such an incident."""
    found = set(causes_of([change.machine_id], ALL_KINDS).get(change.machine_id, ()))
    if any(incident.cause_kind == CauseKind.ROLLOUT for incident in known):
        since = rollouts_since(now, limits_of(automation_of(change.site_id)))
        found |= rollouts(change.site_id, since, machine_id=change.machine_id).keys()
    return found


def _covers(incident: Incident, behind: Container[Cause], now: datetime) -> bool:
    """Whether a machine behind these belongs to it: while it is suspected, one behind its cause, or any of the site."""
    if not is_suspected(incident, now):
        return False
    return incident.cause_kind == SITE or Cause(incident.cause_kind, incident.cause) in behind


def is_suspected(incident: Incident, now: datetime) -> bool:
    return incident.suspect_until is not None and incident.suspect_until > now
