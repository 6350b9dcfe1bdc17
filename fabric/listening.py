"""What the fabric does when something happened in it. Handlers do no I/O."""

from __future__ import annotations

from django.db import transaction

from live.events import on
from live.models import Event


@on("discovery.finished")
def take_counters(event: Event) -> None:
    """A finished look brought counters too: a worker judges the links by them."""
    from fabric.tasks import record_counters

    if event.data.get("status") == "done":
        transaction.on_commit(lambda: record_counters.delay(event.data["discovery"]))
