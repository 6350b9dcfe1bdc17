"""The policy of a pool: how many may be out, and whether machines are drained or it is only said."""

from __future__ import annotations

from django.db import transaction

from health.models import Pool
from health.services.draining import notices
from live.events import emit


@transaction.atomic
def update_pool(pool_id: int, *, actor: str, max_out_share: float | None = None, automation: str | None = None) -> Pool:
    """Change the cap or the automation; machines that waited for it are drained right after the commit."""
    from health.tasks import drain_waiting

    pool = Pool.objects.select_for_update().get(pk=pool_id)
    if max_out_share is not None:
        pool.max_out_share = max_out_share
    if automation is not None:
        pool.automation = automation
    pool.save()
    data = {"notices": notices(pool.site_id)}
    emit("notice.changed", site_id=pool.site_id, subject=f"site:{pool.site_id}", data=data, actor=actor)
    transaction.on_commit(drain_waiting.delay)
    return pool
