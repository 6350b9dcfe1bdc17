"""Tickets of links that lose data: opened once per link, measured again after each step, closed when it is good."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from core.work.alone import alone
from core.work.queue import after_commit
from fabric.models import LinkQuality, Measurement
from fabric.ports.services import outages
from fabric.quality.services import measurements
from inventory.models import Device
from tickets import orders
from tickets.models import Evidence, Step, Ticket, TicketChange, WorkOrder
from tickets.orders import OrderStep
from tickets.services.cabling.clearances import plan_clearances
from tickets.services.cabling.order_texts import subject_of_device, write_steps
from tickets.services.cabling.same_port import join, slots_of_link, ticket_of_slots
from tickets.services.changes import Change, changing
from tickets.services.evidence import add_evidence
from tickets.services.news import announce
from tickets.workflow import ACTIVE_STATUSES, Status, TicketEvent

ROOM = "link quality"
HOW = {"ok": "good", "bad": "still bad", "watch": "better, not yet good"}


# ---- opening ----


@transaction.atomic
def open_link_ticket(quality_id: int) -> Ticket | None:
    """The active ticket of a link that was confirmed bad, opened when there is none. None when it is good again."""
    quality = LinkQuality.objects.select_related("source", *_ENDS).get(pk=quality_id)
    if quality.bad_since is None:
        return None
    key = key_of(quality)
    active = Ticket.objects.filter(site_id=quality.site_id, link=key, status__in=ACTIVE_STATUSES).first()
    if active is not None:
        return active
    if (leading := ticket_of_slots(slots_of_link(quality), whole=False)) is not None:
        text = f"The fabric finds its link bad: {quality.reason or 'in two windows'}"
        return join(leading, text, _evidence(quality), room=ROOM, about={"quality": quality.pk})
    ticket = _open(quality, key)
    _propose(ticket, quality)
    return ticket


_ENDS = ("link__cable", "link__a_port__device", "link__b_port__device")


def key_of(quality: LinkQuality) -> str:
    """The key of the link as the fabric's pages know it."""
    return quality.link.key if quality.link is not None else quality.key


def _open(quality: LinkQuality, key: str) -> Ticket:
    cable = quality.link.cable if quality.link is not None else None
    label = cable.label if cable is not None else ""
    subject = _subject(quality)
    ticket = Ticket.objects.create(
        site_id=quality.site_id,
        **subject,
        part=(label or "link")[:60],
        fault_class="fabric.link",
        title=f"{label or 'The link'} between {_between(quality)} loses data"[:200],
        summary=quality.reason,
        priority="P2",
        source="fabric",
        source_ref=f"link:{quality.pk}",
        link=key,
    )
    ticket.refresh_from_db()
    WorkOrder.objects.create(ticket=ticket, kind=WorkOrder.Kind.LINK, source=quality.source, cables=[key])
    where = ticket.about[1]
    steps = [
        OrderStep("scan", f"Check the label: this is {where}", "Scan or read it before you touch a connector."),
        *orders.link_ladder(label),
        OrderStep("verify", "Press Resolve and verify", "The link is measured; when it is good the ticket closes."),
    ]
    write_steps(ticket, 1, 1, steps)
    text = f"Opened: {quality.reason or 'the link was bad in two windows'}"
    TicketChange.objects.create(ticket=ticket, actor=ROOM, event="open", text=text, data={"quality": quality.pk})
    add_evidence(ticket, [_evidence(quality)])
    plan_clearances(ticket)
    announce(ticket, ROOM)
    return ticket


def _subject(quality: LinkQuality) -> dict[str, Any]:
    """The cable, and one stands at its switch; without a record of the cable that switch, else the other end."""
    link = quality.link
    found = [port.device for port in (link.a_port, link.b_port) if port is not None] if link is not None else []
    known: list[Device] = sorted(found, key=lambda device: device.kind != "switch")
    device = known[0] if known else None
    if link is not None and link.cable is not None:
        return {"subject": "cable", "cable": link.cable, "device": device}
    return subject_of_device(device, _between(quality))


def _between(quality: LinkQuality) -> str:
    link = quality.link
    if link is None:
        return f"0x{quality.a_guid} port {quality.a_port} and 0x{quality.b_guid} port {quality.b_port}"
    return f"{link.a_name} port {link.a_number} and {link.b_name} port {link.b_number}"


