"""What every step of the workflow does at the desk, and when a ticket that keeps coming back needs other eyes. The
row that is given is changed; the caller saves it."""

from __future__ import annotations

from datetime import datetime

from core.models import User
from tickets.models import Ticket
from tickets.workflow import Status, TicketEvent

SECOND_EYES_FROM = 3
"""Reopenings: operators who reopened it, and verifications that failed."""


def needs_second_eyes(ticket: Ticket) -> bool:
    return ticket.reopened >= SECOND_EYES_FROM and ticket.second_by_id is None


def refusal(ticket: Ticket, event: str, by: User | None) -> str:
    """Why this may not happen now; empty when it may. What Rackside does itself is never refused."""
    if event == TicketEvent.REOPEN and ticket.merged_into is not None:
        return f"{ticket.key} was merged into {ticket.merged_into.key}: work on that one."
    ends = event == TicketEvent.VERIFY or (
        event == TicketEvent.CLOSE and by is not None and by.pk == ticket.worked_by_id
    )
    if by is not None and ends and needs_second_eyes(ticket):
        return (
            f"{ticket.key} came back {ticket.reopened} times: another technician or an operator has to take it or "
            "confirm the repair first."
        )
    return ""


def moved(ticket: Ticket, event: str, by: User | None, now: datetime) -> None:
    """After a step of the workflow was decided, before the assignee changes with it."""
    ticket.snoozed_until = None
    if event == TicketEvent.TAKE and by is not None:
        if ticket.acknowledged_at is None:
            ticket.acknowledged_at, ticket.acknowledged_by = now, by
        if needs_second_eyes(ticket) and by.pk != ticket.worked_by_id:
            ticket.second_by = by
    if event in (TicketEvent.FAIL, TicketEvent.REOPEN):
        ticket.reopened += 1
        ticket.worked_by_id, ticket.second_by = ticket.assignee_id or ticket.worked_by_id, None
    if event in (TicketEvent.RELEASE, TicketEvent.REOPEN):  # it waits for somebody anew
        ticket.acknowledged_at = ticket.acknowledged_by = None
    if event == TicketEvent.REOPEN:
        ticket.counted_from, ticket.ranked_at = now, None


def may_confirm(ticket: Ticket, by: User) -> bool:
    """Whether this person is the other pair of eyes that the ticket waits for."""
    return needs_second_eyes(ticket) and ticket.status != Status.CLOSED and by.pk not in _hands(ticket)


def _hands(ticket: Ticket) -> set[int | None]:
    return {ticket.worked_by_id, ticket.assignee_id}
