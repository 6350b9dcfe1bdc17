"""How tickets open by themselves: for a confirmed fault, for a machine whose provisioning failed.

They may run twice: a fault has at most one active ticket, and evidence is taken over once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from health.checks.responses import Response
from health.machines.specs import slot_names, slot_of
from health.models import Fault
from health.monitoring.faults import group_of
from inventory.models import Machine
from inventory.slot_text import slot_text
from provisioning.alike import Alike
from provisioning.models import RunMachine
from provisioning.queries import alike_with
from provisioning.services import set_ticket
from tickets import texts
from tickets.models import WHOLE_MACHINE, Evidence, Step, Ticket, TicketChange, TicketFault
from tickets.queries import number_of
from tickets.runbooks.services import follow, steps_for
from tickets.runbooks.steps import StepText
from tickets.services.cabling.same_port import fabric_ticket_of, join_fault
from tickets.services.changes import changing, settle_machine
from tickets.services.evidence import add_evidence, take_over_evidence
from tickets.services.news import announce, lock_machine
from tickets.workflow import ACTIVE_STATUSES, Status, TicketEvent

RECENT = timedelta(days=60)
LOG_LINES = 20


# ---- faults ----


@transaction.atomic
def open_ticket_for_fault(fault_id: int) -> Ticket | None:
    """The active ticket of a confirmed leading fault, opened when there is none, with all evidence so far.

    None when there is nothing to repair: the fault cleared meanwhile, another one leads it, or it is only a note.
    """
    lock_machine(Fault.objects.values_list("machine_id", flat=True).get(pk=fault_id))
    fault = Fault.objects.select_related("machine__device__model").get(pk=fault_id)
    if fault.status != Fault.Status.CONFIRMED or fault.led_by_id is not None:
        return None
    if not Response(fault.response).opens_ticket:
        return None
    ticket = active_ticket_of(fault)
    if ticket is None and (leading := fabric_ticket_of(fault)) is not None:
        return join_fault(leading, fault)
    if ticket is None:
        ticket = _open_for_fault(fault)
        take_over_evidence(ticket)
        return ticket
    TicketFault.objects.get_or_create(ticket=ticket, fault=fault)
    if take_over_evidence(ticket):
        announce(ticket, "health")
    return ticket


def active_ticket_of(fault: Fault) -> Ticket | None:
    """The ticket under which this fault is repaired already, locked: one repair for all that is wrong in one slot.

    A machine whose provisioning failed has one ticket for whatever is found on it until it is in service.
    """
    slots = slot_names(fault.machine.device.model.spec)
    group = group_of(fault.slot, fault.fault_class, slots)
    active = (
        Ticket.objects.select_for_update(of=("self",))
        .filter(machine_id=fault.machine_id, status__in=ACTIVE_STATUSES)
        .exclude(source="fabric")
        .select_related("device", "cable", "assignee")
        .order_by("number")
    )
    linked = set(TicketFault.objects.filter(fault=fault).values_list("ticket_id", flat=True))
    for ticket in sorted(active, key=lambda ticket: ticket.pk not in linked):
        same_group = group_of(ticket.part, ticket.fault_class, slots) == group
        if ticket.pk in linked or same_group or ticket.source == "provisioning":
            return ticket
    return None


def _open_for_fault(fault: Fault) -> Ticket:
    device = fault.machine.device
    slot = slot_of(device.model.spec, fault.slot)
    label = slot.label if slot else ""
    where = slot_text(fault.slot, label)
    planned = steps_for(fault.machine, fault.fault_class, fault.slot, label)
    ticket = create(
        fault.machine,
        part=fault.slot,
        fault_class=fault.fault_class,
        summary=texts.summary(fault.message, fault.action),
        specific=planned.steps,
        response=Response(fault.response),
        where=where,
        named=where,
        source="fault",
        source_ref=f"fault:{fault.pk}",
        opened_by="health check",
        why=fault.message,
    )
    TicketFault.objects.create(ticket=ticket, fault=fault)
    follow(ticket.pk, planned.version)
    return ticket


# ---- provisioning ----


def open_ticket_for_run_machine(run_machine_id: int) -> Ticket | None:
    """The ticket of a machine whose provisioning failed: its open one with the new failure, or a new one.

    None when the machine has been started again meanwhile.
    """
    with transaction.atomic():
        rows = RunMachine.objects.select_for_update(of=("self",)).select_related("machine__device__model", "run")
        row = rows.get(pk=run_machine_id)
        lock_machine(row.machine_id)
        if row.status != "failed":
            return None
        fault_class = f"provisioning.{row.failure_class}"
        active = Ticket.objects.filter(machine=row.machine, source="provisioning", status__in=ACTIVE_STATUSES).first()
        group = alike_with(row) if active is None else None
        if active is None and (shared := _ticket_of(group)):
            set_ticket(row.pk, shared.key)
            number = shared.number  # its machine is another one, and two are never locked in this order
            transaction.on_commit(lambda: _fails_alike(number, run_machine_id), robust=True)
            return shared
        if active is None:
            active = create(
                row.machine,
                part=WHOLE_MACHINE,
                fault_class=fault_class,
                summary=texts.summary(row.failure_text, ""),
                specific=texts.PROVISIONING_STEPS.get(row.failure_class, ()),
                where="",
                source="provisioning",
                source_ref=f"run_machine:{row.pk}",
                opened_by="provisioning",
                why=" ".join([row.failure_text or row.failure_class, *([group.text] if group else [])]),
                data={"run_machine": row.pk, "attempt": row.attempt},
            )
            add_evidence(active, _failure_evidence(row))
        elif not active.changes.filter(data__run_machine=row.pk, data__attempt=row.attempt).exists():
            _failed_again(active, row)
        set_ticket(row.pk, active.key)
        return active


def _ticket_of(group: Alike | None) -> Ticket | None:
    """The open ticket of the machines that failed alike: one cause is one ticket."""
    if group is None:
        return None
    refs = [f"run_machine:{trouble.run_machine}" for trouble in group.troubles]
    found = Ticket.objects.filter(source="provisioning", source_ref__in=refs, status__in=ACTIVE_STATUSES)
    return found.order_by("number").first()


def _fails_alike(number: int, run_machine_id: int) -> None:
    """Say at the ticket that another machine has its cause; once for each of its attempts."""
    row = RunMachine.objects.select_related("machine__device").get(pk=run_machine_id)
    with changing(number, room="provisioning") as change:
        if change.ticket.changes.filter(data__run_machine=row.pk, data__attempt=row.attempt).exists():
            change.nothing = True
            return
        text = f"{row.machine.device.name} failed alike: {row.failure_text or row.failure_class}"
        change.note(text, run_machine=row.pk, attempt=row.attempt)
        add_evidence(change.ticket, _failure_evidence(row))


def _failed_again(ticket: Ticket, row: RunMachine) -> None:
    with changing(ticket.number, room="provisioning") as change:
        change.ticket.source_ref = f"run_machine:{row.pk}"
        text = f"Provisioning failed again: {row.failure_text or row.failure_class}"
        about: dict[str, Any] = {"run_machine": row.pk, "attempt": row.attempt}
        if change.ticket.status == Status.VERIFYING:
            change.move(TicketEvent.FAIL, text, **about)
        else:
            change.note(text, **about)
        add_evidence(change.ticket, _failure_evidence(row))


def add_evidence_of_run_machine(run_machine_id: int) -> None:
    """What was read of a failure after its ticket was opened, its own or one of several that failed alike: the
    installer's log."""
    row = RunMachine.objects.select_related("machine__device").get(pk=run_machine_id)
    tickets = Ticket.objects.filter(number=number_of(row.ticket) or 0, status__in=ACTIVE_STATUSES)
    number = tickets.values_list("number", flat=True).first()
    latest = row.evidence.filter(attempt=row.attempt).last()
    if number is None or latest is None:
        return
    with changing(number, room="provisioning") as change:
        change.note(f"The installer of {row.machine.device.name} sent its log", run_machine=row.pk, attempt=row.attempt)
        add_evidence(change.ticket, [_evidence(row, f".{latest.kind}", latest.text)])


