"""The one way to change a ticket: lock its machine, lock it, change it, say so.

Every writer locks in the same order: rows of a provisioning run, the machine's health, the ticket. Handlers of health's
events run with the machine locked already, so a ticket never waits for a machine that waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.models import User
from health.services import set_ticket_key
from tickets.desk import reopenings
from tickets.models import Ticket, TicketChange
from tickets.services import leds
from tickets.services.cabling import clearances
from tickets.services.news import announce, lock_machine
from tickets.workflow import ACTIVE_STATUSES, HANDS_ON, NotAllowed, Status, TicketEvent, next_status

OURSELVES = "tickets"


class TicketConflict(Exception):
    """The state of the ticket does not allow what was asked; `reason` says why."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(reason)
        self.number, self.reason = number, reason


class TicketRace(TicketConflict):
    """Somebody changed the ticket since the caller read it: the same request may be right on what it is now."""


class NotYours(Exception):
    """Somebody else works on the ticket."""


@dataclass
class Change:
    """A locked ticket in the middle of a change. `by` is None when Rackside itself changes it."""

    ticket: Ticket
    by: User | None
    room: str
    bump: bool = False
    nothing: bool = False
    moved: bool = False
    after: list[Callable[[], None]] = field(default_factory=list)

    @property
    def actor(self) -> str:
        """Who, as the other rooms record it."""
        return self.by.get_username() if self.by else self.room

    def note(self, text: str, *, event: str = "", **data: Any) -> None:
        """Add a line to the timeline."""
        actor = self.by.display_name() if self.by else self.room
        TicketChange.objects.create(
            ticket=self.ticket, user=self.by, actor=actor[:150], event=event, text=text, data=data, at=timezone.now()
        )

    def move(self, event: TicketEvent, text: str, **data: Any) -> None:
        """Take one step of the workflow. Raises TicketConflict when it is not allowed now."""
        ticket = self.ticket
        try:
            status = next_status(ticket.status, event)
        except NotAllowed as error:
            raise TicketConflict(ticket.number, f"{ticket.key}: {error}.") from error
        if why := reopenings.refusal(ticket, event, self.by):
            raise TicketConflict(ticket.number, why)
        reopenings.moved(ticket, event, self.by, timezone.now())
        data |= {"from": ticket.status, "to": status.value}
        ticket.status = status.value
        ticket.closed_at = timezone.now() if status == Status.CLOSED else None
        if status == Status.OPEN:
            ticket.assignee = None
        self.bump = self.moved = True
        self.note(text, event=event.value, **data)

    def then(self, work: Callable[[], None]) -> None:
        """Do this in the same transaction once the ticket is saved."""
        self.after.append(work)


def need_work(change: Change, *, operator: bool) -> None:
    """The ticket is in work, by this person or with an operator's rights. Raises TicketConflict or NotYours."""
    ticket = change.ticket
    if ticket.status != Status.IN_WORK:
        status = ticket.status.replace("_", " ")
        raise TicketConflict(ticket.number, f"{ticket.key} is {status}: take it before you work on it.")
    if not operator and ticket.assignee != change.by:
        name = ticket.assignee.display_name() if ticket.assignee else "somebody else"
        raise NotYours(f"{ticket.key} is with {name}.")


@contextmanager
def changing(
    number: int, *, by: User | None = None, version: int | None = None, room: str = OURSELVES
) -> Iterator[Change]:
    """Change one ticket in a transaction of its own or the caller's. Nothing is saved when the block raises.

    Raises Ticket.DoesNotExist, or TicketRace when `version` is given and is not the present one.
    """
    with transaction.atomic():
        lock_machine(Ticket.objects.values_list("machine_id", flat=True).get(number=number))
        ticket = (
            Ticket.objects.select_for_update(of=("self",))
            .select_related("device__model", "machine", "cable", "assignee", "verification")
            .get(number=number)
        )
        if version is not None and version != ticket.version:
            raise TicketRace(number, f"{ticket.key} changed meanwhile.")
        change = Change(ticket, by, room)
        yield change
        _save(change)


def _save(change: Change) -> None:
    if change.nothing:
        return
    ticket = change.ticket
    ticket.version += int(change.bump)
    ticket.updated_at = timezone.now()
    ticket.save()
    announce(ticket, change.actor)
    if change.moved and ticket.machine_id is not None:
        settle_machine(ticket.machine_id)
    if change.moved and ticket.source == "fabric":
        if ticket.status in HANDS_ON:
            clearances.plan_clearances(ticket)
        clearances.soon()
    for work in change.after:
        work()


def settle_machine(machine_id: int) -> None:
    """Make what the machine shows of its tickets true again: the most urgent one's key, and the wished light.

    Without one of its own it shows the ticket of an incident that it shares with others.
    """
    active = Ticket.objects.filter(status__in=ACTIVE_STATUSES).order_by("priority", "number")
    shared = Q(incident__members__machine_id=machine_id, incident__members__recovered_at=None)
    numbers = (
        active.filter(mine).values_list("number", flat=True).first() for mine in (Q(machine_id=machine_id), shared)
    )
    number = next((number for number in numbers if number is not None), None)
    set_ticket_key(machine_id, Ticket(number=number).key if number is not None else "")
    leds.refresh_wish(machine_id)
