"""Celery tasks of energy: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from facility.energy import ledger


@shared_task(soft_time_limit=300, time_limit=330)
def write_down() -> None:
    """Every minute: the hours that are over, of which there is one every hour."""
    ledger.write_down()
