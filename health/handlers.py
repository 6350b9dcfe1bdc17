"""What this room does when another one has news."""

from __future__ import annotations

from health.services.membership import sync_machines
from live.events import on
from live.models import Event


@on("inventory.reloaded")
def machines_may_have_changed(event: Event) -> None:
    sync_machines(actor=event.actor or "inventory")
