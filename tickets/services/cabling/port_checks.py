"""Checks that decide: a step's ports again, and the discovery that *Resolve and verify* of a work order asks for.

A source is locked before a ticket, as a discovery does it; reading a source happens outside of any transaction.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.models import User
from core.work.alone import alone
from core.work.queue import after_commit, enqueue
from fabric.discovery.services import discoveries
from fabric.discovery.services.spot_checks import look_at_ports
from fabric.facts import PlannedPort
from fabric.models import Discovery, FabricSource, Finding
from tickets import orders
from tickets.models import Comment, Step, Ticket, WorkOrder
from tickets.services.cabling import link_tickets
from tickets.services.cabling.remaining_moves import in_hand
from tickets.services.cabling.work_orders import (
    BY_A_PERSON,
    DISCOVERY,
    evidence_of,
    go_on,
    reality_changed,
    rest_of,
    settle_steps,
)
from tickets.services.changes import Change, TicketConflict, changing, need_work
from tickets.services.evidence import add_evidence
from tickets.workflow import Status, TicketEvent

CHECK_TAKES = timedelta(minutes=5)  # after this a look that was asked for is asked for again


# ---- one step ----


def recheck(number: int, step: int, *, by: User, operator: bool = False, version: int | None = None) -> Ticket:
    """Ask for a look at the ports of one move. Raises Step.DoesNotExist, or TicketConflict for a step without ports."""
    with changing(number, by=by, version=version) as change:
        need_work(change, operator=operator)
        row = Step.objects.get(ticket=change.ticket, number=step)
        if row.move is None:
            raise TicketConflict(number, f"Step {step} has no ports to check.")
        ask_check(change, row)
        return change.ticket


def ask_check(change: Change, row: Step) -> None:
    """Queue a look at a step's ports."""
    row.check_asked_at = timezone.now()
    row.save(update_fields=["check_asked_at"])
    after_commit("tickets.tasks.check_step", row.pk)


def check_step(step_id: int) -> bool:
    """Look at the ports of a step and write down what they lead to; returns whether anything was found out.

    A step that was planned anew or unticked meanwhile, or that somebody else looked at, is left alone.
    """
    row = Step.objects.select_related("ticket__order__source").filter(pk=step_id).first()
    if row is None or row.move is None or row.check_asked_at is None:  # only an order has moves
        return False
    order, asked = row.ticket.order, row.check_asked_at
    source = order.source
    if source is None:
        outcome, words = "", "The source of this order is gone."
    elif row.order_version != order.version:
        outcome, words = "", "It is of an earlier plan."
    else:
        ends = [PlannedPort(end["device"], end["port"]) for side in ("takes", "puts") for end in row.move[side]]
        look = look_at_ports(source, ends)
        plan, done = in_hand(order)
        outcome, words = orders.judge_move(plan, done, row.move["n"], look.far)
        words = look.problem or words
        if look.whole:
            words = f"{words} The whole fabric was read: {look.whole}."
    with changing(row.ticket.number, room=DISCOVERY) as change:
        mine = Step.objects.filter(pk=step_id, check_asked_at=asked)
        if not mine.exists():
            change.nothing = True
            return False
        mine.update(outcome=outcome, outcome_text=words[:300], checked_at=timezone.now(), check_asked_at=None)
        how = {"confirmed": "is right", "failed": "is not right"}.get(outcome, "could not be checked")
        change.note(f"Step {row.number} {how}: {words}", step=row.number, outcome=outcome)
    return bool(outcome)


# ---- the whole order ----


def order_verify(number: int, *, by: User, note: str, operator: bool, version: int | None) -> Ticket:
    """*Resolve and verify* of a work order: the fabric is discovered again, and only a run that began later decides."""
    with transaction.atomic():
        source = _locked_source(number)
        with changing(number, by=by, version=version) as change:
            need_work(change, operator=operator)
            ticket = change.ticket
            if note.strip():
                Comment.objects.create(ticket=ticket, author=by, text=note.strip(), at=timezone.now())
            order = WorkOrder.objects.select_for_update().get(ticket=ticket)
            if order.source_id is None:
                raise TicketConflict(number, "No source reads this part of the fabric: an operator closes it.")
            order.look, order.look_asked_at, order.look_ended_at = WorkOrder.Look.WAITING, timezone.now(), None
            order.look_text = ""
            order.save()
            what = "a measurement" if order.kind == WorkOrder.Kind.LINK else "a discovery"
            change.move(TicketEvent.VERIFY, f"Done, {what} was asked for", source=order.source_id)
            if order.kind == WorkOrder.Kind.LINK:
                link_tickets.ask_verification(number)
        if source is not None and order.kind != WorkOrder.Kind.LINK:
            _start(source, by.get_username())
        return ticket


