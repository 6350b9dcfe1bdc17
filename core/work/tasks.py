"""Celery tasks of durable work: each calls a function and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.work import dispatch, failed_handlers


@shared_task
def follow(every_s: int) -> None:
    """Start what is due of every kind of work that is followed so often."""
    dispatch.follow(every_s)


@shared_task
def retry_failed_handlers() -> None:
    failed_handlers.retry()
