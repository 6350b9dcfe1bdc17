"""Celery tasks on the queue `provision`; each is short, calls a service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance import outward

SLOW_QUEUE = "slow"
"""Workers that no good machine waits for."""


@shared_task
@outward
def look(slow: bool = False, early: tuple[int, ...] = ()) -> None:
    """Look at all machines of runs that are due, together; `slow`: at those that kept their last look waiting."""
    from provisioning import services

    if services.look(slow=slow, early=early):
        enqueue_look(slow=slow)


@shared_task
@outward
def fill(run_id: int) -> None:
    """Start waiting machines of a run as far as the limits allow."""
    from provisioning import services

    services.fill(run_id)


@shared_task
@outward
def reap() -> None:
    """Every 15 s: machines whose worker was lost or whose next look is due, and runs with room."""
    from provisioning import services

    lanes, runs = services.reap()
    for slow in lanes:
        enqueue_look(slow=slow)
    for run_id in runs:
        enqueue_fill(run_id)


def enqueue_look(wait_s: float = 0, *, slow: bool = False, early: tuple[int, ...] = ()) -> None:
    apart = {"queue": SLOW_QUEUE} if slow else {}
    look.apply_async((slow, early), countdown=wait_s or None, **apart)


def enqueue_fill(run_id: int) -> None:
    fill.delay(run_id)