def _locked_source(number: int) -> FabricSource | None:
    order = WorkOrder.objects.filter(ticket__number=number).values_list("source_id", flat=True).first()
    return FabricSource.objects.select_for_update(of=("self",)).filter(pk=order or 0).first()


def _start(source: FabricSource, by: str) -> None:
    """Start a discovery; one under way began too early to count, and is followed by another when it ends."""
    try:
        with transaction.atomic():
            discoveries.start(source, by=by)
    except discoveries.AlreadyRunning:
        return


def discovery_finished(discovery_id: int) -> None:
    """Decide the orders that wait for a look at this source, if this one began after they asked."""
    discovery = Discovery.objects.select_related("source").get(pk=discovery_id)
    waiting = Ticket.objects.filter(
        status=Status.VERIFYING.value, order__source=discovery.source, order__look=WorkOrder.Look.WAITING
    ).exclude(order__kind=WorkOrder.Kind.LINK)
    too_early = False
    for number, asked in list(waiting.order_by("number").values_list("number", "order__look_asked_at")):
        if discovery.started_at is None or asked is None or discovery.started_at < asked:
            too_early = True
            continue
        with changing(number, room=DISCOVERY) as change:
            if change.ticket.status != Status.VERIFYING:
                change.nothing = True
                continue
            decide(change, discovery)
    if too_early:
        _start(discovery.source, DISCOVERY)
    if discovery.status == Discovery.Status.DONE:
        worked_on = Ticket.objects.filter(
            status=Status.IN_WORK.value, order__source=discovery.source, steps__done_at__isnull=False,
            steps__move__isnull=False,
        )  # fmt: skip
        for number in worked_on.order_by("number").values_list("number", flat=True).distinct():
            reality_changed(number)


def decide(change: Change, discovery: Discovery) -> None:
    """Close the order, or put it back to work with what the discovery showed."""
    ticket = change.ticket
    order = WorkOrder.objects.select_for_update().get(ticket=ticket)
    finding = ticket.finding
    alive = finding is not None and finding.state != Finding.State.CLOSED
    rest = finding if alive else rest_of(order)
    if discovery.status != Discovery.Status.DONE:
        why = discovery.held_back or discovery.message or "it failed"
        _failed(change, order, f"The discovery run is inconclusive: {why}")
    elif rest is None:
        _end(order, WorkOrder.Look.PASSED, "The discovery shows it right.")
        change.move(TicketEvent.PASS, "The discovery shows it right. Closed.", discovery=discovery.pk)
        settle_steps(ticket)
    else:
        _failed(change, order, f"The discovery still shows: {rest.title}")
        reported = ticket.source_ref.startswith(BY_A_PERSON)  # the finding has an order of its own
        if reported or not go_on(change, rest):
            add_evidence(ticket, [evidence_of(rest)])


def _failed(change: Change, order: WorkOrder, why: str) -> None:
    _end(order, WorkOrder.Look.FAILED, why)
    change.move(TicketEvent.FAIL, f"Not right yet. {why}")


def _end(order: WorkOrder, look: str, text: str) -> None:
    order.look, order.look_text, order.look_ended_at = look, text[:500], timezone.now()
    order.save(update_fields=["look", "look_text", "look_ended_at"])


# ---- by the clock ----


def settle() -> None:
    """Looks that got lost are asked for again: a worker died, or the broker forgot. Safe to run at any time."""
    now = timezone.now()
    for pk in Step.objects.filter(check_asked_at__lt=now - CHECK_TAKES).values_list("pk", flat=True):
        enqueue("tickets.tasks.check_step", pk)
    link_tickets.settle()
    lost = WorkOrder.objects.filter(look=WorkOrder.Look.WAITING, ticket__status=Status.VERIFYING.value)
    unheard = lost.exclude(kind=WorkOrder.Kind.LINK).exclude(source__discoveries__status__in=Discovery.OPEN)
    for order in unheard.select_related("source"):
        newer = Q(source=order.source, started_at__gte=order.look_asked_at)
        ended = Discovery.objects.filter(newer).exclude(status__in=Discovery.OPEN).order_by("id").first()
        if order.source is None:
            continue
        with alone("order_not_decided", ticket=order.ticket_id), transaction.atomic():
            if ended is None:
                _start(order.source, DISCOVERY)
            else:
                FabricSource.objects.select_for_update(of=("self",)).get(pk=order.source.pk)
                discovery_finished(ended.pk)
