"""Celery tasks of a site's sources: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from provisioning.mirrors import watch as watching


@shared_task
@outward
def watch(mirror_id: int) -> None:
    """Ask one source how it answers."""
    watching.watch(mirror_id)


@shared_task(soft_time_limit=120, time_limit=150)
@outward
def ask_machines() -> None:
    """Ask a few machines where they fetch from."""
    watching.ask_machines()
