"""Tickets and automation: one waits while the other tries, and says then what was tried."""

from __future__ import annotations

from health import services as health
from health.machines.calls import AUTOMATION
from tickets.models import Ticket, TicketChange
from tickets.services.news import announce
from tickets.services.openings import open_ticket_for_fault


def open_ticket_unless_automation_is_first(fault_id: int) -> Ticket | None:
    """The ticket of a fault, unless a remedy that is on goes first: then it opens when people are needed.

    None also while others fail alike and may be one incident; a fault that is part of one is on its ticket. Of a dry
    run the ticket says what automation would have done.
    """
    if health.automation_is_first(fault_id) or health.waits_for_a_cause(fault_id):
        return None
    if health.shared_incident_of(fault_id) is not None:
        return None
    ticket = open_ticket_for_fault(fault_id)
    if ticket is not None and not ticket.changes.filter(data__automation=fault_id).exists():
        words = health.automation_in_words(fault_id)
        if words:
            TicketChange.objects.create(
                ticket=ticket, actor=AUTOMATION, event="", text=words, data={"automation": fault_id}
            )
    return ticket


def automation_gave_up(fault_id: int, reason: str) -> Ticket | None:
    """Open the ticket that waited, with what automation tried; of an open one only the news is written down.

    None while others fail alike, until it is known whether that is one incident: then this is told again.
    """
    if health.waits_for_a_cause(fault_id) or health.shared_incident_of(fault_id) is not None:
        return None
    ticket = open_ticket_for_fault(fault_id)
    if ticket is None:
        return None
    tried = health.tried_for(fault_id)
    if not tried and ticket.changes.filter(data__automation=fault_id).exists():
        return ticket
    lines = [f"{each['at']:%Y-%m-%d %H:%M} {each['title']}: {each['text']}" for each in tried]
    text = "\n".join([f"Automation leaves it to people: {reason}", *lines])
    if not ticket.changes.filter(text=text).exists():
        TicketChange.objects.create(ticket=ticket, actor=AUTOMATION, event="", text=text, data={"automation": fault_id})
        announce(ticket, AUTOMATION)
    return ticket
