"""What the insight into repairs is made of. The number of statements does not depend on the number of tickets.

Times are asked for as seconds since 1970: ten thousand tickets have some 50,000 of them, and making datetimes of those
would take longer than everything else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django.db import connection

from core.models import Site
from tickets.insights.models import InsightSettings, ReportSubscription, Shift
from tickets.insights.rules import Lives, Row, ShiftHours, SiteHours

ACKNOWLEDGED_AT = "coalesce(extract(epoch FROM shown.acknowledged_at)::float8, happened.taken_at)"
"""When somebody said that they saw the ticket: the one place that decides it. Giving it back or reopening it forgets
who did; then it is the first time that somebody took it."""

# What happened before a ticket was reopened is part of the same repair: verified is the last pass. A provisioning run
# that succeeded proves a repair as a verification does.
TICKETS = f"""
WITH asked AS MATERIALIZED (
    SELECT ticket.*, lead(opened_at) OVER (
        PARTITION BY ticket.site_id, ticket.device_id, ticket.cable_id, ticket.subject_name,
            ticket.part, ticket.fault_class
        ORDER BY ticket.opened_at, ticket.id
    ) AS next_same
    FROM tickets_ticket ticket
    WHERE (%(sites)s::bigint[] IS NULL OR ticket.site_id = ANY(%(sites)s))
        AND (%(site)s::bigint IS NULL OR ticket.site_id = %(site)s)
), shown AS MATERIALIZED (
    SELECT * FROM asked
    WHERE (opened_at < %(end)s AND (closed_at IS NULL OR closed_at >= %(begin)s)) OR closed_at IS NULL
), happened AS (
    SELECT change.ticket_id,
        extract(epoch FROM min(change.at) FILTER (WHERE change.event = 'take'))::float8 AS taken_at,
        extract(epoch FROM min(change.at) FILTER (WHERE change.event = 'verify'))::float8 AS verify_at,
        extract(epoch FROM max(change.at) FILTER (WHERE change.event = 'pass'
            OR change.event = 'resolved' AND change.data ? 'run'))::float8 AS passed_at,
        extract(epoch FROM max(change.at) FILTER (WHERE change.event = 'reopen'))::float8 AS reopened_at,
        (count(*) FILTER (WHERE change.event = 'fail'))::int AS failed
    FROM tickets_ticketchange change JOIN shown ON shown.id = change.ticket_id
    WHERE change.event <> '' GROUP BY 1
), worked AS (
    SELECT step.ticket_id, extract(epoch FROM min(step.done_at))::float8 AS first_step_at
    FROM tickets_step step JOIN shown ON shown.id = step.ticket_id WHERE step.done_at IS NOT NULL GROUP BY 1
)
SELECT shown.site_id, extract(epoch FROM shown.opened_at)::float8, extract(epoch FROM shown.closed_at)::float8,
    shown.priority, shown.fault_class, coalesce(model.vendor, ''), coalesce(rack.name, ''),
    {ACKNOWLEDGED_AT}, least(worked.first_step_at, happened.verify_at), happened.passed_at,
    coalesce(happened.failed, 0), happened.reopened_at, extract(epoch FROM shown.next_same)::float8
FROM shown
LEFT JOIN happened ON happened.ticket_id = shown.id
LEFT JOIN worked ON worked.ticket_id = shown.id
LEFT JOIN inventory_device device ON device.id = shown.device_id
LEFT JOIN inventory_devicemodel model ON model.id = device.model_id
LEFT JOIN inventory_placement placement ON placement.device_id = device.id
LEFT JOIN inventory_rack rack ON rack.id = placement.rack_id
"""

# A part failed when a technician swapped it out; one that was moved or taken to storage did not. Which maker, batch
# and firmware it has is that of its record now.
LIVES = """
WITH lives AS MATERIALIZED (
    SELECT part.id, part.kind, concat_ws(' ', nullif(part.vendor, ''), nullif(part.part_number, '')) AS maker,
        coalesce(part.attributes ->> 'batch', '') AS batch, coalesce(part.attributes ->> 'firmware', '') AS firmware,
        sum(extract(epoch FROM least(coalesce(upper(life.during), %(end)s), %(end)s)
            - greatest(lower(life.during), %(begin)s))) / 86400.0 AS days
    FROM inventory_installation life JOIN inventory_component part ON part.id = life.component_id
    WHERE life.during && tstzrange(%(begin)s, %(end)s)
        AND (%(sites)s::bigint[] IS NULL OR part.site_id = ANY(%(sites)s))
        AND (%(site)s::bigint IS NULL OR part.site_id = %(site)s)
    GROUP BY part.id
), failed AS (
    SELECT old_component_id AS id, count(*) AS times FROM tickets_partswap
    WHERE old_component_id IS NOT NULL AND at >= %(begin)s AND at < %(end)s GROUP BY 1
)
SELECT grouping(maker), grouping(batch), grouping(firmware), kind, coalesce(maker, ''), coalesce(batch, ''),
    coalesce(firmware, ''), count(*)::int, sum(days)::float8, coalesce(sum(failed.times), 0)::int
FROM lives LEFT JOIN failed USING (id)
GROUP BY GROUPING SETS ((kind), (kind, maker), (kind, batch), (kind, firmware))
"""

STEPS = """
SELECT split_part(ticket.fault_class, '.', 1), step.kind, count(*)::int,
    (count(*) FILTER (WHERE step.outcome = 'failed'))::int