def _evidence(quality: LinkQuality) -> Evidence:
    return Evidence(
        at=quality.measured_at or timezone.now(),
        source=Evidence.Source.FABRIC,
        check_id="fabric.link",
        part=(key_of(quality))[:60],
        verdict="fail",
        message=quality.reason or "the link was bad in two windows",
    )


def _propose(ticket: Ticket, quality: LinkQuality) -> None:
    """A link between switches is proposed to be left out until it is repaired; a machine's link is its only way."""
    link = quality.link
    machines = [port for port in (link.a_port, link.b_port) if port and port.device.kind == "machine"] if link else []
    if link is None or machines:
        return
    evidence = {"ticket": ticket.key, "reason": quality.reason, "rates": quality.rates, "measures": quality.measures}
    try:
        with transaction.atomic():
            outages.propose(
                quality.source_id, link.key, owner=ticket.owner, cause=quality.reason or "it loses data",
                by=ROOM, evidence=evidence,
            )  # fmt: skip
    except outages.PortRefused as error:
        TicketChange.objects.create(ticket=ticket, actor=ROOM, text=f"It stays enabled: {error}")


# ---- measuring ----


def quality_of(ticket: Ticket) -> LinkQuality | None:
    """What is known of the ticket's link."""
    kind, _, pk = ticket.source_ref.partition(":")
    return LinkQuality.objects.filter(pk=pk).first() if kind == "link" and pk.isdecimal() else None


def ask_measurement(row: Step) -> None:
    """Measure the link after this step, beside what was known before it. Asked for outside of the ticket's lock, for a
    round of counters locks the link before it."""
    row.measured = _told("queued")
    row.save(update_fields=["measured"])
    after_commit("tickets.tasks.measure_step", row.pk)


def measure_step(step_id: int) -> None:
    """Start what `ask_measurement` asked for. Safe to run twice."""
    row = Step.objects.select_related("ticket").get(pk=step_id)
    asked = row.measured or {}
    if row.done_at is None or asked.get("status") != "queued" or asked.get("measurement"):
        return
    quality = quality_of(row.ticket)
    if quality is None:
        told = _told("failed", message="Nothing is known of this link any more.")
    else:
        owner = f"{row.ticket.owner}:{row.number}"
        found = measurements.measure(quality, by=row.done_by or ROOM, owner=owner, repaired=True)
        told = _told(found.status, found.pk, found.before)
    Step.objects.filter(pk=step_id, measured__status="queued", measured__measurement=None).update(measured=told)


def _told(
    status: str, measurement: int | None = None, before: Any = None, after: Any = None, state: str = "",
    message: str = "",
) -> dict[str, Any]:  # fmt: skip
    return {
        "status": status, "measurement": measurement, "before": before, "after": after, "state": state,
        "message": message,
    }  # fmt: skip


def ask_verification(number: int) -> None:
    """*Resolve and verify* of a link ticket: measured from now on, once this transaction is there to be seen."""
    after_commit("tickets.tasks.measure_link_ticket", number)


def measure_ticket(number: int) -> None:
    """Start the measurement that a waiting ticket asked for. Safe to run twice."""
    ticket = Ticket.objects.get(number=number)
    if ticket.status != Status.VERIFYING:
        return
    quality = quality_of(ticket)
    if quality is not None:
        measurements.measure(quality, by=ROOM, owner=_verifies(ticket), repaired=True)
        return
    with changing(number, room=ROOM) as change:
        order = WorkOrder.objects.select_for_update().get(ticket=change.ticket)
        if change.ticket.status == Status.VERIFYING:
            _end(order, WorkOrder.Look.FAILED, "Nothing is known of this link any more.")
            change.move(TicketEvent.FAIL, order.look_text)


def _verifies(ticket: Ticket) -> str:
    return f"{ticket.owner}:verify"


def settle() -> None:
    """Measurements that were asked for and never begun are begun."""
    for pk in Step.objects.filter(measured__status="queued", measured__measurement=None).values_list("pk", flat=True):
        with alone("step_not_measured", step=pk):
            measure_step(pk)
    waiting = Ticket.objects.filter(status=Status.VERIFYING.value, order__kind=WorkOrder.Kind.LINK)
    for ticket in waiting.select_related("order"):
        asked = Measurement.objects.filter(owner=_verifies(ticket), asked_at__gte=ticket.order.look_asked_at)
        if not asked.exists():
            with alone("link_not_measured", ticket=ticket.number):
                measure_ticket(ticket.number)


