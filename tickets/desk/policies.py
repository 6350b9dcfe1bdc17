"""What each site decided for its desk; without a row the defaults."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, time
from typing import Any

from django.db import transaction

from core.models import Site
from inventory.services import Refused
from tickets.desk.models import DeskPolicy
from tickets.desk.people import workers
from tickets.desk.rules.due import Calendar, Policy
from tickets.desk.rules.queues import Queue, Rule

SHORTEST_DAY_MIN = 60
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def of_site(site: Site) -> DeskPolicy:
    """The row of a site, or an unsaved one with the defaults."""
    try:
        return site.desk_policy
    except DeskPolicy.DoesNotExist:
        fresh = DeskPolicy(site=site)
        fresh.clean_fields(exclude=["site"])  # turns the defaults into times
        return fresh


def of_sites(site_ids: Collection[int]) -> dict[int, tuple[Policy, list[Rule]]]:
    """How to work out due time and queue, by site. One statement."""
    sites = Site.objects.filter(pk__in=site_ids).select_related("desk_policy")
    return {site.pk: (due_policy(of_site(site), site.timezone), rules_of(of_site(site))) for site in sites}


def due_policy(row: DeskPolicy, zone: str) -> Policy:
    return Policy(
        hours={"P1": row.p1_hours, "P2": row.p2_hours, "P3": row.p3_hours},
        around_the_clock=frozenset(row.around_the_clock),
        calendar=Calendar(zone, row.work_from, row.work_until, frozenset(row.work_days), frozenset(row.days_off)),
    )


def rules_of(row: DeskPolicy) -> list[Rule]:
    return [Rule(rule["classes"], Queue(rule["queue"])) for rule in row.queue_rules]


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute


def _check_limits(site_id: int, limits: list[dict[str, Any]], before: set[int]) -> None:
    """Each is named once, and works at the site or was named `before`: who left hinders no other change. Raises
    Refused."""
    named = [limit["person"] for limit in limits]
    known = before | set(workers([site_id]).filter(pk__in=named).values_list("pk", flat=True))
    for pk in named:
        if pk not in known:
            raise Refused("limits", f"Nobody with the id {pk} works on tickets of this site.")
        if named.count(pk) > 1:
            raise Refused("limits", f"The person with the id {pk} is named twice.")


@transaction.atomic
def set_policy(site_id: int, **given: Any) -> DeskPolicy:
    """Change what a site decided. Open tickets follow with the next rounds. Raises Refused for too short a day, and for
    limits of people who are no technicians of the site."""
    row, _ = DeskPolicy.objects.select_for_update(of=("self",)).get_or_create(site_id=site_id)
    limited = {limit["person"] for limit in row.limits}
    for name, value in given.items():
        setattr(row, name, value)
    row.clean_fields(exclude=["site"])
    if _minutes(row.work_until) - _minutes(row.work_from) < SHORTEST_DAY_MIN:
        raise Refused("work_until", "The working day ends at least an hour after it begins.")
    if "limits" in given:
        _check_limits(site_id, row.limits, limited)
    row.save()
    row.refresh_from_db()
    row.site.tickets.exclude(status="closed").update(ranked_at=LONG_AGO)
    return row
