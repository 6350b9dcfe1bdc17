"""The policy of a pool: how many may be out, whether machines are drained or it is only said, and that it has no
scheduler."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from core.work.queue import after_commit
from health.machines import hooks
from health.machines.models.machines import Pool
from live.events import emit


@transaction.atomic
def update_pool(
    pool_id: int,
    *,
    actor: str,
    max_unavailable_share: float | None = None,
    automation: str | None = None,
    priority: int | None = None,
    no_scheduler: bool | None = None,
) -> Pool:
    """Change the cap, the automation, the priority, or the word that no scheduler runs these machines, which keeps who
    gave it.

    Machines that waited for it are drained right after the commit.
    """
    pool = Pool.objects.select_for_update().get(pk=pool_id)
    if max_unavailable_share is not None:
        pool.max_unavailable_share = max_unavailable_share
    if automation is not None:
        pool.automation = automation
    if priority is not None:
        pool.priority = priority
    if no_scheduler is not None and no_scheduler != pool.no_scheduler:
        declare_no_scheduler(pool, no_scheduler, by=actor)
    pool.save()
    data = {"notices": hooks.notices_of(pool.site_id)}
    emit("notice.changed", site_id=pool.site_id, subject=f"site:{pool.site_id}", data=data, actor=actor)
    after_commit("health.remediation.tasks.drain_waiting")
    return pool


def declare_no_scheduler(pool: Pool, declared: bool, *, by: str) -> None:
    """Set a person's word on the pool, not yet saved; drains that waited for it are looked at after the commit."""
    pool.no_scheduler = declared
    pool.no_scheduler_by, pool.no_scheduler_at = (by[:150], timezone.now()) if declared else ("", None)
    if declared:
        hooks.scheduler().send_waiting(pool)
