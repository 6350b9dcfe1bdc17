"""The one ticket of many machines that fail alike: opened, kept up to date and closed with their incident.

Tickets that machines of it had opened before anybody knew are closed as part of it, unless somebody works on them.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.models import User
from core.work.alone import alone
from health import services as health
from health.models import Fault, Incident, IncidentMachine, MachineHealth
from health.remediation.models import CauseKind
from inventory.models import Device
from tickets import texts
from tickets.models import Comment, Step, Ticket, TicketChange, TicketFault
from tickets.services.cabling.order_texts import subject_of_device
from tickets.services.changes import Change, changing, need_work, settle_machine
from tickets.services.evidence import take_over_evidence
from tickets.services.news import announce
from tickets.workflow import ACTIVE_STATUSES, Status, TicketEvent

ROOM = "health"
SHARED_CLASS = "incident.shared"
MOST_NAMED = 200
SWITCHES = (CauseKind.SWITCH, CauseKind.MANAGEMENT)


def follow_incident(incident_id: int) -> Ticket | None:
    """The ticket of an incident of several machines, opened when there is none, with its machines as they are now.

    None for an incident of one machine, and for one that is over.
    """
    incident = Incident.objects.select_related("site").get(pk=incident_id)
    if incident.kind != Incident.Kind.SHARED or incident.closed_at is not None:
        return None
    number = _numbers(incident_id).first()
    ticket = _open(incident) if number is None else _bring_up_to_date(number, incident)
    _take_over(ticket, incident)
    return ticket


def _numbers(incident_id: int) -> QuerySet[Ticket, int]:
    active = Ticket.objects.filter(incident_id=incident_id, status__in=ACTIVE_STATUSES)
    return active.order_by("number").values_list("number", flat=True)


def _open(incident: Incident) -> Ticket:
    ticket = Ticket.objects.create(
        site_id=incident.site_id,
        part="",
        fault_class=incident.fault_class or SHARED_CLASS,
        title=incident.title[:200],
        summary=summary(incident),
        priority=priority(incident),
        source="incident",
        source_ref=f"incident:{incident.pk}",
        incident=incident,
        **_subject(incident),
    )
    ticket.refresh_from_db()
    steps = texts.incident_steps(incident.cause_kind, incident.cause)
    Step.objects.bulk_create(
        Step(ticket=ticket, number=number, kind=step.kind, title=step.title[:200], detail=step.detail)
        for number, step in enumerate(steps, start=1)
    )
    TicketChange.objects.create(
        ticket=ticket,
        actor="health check",
        event="open",
        text=f"Opened: {incident.title}",
        data={"incident": incident.pk},
    )
    announce(ticket, ROOM)
    return ticket


def _subject(incident: Incident) -> dict[str, object]:
    """The switch where the cause is one; else the place by its name."""
    if incident.cause_kind in SWITCHES:
        switch = Device.objects.filter(site_id=incident.site_id, kind="switch", name=incident.cause).first()
        return subject_of_device(switch, incident.cause)
    name = incident.site.name if incident.cause_kind == CauseKind.SITE else incident.cause
    return subject_of_device(None, name or incident.site.name)


def priority(incident: Incident) -> str:
    """Many machines at once: P1, unless their trouble is one that can wait."""
    return "P2" if incident.fault_class and texts.priority(incident.fault_class) == "P3" else "P1"


def summary(incident: Incident) -> str:
    """What is known of the cause, and the machines rack by rack."""
    members = IncidentMachine.objects.filter(incident=incident).select_related("machine__device__placement__rack")
    racks: dict[str, list[str]] = defaultdict(list)
    well = 0
    rows = list(members.order_by("machine__device__name"))
    for member in rows:
        device = member.machine.device
        placement = getattr(device, "placement", None)
        well += member.recovered_at is not None
        racks[placement.rack.name if placement else "no rack"].append(device.name)
    lines = [incident.text] if incident.text else []
    if well:
        lines.append(f"{well} of {len(rows)} pass again.")
    lines += texts.machines_by_rack(racks, MOST_NAMED)
    return "\n".join(lines)


def _bring_up_to_date(number: int, incident: Incident) -> Ticket:
    with changing(number, room=ROOM) as change:
        ticket = change.ticket
        text = summary(incident)
        change.nothing = (ticket.title, ticket.summary) == (incident.title, text)
        if not change.nothing:
            if ticket.title != incident.title:
                change.note(f"Now: {incident.title}", incident=incident.pk)
            ticket.title, ticket.summary = incident.title, text
            for name, value in ({"device": None, "subject_name": ""} | _subject(incident)).items():
                setattr(ticket, name, value)
        return ticket


def _take_over(ticket: Ticket, incident: Incident) -> None:
    """Link the faults of the incident, with their evidence; what needs a machine's lock is done after the commit."""
    linked = TicketFault.objects.filter(ticket=ticket).values("fault_id")
    split = TicketFault.objects.filter(ticket__split_from=ticket, ticket__status__in=ACTIVE_STATUSES).values("fault_id")
    new = list(incident.faults.filter(led_by=None).exclude(pk__in=linked).exclude(pk__in=split).order_by("pk"))
    TicketFault.objects.bulk_create([TicketFault(ticket=ticket, fault=fault) for fault in new], ignore_conflicts=True)
    take_over_evidence(ticket)
    transaction.on_commit(lambda: settle(ticket.number))


