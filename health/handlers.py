"""What this room does when another one has news."""

from __future__ import annotations

from contextlib import suppress

from health.services import golden
from health.services.membership import sync_machines
from live.events import on
from live.models import Event


@on("inventory.reloaded")
def machines_may_have_changed(event: Event) -> None:
    sync_machines(actor=event.actor or "inventory")


@on("fault.confirmed")
def golden_machine_has_a_fault(event: Event) -> None:
    """A fault takes a machine out of the golden set."""
    with suppress(golden.NotPossible):
        what = f"{event.data['fault_class']} of {event.data['slot']}"
        golden.demote(event.data["machine"], reason=f"fault {event.data['fault']}: {what}", actor="automation")
