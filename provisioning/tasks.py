"""Celery tasks on the queue `provision`; each is short, calls a service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from provisioning import services
from provisioning.ironic import outside as ironic
from provisioning.maas import outside as maas
from provisioning.media import tidy
from provisioning.services import queue


@shared_task
@outward
def look(slow: bool = False, early: tuple[int, ...] = ()) -> None:
    """Look at all machines of runs that are due, together; `slow`: at those that kept their last look waiting."""
    if services.look(slow=slow, early=early):
        queue.enqueue_look(slow=slow)


@shared_task
@outward
def fill(run_id: int | None = None) -> None:
    """Start waiting machines as far as the limits allow. `run_id` is of tasks that an older version left."""
    services.fill()


@shared_task
@outward
def reap() -> None:
    """Every 15 s: machines whose worker was lost or whose next look is due, and those that wait for room."""
    lanes, waiting = services.reap()
    for slow in lanes:
        queue.enqueue_look(slow=slow)
    if waiting:
        queue.enqueue_fill()


@shared_task
@outward
def tidy_media() -> None:
    """Every minute: boot media of machines whose run has ended are taken out of their BMCs."""
    tidy.tidy()


@shared_task
@outward
def follow_maas() -> None:
    """Every 30 s: what each site's MAAS tells, and what is to be written to it."""
    maas.follow()


@shared_task
@outward
def follow_ironic() -> None:
    """Every 30 s: what each site's Ironic shows, and what is to be written to it."""
    ironic.follow()
