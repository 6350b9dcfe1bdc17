"""What people do with a ticket. Each is one transaction with the ticket locked, and returns the ticket.

All take `version`, the one the person saw: another present one raises TicketConflict. Work on somebody else's ticket
needs `operator`.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from core.models import User
from health import services as health
from health.machines.lifecycle import LifecycleEvent, State, allowed
from health.machines.specs import slot_of
from health.models import Fault, MachineHealth
from inventory.models import Component, Installation, Stock, StoragePlace
from inventory.queries import slot_texts_of
from inventory.services import Refused, Returned, swap_component, take_from_stock
from tickets import texts
from tickets.models import Comment, PartSwap, Step, Ticket
from tickets.orders import Done, drains_of, may_not_tick, touches
from tickets.proof import PROVEN, SHORTEST, Proof, label_names
from tickets.runbooks import services as runbooks
from tickets.services.cabling.clearances import in_the_way, settle_ports
from tickets.services.cabling.followed_steps import step_marked
from tickets.services.changes import Change, NotYours, TicketConflict, changing, need_work
from tickets.services.incidents import end_incident
from tickets.services.leds import refresh_wish
from tickets.workflow import HANDS_ON, Status, TicketEvent

HANDS_ON_STATUSES = [status.value for status in HANDS_ON]


# ---- taking and giving back ----


def take(number: int, *, by: User, version: int | None = None) -> Ticket:
    """Work on a ticket. The machine is in repair from now on, unless it is still in service.

    Taking one's own ticket again changes nothing.
    """
    with changing(number, by=by, version=version) as change:
        ticket = change.ticket
        if ticket.status == Status.IN_WORK and ticket.assignee == by:
            change.nothing = True
            return ticket
        if ticket.status == Status.IN_WORK and ticket.assignee is not None:
            raise TicketConflict(number, f"{ticket.key} was taken by {ticket.assignee.display_name()}.")
        change.move(TicketEvent.TAKE, "Taken", assignee=by.pk)
        ticket.assignee = by
        ticket.led_wanted = True
        change.then(lambda: start_repair(change))
        return ticket


def start_repair(change: Change) -> None:
    """Take the machine along into `repair`; one in service stays there, because only a drain may take it out."""
    ticket = change.ticket
    if ticket.machine_id is None:
        return
    state = MachineHealth.objects.filter(pk=ticket.machine_id).values_list("state", flat=True).first()
    if state in (State.READY, State.DRAINING):
        if state == State.READY and texts.is_hot(ticket.fault_class):
            change.note(f"{ticket.about[1]} is in service and may stay so: this can be repaired while jobs run.")
        else:
            change.note(f"{ticket.about[1]} is still in service ({state}): have it drained before you open it.")
    elif state == State.VERIFYING and _awaits_verification(ticket.machine_id):
        return  # another repair of this machine is being judged, and its outcome takes the machine along
    elif state is not None and allowed(state, LifecycleEvent.START_REPAIR):
        health.change_state(
            ticket.machine_id,
            LifecycleEvent.START_REPAIR,
            reason=f"{ticket.key} was taken",
            actor=change.actor,
            evidence={"ticket": ticket.key},
        )


def _awaits_verification(machine_id: int) -> bool:
    return Ticket.objects.filter(machine_id=machine_id, status=Status.VERIFYING.value).exists()


def release(number: int, *, by: User, reason: str, version: int | None = None) -> Ticket:
    """Give a ticket back to the queue; any technician may, because shifts end."""
    with changing(number, by=by, version=version) as change:
        change.move(TicketEvent.RELEASE, f"Released: {reason}", reason=reason)
        change.then(lambda: end_repair(change, reason))
        return change.ticket


def end_repair(change: Change, reason: str) -> None:
    """Nobody works on the machine any more: it waits again, unless hands are on another ticket of it."""
    ticket = change.ticket
    if ticket.machine_id is None:
        return
    if Ticket.objects.filter(machine_id=ticket.machine_id, status__in=HANDS_ON_STATUSES).exists():
        return
    state = MachineHealth.objects.filter(pk=ticket.machine_id).values_list("state", flat=True).first()
    machine_id = ticket.machine_id
    why = f"{ticket.key}: {reason}"
    evidence = {"ticket": ticket.key}

    def step(event: LifecycleEvent) -> None:
        health.change_state(machine_id, event, reason=why, actor=change.actor, evidence=evidence)

    if state == State.VERIFYING:
        step(LifecycleEvent.START_REPAIR)  # the verification under way finds the machine out of its hands
        state = State.REPAIR
    if state == State.REPAIR:
        step(LifecycleEvent.ESCALATE if ticket.source == "provisioning" else LifecycleEvent.RELEASE)


# ---- working ----


def comment(number: int, *, by: User, text: str, version: int | None = None) -> Ticket:
    with changing(number, by=by, version=version) as change:
        Comment.objects.create(ticket=change.ticket, author=by, text=text, at=timezone.now())
        return change.ticket


def tick(
    number: int,
    step: int,
    *,
    by: User,
    done: bool = True,
    proof: Proof | None = None,
    operator: bool = False,
    version: int | None = None,
) -> Ticket:
    """Mark a step done or not done. With `proof` a step that must be proven needs one that holds, or a reason why it is
    passed over, which stays on record. Raises Step.DoesNotExist."""
    with changing(number, by=by, version=version) as change:
        need_work(change, operator=operator)
        row = Step.objects.get(ticket=change.ticket, number=step)
        change.nothing = (row.done_at is not None) == done
        if not change.nothing:
            if change.ticket.source == "fabric":
                _need_order(change, row, done=done, operator=operator)
            skipping = proof is not None and bool(proof.skip.strip())
            if done and proof is not None:
                need_proof(change, row, proof)
            if done and not skipping:
                need_runbook(change, row, by=by, proving=proof is not None)
            mark(change, row, done=done, skipped=skipping)
            change.bump = True
        return change.ticket


def _need_order(change: Change, row: Step, *, done: bool, operator: bool) -> None:
    """Steps of a work order come one after the other, and no cable is pulled that is in use. An operator may know
    better; that is written down. Raises TicketConflict."""
    ticket = change.ticket
    steps = [
        Done(step.number, step.kind, step.done_at is not None, step.outcome == "failed")
        for step in ticket.steps.order_by("number")
    ]
    why = may_not_tick(steps, row.number, done=done)
    if not why and done and touches(row):
        why = in_the_way(ticket, drains_of(row))
    if why and not operator:
        raise TicketConflict(ticket.number, why)
    if why:
        change.note(f"Step {row.number} although: {why}", step=row.number)


def need_runbook(change: Change, row: Step, *, by: User, proving: bool) -> None:
    """Raises TicketConflict where hands must not go in yet, or where nobody saw or signed what the runbook asks for."""
    if why := runbooks.why_not(change.ticket, row, by=by, proving=proving):
        raise TicketConflict(change.ticket.number, why)


def need_proof(change: Change, row: Step, proof: Proof) -> None:
    """Raises TicketConflict for a label that is not the right one, and for a step that nothing proves."""
    ticket = change.ticket
    if row.kind not in PROVEN and not proof.skip.strip():
        return
    if proof.skip.strip():
        change.note(f"Step {row.number} skipped: {proof.skip.strip()}", step=row.number, skipped=proof.skip.strip())
        return
    label = proof.label.strip()
    if row.kind == "swap" and (has_slot(ticket) or len(label) < SHORTEST):
        raise TicketConflict(ticket.number, f"Step {row.number} is done by recording the new serial, or say why not.")
    if row.kind == "swap":  # of a part that sits in no slot: no record of the inventory to change
        change.note(f"Step {row.number}: {label} put in", step=row.number, serial=label)
        return
    if not label:
        raise TicketConflict(ticket.number, f"Step {row.number} is done by reading the label, or say why not.")
    device = ticket.device if ticket.subject != "cable" else None
    names = [ticket.about[1], *([device.serial, device.asset_tag] if device is not None else [])]
    if not label_names(label, names):
        raise TicketConflict(ticket.number, f"The label {label} is not that of {ticket.about[1]}.")


def has_slot(ticket: Ticket) -> bool:
    """Whether the ticket's part sits in a slot of its machine, so that a swap of it can be recorded."""
    if ticket.machine_id is None or ticket.device is None:
        return False
    return slot_of(ticket.device.model.spec, ticket.part) is not None