def settle_all() -> None:
    """What a lost worker left undone for the tickets of open incidents. Safe to run at any time."""
    active = Ticket.objects.filter(source="incident", status__in=ACTIVE_STATUSES).order_by("number")
    for number in list(active.values_list("number", flat=True)):
        with alone("incident_ticket_not_settled", ticket=number):
            settle(number)


def settle(number: int) -> None:
    """End the tickets that faults of an incident's ticket had of their own, and show its key on its machines.

    Each machine in a transaction of its own: nothing else may be locked.
    """
    ticket = Ticket.objects.select_related("incident").get(number=number)
    if ticket.incident is None:
        return
    own = Ticket.objects.filter(
        fault_links__fault__incident=ticket.incident, source="fault", status__in=ACTIVE_STATUSES
    )
    own = own.exclude(changes__data__part_of=ticket.key).exclude(split_from=ticket)
    for each in sorted(set(own.values_list("number", flat=True))):
        with alone("own_ticket_not_ended", ticket=each, incident=ticket.incident.pk):
            _end_own(each, ticket, ticket.incident)
    _show_on_machines(ticket)


def _show_on_machines(ticket: Ticket) -> None:
    """On those that did not recover, while it is active. One query where every machine shows what it should."""
    members = IncidentMachine.objects.filter(incident=ticket.incident)
    shows = Q(pk__in=members.filter(recovered_at=None).values("machine")) if ticket.is_active else Q(pk__in=[])
    wrong = (shows & Q(ticket_key="")) | (~shows & Q(ticket_key=ticket.key))
    rows = MachineHealth.objects.filter(wrong, pk__in=members.values("machine"))
    for machine_id in list(rows.order_by("pk").values_list("pk", flat=True)):
        with alone("incident_not_shown", machine=machine_id, ticket=ticket.number), transaction.atomic():
            settle_machine(machine_id)


def _end_own(number: int, ticket: Ticket, incident: Incident) -> None:
    """Close a ticket that nobody took, if all it is about is part of the incident; else say so on it."""
    with changing(number, room=ROOM) as change:
        own = change.ticket
        others = Fault.objects.filter(ticket_links__ticket=own, led_by=None).exclude(status=Fault.Status.CLEARED)
        text = f"Part of {ticket.key}: {incident.title}."
        if own.status == Status.OPEN and not others.exclude(incident=incident).exists():
            change.move(TicketEvent.RESOLVED, f"{text} Closed.", part_of=ticket.key)
        else:
            change.note(text, part_of=ticket.key)


# ---- its end ----


def incident_is_over(incident_id: int) -> None:
    """Its machines pass again, or a person ended it: close the ticket. Who works on it only gets to know."""
    incident = Incident.objects.get(pk=incident_id)
    for number in list(_numbers(incident_id)):
        transaction.on_commit(partial(settle, number))
        with changing(number, room=ROOM) as change:
            ticket = change.ticket
            ticket.summary = summary(incident)
            why = f"{incident.closed_by}: {incident.close_reason}"
            if ticket.status == Status.VERIFYING:
                change.move(TicketEvent.PASS, f"Verification passed: {incident.close_reason}. Closed.")
                ticket.steps.filter(kind="verify").update(done_at=timezone.now(), done_by="verification")
            elif ticket.status == Status.OPEN:
                change.move(TicketEvent.RESOLVED, f"The incident is over, {why}. Closed.", incident=incident_id)
            else:
                change.note(f"The incident is over, {why}. Press Resolve and verify to close.", incident=incident_id)


def verify_with_incident(number: int, *, by: User, note: str, operator: bool, version: int | None) -> Ticket:
    """Somebody says that the cause is mended: every machine of it is looked at again, and that decides."""
    with changing(number, by=by, version=version) as change:
        need_work(change, operator=operator)
        ticket = change.ticket
        if note.strip():
            Comment.objects.create(ticket=ticket, author=by, text=note.strip(), at=timezone.now())
        incident_id = ticket.incident_id
        asked = incident_id is not None and health.verify_incident(incident_id, actor=by.get_username())
        change.move(TicketEvent.VERIFY, "Done, verification asked for", incident=incident_id)
        if not asked:
            change.move(TicketEvent.PASS, "All its machines passed before. Closed.", incident=incident_id)
        return ticket


def machines_still_fail(incident_id: int) -> None:
    """The time to pass is over: the ticket goes back to whoever works on it, with who fails."""
    incident = Incident.objects.get(pk=incident_id)
    left = IncidentMachine.objects.filter(incident=incident, recovered_at=None)
    names = list(left.order_by("machine__device__name").values_list("machine__device__name", flat=True))
    for number in list(_numbers(incident_id)):
        with changing(number, room=ROOM) as change:
            if change.ticket.status != Status.VERIFYING:
                change.nothing = True
                continue
            text = f"{len(names)} of its machines still fail: {texts.names(names, MOST_NAMED)}"
            if incident.cause_stands and not names:
                text = "meters still say that it fails"
            change.move(TicketEvent.FAIL, f"Verification failed: {text}")
            change.ticket.summary = summary(incident)
            change.ticket.steps.filter(kind="verify").update(done_at=None, done_by="")


def end_incident(change: Change, reason: str) -> None:
    """Its ticket was closed without a proof: the incident ends with it."""
    incident_id = change.ticket.incident_id
    if incident_id is not None:
        health.close_incident(incident_id, by=change.actor, reason=f"{change.ticket.key} closed: {reason}")
