"""Celery tasks of runs of active checks: each fetches ids, calls a service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from health.diagnostics import services


@shared_task(soft_time_limit=240, time_limit=300)
@outward
def advance_active_run(run_id: int) -> None:
    """One turn of a run of active checks: it looks at what runs, and begins what comes next."""
    services.advance(run_id)


@shared_task
@outward
def begin_windows() -> None:
    """Every half minute: windows of the weekly burn-in that are open."""
    services.start_due()


@shared_task
def prune_active_runs() -> None:
    services.prune()
