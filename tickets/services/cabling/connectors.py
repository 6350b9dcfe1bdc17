"""Swapped optics and cables of a ticket about cabling: serials recorded, the inventory follows."""

from __future__ import annotations

from django.utils import timezone

from core.models import User
from fabric.models import FabricLink
from inventory.models import Cable, Component, Port, StoragePlace
from inventory.queries import slot_text_of
from inventory.services import Refused, Returned
from inventory.services import connectors as inventory
from tickets.models import PartSwap, Ticket, WorkOrder
from tickets.queries import only_link
from tickets.services.changes import Change, changing, need_work
from tickets.services.work import mark


def swap_connector(
    number: int,
    *,
    by: User,
    what: str,
    new_serial: str,
    end: str = "a",
    new_serial_b: str = "",
    part_number: str = "",
    operator: bool = False,
    version: int | None = None,
) -> Ticket:
    """Record that the optic at one end (`a` or `b`) or the whole cable was swapped; the next such step is done.

    A cable has a serial at each plug; the second is the first where both are the same. Raises Refused with the field
    to blame.
    """
    with changing(number, by=by, version=version) as change:
        need_work(change, operator=operator)
        link = link_of(change.ticket)
        if what == "cable":
            _cable(change, link, new_serial, new_serial_b or new_serial)
        else:
            _optic(change, link.a_port if end == "a" else link.b_port, new_serial, part_number)
        step = change.ticket.steps.filter(kind="swap", swaps=what, done_at=None).first()
        if step is not None:
            mark(change, step, done=True)
        change.bump = True
        return change.ticket


def link_of(ticket: Ticket) -> FabricLink:
    """The one link the ticket is about. Raises Refused where there is none, or several."""
    order = WorkOrder.objects.filter(ticket=ticket).first()
    if order is None:
        raise Refused("what", "This ticket is not about a link.")
    link = only_link(order)
    if link is None:
        raise Refused("what", "This ticket is about several links: record the swap at the part itself.")
    return link


def _optic(change: Change, port: Port | None, new_serial: str, part_number: str) -> None:
    if port is None:
        raise Refused("end", "The inventory does not know this port.")
    ticket = change.ticket
    shelf = StoragePlace.objects.filter(site_id=ticket.site_id, takes_removed=True).first()
    made, old = inventory.swap_optic(
        port.pk, new_serial, by=change.actor, ticket=ticket.key, part_number=part_number or None,
        old=Returned(shelf, Component.Condition.SUSPECT),
    )  # fmt: skip
    known = old.serial if old is not None else ""
    _record(change, made.slot, known, made.component.serial, old=old, new=made.component)
    where = f"{made.device.name} {slot_text_of(made.device_id, made.slot)}"
    change.note(f"Swapped {where}: {known or 'unknown serial'} out, {made.component.serial} in")


def _cable(change: Change, link: FabricLink, a: str, b: str) -> None:
    if link.cable is None:
        raise Refused("what", "The inventory does not know this cable.")
    old = inventory.swap_cable(link.cable.pk, (a, b), by=change.actor, ticket=change.ticket.key)
    known, new = (" / ".join(dict.fromkeys(each for each in pair if each)) for pair in (old, (a.strip(), b.strip())))
    _record(change, f"cable {link.cable.label}"[:60], known[:64], new[:64], cable=link.cable)
    change.note(f"Swapped cable {link.cable.label}: {known or 'unknown serials'} out, {new} in", cable=link.cable.pk)


def _record(
    change: Change, slot: str, old_serial: str, new_serial: str, *, old: Component | None = None,
    new: Component | None = None, cable: Cable | None = None,
) -> None:  # fmt: skip
    assert change.by is not None
    PartSwap.objects.create(
        ticket=change.ticket, at=timezone.now(), by=change.by, slot=slot, old_serial=old_serial,
        new_serial=new_serial, old_component=old, new_component=new, cable=cable,
    )  # fmt: skip