FROM tickets_step step JOIN tickets_ticket ticket ON ticket.id = step.ticket_id
WHERE step.outcome <> '' AND step.checked_at >= %(begin)s AND step.checked_at < %(end)s
    AND (%(sites)s::bigint[] IS NULL OR ticket.site_id = ANY(%(sites)s))
    AND (%(site)s::bigint IS NULL OR ticket.site_id = %(site)s)
GROUP BY 1, 2 ORDER BY 4 DESC, 3 DESC, 1, 2
"""

# GPU-hours out of service, by week. A machine that is installed or burnt in was not lost to a failure.
OUT_OF_SERVICE = """
WITH states AS (
    SELECT change.machine_id, transition.to_state AS state, change.at AS began,
        lead(change.at, 1, %(now)s) OVER (PARTITION BY change.machine_id ORDER BY change.at, change.id) AS ended
    FROM health_lifecyclechange change
    JOIN health_lifecycletransition transition ON transition.id = change.transition_id
    JOIN inventory_device device ON device.id = change.machine_id
    WHERE change.at < %(end)s AND (%(sites)s::bigint[] IS NULL OR device.site_id = ANY(%(sites)s))
        AND (%(site)s::bigint IS NULL OR device.site_id = %(site)s)
), weeks AS (
    SELECT * FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[]) WITH ORDINALITY AS w (starts, ends, n)
)
SELECT weeks.n::int - 1,
    sum(model.gpu_count * extract(epoch FROM least(states.ended, weeks.ends) - greatest(states.began, weeks.starts)))
        ::float8 / 3600
FROM states JOIN weeks ON states.began < weeks.ends AND states.ended > weeks.starts
JOIN inventory_device device ON device.id = states.machine_id
JOIN inventory_devicemodel model ON model.id = device.model_id
WHERE states.state NOT IN ('new', 'provisioning', 'burn_in', 'retired', 'ready')
GROUP BY 1
"""


@dataclass(frozen=True)
class Scope:
    """The sites that may be seen (None: all), the one asked for (None: all of them), and the span."""

    sites: list[int] | None
    site: int | None
    begin: datetime
    end: datetime

    def asked(self) -> dict[str, Any]:
        return {"sites": self.sites, "site": self.site, "begin": self.begin, "end": self.end}


def tickets(scope: Scope) -> list[Row]:
    """Tickets that were open in the span, and those that are open now. One query."""
    return [Row(*row) for row in _rows(TICKETS, scope.asked())]


def lives(scope: Scope) -> tuple[list[Lives], dict[str, tuple[float, int]]]:
    """Parts by maker, batch and firmware, and days and failures of each kind. One query."""
    groups, usual = [], {}
    for no_maker, no_batch, no_firmware, kind, maker, batch, firmware, parts, days, failed in _rows(
        LIVES, scope.asked()
    ):
        if no_maker and no_batch and no_firmware:
            usual[kind] = (days, failed)
            continue
        by, name = ("maker", maker) if not no_maker else ("batch", batch) if not no_batch else ("firmware", firmware)
        if name:
            groups.append(Lives(by, kind, name, parts, days, failed))
    return groups, usual


def steps(scope: Scope) -> list[tuple[str, str, int, int]]:
    """(part, kind of step, how often checked, how often it had failed). One query."""
    return list(_rows(STEPS, scope.asked()))


def out_of_service(scope: Scope, weeks: Sequence[tuple[datetime, datetime]], now: datetime) -> list[float]:
    """GPU-hours out of service in each week, up to now. One query."""
    asked = scope.asked() | {
        "now": now, "starts": [first for first, _ in weeks], "ends": [min(last, now) for _, last in weeks],
    }  # fmt: skip
    asked["end"] = weeks[-1][1]
    found = dict(_rows(OUT_OF_SERVICE, asked))
    return [found.get(n, 0.0) for n in range(len(weeks))]


def hours(scope: Scope) -> dict[int, SiteHours]:
    """Clock and shifts of each site. Two queries."""
    sites = Site.objects.all()
    if scope.sites is not None:
        sites = sites.filter(pk__in=scope.sites)
    if scope.site is not None:
        sites = sites.filter(pk=scope.site)
    zones = dict(sites.values_list("pk", "timezone"))
    shifts: dict[int, list[ShiftHours]] = defaultdict(list)
    for shift in Shift.objects.filter(site__in=list(zones)):
        shifts[shift.site_id].append(ShiftHours(shift.name, shift.begins, shift.ends))
    return {pk: SiteHours(ZoneInfo(zone), tuple(shifts[pk])) for pk, zone in zones.items()}


def rate(scope: Scope) -> tuple[Decimal | None, str]:
    """What a GPU-hour is worth, where one site is asked for and it says so. One query at most."""
    row = InsightSettings.objects.filter(site=scope.site).first() if scope.site is not None else None
    return (row.gpu_hour_rate, row.currency) if row is not None else (None, "")


def subscribers(site: int) -> list[tuple[int, str, bool]]:
    """(user, name, whether they have an address) of a site's weekly report. One query."""
    rows = ReportSubscription.objects.filter(site=site).select_related("user").order_by("user__username")
    return [(row.user_id, row.user.display_name(), bool(row.user.email)) for row in rows]


def _rows(sql: str, asked: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, asked)
        return cursor.fetchall()
