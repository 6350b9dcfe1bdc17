"""What the rooms above ask of automation about a fault."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.utils import timezone

from health.machines.services.limits import automation_of
from health.monitoring.models.faults import Fault
from health.remediation import planner
from health.remediation.models import Incident
from health.remediation.remedies import BY_NAME
from health.remediation.services import incidents, plans, views
from health.remediation.types import Proposal, Step


def automation_is_first(fault_id: int) -> bool:
    """Whether a remedy that is on is tried before people are called for this fault."""
    return Fault.objects.filter(
        pk=fault_id,
        incident__closed_at=None,
        incident__automation_first=True,
        incident__needs_person_at=None,
    ).exists()


def waits_for_a_cause(fault_id: int) -> bool:
    """Whether others fail alike or its feed may be dead, and a round soon says whether this fault is part of that."""
    waits = Q(incident__closed_at=None, incident__cause_due=True) | Q(cause_due=True)
    return Fault.objects.filter(waits, pk=fault_id).exists()


def shared_incident_of(fault_id: int) -> int | None:
    """The open incident of several machines that a fault is part of: its ticket is the ticket of all."""
    rows = Fault.objects.filter(pk=fault_id, incident__kind=Incident.Kind.SHARED, incident__closed_at=None)
    return rows.values_list("incident_id", flat=True).first()


def automation_in_words(fault_id: int) -> str:
    """What automation would have done about a fault, if its remedy were not a dry run; empty when nothing."""
    fault = Fault.objects.select_related("machine__device").get(pk=fault_id)
    now = timezone.now()
    machine = views.machine_views([fault.machine_id], now).get(fault.machine_id)
    if machine is None or machine.incident is None or machine.incident.asked:
        return ""
    rules = views.rules_of(automation_of(fault.machine.device.site_id))
    proposal = planner.plan(machine, rules, now)
    if not isinstance(proposal, Proposal) or proposal.step is not Step.REMEDY:
        return ""
    return plans.in_words(machine, rules, now)


def tried_for(fault_id: int) -> list[dict[str, Any]]:
    """What automation did about the incident of a fault, oldest first: {at, title, text}."""
    incident_id = Fault.objects.values_list("incident_id", flat=True).get(pk=fault_id)
    if incident_id is None:
        return []
    rows = incidents.tried([incident_id]).get(incident_id, [])
    return [{"at": row["at"], "title": BY_NAME[row["remedy"]].title, "text": row["text"]} for row in rows]
