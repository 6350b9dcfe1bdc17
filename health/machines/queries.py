"""The disruption budgets of pools, counted now and without a lock: for screens, and for what asks the guards later."""

from __future__ import annotations

from collections.abc import Iterable

from health.machines.budget import Budget, budget, rule_for
from health.machines.models.automation import SiteAutomation
from health.machines.models.machines import Pool
from health.machines.services.counts import count_pools
from health.machines.services.limits import limits_of


def budgets_of(pools: Iterable[Pool]) -> dict[int, Budget]:
    """The budget of each pool by its id, under the limits of its site. Two queries."""
    pools = list(pools)
    rows = {row.site_id: row for row in SiteAutomation.objects.filter(site_id__in={pool.site_id for pool in pools})}
    counts = count_pools(pool.pk for pool in pools)
    limits = {pool.site_id: limits_of(rows.get(pool.site_id) or SiteAutomation()) for pool in pools}
    return {
        pool.pk: budget(counts[pool.pk], rule_for(pool.max_unavailable_share, limits[pool.site_id])) for pool in pools
    }
