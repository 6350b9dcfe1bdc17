"""Celery tasks: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from access.netbox_runs import run_import

LONGEST_S = 4 * 3600


@shared_task(soft_time_limit=LONGEST_S, time_limit=LONGEST_S + 60)
def run_netbox_import(run_id: int, credential: str) -> None:
    """Do an import, or what is left of it."""
    run_import(run_id, credential)
