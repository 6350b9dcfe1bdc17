"""Celery tasks of software runs: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from provisioning.software import progress, services

LONGEST_S = progress.ROLE_S + 300


@shared_task(soft_time_limit=LONGEST_S, time_limit=LONGEST_S + 60)
@outward
def advance(run_id: int) -> None:
    """Do the next role of a software run."""
    progress.advance(run_id)


@shared_task
def prune_tasks() -> None:
    services.prune()
