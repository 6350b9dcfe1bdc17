"""What a shift decides about a ticket: who has it, how urgent it is, where it stands, and that somebody has seen it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from core.models import User
from inventory.services import Refused
from tickets.desk.models import Watcher
from tickets.desk.people import may_work_at
from tickets.desk.reopenings import may_confirm, needs_second_eyes
from tickets.models import Ticket, TicketFault
from tickets.services.changes import Change, NotYours, TicketConflict, changing

LONGEST_SNOOZE = timedelta(days=30)


def need_active(change: Change) -> None:
    """Raises TicketConflict for a closed ticket."""
    if not change.ticket.is_active:
        raise TicketConflict(change.ticket.number, f"{change.ticket.key} is closed.")


def acknowledge(number: int, *, by: User, version: int | None = None) -> Ticket:
    """Somebody has seen it and will see to it. The first one counts; once more changes nothing."""
    with changing(number, by=by, version=version) as change:
        need_active(change)
        ticket = change.ticket
        change.nothing = ticket.acknowledged_at is not None
        if not change.nothing:
            ticket.acknowledged_at, ticket.acknowledged_by = timezone.now(), by
            change.bump = True
            change.note("Acknowledged")
        return ticket


def assign(number: int, *, by: User, to: int | None, version: int | None = None) -> Ticket:
    """Give a ticket to a technician of its site, or to nobody while nobody works on it.

    Raises Refused for somebody else, TicketConflict.
    """
    with changing(number, by=by, version=version) as change:
        need_active(change)
        ticket = change.ticket
        change.nothing = ticket.assignee_id == to
        if change.nothing:
            return ticket
        if to is None and ticket.status != "open":
            raise TicketConflict(number, f"{ticket.key} is being worked on: release it, or assign it to somebody else.")
        person = User.objects.filter(pk=to).first() if to is not None else None
        if to is not None and (person is None or not may_work_at(person, ticket.site_id)):
            raise Refused("to", "No technician of this site.")
        ticket.assignee = person
        if person is not None and person.pk != ticket.worked_by_id and needs_second_eyes(ticket):
            ticket.second_by = person
        change.bump = True
        change.note(f"Assigned to {person.display_name()}" if person else "Assigned to nobody", assignee=to)
        return ticket


def set_priority(
    number: int, *, by: User, priority: str | None, reason: str = "", version: int | None = None
) -> Ticket:
    """Set it by hand: it then stays. With None the rule decides again."""
    with changing(number, by=by, version=version) as change:
        need_active(change)
        ticket = change.ticket
        was = ticket.priority
        if priority is None:
            change.nothing = ticket.priority_by_id is None
            ticket.priority_by, ticket.ranked_at = None, None
            text = "Priority by rule again"
        else:
            ticket.priority, ticket.priority_by = priority, by
            ticket.priority_line = f"{priority}: {reason} ({by.display_name()})"[:200]
            ticket.ranked_at = None  # the due time follows
            text = f"Priority {was} to {priority}: {reason}"
        if not change.nothing:
            change.bump = True
            change.note(text, priority=priority, reason=reason)
        return ticket


def move(number: int, *, by: User, queue: str, reason: str, version: int | None = None) -> Ticket:
    """Into another queue, by hand: it then stays there."""
    with changing(number, by=by, version=version) as change:
        need_active(change)
        ticket = change.ticket
        change.nothing = ticket.queue == queue
        if not change.nothing:
            change.note(f"Queue {ticket.queue} to {queue}: {reason}", queue=queue, reason=reason)
            ticket.queue, ticket.queue_by = queue, by
            change.bump = True
        return ticket


def snooze(number: int, *, by: User, until: datetime, reason: str, version: int | None = None) -> Ticket:
    """Out of sight until a time; it comes back by itself then, and at once when it gets worse. Raises Refused."""
    with changing(number, by=by, version=version) as change:
        need_active(change)
        now = timezone.now()
        if not now < until <= now + LONGEST_SNOOZE:
            raise Refused("until", f"A time to come, at most {LONGEST_SNOOZE.days} days ahead.")
        ticket = change.ticket
        ticket.snoozed_until, ticket.snoozed_by, ticket.snooze_reason = until, by, reason
        ticket.snoozed_faults = TicketFault.objects.filter(ticket=ticket).count()
        change.bump = True
        change.note(f"Snoozed until {until:%Y-%m-%d %H:%M} UTC: {reason}", until=until.isoformat(), reason=reason)
        return ticket


def unsnooze(number: int, *, by: User, version: int | None = None) -> Ticket:
    with changing(number, by=by, version=version) as change:
        ticket = change.ticket
        change.nothing = ticket.snoozed_until is None
        if not change.nothing:
            ticket.snoozed_until = None
            change.bump = True
            change.note("Back from snooze")
        return ticket


def watch(number: int, *, by: User, on: bool, version: int | None = None) -> Ticket:
    """Hear of a ticket from now on, or no more. It changes nothing on the ticket itself."""
    with changing(number, by=by, version=version) as change:
        change.nothing = True
        if on:
            Watcher.objects.get_or_create(ticket=change.ticket, user=by)
        else:
            Watcher.objects.filter(ticket=change.ticket, user=by).delete()
        return change.ticket


def confirm(number: int, *, by: User, note: str, version: int | None = None) -> Ticket:
    """The second pair of eyes: somebody who did not do the repair says that it is right, and what was checked.

    Raises NotYours for whoever did it, TicketConflict where nobody asked.
    """
    with changing(number, by=by, version=version) as change:
        need_active(change)
        ticket = change.ticket
        if not needs_second_eyes(ticket):
            raise TicketConflict(number, f"{ticket.key} needs no second pair of eyes.")
        if not may_confirm(ticket, by):
            raise NotYours(f"{ticket.key}: somebody else than who did the repair has to confirm it.")
        ticket.second_by = by
        change.bump = True
        change.note(f"Confirmed by a second pair of eyes: {note}", second=by.pk)
        return ticket
