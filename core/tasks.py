"""Celery tasks: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from core.audit.retention import prune
from core.audit.undo_jobs import run_undo


@shared_task
def prune_history() -> None:
    """Once a day: remove what is no longer kept; nothing where it is kept for ever."""
    kept = settings.KEPT["history"]
    if kept < settings.FOR_EVER:
        prune(kept.days)


@shared_task(soft_time_limit=1800, time_limit=1860)
def undo_change(job_id: int) -> None:
    run_undo(job_id)
