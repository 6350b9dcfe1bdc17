"""Celery tasks of what other systems reported: each fetches ids, calls a service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from health.external.services import reconciliation


@shared_task
def settle_reports(machine_ids: list[int]) -> None:
    reconciliation.settle_all(machine_ids)


@shared_task
def follow_reports() -> None:
    reconciliation.follow()
