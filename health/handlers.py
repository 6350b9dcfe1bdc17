"""What this room does when another one has news."""

from __future__ import annotations

from contextlib import suppress

from health.insights import services
from health.machines.services.membership import sync_machines
from health.monitoring.models.faults import Fault
from health.remediation.services import actions, incidents
from live.events import on
from live.models import Event


@on("fault.cleared")
def incident_may_be_over(event: Event) -> None:
    fault = Fault.objects.filter(pk=int(event.data["fault"])).only("incident_id").first()
    if fault is not None and fault.incident_id is not None:
        incidents.close_if_over(fault.incident_id, by=event.actor)


@on("scheduler.resumed_by_other")
def drain_was_taken_back(event: Event) -> None:
    incidents.overridden(int(event.data["machine"]), by=event.actor, reason=str(event.data.get("reason", "")))


@on("verification.finished")
def action_was_verified(event: Event) -> None:
    actions.verification_finished(int(event.data["verification"]))


@on("inventory.reloaded")
def machines_may_have_changed(event: Event) -> None:
    sync_machines(actor=event.actor or "inventory")


@on("fault.confirmed")
def golden_machine_has_a_fault(event: Event) -> None:
    """A fault takes a machine out of the golden set."""
    with suppress(services.NotPossible):
        what = f"{event.data['fault_class']} of {event.data['slot']}"
        services.demote(event.data["machine"], reason=f"fault {event.data['fault']}: {what}", actor="automation")