def note_return(machine_ids: Sequence[int], text: str) -> None:
    """Say at the tickets of failed machines what became of their return to the vendor."""
    tickets = Ticket.objects.filter(source="provisioning", machine__in=machine_ids, status__in=ACTIVE_STATUSES)
    for number in tickets.order_by("number").values_list("number", flat=True):
        with changing(number, room="provisioning") as change:
            change.note(text)


def _failure_evidence(row: RunMachine) -> list[Evidence]:
    """The end of its log, then what the attempt left: what its BMC showed, the installer's log, the failed checks."""
    lines = list(row.log_lines.order_by("-n").values_list("text", flat=True)[:LOG_LINES])
    texts = [("", "\n".join(reversed(lines)))]
    texts += [(f".{each.kind}", each.text) for each in row.evidence.filter(attempt=row.attempt)]
    return [_evidence(row, kind, text) for kind, text in texts]


def _evidence(row: RunMachine, kind: str, text: str) -> Evidence:
    return Evidence(
        at=row.finished_at or timezone.now(),
        source=Evidence.Source.PROVISIONING,
        check_id=f"provisioning.{row.step}{kind}",
        part=WHOLE_MACHINE,
        verdict="fail",
        message=row.failure_text or row.failure_class,
        excerpt=text,
    )


# ---- all ----


def create(
    machine: Machine,
    *,
    part: str,
    fault_class: str,
    summary: str,
    title: str = "",
    specific: Sequence[StepText],
    where: str,
    source: str,
    source_ref: str,
    opened_by: str,
    why: str,
    named: str = "",
    data: dict[str, Any] | None = None,
    response: Response | None = None,
) -> Ticket:
    """A new ticket with its steps and the first line of its timeline; `response`: what the fault asks for, where it is
    one; `named`: the part as people read it, where that is not its name."""
    name = machine.device.name
    stays = response is not None and not response.takes_out
    in_service = texts.in_service(fault_class) if stays else ""
    if in_service:
        summary = texts.summary(summary, in_service)
    ticket = Ticket.objects.create(
        site_id=machine.device.site_id,
        machine=machine,
        device=machine.device,
        part=part,
        fault_class=fault_class,
        title=(title or texts.title(fault_class, named or part, name))[:200],
        summary=summary,
        priority=texts.priority(fault_class, response or Response.TICKET),
        source=source,
        source_ref=source_ref,
    )
    Step.objects.bulk_create(
        Step(ticket=ticket, number=number, kind=step.kind, title=step.title[:200], detail=step.detail, key=step.key)
        for number, step in enumerate(texts.steps(specific, name, where, in_service), start=1)
    )
    TicketChange.objects.create(ticket=ticket, actor=opened_by, event="open", text=f"Opened: {why}", data=data or {})
    earlier = (
        Ticket.objects.filter(machine=machine, part=part, closed_at__gte=timezone.now() - RECENT)
        .filter(~Q(pk=ticket.pk))
        .order_by("-closed_at")
        .first()
    )
    if earlier is not None and earlier.closed_at is not None:
        text = f"The last ticket here was {earlier.key}, closed {earlier.closed_at:%Y-%m-%d}: {earlier.title}"
        TicketChange.objects.create(ticket=ticket, actor="tickets", text=text, data={"earlier": earlier.key})
    announce(ticket, opened_by)
    settle_machine(machine.pk)
    return ticket
