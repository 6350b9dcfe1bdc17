"""Celery tasks: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from core.audit.retention import prune


@shared_task
def prune_history() -> None:
    """Once a day: remove what is no longer kept; nothing where it is kept for ever."""
    kept = settings.KEPT["history"]
    if kept < settings.FOR_EVER:
        prune(kept.days)
