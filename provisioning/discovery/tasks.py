"""Celery tasks of discoveries; each calls a service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from provisioning.discovery import services, work


@shared_task(soft_time_limit=300, time_limit=330)
@outward
def discover(discovery_id: int) -> None:
    """Ask addresses of a discovery for some seconds; what is left queues itself."""
    work.run(discovery_id)


@shared_task
def prune_discoveries() -> None:
    services.prune()
