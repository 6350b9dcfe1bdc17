"""Whether schedulers can still be read."""

from __future__ import annotations

from health.monitoring.watchdog import Sign
from health.schedulers.models import SchedulerSource


def signs(sites: list[int] | None) -> list[Sign]:
    """One for each enabled scheduler of these sites (None: all). One query."""
    rows = SchedulerSource.objects.filter(enabled=True).exclude(kind="none")
    rows = rows if sites is None else rows.filter(site_id__in=sites)
    return [
        Sign("scheduler", s.site.name, s.stale_after_s, s.last_read_at, s.changed_at, s.site_id)
        for s in rows.select_related("site").order_by("site")
    ]
