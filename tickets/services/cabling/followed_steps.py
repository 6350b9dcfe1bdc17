"""What follows from a ticked step of a work order: its ports are looked at, or the link is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickets.models import Step, WorkOrder
from tickets.services.cabling import clearances, link_tickets
from tickets.services.cabling.port_checks import ask_check

if TYPE_CHECKING:
    from tickets.services.changes import Change

MEASURED = ("clean", "reseat", "swap")


def step_marked(change: Change, row: Step) -> None:
    """Runs in the transaction of the tick, the ticket locked."""
    order = WorkOrder.objects.get(ticket=change.ticket)
    if row.done_at is not None and row.move is not None:
        ask_check(change, row)
    elif row.done_at is not None and order.kind == WorkOrder.Kind.LINK and row.kind in MEASURED:
        link_tickets.ask_measurement(row)
    clearances.plan_clearances(change.ticket)
