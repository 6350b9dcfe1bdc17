"""Celery tasks: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from core.audit.pruning import prune


@shared_task
def prune_history() -> None:
    """Once a day: remove what is older than the setting says; nothing where it says nothing."""
    if settings.HISTORY_DAYS > 0:
        prune(settings.HISTORY_DAYS)
