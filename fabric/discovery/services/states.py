"""How a discovery ends, and what its source is worth after it: written, and told as events."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from fabric.discovery.models.sources import Discovery, FabricSource
from fabric.facts import Problem
from live.events import emit


def finish(
    source: FabricSource, discovery: Discovery, status: Discovery.Status, state: FabricSource.State, message: str
) -> None:
    """End a discovery and say what its source is worth now."""
    discovery.status, discovery.finished_at = status, timezone.now()
    discovery.progress = {"done": 3, "total": 3, "stage": status.value}
    discovery.message = clean(message)
    discovery.save(update_fields=["status", "finished_at", "progress", "message", "counts", "problems", "held_back"])
    set_state(source, state, message)
    announce(source, discovery, "discovery.finished")


def set_state(source: FabricSource, state: FabricSource.State, message: str) -> None:
    """The state of a source; told as an event only when it changes, so that nobody hears the same every ten minutes."""
    changed = source.state != state
    source.state, source.message = state, clean(message)
    source.save(update_fields=["state", "message"])
    if changed:
        data = {"source": source.pk, "name": source.name, "state": state.value, "message": source.message}
        emit("source.changed", site_id=source.site_id, subject=f"source:{source.pk}", data=data)


def announce(source: FabricSource, discovery: Discovery, kind: str) -> None:
    """`discovery.started`, `.progress` or `.finished`."""
    data = {
        "source": source.pk,
        "discovery": discovery.pk,
        "status": discovery.status,
        "progress": discovery.progress,
        "counts": discovery.counts,
    }
    emit(kind, site_id=source.site_id, subject=f"source:{source.pk}", data=data)


def told(problem: Problem) -> dict[str, Any]:
    return {"where": clean(problem.where), "line": problem.line, "text": clean(problem.text)}


def clean(text: str) -> str:
    """What PostgreSQL can hold, and no more than its column."""
    return text.replace("\0", "�")[:500]
