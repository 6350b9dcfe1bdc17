"""Every minute: snoozes end, and tickets whose cost changed get the priority, due time and queue they have now.

Bounded: the tickets that waited longest for it, a few hundred at once; what is left waits for the next round.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import F, Q
from django.utils import timezone

from core.work.alone import alone
from tickets.desk import policies, ranks
from tickets.desk.facts import facts_of
from tickets.desk.rules.due import Policy
from tickets.desk.rules.priority import Ranked, rank
from tickets.desk.rules.queues import Rule
from tickets.models import Ticket
from tickets.services.changes import changing
from tickets.workflow import ACTIVE_STATUSES

AGAIN_AFTER = timedelta(minutes=5)
MOST_AT_ONCE = 300


def follow(now: datetime | None = None) -> int:
    """How many tickets changed. A lock is taken only for those, ticket by ticket."""
    now = now or timezone.now()
    waits = Q(ranked_at=None) | Q(ranked_at__lt=now - AGAIN_AFTER) | Q(snoozed_until__lte=now)
    batch = list(
        Ticket.objects.filter(waits, status__in=ACTIVE_STATUSES)
        .select_related("incident")
        .order_by(F("snoozed_until").asc(nulls_last=True), F("ranked_at").asc(nulls_first=True))[:MOST_AT_ONCE]
    )
    facts = facts_of(batch)
    known = policies.of_sites({ticket.site_id for ticket in batch})
    changed: list[tuple[Ticket, Ranked]] = []
    same: list[tuple[Ticket, Ranked]] = []
    for ticket in batch:
        ranked = rank(facts[ticket.pk])
        (changed if _differs(ticket, ranked, *known[ticket.site_id], now) else same).append((ticket, ranked))
    Ticket.objects.filter(pk__in=[ticket.pk for ticket, _ in same]).update(ranked_at=now)
    for ticket, ranked in changed:
        with alone("ticket_not_ranked", ticket=ticket.number):
            _change(ticket.number, ranked, *known[ticket.site_id], now)
    return len(changed)


def _is_over(ticket: Ticket, now: datetime) -> bool:
    return ticket.snoozed_until is not None and ticket.snoozed_until <= now


def _differs(ticket: Ticket, ranked: Ranked, policy: Policy, rules: Sequence[Rule], now: datetime) -> bool:
    wanted = ranks.wanted(ticket, ranked, policy, rules)
    return _is_over(ticket, now) or any(getattr(ticket, name) != value for name, value in wanted.items())


def _change(number: int, ranked: Ranked, policy: Policy, rules: Sequence[Rule], now: datetime) -> None:
    """On the locked row, which may have changed since it was read."""
    with changing(number, room=ranks.WHO) as change:
        ticket = change.ticket
        if not ticket.is_active:
            change.nothing = True
            return
        wanted = ranks.wanted(ticket, ranked, policy, rules)
        was, becomes = ticket.priority, str(wanted["priority"])
        if was != becomes:
            change.note(f"Priority {was} to {becomes}. {ranked.line}", priority=becomes)
        if ticket.queue != wanted["queue"]:
            change.note(f"Queue {ticket.queue} to {wanted['queue']}, by rule", queue=wanted["queue"])
        if ticket.snoozed_until is not None and becomes < was:
            ranks.wake(ticket, f"Back from snooze: {ranked.line}")
        elif _is_over(ticket, now):
            ranks.wake(ticket, "Back from snooze: its time has come")
        for name, value in wanted.items():
            setattr(ticket, name, value)
        ticket.severity = ticket.severity or was
        ticket.ranked_at = now
