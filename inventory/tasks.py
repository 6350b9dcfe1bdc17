"""Celery tasks of the inventory: each calls a service and is safe to run twice."""

from __future__ import annotations

import time

from celery import shared_task

from core.files import remove_orphans
from inventory.transfer import imports


@shared_task
def remove_orphan_files() -> int:
    return remove_orphans(time.time())


@shared_task(soft_time_limit=1800, time_limit=1860)
def run_import(job_id: int) -> None:
    imports.run_import(job_id)