def mark(change: Change, row: Step, *, done: bool, skipped: bool = False) -> None:
    """Tick or untick a step; what an earlier look said of it no longer holds. A move is looked at by itself, a step at
    a bad link is measured."""
    assert change.by is not None
    row.done_at = timezone.now() if done else None
    row.done_by = change.by.display_name()[:150] if done else ""
    row.outcome = row.outcome_text = ""
    row.check_asked_at = row.measured = None
    row.save(update_fields=["done_at", "done_by", "outcome", "outcome_text", "check_asked_at", "measured"])
    change.note(f"Step {row.number} {'done' if done else 'not done'}: {row.title}", step=row.number, done=done)
    if said := runbooks.marked(change.ticket, row, done=done, skipped=skipped):
        change.note(said, step=row.number)
    if change.ticket.source == "fabric":
        step_marked(change, row)


def record_swap(
    number: int,
    *,
    by: User,
    new_serial: str,
    part_number: str | None = None,
    old_serial: str | None = None,
    old_storage: int | None = None,
    operator: bool = False,
    version: int | None = None,
) -> Ticket:
    """Record that another part sits in the ticket's slot. The inventory follows, and the first open swap step is done.

    `old_serial` is what the technician read on the old part; without it, what the inventory has. The old part is
    suspect and goes to `old_storage`, or to the site's place for removed parts. Raises inventory.services.Refused with
    the field to blame.
    """
    new_serial = new_serial.strip()
    with changing(number, by=by, version=version) as change:
        need_work(change, operator=operator)
        ticket = change.ticket
        if ticket.machine_id is None:
            raise Refused("new_serial", "Only a machine has slots for parts.")
        sits = Installation.objects.filter(device_id=ticket.machine_id, slot=ticket.part, during__endswith=None)
        old = sits.select_related("component").first()
        named = slot_texts_of(ticket.machine_id).get(ticket.part, ticket.part)
        known = old.component.serial if old else ""
        read = (old_serial or "").strip() or known
        if new_serial and new_serial.lower() in (read.lower(), known.lower()):
            raise Refused("new_serial", f"{new_serial} is the serial of the part that was in {named} before.")
        known_parts = Component.objects.filter(site_id=ticket.site_id, serial=new_serial)
        shelves = dict(known_parts.values_list("pk", "storage__name"))
        goes_to = _shelf_for_removed(ticket.site_id, old_storage)
        installed = swap_component(
            ticket.machine_id,
            ticket.part,
            new_serial,
            by=by.get_username(),
            ticket=ticket.key,
            part_number=part_number or None,
            old=Returned(goes_to, Component.Condition.SUSPECT),
        )
        swap = PartSwap.objects.create(
            ticket=ticket,
            at=timezone.now(),
            by=by,
            slot=ticket.part,
            old_serial=read,
            new_serial=installed.component.serial,
            old_component=old.component if old else None,
            new_component=installed.component,
        )
        change.bump = True
        change.note(f"Swapped {named}: {read or 'unknown serial'} out, {new_serial} in", swap=swap.pk)
        _note_shelves(change, installed.component, shelves, goes_to if old else None)
        if read.lower() != known.lower():
            change.note(f"The inventory had {known or 'no serial'} in {named}, not {read}.", inventory=known)
        _swap_step_done(change)
        return ticket


