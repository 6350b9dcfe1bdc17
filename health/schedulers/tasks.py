"""Celery tasks of drains and jobs at schedulers: each fetches ids, calls a service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from health.schedulers.services import delivery, desired_state, readings


@shared_task(soft_time_limit=100, time_limit=110)
@outward
def send_to_scheduler(machine_id: int) -> None:
    """Send what is wished of the scheduler for one machine."""
    delivery.send(machine_id)


@shared_task(soft_time_limit=100, time_limit=110)
def read_scheduler(source_id: int) -> None:
    readings.read(source_id, when_due=True)


@shared_task
def follow_schedulers() -> None:
    """Every few seconds: wishes that wait for their next try, schedulers that are due to be read."""
    for machine_id in desired_state.due():
        send_to_scheduler.delay(machine_id)
    for source_id in readings.due():
        read_scheduler.delay(source_id)
