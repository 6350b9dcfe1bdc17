"""What the fabric does when something happened in it. Handlers do no I/O."""

from __future__ import annotations

from core.work.queue import after_commit
from live.events import on
from live.models import Event


@on("discovery.finished")
def take_counters(event: Event) -> None:
    """A finished look brought counters too: a worker judges the links by them."""
    if event.data.get("status") == "done":
        after_commit("fabric.quality.tasks.record_counters", event.data["discovery"])
