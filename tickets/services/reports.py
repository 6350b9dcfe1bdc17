"""Tickets for what a person saw, at a machine, a switch or a cable.

That of a machine is verified by a look at it. That of a switch or cable is an order of the fabric, and decided by a
discovery that shows nothing wrong with it any more.
"""

from __future__ import annotations

from typing import NamedTuple

from django.db import transaction

from core.models import User
from fabric.models import FabricLink, FabricSource, SeenNode
from health.machines.specs import slot_of
from inventory.models import Cable, Device, Machine
from inventory.slot_text import slot_text
from tickets import texts
from tickets.models import WHOLE_MACHINE, Ticket, TicketChange, WorkOrder
from tickets.orders import OrderStep, steps_of
from tickets.runbooks.steps import StepText
from tickets.services.cabling.order_texts import write_steps
from tickets.services.changes import TicketConflict
from tickets.services.news import announce, lock_machine
from tickets.services.openings import create
from tickets.workflow import ACTIVE_STATUSES

SEEN_BY_PERSON = "person.report"


def site_of_reported(kind: str, pk: int) -> int | None:
    """The site of a machine, switch or cable; None when there is none."""
    if kind == "machine":
        return Machine.objects.filter(pk=pk).values_list("device__site_id", flat=True).first()
    if kind == "switch":
        return Device.objects.filter(pk=pk, kind="switch").values_list("site_id", flat=True).first()
    return Cable.objects.filter(pk=pk).values_list("site_id", flat=True).first()


@transaction.atomic
def open_ticket_for_person(kind: str, pk: int, *, by: User, text: str, part: str = "", title: str = "") -> Ticket:
    """A ticket for what a person saw at a `machine`, `switch` or `cable`, which is there.

    Raises TicketConflict when there is an open one for the same part of it.
    """
    if kind == "machine":
        return _of_machine(pk, by=by, text=text, part=part, title=title)
    return _of_cabling(kind, pk, by=by, text=text, part=part, title=title)


def _of_machine(machine_id: int, *, by: User, text: str, part: str, title: str) -> Ticket:
    lock_machine(machine_id)
    machine = Machine.objects.select_related("device__model").get(pk=machine_id)
    part = part or WHOLE_MACHINE
    other = Ticket.objects.filter(machine=machine, part=part, status__in=ACTIVE_STATUSES).first()
    slot = slot_of(machine.device.model.spec, part)
    named = slot_text(part, slot.label if slot else "")
    _refuse_second(other, f"{named} of {machine.device.name}")
    return create(
        machine,
        part=part,
        fault_class=SEEN_BY_PERSON,
        summary=text,
        title=title,
        specific=[StepText("check", "Investigate what was reported", text)],
        where=named if slot else "",
        named=named,
        source="person",
        source_ref=f"user:{by.pk}",
        opened_by=by.display_name(),
        why=text,
    )


def _refuse_second(other: Ticket | None, name: str) -> None:
    if other is not None:
        raise TicketConflict(other.number, f"{other.key} is open for {name}: comment there.")


def _of_cabling(kind: str, pk: int, *, by: User, text: str, part: str, title: str) -> Ticket:
    """The switch or cable is locked while we look whether it has a ticket already."""
    seen = _switch(pk) if kind == "switch" else _cable(pk)
    same = Ticket.objects.filter(**{kind if kind == "cable" else "device": pk}, subject=kind, part=part)
    _refuse_second(same.filter(status__in=ACTIVE_STATUSES).first(), f"{part} of {seen.name}" if part else seen.name)
    ticket = Ticket.objects.create(
        site_id=seen.site_id, subject=kind, device=seen.device, cable=seen.cable, part=part,
        fault_class=SEEN_BY_PERSON, title=(title or f"Investigate a report about {seen.name}")[:200], summary=text,
        priority=texts.priority(SEEN_BY_PERSON), source="fabric", source_ref=f"user:{by.pk} {kind}:{pk}",
    )  # fmt: skip
    ticket.refresh_from_db()
    order = WorkOrder.objects.create(ticket=ticket, kind=WorkOrder.Kind.CHECKS, source=seen.source, cables=seen.links)
    scan, verify = steps_of(order.kind, seen.name, (), (), ())
    report = OrderStep("check", "Investigate what was reported", text)
    write_steps(ticket, 1, order.version, [scan, report, verify])
    actor = by.display_name()
    TicketChange.objects.create(ticket=ticket, user=by, actor=actor[:150], event="open", text=f"Opened: {text}")
    announce(ticket, by.get_username())
    return ticket


class _Seen(NamedTuple):
    """A switch or cable, where one stands at it, and which source reads it under which keys."""

    name: str
    site_id: int
    device: Device | None
    cable: Cable | None
    source: FabricSource | None
    links: list[str]


def _switch(pk: int) -> _Seen:
    switch = Device.objects.select_for_update(of=("self",)).get(pk=pk, kind="switch")
    rows = SeenNode.objects.filter(device=switch, during__endswith=None).select_related("source")
    node = rows.order_by("source__pk").first()
    return _Seen(switch.name, switch.site_id, switch, None, node.source if node else None, [])


def _cable(pk: int) -> _Seen:
    cable = Cable.objects.select_for_update(of=("self",)).get(pk=pk)
    rows = FabricLink.objects.filter(cable=cable).select_related("source", "a_port__device", "b_port__device")
    links = list(rows.order_by("source__pk", "pk"))
    ends = [port.device for link in links[:1] for port in (link.a_port, link.b_port) if port is not None]
    ends.sort(key=lambda device: device.kind != "switch")
    keys = sorted({link.key for link in links}) or [cable.label]
    source = links[0].source if links else None
    return _Seen(cable.label, cable.site_id, next(iter(ends), None), cable, source, keys)
