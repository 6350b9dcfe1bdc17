"""How many machines a pool has and how many of them are out, counted now. What is not heard is not known."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, Q
from django.utils import timezone

from health.machines import hooks
from health.machines.budget import PoolCount
from health.machines.lifecycle import OUTSIDE_POOL, State
from health.machines.models.machines import MachineHealth

# A pool of which nothing was heard for this many sweeps is not known well enough to drain anything of it.
STALE_SWEEPS = 3


def count_pools(pool_ids: Iterable[int]) -> dict[int, PoolCount]:
    """Count pools in two queries."""
    ids = list(pool_ids)
    available = Q(state=State.READY.value, reachability=MachineHealth.Reachability.REACHABLE)
    fresh = timezone.now() - timedelta(seconds=STALE_SWEEPS * hooks.sweep_period_s()() + settings.CONFIRM_DELAY_S)
    rows = (
        MachineHealth.objects.filter(pool__in=ids)
        .exclude(state__in=[state.value for state in OUTSIDE_POOL])
        .order_by()
        .values("pool_id")
        .annotate(
            size=Count("pk"),
            out=Count("pk", filter=~available),
            seen=Count("pk", filter=Q(last_seen_at__gte=fresh)),
        )
    )
    found = {row["pool_id"]: PoolCount(row["size"], row["out"], stale=row["seen"] == 0) for row in rows}
    return {pool_id: found.get(pool_id, PoolCount(0, 0, stale=True)) for pool_id in ids}