def take_part(
    number: int,
    *,
    by: User,
    stock: int,
    quantity: int = 1,
    operator: bool = False,
    version: int | None = None,
) -> Ticket:
    """Take parts without a serial (an optic, a cable) from stock for this repair; the first open swap step is done.

    Raises inventory.services.Refused when the storage place has not that many.
    """
    with changing(number, by=by, version=version) as change:
        need_work(change, operator=operator)
        try:
            left = take_from_stock(stock, quantity=quantity, by=by.get_username(), site_id=change.ticket.site_id)
        except Stock.DoesNotExist as missing:
            raise Refused("stock", "The site has no such stock.") from missing
        change.bump = True
        words = f"Took {quantity} x {left.part_number} from {left.storage.name}, {left.quantity} left"
        change.note(words, stock=left.pk, part_number=left.part_number, quantity=quantity)
        _swap_step_done(change)
        return change.ticket


def _shelf_for_removed(site_id: int, chosen: int | None) -> StoragePlace | None:
    """Where the old part goes: as chosen, or the site's place for removed parts, or nowhere known."""
    places = StoragePlace.objects.filter(site_id=site_id)
    if chosen is None:
        return places.filter(takes_removed=True).first()
    found = places.filter(pk=chosen).first()
    if found is None:
        raise Refused("old_storage", "The site has no such storage place.")
    return found


