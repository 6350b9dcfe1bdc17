"""Priority, queue and due time of a ticket as it opens, and the end of a snooze when it gets worse.

A person's decision stays: what was set by hand is left alone. The caller holds the ticket's lock. That the ticket is
worked out again while its cost changes is `tickets.desk.rounds`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone

from tickets.desk import policies
from tickets.desk.facts import facts_of
from tickets.desk.rules.due import NoTimeToWork, Policy, due_at
from tickets.desk.rules.priority import Ranked, rank
from tickets.desk.rules.queues import Rule, Subject, queue_of
from tickets.models import Ticket, TicketChange, TicketFault

WHO = "desk"


def opened(ticket: Ticket) -> None:
    """Work out what a new ticket has at the desk, and save it."""
    policy, rules = policies.of_sites([ticket.site_id])[ticket.site_id]
    ticket.severity = ticket.severity or ticket.priority
    found = wanted(ticket, rank(facts_of([ticket])[ticket.pk]), policy, rules) | {"ranked_at": timezone.now()}
    for name, value in found.items():
        setattr(ticket, name, value)
    Ticket.objects.filter(pk=ticket.pk).update(severity=ticket.severity, **found)


def wanted(ticket: Ticket, ranked: Ranked, policy: Policy, rules: Sequence[Rule]) -> dict[str, Any]:
    """What the columns of a ticket should hold. What a person set stays."""
    by_hand = ticket.priority_by_id is not None
    priority = ticket.priority if by_hand else ranked.priority
    return {
        "priority": priority,
        "priority_line": ticket.priority_line if by_hand else ranked.line,
        "due_at": _due(priority, ticket.counted_from or ticket.opened_at, policy),
        "queue": ticket.queue if ticket.queue_by_id is not None else queue_of(subject_of(ticket), rules).value,
    }


def _due(priority: str, start: datetime, policy: Policy) -> datetime | None:
    """None where the site's calendar never opens: no ticket is lost over it."""
    try:
        return due_at(priority, start, policy)
    except NoTimeToWork:
        return None


def subject_of(ticket: Ticket) -> Subject:
    cause = ticket.incident.cause_kind if ticket.incident is not None else ""
    return Subject(ticket.fault_class, ticket.subject, ticket.source, cause)


def noticed(ticket: Ticket) -> None:
    """Every time a ticket is announced: a new one is ranked, a snoozed one that got worse comes back at once."""
    if ticket.ranked_at is None:
        opened(ticket)
    elif ticket.snoozed_until is not None and TicketFault.objects.filter(ticket=ticket).count() > ticket.snoozed_faults:
        wake(ticket, "Back from snooze: another fault was found")
        Ticket.objects.filter(pk=ticket.pk).update(snoozed_until=None)


def wake(ticket: Ticket, text: str) -> None:
    """End a snooze on the row in memory, with a line in the timeline."""
    ticket.snoozed_until = None
    TicketChange.objects.create(ticket=ticket, actor=WHO, text=text, at=timezone.now())