def measurement_finished(measurement_id: int) -> None:
    """Write the rates beside the step they were measured after, and decide a ticket that waits for them."""
    found = Measurement.objects.select_related("quality").get(pk=measurement_id)
    number, what = _asked_by(found.owner)
    if not Ticket.objects.filter(number=number, order__kind=WorkOrder.Kind.LINK).exists():
        return
    with changing(number, room=ROOM) as change:
        order = WorkOrder.objects.select_for_update().get(ticket=change.ticket)
        step = change.ticket.steps.filter(measured__measurement=found.pk).first()
        if step is not None and (step.measured or {}).get("status") != found.status:
            _step_measured(change, step, found)
        elif what == "verify" and change.ticket.status == Status.VERIFYING and _counts(order, found):
            _decide(change, order, found)
        else:
            change.nothing = True


def _asked_by(owner: str) -> tuple[int, str]:
    """2041 and `3` or `verify` of `ticket:REP-2041:3`; 0 for what no ticket asked for."""
    kind, _, rest = owner.partition(":REP-")
    number, _, what = rest.partition(":")
    return (int(number), what) if kind == "ticket" and number.isdecimal() else (0, "")


def _counts(order: WorkOrder, found: Measurement) -> bool:
    """Only what was asked for after the press."""
    return order.look == WorkOrder.Look.WAITING and (
        order.look_asked_at is not None and found.asked_at >= order.look_asked_at
    )


def _step_measured(change: Change, step: Step, found: Measurement) -> None:
    step.measured = _told(found.status, found.pk, found.before, found.after, found.state, found.message)
    step.outcome = {"ok": "confirmed", "bad": "failed"}.get(str(found.state), "")
    step.outcome_text, step.checked_at = _words(found)[:300], timezone.now()
    step.save(update_fields=["measured", "outcome", "outcome_text", "checked_at"])
    then = "Press Resolve and verify." if found.state == LinkQuality.State.OK else "Go on with the next step."
    change.note(f"Measured after step {step.number}: {_words(found)} {then}", step=step.number, state=found.state)


def _words(found: Measurement) -> str:
    if found.status == Measurement.Status.FAILED:
        return f"The link could not be measured: {found.message or 'no reading'}."
    how = HOW.get(str(found.state), "not known")
    why = str((found.after or {}).get("reason") or "")
    return f"The link is {how} over {found.seconds} s{f' ({why})' if why else ''}."


def _decide(change: Change, order: WorkOrder, found: Measurement) -> None:
    good = found.status == Measurement.Status.DONE and found.state == LinkQuality.State.OK
    _end(order, WorkOrder.Look.PASSED if good else WorkOrder.Look.FAILED, _words(found))
    if good:
        change.move(TicketEvent.PASS, f"{_words(found)} Closed.", measurement=found.pk)
        change.ticket.steps.filter(kind="verify").update(done_at=timezone.now(), done_by=ROOM)
    else:
        change.move(TicketEvent.FAIL, f"Not right yet. {_words(found)}", measurement=found.pk)
        add_evidence(change.ticket, [_evidence(found.quality)])


def _end(order: WorkOrder, look: str, text: str) -> None:
    order.look, order.look_text, order.look_ended_at = look, text[:500], timezone.now()
    order.save(update_fields=["look", "look_text", "look_ended_at"])


def link_good(quality_id: int) -> None:
    """Two windows show it right. A ticket nobody took closes; who works on it only gets to know."""
    quality = LinkQuality.objects.select_related("link").get(pk=quality_id)
    active = Ticket.objects.filter(site_id=quality.site_id, link=key_of(quality), status__in=ACTIVE_STATUSES)
    for number in list(active.values_list("number", flat=True)):
        with changing(number, room=ROOM) as change:
            if change.ticket.status == Status.OPEN:
                change.move(TicketEvent.RESOLVED, "The link is good again in two windows. Closed.")
            elif change.ticket.status == Status.IN_WORK:
                change.note("The link is good again in two windows. Press Resolve and verify to close.")
            else:
                change.nothing = True
