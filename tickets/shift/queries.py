"""What happened at a site since a shift began. The number of statements does not depend on how much did."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet

from core.models import User
from health.machines.lifecycle import State
from health.models import Incident, LifecycleChange
from tickets.models import Ticket
from tickets.shift.models import Bookmark, ShiftNote
from tickets.workflow import Status

MOST = 50
"""Rows of each part of the page; the counts beside them are of all."""
OUT = (State.DRAINING, State.DRAINED, State.TRIAGE, State.REPAIR, State.RMA, State.MAINTENANCE)


def bookmarks(user: User, sites: list[int] | None) -> QuerySet[Bookmark]:
    """Those of a person, and those that others share at the sites this person sees (None: all)."""
    shared = Q(site__isnull=False) if sites is None else Q(site__in=sites)
    return Bookmark.objects.filter(Q(owner=user) | shared).select_related("owner")


def hand_over(site: int, since: datetime) -> dict[str, Any]:
    """The answer of `/api/hand-over/`. Seven statements."""
    tickets = Ticket.objects.filter(site=site)
    opened, closed = Q(opened_at__gte=since), Q(closed_at__gte=since)
    waiting = Q(status=Status.OPEN)
    counts = tickets.aggregate(
        opened=Count("pk", filter=opened),
        closed=Count("pk", filter=closed),
        waiting=Count("pk", filter=waiting),
        in_work=Count("pk", filter=Q(status__in=[Status.IN_WORK, Status.VERIFYING])),
    )
    wanted = tickets.filter(opened | closed | waiting).select_related("assignee").order_by("priority", "-number")
    moves = LifecycleChange.objects.filter(machine__device__site=site, at__gte=since)
    gone = Q(transition__from_state=State.READY) & Q(transition__to_state__in=OUT)
    back = Q(transition__to_state=State.READY)
    moved = moves.aggregate(out=Count("pk", filter=gone), back=Count("pk", filter=back))
    shown = moves.filter(gone | back).select_related("machine__device", "transition").order_by("-at", "-id")
    incidents = Incident.objects.filter(site=site).filter(Q(opened_at__gte=since) | Q(closed_at__gte=since))
    return {
        "since": since,
        "counts": {**counts, **moved, "incidents": incidents.count()},
        "tickets": [_ticket(each, since) for each in wanted[: 3 * MOST]],
        "machines": [
            {
                "id": each.machine_id,
                "name": each.machine.device.name,
                "at": each.at,
                "out": each.transition.to_state != State.READY,
                "state": each.transition.to_state,
                "reason": each.reason,
            }
            for each in shown[:MOST]
        ],
        "incidents": [
            {"id": each.pk, "title": each.title, "opened_at": each.opened_at, "closed_at": each.closed_at}
            for each in incidents.order_by("-opened_at")[:MOST]
        ],
        "notes": notes(site, since),
    }


def _ticket(ticket: Ticket, since: datetime) -> dict[str, Any]:
    return {
        "key": ticket.key,
        "title": ticket.title,
        "priority": ticket.priority,
        "status": ticket.status,
        "assignee": ticket.assignee.display_name() if ticket.assignee else "",
        "opened": ticket.opened_at >= since,
        "closed": ticket.closed_at is not None and ticket.closed_at >= since,
    }


def notes(site: int, since: datetime) -> list[dict[str, Any]]:
    """Those that nobody acknowledged yet, however old, and those written since; the open ones first."""
    rows = ShiftNote.objects.filter(site=site).filter(Q(acknowledged_at=None) | Q(at__gte=since))
    found = rows.select_related("author", "acknowledged_by").order_by("-at", "-id")[: 4 * MOST]
    return sorted(map(note, found), key=lambda each: each["acknowledged_at"] is not None)


def note(row: ShiftNote) -> dict[str, Any]:
    return {
        "id": row.pk,
        "text": row.text,
        "author": row.author.display_name(),
        "at": row.at,
        "acknowledged_by": row.acknowledged_by.display_name() if row.acknowledged_by else "",
        "acknowledged_at": row.acknowledged_at,
    }


def told(rows: Iterable[Bookmark], user: User) -> list[dict[str, Any]]:
    return [
        {
            "id": row.pk,
            "kind": row.kind,
            "name": row.name,
            "url": row.url,
            "site": row.site_id,
            "mine": row.owner_id == user.pk,
            "owner": row.owner.display_name(),
        }
        for row in rows
    ]
