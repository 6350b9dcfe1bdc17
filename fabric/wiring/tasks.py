"""Celery tasks of the wiring: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from fabric.wiring.services import names


@shared_task(soft_time_limit=1800, time_limit=1860)
@outward
def write_names(source_id: int) -> None:
    """Give the fabric the names that were approved."""
    names.write_back(source_id)


@shared_task
def write_approved_names() -> None:
    """Every 15 s: sources with approved names to be written."""
    for source_id in names.sources_to_write():
        write_names.delay(source_id)
