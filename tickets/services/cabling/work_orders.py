"""Work orders of the fabric: opened for a finding, planned again when reality changed, ended by a discovery.

What opens by itself may run twice: a finding has at most one active ticket. These run in the transaction of the
discovery, its source locked before the ticket.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.work.alone import alone
from fabric.models import Finding
from health.machines.calls import AUTOMATION
from health.models import Fault, Verification
from health.services import request_verification
from inventory.models import Cable, Device
from tickets import orders
from tickets.models import Evidence, Step, Ticket, TicketChange, WorkOrder
from tickets.orders import OrderStep
from tickets.services.cabling.clearances import plan_clearances
from tickets.services.cabling.order_texts import subject_of_device, write_steps
from tickets.services.cabling.remaining_moves import Rest, rest_in_hand
from tickets.services.cabling.same_port import HEALTH, faults_left_behind, join, left_without_ticket, ticket_of_finding
from tickets.services.changes import Change, changing, settle_machine
from tickets.services.evidence import add_evidence
from tickets.services.news import announce
from tickets.services.openings import open_ticket_for_fault
from tickets.workflow import ACTIVE_STATUSES, Status, TicketEvent

DISCOVERY = "discovery"
BY_A_PERSON = "user:"
ALIVE = [Finding.State.NEW.value, Finding.State.OPEN.value]


# ---- opening ----


@transaction.atomic
def open_order(finding_id: int) -> Ticket | None:
    """The active ticket of an open finding, opened when there is none.

    A finding about the same cables as an order somebody works on is the rest of that work: it joins it. So does a dark
    cable whose card, or whose silent machine, has a ticket of its fault. None for a finding that nobody has to go for,
    and for one that is not open any more.
    """
    finding = Finding.objects.select_related("source").get(pk=finding_id)
    kind = orders.order_kind(finding.kind)
    if kind is None or finding.state != Finding.State.OPEN:
        return None
    active = Ticket.objects.filter(status__in=ACTIVE_STATUSES)
    there = active.filter(finding=finding).first()
    if there is not None:
        return there
    if (leading := ticket_of_finding(finding)) is not None:
        return join(leading, f"The fabric shows the same: {finding.title}", evidence_of(finding), room=DISCOVERY,
                    about={"finding": finding.pk})  # fmt: skip
    begun = active.filter(order__source=finding.source, order__cables__overlap=finding.cables or [""])
    begun = begun.exclude(link__gt="").exclude(source_ref__startswith=BY_A_PERSON)
    number = begun.order_by("number").values_list("number", flat=True).first()
    if number is None:
        return _open(finding, kind)
    with changing(number, room=DISCOVERY) as change:
        if under_way(change.ticket):
            adopt(change, finding)
        elif _is_over(change.ticket.finding):
            follow(change, finding)
        else:
            change.note(f"Another finding about the same cables: {finding.title}", finding=finding.pk)
        return change.ticket


def _is_over(finding: Finding | None) -> bool:
    return finding is None or finding.state == Finding.State.CLOSED


def _open(finding: Finding, kind: str) -> Ticket:
    subject = subject_of(finding)
    ticket = Ticket.objects.create(
        site_id=finding.site_id,
        **subject,
        part=_part(finding),
        fault_class=f"fabric.{finding.kind}",
        title=finding.title[:200],
        summary=finding.text,
        priority=orders.priority(finding.severity),
        source="fabric",
        source_ref=f"finding:{finding.pk}",
        finding=finding,
    )
    ticket.refresh_from_db()
    order = WorkOrder.objects.create(
        ticket=ticket, kind=kind, source=finding.source, cables=finding.cables, cabling=cabling_of(finding)
    )
    write_steps(ticket, 1, order.version, plan_of(finding, kind, ticket.about[1]))
    text = f"Opened: {finding.title}"
    TicketChange.objects.create(ticket=ticket, actor=DISCOVERY, event="open", text=text, data={"finding": finding.pk})
    add_evidence(ticket, [evidence_of(finding)])
    plan_clearances(ticket)
    announce(ticket, DISCOVERY)
    if ticket.machine_id is not None:
        settle_machine(ticket.machine_id)
    return ticket


def _part(finding: Finding) -> str:
    """What of its subject: the cable, where it is one."""
    return (finding.cables[0] if len(finding.cables) == 1 else "cables" if finding.cables else "fabric")[:60]


def subject_of(finding: Finding) -> dict[str, Any]:
    """What a finding's ticket is about, as fields of the ticket: the device where most hands are needed; a cable that
    is all there is to it; or a name that only the plan knows."""
    ids = [end["device_id"] for end in _hands(finding.detail) if end.get("device_id")] or finding.device_ids
    counted = sorted(set(ids), key=lambda pk: (-ids.count(pk), ids.index(pk)))
    devices = {device.pk: device for device in Device.objects.filter(pk__in=counted)}
    known = [devices[pk] for pk in counted if pk in devices]
    switches = [device for device in known if device.kind == "switch"]
    moved = bool(finding.detail.get("moves"))
    if orders.order_kind(finding.kind) == "unlit" and not moved and len(finding.cables) == 1:
        cable = Cable.objects.filter(site_id=finding.site_id, label=finding.cables[0]).first()
        if cable is not None:
            return {"subject": "cable", "cable": cable, "device": next(iter(switches or known), None)}
    device = next(iter(switches if moved and switches else known), None)
    return subject_of_device(device, next(iter(finding.devices), finding.source.name))


def _hands(detail: dict[str, Any]) -> list[dict[str, Any]]:
    """The ports at which a plug is pulled or put in."""
    ends = [move.get(side) for move in detail.get("moves", ()) for side in ("take_from", "put_into")]
    return [end for end in ends if end] or list(detail.get("ports", ()))


def plan_of(finding: Finding, kind: str, where: str, rest: Rest | None = None) -> list[OrderStep]:
    """The steps that a finding asks for now; with `rest`, what it says of causes and the moves of that."""
    detail = finding.detail
    dark = finding.kind not in orders.DEGRADED
    if rest is not None and rest.moves:
        checks = detail.get("checks", []) if kind == "checks" else []
        return orders.steps_of(kind, where, rest.moves, checks, rest.unlit, dark=dark)
    moves, evidence = detail.get("moves", []), detail.get("evidence") or {}
    unlit = evidence.get("unlit") or (finding.cables if kind == "unlit" else [])
    return orders.steps_of(kind, where, moves, detail.get("checks", []), unlit, dark=dark)


def cabling_of(finding: Finding, rest: Rest | None = None) -> dict[str, Any]:
    """The cables behind the moves that `plan_of` gives."""
    found: dict[str, Any] = rest.cabling if rest is not None and rest.moves else finding.detail.get("cabling", {})
    return found


def evidence_of(finding: Finding, source: str = Evidence.Source.FABRIC) -> Evidence:
    """What the discovery showed."""
    return Evidence(
        at=finding.last_seen_at,
        source=source,
        check_id=f"fabric.{finding.kind}",
        part=_part(finding),
        verdict="fail",
        message=finding.text or finding.title,
    )


# ---- reality changed ----


def finding_changed(finding_id: int) -> None:
    """A discovery shows the finding in another shape: the steps still to be done are planned again."""
    finding = Finding.objects.select_related("source").get(pk=finding_id)
    for number in _active_of(finding):
        with changing(number, room=DISCOVERY) as change:
            if finding.state == Finding.State.ACCEPTED:
                _accepted(change, finding)
            elif under_way(change.ticket) or not follow(change, finding):
                change.nothing = True


def under_way(ticket: Ticket) -> bool:
    """Whether cables of the present plan were moved already. What a discovery finds in the middle of that is decided
    by `reality_changed` when it ends: a plug that hangs looks like a missing cable, and is none."""
    return ticket.status == Status.IN_WORK and ticket.steps.filter(_moved(ticket)).exists()


def _moved(ticket: Ticket) -> Q:
    version = WorkOrder.objects.values_list("version", flat=True).get(ticket=ticket)
    return Q(move__isnull=False, done_at__isnull=False, order_version=version)


def adopt(change: Change, finding: Finding) -> None:
    """The same trouble under another name, in the middle of the work: the plan stays."""
    order = WorkOrder.objects.select_for_update().get(ticket=change.ticket)
    if change.ticket.finding_id == finding.pk:
        change.nothing = True
        return
    order.cables = sorted({*order.cables, *finding.cables})
    order.save(update_fields=["cables"])
    change.ticket.finding, change.ticket.source_ref = finding, f"finding:{finding.pk}"
    change.note(f"The discovery calls what is left of it: {finding.title}", finding=finding.pk)


def open_what_is_left() -> None:
    """Go on where two rooms shared a ticket that is closed by now: findings that still stand get their order, faults
    are verified."""
    for finding_id in left_without_ticket():
        with alone("finding_without_order", finding=finding_id):
            open_order(finding_id)
    for fault_id in faults_left_behind():
        with alone("fault_left_behind", fault=fault_id):
            after_the_cable(fault_id)


def after_the_cable(fault_id: int) -> None:
    """The cable is right: look whether the card is. What fails then gets a ticket of its own. Safe to run twice."""
    fault = Fault.objects.get(pk=fault_id)
    closed = Ticket.objects.filter(fault_links__fault=fault, status=Status.CLOSED.value).order_by("-closed_at").first()
    since = Verification.objects.filter(faults=fault, requested_at__gte=closed.closed_at if closed else fault.opened_at)
    latest = since.order_by("-pk").first()
    if latest is None:
        request_verification(fault.machine_id, fault_ids=[fault.pk], owner=AUTOMATION, actor=HEALTH)
    elif latest.status == Verification.Status.FAILED:
        open_ticket_for_fault(fault.pk)


def reality_changed(number: int) -> None:
    """After a discovery: when cables lie otherwise than the moves that were done explain, plan the rest again."""
    with changing(number, room=DISCOVERY) as change:
        ticket = change.ticket
        target = rest_of(ticket.order) if _is_over(ticket.finding) else ticket.finding
        rest = rest_in_hand(ticket.order) if under_way(ticket) and target is not None else None
        if target is None or rest is None or not follow(change, target, rest):
            change.nothing = True


def go_on(change: Change, finding: Finding) -> bool:
    """Go on with a look that still shows trouble; returns whether the steps changed. Cables that lie otherwise than
    the moves done explain are planned again from where they are. What they explain stays planned while moves are left:
    a plug that hangs looks like a missing cable. Else the steps are those that the finding asks for."""
    ticket = change.ticket
    rest = rest_in_hand(ticket.order)
    moved = ticket.steps.filter(_moved(ticket)).exists()
    left = ticket.steps.filter(move__isnull=False, done_at=None).exists()
    if rest is None and moved and left:
        return False
    return follow(change, finding, rest)


def _accepted(change: Change, finding: Finding) -> None:
    why = f"{finding.accepted_by} accepted it as it is: {finding.accept_reason}"
    if change.ticket.status == Status.OPEN:
        change.move(TicketEvent.RESOLVED, f"{why}. Closed.", finding=finding.pk)
    else:
        change.note(f"{why}. Give the ticket back, or have it closed.", finding=finding.pk)


def follow(change: Change, finding: Finding, rest: Rest | None = None) -> bool:
    """Make the order fit what a finding says now, or do the `rest` of its moves; returns whether anything changed.

    Steps that were done stay as they are, the rest is replaced. A check that was done is not asked for again.
    """
    ticket = change.ticket
    order = WorkOrder.objects.select_for_update().get(ticket=ticket)
    taken_over = ticket.finding_id != finding.pk
    kind = orders.order_kind(finding.kind) or order.kind
    if rest is not None and rest.moves and kind in ("unlit", "off"):
        kind = "moves"  # what a plug in the hand looks like
    done = list(ticket.steps.filter(done_at__isnull=False))
    pending = list(ticket.steps.filter(done_at=None))
    named = {(step.kind, step.title) for step in done if step.move is None}
    wanted = [
        step
        for step in plan_of(finding, kind, ticket.about[1], rest)
        if step.move is not None or (step.kind, step.title) not in named
    ]
    if [_shape(step) for step in pending] == [_shape(step) for step in wanted] and not taken_over:
        return False
    order.version += 1
    order.kind, order.cables = kind, sorted({*order.cables, *finding.cables})
    order.cabling = cabling_of(finding, rest)
    order.save()
    ticket.finding, ticket.title, ticket.summary = finding, finding.title[:200], finding.text
    ticket.source_ref = f"finding:{finding.pk}"
    ticket.steps.filter(done_at=None).delete()
    after = max((step.number for step in done), default=0) + 1
    write_steps(ticket, after, order.version, wanted)
    moves = sum(step.move is not None for step in wanted)
    text = f"Planned again (version {order.version}): {finding.title}. {moves} move{'' if moves == 1 else 's'} to do."
    why = f" Because {'; '.join(rest.because[:4])}." if rest is not None else ""
    change.note(text + why, finding=finding.pk, version=order.version, kept=[step.number for step in done])
    add_evidence(ticket, [evidence_of(finding)])
    change.bump = True
    change.then(lambda: plan_clearances(ticket))
    return True


def _shape(step: Step | OrderStep) -> tuple[Any, ...]:
    about = orders.signature(step.move) if step.move is not None else step.title
    return step.kind, about, step.swaps


def rest_of(order: WorkOrder) -> Finding | None:
    """A finding that is alive and about the order's cables: what is still to be done of it."""
    about = Q(cables__overlap=order.cables or [""])
    if not order.cables and order.ticket.source_ref.startswith(BY_A_PERSON):  # about a switch
        about = Q(device_ids__contains=[order.ticket.device_id])
    alive = Finding.objects.filter(about, source_id=order.source_id, state__in=ALIVE)
    return alive.select_related("source").order_by("first_seen_at").first()


