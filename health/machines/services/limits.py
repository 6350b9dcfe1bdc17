"""The row of a site that says what automation may do there, and its limits as values."""

from __future__ import annotations

from health.machines.limits import TABLE, Limits
from health.machines.models.automation import SiteAutomation


def automation_of(site_id: int, *, lock: bool = False) -> SiteAutomation:
    """The site's row; with `lock` made at first use and held until the transaction ends.

    Who only reads writes nothing: a site that has none yet is answered with what a new one would be.
    """
    rows = SiteAutomation.objects.select_related("site")
    if not lock:
        return rows.filter(site_id=site_id).first() or SiteAutomation(site_id=site_id)
    SiteAutomation.objects.get_or_create(site_id=site_id)
    return rows.select_for_update(of=("self",)).get(site_id=site_id)


def limits_of(row: SiteAutomation) -> Limits:
    return Limits(**{name: getattr(row, name) for name in TABLE})
