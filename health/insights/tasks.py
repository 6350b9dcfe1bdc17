"""Celery tasks of the golden set: each fetches ids, calls a service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from health.insights import services


@shared_task
def keep_golden_set() -> None:
    services.promote_clean()
