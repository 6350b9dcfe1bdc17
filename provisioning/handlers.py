"""What this room hears from the rooms below."""

from __future__ import annotations

from django.db import transaction

from live.events import on
from live.models import Event
from provisioning.services import queue

OWNER_PREFIX = "run_machine:"


@on("verification.finished")
def look_at_the_machine(event: Event) -> None:
    """A verification that a run asked for has ended: look now instead of at the next look.

    Only after the commit, and without a lock here: the machine's health row is locked now, which this room locks last.
    """
    owner = str(event.data.get("owner", ""))
    if owner.startswith(OWNER_PREFIX):
        run_machine_id = int(owner.removeprefix(OWNER_PREFIX))
        transaction.on_commit(lambda: queue.enqueue_look(early=(run_machine_id,)), robust=True)
