"""Celery tasks of the inventory: each calls a service and is safe to run twice."""

from __future__ import annotations

import time

from celery import shared_task


@shared_task
def remove_orphan_files() -> int:
    from core.files import remove_orphans

    return remove_orphans(time.time())


@shared_task(soft_time_limit=1800, time_limit=1860)
def run_import(job_id: int) -> None:
    from inventory.transfer.imports import run_import

    run_import(job_id)
