"""Celery tasks on the queue `provision`; each is short, calls a service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance import outward


@shared_task
@outward
def advance(run_machine_id: int, early: bool = False) -> None:
    """Look at one machine of a run once."""
    from provisioning import services

    services.advance(run_machine_id, early=early)


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

    machines, runs = services.reap()
    for run_machine_id in machines:
        enqueue_advance(run_machine_id)
    for run_id in runs:
        enqueue_fill(run_id)


def enqueue_advance(run_machine_id: int, wait_s: float = 0, *, early: bool = False) -> None:
    advance.apply_async((run_machine_id, early), countdown=wait_s or None)


def enqueue_fill(run_id: int) -> None:
    fill.delay(run_id)
