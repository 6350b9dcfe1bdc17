"""Celery tasks of discoveries: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance import space
from fabric.discovery.services import discoveries


@shared_task(soft_time_limit=1800, time_limit=1860)
def discover(discovery_id: int) -> None:
    """Do one queued look at a source."""
    discoveries.run(discovery_id)


@shared_task
def start_due() -> None:
    """Every 15 s: looks that are due, sources that went silent."""
    if not space.shortage():  # a look writes captures and samples
        discoveries.start_due()
    discoveries.mark_stale()


@shared_task
def prune_captures() -> None:
    discoveries.prune()