def finding_closed(finding_id: int) -> None:
    """A discovery shows it right. An order nobody works on closes; who works on it presses Done, and what is left of
    the trouble in another shape becomes the plan. A waiting look decides by itself when the discovery ends."""
    finding = Finding.objects.get(pk=finding_id)
    for number in _active_of(finding):
        with changing(number, room=DISCOVERY) as change:
            rest = rest_of(WorkOrder.objects.get(ticket=change.ticket))
            if change.ticket.status == Status.VERIFYING:
                change.nothing = True
            elif rest is not None and under_way(change.ticket):
                adopt(change, rest)
            elif rest is not None:
                follow(change, rest)
            elif change.ticket.status == Status.OPEN:
                change.move(TicketEvent.RESOLVED, f"{_over(finding)} Closed.", finding=finding.pk)
                settle_steps(change.ticket)
            else:
                change.note(f"{_over(finding)} Press Resolve and verify to close.", finding=finding.pk)


def _over(finding: Finding) -> str:
    """Why a finding is closed: it is right, or its machine is dark for a known reason."""
    expected = finding.detail.get("expected")
    return f"Its machine is dark for a reason: {expected['reason']}." if expected else "A discovery shows it right."


def settle_steps(ticket: Ticket) -> None:
    """The look decided: the last step is done."""
    ticket.steps.filter(kind="verify").update(done_at=timezone.now(), done_by=DISCOVERY)


def _active_of(finding: Finding) -> list[int]:
    active = Ticket.objects.filter(finding=finding, status__in=ACTIVE_STATUSES)
    return list(active.values_list("number", flat=True))
