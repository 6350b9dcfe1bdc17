"""Celery tasks of the fabric: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task


@shared_task(soft_time_limit=1800, time_limit=1860)
def discover(discovery_id: int) -> None:
    """Do one queued look at a source."""
    from fabric.services import discovering

    discovering.run(discovery_id)


@shared_task
def start_due() -> None:
    """Every 15 s: looks that are due, looks whose worker died, sources that went silent."""
    from fabric.services import discovering

    for discovery_id in discovering.reap():
        discover.delay(discovery_id)
    discovering.start_due()
    discovering.mark_stale()


@shared_task
def prune_captures() -> None:
    from fabric.services import discovering

    discovering.prune()


@shared_task(soft_time_limit=1800, time_limit=1860)
def write_names(source_id: int) -> None:
    """Give the fabric the names that were approved."""
    from fabric.services import naming

    naming.write_back(source_id)
