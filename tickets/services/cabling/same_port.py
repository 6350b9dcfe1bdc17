"""A card's dark port and its cable are one trouble: whichever ticket opened first leads, the other news joins it.

Health sees the port of a card, the fabric sees the link of a cable. Both name the same machine and slot, by way of the
cable's ends in the inventory.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q

from fabric.models import Finding, LinkQuality
from fabric.wiring.services.excuses import DARK_KINDS
from health.models import Fault, IncidentMachine
from health.monitoring.queries.part_lines import line_of
from inventory.models import Port
from tickets.models import Evidence, Ticket, TicketFault
from tickets.services.changes import Change, changing
from tickets.services.evidence import add_evidence, take_over_evidence
from tickets.workflow import ACTIVE_STATUSES, Status

HEALTH = "health"
# What is wrong with a card's port, or with the card that has it.
PORT_CLASSES = ("hca.link", "hca.rate", "hca.gone", "hca.fabric", "hca.failing", "fabric.link")
SILENT_MACHINE = "machine.unreachable"
Slot = tuple[int, str]


def slots_of_cables(site_id: int, labels: Iterable[str]) -> set[Slot]:
    """The machines and slots that cables of a site end at."""
    ends = Port.objects.filter(
        device__kind="machine",
        strand_ends__change_set=None,
        strand_ends__connector__cable__site_id=site_id,
        strand_ends__connector__cable__label__in=list(labels),
    )
    return set(ends.values_list("device_id", "slot"))


def slots_of_link(quality: LinkQuality) -> set[Slot]:
    link = quality.link
    ports = [port for port in (link.a_port, link.b_port) if port is not None] if link is not None else []
    return {(port.device_id, port.slot) for port in ports if port.device.kind == "machine"}


def ticket_of_slots(slots: Iterable[Slot], *, whole: bool) -> Ticket | None:
    """The active ticket of a fault at one of these ports; `whole`: or of a machine that is not reachable at all, by
    itself or as one of many."""
    places, machines = Q(pk__in=[]), set()
    for machine_id, slot in slots:
        machines.add(machine_id)
        places |= Q(source="fault", machine_id=machine_id, part=slot, fault_class__in=PORT_CLASSES)
    if whole:
        lost = IncidentMachine.objects.filter(machine_id__in=machines, recovered_at=None, incident__closed_at=None)
        places |= Q(source="fault", machine_id__in=machines, fault_class=SILENT_MACHINE)
        places |= Q(source="incident", incident_id__in=lost.values("incident_id"), fault_class=SILENT_MACHINE)
    return Ticket.objects.filter(places, status__in=ACTIVE_STATUSES).order_by("number").first()


def ticket_of_finding(finding: Finding) -> Ticket | None:
    """The ticket of a fault that a dark finding is another sight of: all its cables end at that one port, or at one
    machine that is not reachable."""
    if finding.kind not in DARK_KINDS:
        return None
    slots = slots_of_cables(finding.site_id, finding.cables)
    machines = {machine_id for machine_id, _ in slots}
    if len(machines) != 1:
        return None
    found = ticket_of_slots(slots, whole=True)
    if found is None or found.fault_class == SILENT_MACHINE or len(slots) == 1:
        return found
    return None


def fabric_ticket_of(fault: Fault) -> Ticket | None:
    """The active order or link ticket about the cable at the port of this fault."""
    if fault.fault_class not in PORT_CLASSES:
        return None
    labels = Port.objects.filter(device_id=fault.machine_id, slot=fault.slot, strand_ends__change_set=None)
    cables = list(labels.values_list("strand_ends__connector__cable__label", "strand_ends__connector__cable_id"))
    if not cables:
        return None
    site_id = fault.machine.device.site_id
    about = Q(order__cables__overlap=[label for label, _ in cables]) | Q(cable_id__in=[pk for _, pk in cables])
    active = Ticket.objects.filter(about, site_id=site_id, source="fabric", status__in=ACTIVE_STATUSES)
    alone = active.filter(Q(order__kind__in=["unlit", "link"]))
    return alone.order_by("number").first()


def join(ticket: Ticket, text: str, evidence: Evidence, *, room: str, about: dict[str, Any]) -> Ticket:
    """Add the news of the other room to the ticket that leads. Once for each thing it is about."""
    if ticket.changes.filter(data__contains=about).exists():
        return ticket
    with changing(ticket.number, room=room) as change:
        change.note(text, **about)
        _add(change, evidence)
        return change.ticket


def _add(change: Change, evidence: Evidence) -> None:
    add_evidence(change.ticket, [evidence])


def join_fault(ticket: Ticket, fault: Fault) -> Ticket:
    """Make a fault part of a ticket of the fabric; its evidence goes there."""
    _, new = TicketFault.objects.get_or_create(ticket=ticket, fault=fault)
    with changing(ticket.number, room=HEALTH) as change:
        if new:
            change.note(f"The machine shows the same: {line_of(fault)}", fault=fault.pk)
        taken = take_over_evidence(change.ticket)
        change.nothing = not (new or taken)
        return change.ticket


def left_without_ticket() -> list[int]:
    """Open dark findings that never had a ticket of their own: they joined one, which may be closed by now."""
    open_now = Finding.objects.filter(state=Finding.State.OPEN, kind__in=DARK_KINDS, tickets=None)
    return list(open_now.order_by("pk").values_list("pk", flat=True))


def faults_left_behind() -> list[int]:
    """Faults that had joined a ticket of the fabric which is closed, and that still stand without another ticket."""
    joined = TicketFault.objects.filter(
        ticket__source="fabric",
        ticket__status=Status.CLOSED.value,
        fault__status=Fault.Status.CONFIRMED,
        fault__led_by=None,
    )
    with_ticket = TicketFault.objects.filter(ticket__status__in=ACTIVE_STATUSES).values("fault_id")
    return sorted(set(joined.exclude(fault_id__in=with_ticket).values_list("fault_id", flat=True)))
