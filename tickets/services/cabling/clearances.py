"""What must be out of use before hands touch a cable: machines are drained, links between switches isolated.

What is needed follows from the steps that are still to be done, and is written down with them. It is asked for while
somebody works on the ticket, and given back when the step is done or the work over. Nothing here holds the ticket's
lock while it locks a machine; a worker that is lost is followed by the next round of `settle`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.work.queue import after_commit
from fabric.models import FabricLink, PortAction
from fabric.ports.queries import USABLE
from fabric.ports.services import outages
from health import services as health
from health.machines.lifecycle import State
from health.models import MachineHealth
from inventory.services import Refused
from tickets.models import Clearance, Ticket, TicketChange, WorkOrder
from tickets.services.news import announce
from tickets.workflow import HANDS_ON, Status

if TYPE_CHECKING:  # which itself calls this module when a ticket moved
    from tickets.services.changes import Change

log = structlog.get_logger(__name__)

IN_SERVICE = (State.READY.value, State.DRAINING.value)
BY = "tickets"
HANDS = [status.value for status in HANDS_ON]


@dataclass(frozen=True)
class Needed:
    """One thing to be taken out of use."""

    key: str
    ends: dict[str, Any]
    machine_id: int | None = None


# ---- what is needed ----


def plan_clearances(ticket: Ticket) -> None:
    """Write down what the steps to be done need, and what they need no more. The caller holds the ticket's lock."""
    needed = {each.key: each for each in _needed(ticket)}
    there = {row.key: row for row in ticket.clearances.select_for_update(of=("self",))}
    for key, each in needed.items():
        row = there.get(key)
        if row is None:
            Clearance.objects.create(ticket=ticket, key=key, machine_id=each.machine_id, ends=each.ends)
        elif row.state == Clearance.State.LIFTED:
            row.state, row.text, row.action = Clearance.State.WANTED, "", None
            row.save()
    for key, row in there.items():
        untouched = row.state in (Clearance.State.WANTED, Clearance.State.WAITING) and row.action_id is None
        if key not in needed and untouched:
            row.delete()
    soon()


def _needed(ticket: Ticket) -> list[Needed]:
    order = WorkOrder.objects.filter(ticket=ticket).first()
    if order is None or order.source_id is None:
        return []
    pending = ticket.steps.filter(done_at=None)
    drains = [drain for step in pending.exclude(move=None) for drain in (step.move or {}).get("drains", ())]
    links = FabricLink.objects.filter(source_id=order.source_id, state__in=USABLE)
    touched = [Q(a_name=end["device"], a_number=end["port"]) for drain in drains for end in drain]
    touched += [Q(b_name=end["device"], b_number=end["port"]) for drain in drains for end in drain]
    if pending.filter(kind__in=["reseat", "clean", "swap"]).exists() and order.kind in ("link", "unlit"):
        touched.append(Q(key__in=order.cables))
    if not touched:
        return []
    rows = links.filter(reduce(or_, touched)).select_related("a_port__device", "b_port__device")
    return [_of(link) for link in rows.order_by("pk")]


def _of(link: FabricLink) -> Needed:
    ends = {
        "a": {"device": link.a_name, "port": link.a_number},
        "b": {"device": link.b_name, "port": link.b_number},
    }
    machines = [port.device_id for port in (link.a_port, link.b_port) if port and port.device.kind == "machine"]
    if machines:
        return Needed(f"machine:{machines[0]}", ends, machines[0])
    return Needed(link.key, ends)


def is_clear(row: Clearance, machine_state: str | None) -> bool:
    """Whether hands may touch it: the machine is out of service, or the link carries nothing (or nothing can be done
    about it but to pull it)."""
    if row.machine_id is not None:
        return machine_state is not None and machine_state not in IN_SERVICE
    if row.state == Clearance.State.BY_HAND:
        return True
    return row.action is not None and row.action.state in (PortAction.State.HELD, PortAction.State.DRY_RUN)


def in_the_way(ticket: Ticket, drains: list[Any] | None) -> str:
    """What of the live links that a step takes down (None: all of the ticket) is still in use; empty when hands may
    touch them."""
    rows = list(ticket.clearances.exclude(state=Clearance.State.LIFTED).select_related("action", "machine__device"))
    return still_used(rows, states_of(rows), drains)


