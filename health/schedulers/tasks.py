"""Celery tasks of drains and jobs at schedulers: each fetches ids, calls a service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from health.schedulers.services import delivery, readings


@shared_task(soft_time_limit=100, time_limit=110)
@outward
def send_to_scheduler(machine_id: int) -> None:
    """Send what is wished of the scheduler for one machine."""
    delivery.send(machine_id)


@shared_task(soft_time_limit=100, time_limit=110)
def read_scheduler(source_id: int) -> None:
    readings.read(source_id, when_due=True)
