"""*Resolve and verify*, and what comes of it: a check newer than the press closes the ticket or reopens the work."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from core.models import User
from health import services as health
from health.models import Fault, Verification
from provisioning.models import RunMachine
from provisioning.services import RunRefused, retry_machine
from tickets.models import Comment, Evidence, Ticket
from tickets.runbooks.services import repeat_from
from tickets.services.cabling.port_checks import order_verify
from tickets.services.changes import Change, TicketConflict, changing, need_work
from tickets.services.evidence import add_evidence, take_over_evidence
from tickets.services.incidents import verify_with_incident
from tickets.workflow import ACTIVE_STATUSES, Status, TicketEvent

MOST_RESULTS = 20


def done_verify(number: int, *, by: User, note: str = "", operator: bool = False, version: int | None = None) -> Ticket:
    """The technician says that it is done: look again, and let the look decide.

    The machine of a failed provisioning goes through its run again instead; the run decides then.
    """
    source = Ticket.objects.values_list("source", flat=True).get(number=number)
    if source == "fabric":
        return order_verify(number, by=by, note=note, operator=operator, version=version)
    if source == "incident":
        return verify_with_incident(number, by=by, note=note, operator=operator, version=version)
    with transaction.atomic():
        again = _retry_run(number, by)  # the run's rows are locked before the machine and the ticket
        with changing(number, by=by, version=version) as change:
            need_work(change, operator=operator)
            ticket = change.ticket
            if note.strip():
                Comment.objects.create(ticket=ticket, author=by, text=note.strip(), at=timezone.now())
            if again:
                change.move(TicketEvent.VERIFY, "Done: the machine goes through provisioning again", run=again)
                ticket.verification = None
                return ticket
            assert ticket.machine_id is not None
            faults = list(Fault.objects.filter(ticket_links__ticket=ticket).values_list("pk", flat=True))
            ticket.verification = health.request_verification(
                ticket.machine_id, fault_ids=faults, owner=ticket.owner, actor=by.get_username()
            )
            change.move(TicketEvent.VERIFY, "Done, verification asked for", verification=ticket.verification.pk)
            return ticket


def _retry_run(number: int, by: User) -> int | None:
    """Queue the machine of a provisioning ticket in its run again: the run's id, or None when there is none."""
    ticket = Ticket.objects.get(number=number)
    if ticket.source != "provisioning" or ticket.status != Status.IN_WORK:
        return None
    row = RunMachine.objects.filter(machine_id=ticket.machine_id).order_by("-pk").first()
    if row is None or row.status == "done":
        return None
    if row.status not in ("waiting", "running"):
        try:
            retry_machine(row.pk, actor=by.get_username())
        except RunRefused as error:
            raise TicketConflict(number, f"Provisioning cannot go on: {error}.") from error
    return int(row.run_id)


def verification_finished(verification_id: int) -> None:
    """Close the ticket that waits for this verification, or put it back to work with the new evidence."""
    verification = Verification.objects.get(pk=verification_id)
    ticket = Ticket.objects.filter(verification=verification, status=Status.VERIFYING.value).first()
    if ticket is None or verification.is_open:
        return
    with changing(ticket.number, room="verification") as change:
        if change.ticket.status != Status.VERIFYING or change.ticket.verification_id != verification_id:
            change.nothing = True
            return
        if verification.status == Verification.Status.PASSED:
            _passed(change, verification)
        else:
            _failed(change, verification)


def _passed(change: Change, verification: Verification) -> None:
    ticket = change.ticket
    count = len(verification.results)
    text = f"Verification passed: {count} check{'' if count == 1 else 's'} good. Closed."
    change.move(TicketEvent.PASS, text, verification=verification.pk)
    ticket.steps.filter(kind="verify").update(done_at=verification.finished_at, done_by="verification")


def _failed(change: Change, verification: Verification) -> None:
    """The repair is to be done again: its steps are open once more."""
    ticket = change.ticket
    if not take_over_evidence(ticket, Evidence.Source.VERIFICATION):
        add_evidence(ticket, _results_as_evidence(verification))
    change.move(TicketEvent.FAIL, f"Verification failed: {verification.reason}", verification=verification.pk)
    hands = ticket.steps.filter(kind__in=["swap", "reseat"]).first() or ticket.steps.exclude(kind="scan").last()
    if hands is not None:
        first = repeat_from(ticket, hands.number)
        ticket.steps.filter(number__gte=first).update(done_at=None, done_by="")


def _results_as_evidence(verification: Verification) -> list[Evidence]:
    """For a verification of no fault in particular: what it found, worst first."""
    bad = [row for row in verification.results if row["verdict"] in ("fail", "unknown")]
    return [
        Evidence(
            at=verification.finished_at or timezone.now(),
            source=Evidence.Source.VERIFICATION,
            check_id=row["check"],
            part=row["part"],
            verdict=row["verdict"],
            message=row["message"],
        )
        for row in bad[:MOST_RESULTS]
    ]


def fault_cleared(fault_id: int) -> None:
    """A fault is gone without a repair. A ticket nobody works on closes; a person who is at it only gets to know."""
    fault = Fault.objects.get(pk=fault_id)
    numbers = Ticket.objects.filter(fault_links__fault=fault, status__in=ACTIVE_STATUSES, source="fault")
    for number in list(numbers.values_list("number", flat=True)):
        with changing(number, room="health") as change:
            ticket = change.ticket
            left = Fault.objects.filter(ticket_links__ticket=ticket).exclude(status=Fault.Status.CLEARED)
            if ticket.status == Status.VERIFYING or left.exists():
                change.nothing = True
                continue
            why = fault.cleared_by or "seen to pass again"
            if ticket.status == Status.OPEN:
                change.move(TicketEvent.RESOLVED, f"The fault is gone: {why}. Closed.", fault=fault.pk)
            else:
                change.note(f"The fault is gone: {why}. Press Resolve and verify to close.", fault=fault.pk)


def run_machine_done(machine_id: int, run_id: int) -> None:
    """A machine that failed provisioning is through: its ticket closes, unless faults were found on it meanwhile."""
    active = Ticket.objects.filter(machine_id=machine_id, source="provisioning", status__in=ACTIVE_STATUSES).first()
    if active is None:
        return
    with changing(active.number, room="provisioning") as change:
        ticket = change.ticket
        left = Fault.objects.filter(ticket_links__ticket=ticket).exclude(status=Fault.Status.CLEARED)
        if not left.exists():
            change.move(TicketEvent.RESOLVED, f"Provisioned by run {run_id}. Closed.", run=run_id)
            ticket.steps.filter(kind="verify").update(done_at=timezone.now(), done_by="provisioning")
        elif ticket.status == Status.VERIFYING:
            faults = list(left.values_list("pk", flat=True))
            ticket.verification = health.request_verification(
                machine_id, fault_ids=faults, owner=ticket.owner, actor="provisioning"
            )
            change.note(f"Provisioned by run {run_id}; now the faults found on it are verified.", run=run_id)
        else:
            change.note(f"Provisioned by run {run_id}, but faults were found on it.", run=run_id)