def still_used(rows: Iterable[Clearance], states: Mapping[int, str], drains: list[Any] | None) -> str:
    """The same from rows and the states of their machines that were read already."""
    ends = None if drains is None else {(end["device"], end["port"]) for drain in drains for end in drain}
    for row in rows:
        state = states.get(row.machine_id or 0)
        touched = ends is None or ends & {(end["device"], end["port"]) for end in row.ends.values()}
        if touched and not is_clear(row, state):
            return told(row, state)
    return ""


def states_of(rows: Iterable[Clearance]) -> dict[int, str]:
    """Lifecycle states of their machines."""
    machines = [row.machine_id for row in rows if row.machine_id is not None]
    return dict(MachineHealth.objects.filter(pk__in=machines).values_list("pk", "state")) if machines else {}


def told(row: Clearance, machine_state: str | None) -> str:
    """How it stands, as a sentence."""
    if row.machine is not None:
        name = row.machine.device.name
        if is_clear(row, machine_state):
            return f"{name} is out of service."
        why = f": {row.text}" if row.text else ""
        return f"{name} is still in service ({machine_state or 'unknown'}){why}."
    ends = " – ".join(f"{end['device']} port {end['port']}" for _, end in sorted(row.ends.items()))
    if row.action is not None:
        how = row.action.message or row.action.get_state_display()
        return f"{ends}: {how}"
    return f"{ends}: {row.text or 'to be disabled'}"


# ---- doing it, and giving it back ----


def soon() -> None:
    after_commit("tickets.tasks.settle_clearances")


def settle() -> int:
    """Ask for what work in progress needs, give back what nobody needs; returns how many changed. Safe to run twice."""
    changed = 0
    worked_on = Q(ticket__status__in=HANDS)
    waiting = Clearance.objects.filter(worked_on, state__in=[Clearance.State.WANTED, Clearance.State.WAITING])
    for pk in list(waiting.order_by("ticket__priority", "pk").values_list("pk", flat=True)):
        changed += _guarded(_place, pk)
    # A bad link stays out of use until it is repaired, also while nobody is at it.
    bad_link = Q(machine=None, ticket__order__kind=WorkOrder.Kind.LINK, ticket__status=Status.OPEN.value)
    over = Clearance.objects.filter(~worked_on & ~bad_link)
    over = over.exclude(state__in=[Clearance.State.LIFTED, Clearance.State.WANTED])
    for pk in list(over.order_by("pk").values_list("pk", flat=True)):
        changed += _guarded(_give_back, pk)
    for pk in list(_links_done_with()):
        changed += _guarded(_give_back, pk)
    return changed + _enable_what_closed_tickets_left()


def _enable_what_closed_tickets_left() -> int:
    live = PortAction.objects.filter(owner__startswith="ticket:", wanted="held").exclude(state__in=PortAction.ENDED)
    owners = set(live.values_list("owner", flat=True))
    numbers = {number: owner for owner in owners if (number := owner.rpartition("-")[2]).isdecimal()}
    closed = Ticket.objects.filter(number__in=numbers, status=Status.CLOSED.value).values_list("number", flat=True)
    return sum(
        len(outages.enable_all(numbers[str(number)], by=BY, reason=f"REP-{number} is closed")) for number in closed
    )


def _guarded(work: Callable[[int], bool], pk: int) -> bool:
    """One that goes wrong does not keep the others waiting: the next round tries it again."""
    try:
        with transaction.atomic():
            return work(pk)
    except Exception:
        log.exception("clearance_failed", clearance=pk)
        return False


def _links_done_with() -> list[int]:
    """Links of work in progress that no step to be done takes down any more."""
    rows = Clearance.objects.filter(ticket__status__in=HANDS, machine=None, state=Clearance.State.PLACED)
    found = []
    for row in rows.select_related("ticket"):
        if row.key not in {each.key for each in _needed(row.ticket)} and not _touched(row):
            found.append(row.pk)
    return found


def _touched(row: Clearance) -> bool:
    """Whether a step to be done still names one of its ports: a link that is out of use may look dark by now."""
    ends = {(end["device"], end["port"]) for end in row.ends.values()}
    pending = row.ticket.steps.filter(done_at=None).exclude(move=None)
    drains = [drain for step in pending for drain in (step.move or {}).get("drains", ())]
    named = {(end["device"], end["port"]) for drain in drains for end in drain}
    hands = row.ticket.steps.filter(done_at=None, kind__in=["reseat", "clean", "swap"]).exists()
    return bool(ends & named) or (hands and WorkOrder.objects.filter(ticket=row.ticket, kind="link").exists())


