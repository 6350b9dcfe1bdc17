"""Two tickets about one trouble become one; one that is about two becomes two. Faults and evidence go along."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from core.models import User
from health.checks.responses import Response
from health.machines.specs import slot_of
from health.models import Fault
from inventory.models import Machine
from inventory.services import Refused
from inventory.slot_text import slot_text
from tickets import texts
from tickets.desk.models import Watcher
from tickets.desk.services.triage import need_active
from tickets.models import WHOLE_MACHINE, Evidence, Ticket, TicketFault
from tickets.runbooks.services import follow, steps_for
from tickets.services.changes import Change, TicketConflict, TicketRace, changing
from tickets.services.evidence import FIRST_KEPT, LATEST_KEPT, take_over_evidence
from tickets.services.incidents import SHARED_CLASS
from tickets.services.news import lock_machine
from tickets.services.openings import create
from tickets.workflow import Status, TicketEvent, kept

MERGED = ("fault", "person")
"""Sources of tickets that may go into another: an incident, an order or a provisioning run decides about its own."""


@transaction.atomic
def merge(number: int, *, by: User, into: int, reason: str, version: int | None = None) -> Ticket:
    """The duplicate `number` closes, and what it is about is repaired under `into`. Returns the duplicate.

    Raises TicketConflict where the other could not prove it repaired: a fault of another machine, another site.
    """
    if number == into:
        raise Refused("into", "A ticket cannot be merged into itself.")
    rows = {row.number: row for row in Ticket.objects.filter(number__in=(number, into))}
    if into not in rows:
        raise Refused("into", "There is no such ticket.")
    for machine_id in sorted({row.machine_id for row in rows.values() if row.machine_id is not None}):
        lock_machine(machine_id)  # both, in the order of everybody, before either ticket
    first, second = sorted((number, into))
    with changing(first, by=by) as one, changing(second, by=by) as two:
        gone, stays = (one, two) if first == number else (two, one)
        if version is not None and version != gone.ticket.version:
            raise TicketRace(number, f"{gone.ticket.key} changed meanwhile.")
        _may_merge(gone, stays)
        _hand_over(gone.ticket, stays.ticket)
        text = f"Merged into {stays.ticket.key}: {reason}"
        gone.ticket.merged_into = stays.ticket
        gone.move(TicketEvent.RESOLVED, text, merged_into=stays.ticket.key, reason=reason)
        stays.note(f"{gone.ticket.key} was merged into this: {reason}", merged=gone.ticket.key)
        stays.bump = True
        return gone.ticket


def _may_merge(gone: Change, stays: Change) -> None:
    need_active(gone)
    need_active(stays)
    own, other = gone.ticket, stays.ticket
    why = ""
    if own.site_id != other.site_id:
        raise Refused("into", "There is no such ticket.")
    if own.source not in MERGED:
        why = f"{own.key} is of {own.source}, which decides when it is over: merge the other one into it."
    elif own.status != Status.OPEN:
        why = f"{own.key} is being worked on: release it first."
    elif other.status == Status.VERIFYING:
        why = f"{other.key} is being verified: wait for the outcome."
    else:
        left = Fault.objects.filter(ticket_links__ticket=own).exclude(status=Fault.Status.CLEARED)
        foreign = left.exclude(machine_id=other.machine_id) if other.machine_id else left
        if foreign.exists():
            why = f"{other.key} is about another machine: its verification would not prove the faults of {own.key}."
    if why:
        raise TicketConflict(own.number, why)


def _hand_over(own: Ticket, other: Ticket) -> None:
    """Faults, evidence and watchers. Comments and files stay where they were written; each ticket names the other."""
    there = TicketFault.objects.filter(ticket=other).values("fault_id")
    TicketFault.objects.filter(ticket=own, fault__in=there).delete()
    TicketFault.objects.filter(ticket=own).update(ticket=other)
    other.evidence_count += own.evidence_count
    Evidence.objects.filter(ticket=own).update(ticket=other)
    _, between = kept(other.evidence.order_by("at", "id").values_list("pk", flat=True), FIRST_KEPT, LATEST_KEPT)
    other.evidence.filter(pk__in=between).delete()
    own.evidence_count = 0
    Watcher.objects.bulk_create(
        [Watcher(ticket=other, user_id=pk) for pk in own.watchers.values_list("user_id", flat=True)],
        ignore_conflicts=True,
    )


def split_fault(number: int, *, by: User, fault: int, reason: str, version: int | None = None) -> Ticket:
    """A fault that leads gets a ticket of its own, with those that it leads; returns the new one. The first keeps at
    least one. Raises Refused, TicketConflict."""
    with changing(number, by=by, version=version) as change:
        need_active(change)
        ticket = change.ticket
        open_ones = Fault.objects.filter(ticket_links__ticket=ticket, led_by=None).exclude(status=Fault.Status.CLEARED)
        row = open_ones.select_related("machine__device__model").filter(pk=fault).first()
        if row is None:
            raise Refused("fault", f"No open fault of {ticket.key} that leads.")
        if ticket.status == Status.VERIFYING:
            raise TicketConflict(number, f"{ticket.key} is being verified: wait for the outcome.")
        if not open_ones.exclude(pk=fault).exists():
            raise TicketConflict(number, f"It is the only fault of {ticket.key}.")
        return _split(change, row.machine, [row], reason, part=row.slot, fault_class=row.fault_class)


@transaction.atomic
def split_machine(number: int, *, by: User, machine: int, reason: str, version: int | None = None) -> Ticket:
    """A machine of an incident that needs a repair of its own gets a ticket; returns it. The incident goes on, and
    still waits for the machine. Raises Refused, TicketConflict."""
    lock_machine(machine)  # as everybody: the machine before a ticket about it
    with changing(number, by=by, version=version) as change:
        need_active(change)
        ticket = change.ticket
        if ticket.incident is None:
            raise TicketConflict(number, f"{ticket.key} is not about several machines.")
        member = ticket.incident.members.select_related("machine__device__model").filter(machine_id=machine).first()
        if member is None:
            raise Refused("machine", f"{ticket.key} is not about this machine.")
        faults = list(
            Fault.objects.filter(ticket_links__ticket=ticket, machine_id=machine, led_by=None)
            .exclude(status=Fault.Status.CLEARED)
            .order_by("precedence", "pk")
        )
        part = faults[0].slot if faults else WHOLE_MACHINE
        fault_class = faults[0].fault_class if faults else SHARED_CLASS
        return _split(change, member.machine, faults, reason, part=part, fault_class=fault_class)


def _split(
    change: Change, machine: Machine, faults: list[Fault], reason: str, *, part: str, fault_class: str
) -> Ticket:
    ticket = change.ticket
    slot = slot_of(machine.device.model.spec, part)
    named = slot_text(part, slot.label if slot else "")
    fault = faults[0] if faults else None
    planned = steps_for(machine, fault_class, part, slot.label if slot else "")
    try:
        with transaction.atomic():
            new = create(
                machine,
                part=part,
                fault_class=fault_class,
                summary=texts.summary(fault.message, fault.action) if fault else ticket.summary,
                specific=planned.steps,
                response=Response(fault.response) if fault else None,
                where=named if slot else "",
                named=named,
                source="fault",
                source_ref=f"fault:{fault.pk}" if fault else f"incident:{ticket.incident_id}",
                opened_by=change.by.display_name() if change.by else change.room,
                why=f"split from {ticket.key}: {reason}",
                data={"split_from": ticket.key},
            )
    except IntegrityError as error:
        raise TicketConflict(ticket.number, f"There is an open ticket for {named} of {machine.device.name}.") from error
    TicketFault.objects.filter(ticket=ticket, fault__in=[row.pk for row in faults]).delete()
    TicketFault.objects.filter(ticket=ticket, fault__led_by__in=[row.pk for row in faults]).delete()
    Ticket.objects.filter(pk=new.pk).update(split_from=ticket)
    follow(new.pk, planned.version)
    TicketFault.objects.bulk_create([TicketFault(ticket=new, fault=row) for row in faults])
    new.refresh_from_db()
    take_over_evidence(new)
    change.bump = True
    change.note(f"{new.key} was split from this: {reason}", split=new.key, reason=reason)
    return new