def _note_shelves(
    change: Change, new: Component, shelves: Mapping[int, str | None], goes_to: StoragePlace | None
) -> None:
    """Say where the new part came from and where the old one went."""
    if new.pk not in shelves:
        change.note(f"{new.serial} was not known before: a new part of the inventory.", component=new.pk)
    elif shelves[new.pk]:
        change.note(f"{new.serial} was taken from {shelves[new.pk]}.", component=new.pk)
    if new.condition == Component.Condition.SUSPECT:
        change.note(f"{new.serial} is marked suspect.", component=new.pk)
    if goes_to is not None:
        change.note(f"The old part goes to {goes_to.name}, marked suspect.", storage=goes_to.pk)


def _swap_step_done(change: Change) -> None:
    row = change.ticket.steps.filter(kind="swap", done_at=None).first()
    if row is not None:
        mark(change, row, done=True)


def set_led(number: int, *, by: User, on: bool, operator: bool = False, version: int | None = None) -> Ticket:
    """Want the machine's light on or off while the ticket is worked on."""
    with changing(number, by=by, version=version) as change:
        ticket = change.ticket
        if ticket.machine_id is None:
            raise TicketConflict(number, f"{ticket.about[1]} has no light that Rackside can switch.")
        if ticket.status not in HANDS_ON_STATUSES:
            raise TicketConflict(number, f"{ticket.key} is not being worked on: take it before you switch the light.")
        if not operator and ticket.assignee != by:
            raise NotYours(f"{ticket.key} is with {ticket.assignee.display_name() if ticket.assignee else 'nobody'}.")
        ticket.led_wanted = on
        machine_id = ticket.machine_id
        change.then(lambda: refresh_wish(machine_id))
        return ticket


# ---- operators ----


def close(number: int, *, by: User, reason: str, ports: str = "", version: int | None = None) -> Ticket:
    """Close without a proof: the faults are dismissed and their holds lifted with this reason, which stays on record.

    The machine does not return to service by this. What still fails opens a new ticket at the next look. While links
    are out of use for the ticket, `ports` says what becomes of them (enable or keep), so that none is forgotten;
    raises Refused without it.
    """
    with changing(number, by=by, version=version) as change:
        ticket = change.ticket
        settle_ports(change, ports)
        change.move(TicketEvent.CLOSE, f"Closed without verification: {reason}", reason=reason)
        ticket.verification = None
        change.then(lambda: _let_go(change, reason))
        return ticket


def _let_go(change: Change, reason: str) -> None:
    ticket = change.ticket
    end_repair(change, reason)
    links = Fault.objects.filter(ticket_links__ticket=ticket).exclude(status=Fault.Status.CLEARED)
    for fault_id in list(links.order_by(F("led_by_id").asc(nulls_first=True), "pk").values_list("pk", flat=True)):
        health.dismiss_fault(fault_id, reason=f"{ticket.key} closed: {reason}", actor=change.actor)
    if ticket.source == "incident":
        end_incident(change, reason)


def _same_trouble(ticket: Ticket) -> QuerySet[Ticket]:
    """Tickets of which only one may be open."""
    if ticket.machine_id is not None:
        return Ticket.objects.filter(machine_id=ticket.machine_id, part=ticket.part)
    return Ticket.objects.filter(site_id=ticket.site_id, source_ref=ticket.source_ref)


def reopen(number: int, *, by: User, reason: str, version: int | None = None) -> Ticket:
    """Put a closed ticket back into the queue; refused while another one is open for the same part."""
    with transaction.atomic(), changing(number, by=by, version=version) as change:
        ticket = change.ticket
        other = _same_trouble(ticket).exclude(pk=ticket.pk).exclude(status=Status.CLOSED.value).first()
        if ticket.status == Status.CLOSED and other is not None:
            raise TicketConflict(number, f"{other.key} is open for the same part.")
        change.move(TicketEvent.REOPEN, f"Reopened: {reason}", reason=reason)
        ticket.verification = None
        ticket.steps.update(done_at=None, done_by="", outcome="", outcome_text="", check_asked_at=None)
        runbooks.forget(list(ticket.steps.all()))
        return ticket
