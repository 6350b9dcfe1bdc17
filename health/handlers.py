"""What this room does when another one has news."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from health.insights import services
from health.machines.services.membership import follow_retired, sync_machines
from health.monitoring.models.faults import Fault
from health.remediation.services import actions, incidents
from inventory.kinds import KINDS
from inventory.models import Device
from live.events import on
from live.models import Event

OF_A_POOL = {"site", "model", "role", "status"}
"""Fields of a device that decide whether it is a machine in service, and in which pool."""


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
    """Most writes leave health rows and pools as they are; then only machines that wait to be retired are looked at."""
    actor = event.actor or "inventory"
    if may_change_membership(event.data):
        sync_machines(actor=actor)
    else:
        follow_retired(actor)


def may_change_membership(data: dict[str, Any]) -> bool:
    """Whether a write that was announced so may have made a machine, or changed the pool of one. Pure."""
    kind = KINDS.get(data.get("scope", {}).get("kind", ""))
    if kind is None:  # a whole fleet file, or an undo
        return True
    if kind.model is not Device:
        return False
    changed = set(data.get("fields", OF_A_POOL))
    return bool(data.get("created_machines") or data.get("retired_devices") or changed & OF_A_POOL)


@on("fault.confirmed")
def golden_machine_has_a_fault(event: Event) -> None:
    """A fault takes a machine out of the golden set."""
    with suppress(services.NotPossible):
        what = f"{event.data['fault_class']} of {event.data['slot']}"
        services.demote(event.data["machine"], reason=f"fault {event.data['fault']}: {what}", actor="automation")
