"""Whether the systems that report still do."""

from __future__ import annotations

from health.external.models import ReportSource
from health.monitoring.watchdog import Sign


def signs(sites: list[int] | None) -> list[Sign]:
    """One for each enabled source of these sites (None: all). One query."""
    rows = ReportSource.objects.filter(enabled=True)
    rows = rows if sites is None else rows.filter(site_id__in=sites)
    return [
        Sign("source", s.name, s.stale_after_s, s.last_seen_at, s.created_at, s.site_id)
        for s in rows.order_by("site", "name")
    ]