def _place(pk: int) -> bool:
    row = Clearance.objects.select_related("ticket", "machine__device").get(pk=pk)
    before = (row.state, row.text)
    ends = " – ".join(f"{end['device']} port {end['port']}" for _, end in sorted(row.ends.items()))
    reason = f"{row.ticket.key}: the cable {ends} is to be pulled"
    if row.machine_id is not None:
        state = MachineHealth.objects.filter(pk=row.machine_id).values_list("state", flat=True).first()
        refusal = health.hold_within_budget(row.machine_id, owner=row.ticket.owner, reason=reason, actor=BY)
        row.state = Clearance.State.PLACED if refusal is None else Clearance.State.WAITING
        row.drained_by_us = row.drained_by_us or (refusal is None and state == State.READY)
        row.text = f"{refusal.reason}: it waits, or an operator drains it"[:300] if refusal is not None else ""
    else:
        _place_link(row, reason)
    return _keep(row, before)


def _place_link(row: Clearance, reason: str) -> None:
    order = WorkOrder.objects.select_related("source").get(ticket=row.ticket)
    if order.source is None:
        row.state, row.text = Clearance.State.BY_HAND, "its source is gone"
        return
    try:
        row.action = outages.propose(
            order.source.pk, row.key, owner=row.ticket.owner, cause=reason, by=BY, evidence={"ticket": row.ticket.key}
        )
        row.state, row.text = Clearance.State.PLACED, ""
    except outages.PortRefused as error:
        short = outages.floor_problem(order.source, row.key)
        row.state = Clearance.State.WAITING if short else Clearance.State.BY_HAND
        row.text = (short or f"{error} It goes dark when it is pulled.")[:300]


def settle_ports(change: Change, choice: str) -> None:
    """What becomes of the links that are out of use for a ticket that closes without proof. `keep` leaves them to the
    site, which is reminded of them. Raises Refused without a choice."""
    ticket = change.ticket
    held = list(PortAction.objects.filter(owner=ticket.owner, wanted="held", state__in=PortAction.TOUCHED))
    if not held:
        return
    ends = "; ".join(action.ends for action in held)
    if choice not in ("enable", "keep"):
        raise Refused("ports", f"Disabled for this ticket: {ends}. Say enable or keep.")
    if choice == "keep":
        for action in held:
            outages.keep(action.pk, by=change.actor)
        ticket.clearances.filter(action__in=held).update(state=Clearance.State.LIFTED, text="kept disabled")
        change.note(f"Kept disabled: {ends}", ports=[action.pk for action in held])
    else:
        change.note(f"Re-enabled: {ends}", ports=[action.pk for action in held])


def _give_back(pk: int) -> bool:
    row = Clearance.objects.select_related("ticket", "machine__device", "action").get(pk=pk)
    before = (row.state, row.text)
    reason = f"{row.ticket.key}: the work is over"
    if row.action is not None:
        outages.enable(row.action.pk, by=BY, reason=reason)
    if row.machine_id is not None:
        health.lift_hold(row.machine_id, owner=row.ticket.owner, reason=reason, actor=BY)
        if row.drained_by_us:
            _return(row.machine_id, row.ticket, reason)
    row.state, row.text, row.drained_by_us = Clearance.State.LIFTED, "", False
    return _keep(row, before)


def _return(machine_id: int, ticket: Ticket, reason: str) -> None:
    """A machine we drained goes back: at once when jobs still ran on it, else by way of a verification."""
    state = MachineHealth.objects.filter(pk=machine_id).values_list("state", flat=True).first()
    if state == State.DRAINING:
        health.return_to_service(machine_id, reason=reason, actor=BY)
    elif state == State.DRAINED:
        health.request_verification(machine_id, fault_ids=[], owner=ticket.owner, actor=BY)


def _keep(row: Clearance, before: tuple[str, str]) -> bool:
    if before == (row.state, row.text):
        return False
    row.updated_at = timezone.now()
    row.save()
    state = MachineHealth.objects.filter(pk=row.machine_id).values_list("state", flat=True).first()
    text = told(row, state)
    if row.state == Clearance.State.LIFTED:
        text = f"No longer needed out of service: {row.machine.device.name if row.machine else row.key}"
    TicketChange.objects.create(ticket=row.ticket, actor=BY, text=text, data={"clearance": row.key}, at=timezone.now())
    # The machine's lock is taken before the ticket's, as everywhere in this room.
    announce(Ticket.objects.select_for_update(of=("self",)).get(pk=row.ticket_id), BY)
    return True
