"""A state that somebody set in the other system: a line of the ticket, and what the map makes of it here."""

from __future__ import annotations

from django.db import transaction

from core.accounts.scope import allows, granted_roles
from core.models import Role
from tickets.desk.people import may_work_on
from tickets.models.tickets import Ticket
from tickets.services.changes import NotYours, TicketConflict, changing
from tickets.services.verifications import done_verify
from tickets.services.work import release, take
from tickets.systems import maps
from tickets.systems.models import ExternalItem, ExternalLink, TicketSystem


@transaction.atomic
def follow(system: TicketSystem, link: ExternalLink, seen: str) -> bool:
    """Take in that the record has this state; `link` is as it was before it was asked. Returns whether it is news.

    What we set ourselves is none, nor is the first state that is ever seen. A state of ours that waits to be told wins.
    """
    seen = seen[:100]
    row = ExternalLink.objects.select_for_update(no_key=True).get(pk=link.pk)
    if not seen or row.status != link.status or maps.same(seen, row.status):
        return False
    if row.items.filter(kind=ExternalItem.Kind.STATUS, status=ExternalItem.Status.WAITING).exists():
        return False
    before, row.status = row.status, seen
    row.save(update_fields=["status"])
    if not before:
        return False
    text = f"{row.key} in {system.name}: {before} → {seen}"
    why_not = _act(system, link.ticket, seen, text)
    with changing(link.ticket.number, by=system.acts_as) as change:
        change.note(f"{text}. Not done here: {why_not}" if why_not else text, external=row.key, state=seen)
    return True


def _act(system: TicketSystem, ticket: Ticket, state: str, text: str) -> str:
    """Do what the map says of the state, as the account that it acts as; returns why not, empty when all is done."""
    by = system.acts_as
    roles = granted_roles(by)
    try:
        action = maps.read(system.kind, system.field_map).action(state)
    except ValueError as error:
        return f"the map is wrong: {error}"
    if action and not may_work_on(by, ticket):
        return f"{by.get_username()} may not work on tickets of its site and queue"
    try:
        with transaction.atomic():
            if action == "take":
                take(ticket.number, by=by)
            elif action == "release":
                release(ticket.number, by=by, reason=text)
            elif action == "verify":
                done_verify(ticket.number, by=by, operator=allows(roles, ticket.site_id, Role.OPERATOR))
    except (TicketConflict, NotYours) as error:
        return str(error)
    return ""
