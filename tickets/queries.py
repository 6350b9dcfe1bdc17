"""Reads of this room: lists with what they show, one ticket in full, and what other rooms ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from core.models import User
from fabric.models import FabricLink
from health.overview.queries import layers
from inventory.models import Installation
from inventory.queries import place_of, port_face, printed_label, slot_place_text, slot_texts_of
from inventory.search import Found
from inventory.services.connectors import optic_slot
from inventory.slot_text import slot_text
from runs.replacement.queries import runs_accusing
from tickets.aisle.photos import PHOTO, photos
from tickets.desk.queries import desk_detail, desk_item, desk_may
from tickets.models import (
    KEY_PREFIX,
    PRIORITIES,
    WHOLE_MACHINE,
    Clearance,
    IndicatorLed,
    PartSwap,
    Step,
    Ticket,
    TicketFault,
    WorkOrder,
)
from tickets.orders import Done, drains_of, may_not_tick, touches
from tickets.runbooks.queries import dressed, steps_of
from tickets.services.cabling.clearances import is_clear, states_of, still_used, told
from tickets.workflow import ACTIVE_STATUSES, may

# What `place_text` reads of a device; without the device model, whose specification is long.
PLACE_PATHS = (
    "site",
    "placement__rack__row",
    "placement__rack__room",
    "parent__placement__rack__row",
    "parent__placement__rack__room",
)
EVIDENCE_FIELDS = ("id", "at", "source", "part", "verdict", "message", "command", "exit_status", "excerpt")
STEP_FIELDS = (
    "number", "kind", "title", "detail", "done_at", "done_by", "swaps", "move", "order_version", "outcome_text",
    "checked_at", "measured",
)  # fmt: skip
_KEY = re.compile(rf"^(?:{KEY_PREFIX})?(\d{{1,12}})$", re.IGNORECASE)


def number_of(key: str) -> int | None:
    """2041 for `REP-2041`, `rep-2041` or `2041`; None for anything else."""
    found = _KEY.match(key.strip())
    return int(found[1]) if found else None


def tickets() -> QuerySet[Ticket]:
    """Tickets with everything their list shows, in one query."""
    of_model = "device__model__spec", "part"
    rows = Ticket.objects.annotate(part_label=printed_label(*of_model), part_face=port_face(*of_model))
    return rows.select_related(
        "site", "assignee", "acknowledged_by", "cable", "device", *(f"device__{path}" for path in PLACE_PATHS)
    )


def part_text(ticket: Ticket) -> str:
    """The ticket's part as people read it; empty where it is about the whole of something. A row of `tickets`."""
    return "" if ticket.part in (WHOLE_MACHINE, "") else slot_text(ticket.part, getattr(ticket, "part_label", ""))


def person(user: User | None) -> dict[str, Any] | None:
    return {"id": user.pk, "name": user.display_name()} if user else None


def item(ticket: Ticket) -> dict[str, Any]:
    """One row of `/api/tickets/`."""
    subject_id, name = ticket.about
    named = part_text(ticket)
    part = f" › {named}" if named else ""
    face = getattr(ticket, "part_face", None)
    return {
        "id": ticket.pk,
        "key": ticket.key,
        "title": ticket.title,
        "status": ticket.status,
        "priority": ticket.priority,
        "subject": {"kind": ticket.subject, "id": subject_id, "name": name},
        "machine": {"id": subject_id, "name": name} if ticket.machine_id is not None else None,
        "part": ticket.part,
        "part_text": named,
        "place": {"text": (slot_place_text(ticket.device, face) if ticket.device else name) + part},
        "assignee": person(ticket.assignee),
        "opened_at": ticket.opened_at,
        "updated_at": ticket.updated_at,
        "closed_at": ticket.closed_at,
        "fault_class": ticket.fault_class,
        **desk_item(ticket, timezone.now()),
    }


def detail(ticket: Ticket, *, user: User, technician: bool, operator: bool, limited: bool = False) -> dict[str, Any]:
    """The answer of `/api/tickets/KEY/`, with what this person may do; `limited`: it is in a queue of others. A fixed
    number of queries."""
    place = place_of_ticket(ticket)
    in_slot = ticket.machine_id is not None and any(slot["name"] == ticket.part for slot in place["slots"])
    led = IndicatorLed.objects.filter(pk=ticket.machine_id).values_list("seen", flat=True).first()
    mine = ticket.assignee_id == user.pk
    named = slot_texts_of(ticket.device_id) if ticket.device_id is not None else {}
    steps = steps_of(ticket)
    answer = item(ticket) | {
        "summary": ticket.summary,
        "source": ticket.source,
        "place": place,
        "component": component(ticket),
        "led": led or "unknown",
        **_work(ticket, steps),
        "evidence": [
            {"check": row.check_id, "part_text": named.get(row.part, row.part)}
            | {name: getattr(row, name) for name in EVIDENCE_FIELDS}
            for row in ticket.evidence.all()
        ],
        "evidence_count": ticket.evidence_count,
        "training_runs": runs_accusing(TicketFault.objects.filter(ticket=ticket).values("fault_id")),
        "comments": [
            {"id": row.pk, "at": row.at, "author": row.author.display_name(), "text": row.text}
            for row in ticket.comments.select_related("author")
        ],
        "swaps": [
            {
                "slot": row.slot,
                "slot_text": named.get(row.slot, row.slot),
                "old_serial": row.old_serial,
                "new_serial": row.new_serial,
                "at": row.at,
                "by": row.by.display_name(),
            }
            for row in ticket.swaps.select_related("by")
        ],
        "timeline": list(ticket.changes.values("at", "actor", "text", photo=PHOTO)),
        "photos": photos(ticket),
        "verification": verification(ticket, named),
        "version": ticket.version,
        **desk_detail(ticket, user, named),
        "may": may(
            ticket.status,
            technician=technician and not limited,
            operator=operator,
            mine=mine,
            has_slot=in_slot,
            cabling=ticket.source == "fabric",
        )
        + desk_may(ticket, user, technician=technician, operator=operator, limited=limited),
    }
    return dressed(ticket, answer, steps, user=user, operator=operator)


def _work(ticket: Ticket, steps: Sequence[Step]) -> dict[str, Any]:
    """The steps, each with what it waits for, and the cabling side of the ticket."""
    rows: list[Clearance] = []
    if ticket.source == "fabric":
        rows = list(ticket.clearances.select_related("machine__device", "action").exclude(state=Clearance.State.LIFTED))
    states = states_of(rows)
    found = []
    for row in steps:
        waits = ""
        if ticket.source == "fabric" and row.done_at is None:
            done = [Done(each.number, each.kind, each.done_at is not None, each.outcome == "failed") for each in steps]
            waits = may_not_tick(done, row.number, done=True)
            waits = waits or (still_used(rows, states, drains_of(row)) if touches(row) else "")
        found.append(step_item(row) | {"waits": waits})
    return {"steps": found, "order": order_of(ticket, rows, states)}


def step_item(row: Step) -> dict[str, Any]:
    return {name: getattr(row, name) for name in STEP_FIELDS} | {
        "state": row.state,
        "checking": row.check_asked_at is not None,
    }


def order_of(ticket: Ticket, rows: Sequence[Clearance], states: Mapping[int, str]) -> dict[str, Any] | None:
    """The cabling side of a ticket: its plan's version, the look that decides, and what must be out of use."""
    if ticket.source != "fabric":
        return None
    order = WorkOrder.objects.filter(ticket=ticket).select_related("source").get()
    return {
        "kind": order.kind,
        "version": order.version,
        "finding": ticket.finding_id,
        "link": ticket.link or None,
        "cables": order.cables,
        "ends": ends_of(order),
        "source": {"id": order.source.pk, "name": order.source.name} if order.source else None,
        "check": {
            "status": order.look,
            "requested_at": order.look_asked_at,
            "finished_at": order.look_ended_at,
            "text": order.look_text,
        },
        "clearances": [_clearance(row, states.get(row.machine_id or 0)) for row in rows],
    }


def only_link(order: WorkOrder) -> FabricLink | None:
    """The link of an order that is about one, with its ports, their devices and its cable."""
    links = FabricLink.objects.filter(source_id=order.source_id, key__in=order.cables)
    found = list(links.select_related("a_port__device", "b_port__device", "cable")[:2])
    return found[0] if len(found) == 1 else None


def ends_of(order: WorkOrder) -> list[dict[str, Any]]:
    """Both ends of the one link that loses data, where the inventory knows them, with the optics that sit there."""
    link = only_link(order) if order.kind == WorkOrder.Kind.LINK else None
    if link is None:
        return []
    sides = (("a", link.a_port), ("b", link.b_port))
    ports = [(end, port) for end, port in sides if port is not None]
    if len(ports) < len(sides):  # with one end to choose, what was swapped at the other would be recorded there
        return []
    sits = Q()
    for _, port in ports:
        sits |= Q(device_id=port.device_id, slot=optic_slot(port))
    rows = Installation.objects.filter(sits, during__endswith=None)
    optics = {row[:2]: row[2] for row in rows.values_list("device_id", "slot", "component__serial")}
    return [
        {
            "end": end,
            "text": f"{port.device.name} {port.name if port.cage is None else f'cage {port.cage}'}",
            "optic": optics.get((port.device_id, optic_slot(port))),
        }
        for end, port in ports
    ]


def _clearance(row: Clearance, machine_state: str | None) -> dict[str, Any]:
    machine = {"id": row.machine_id, "name": row.machine.device.name} if row.machine else None
    return {
        "key": row.key,
        "state": row.state,
        "clear": is_clear(row, machine_state),
        "text": told(row, machine_state),
        "machine": machine,
        "port_action": row.action_id,
        "ends": row.ends,
    }


def place_of_ticket(ticket: Ticket) -> dict[str, Any]:
    """Where to walk, with what draws the way; without a drawing for what the inventory does not know."""
    if ticket.device_id is None:
        nowhere = {"site": ticket.site.name, "text": ticket.about[1], "rack_id": None, "u": None, "height_u": None}
        words = dict.fromkeys(("room", "row", "rack", "face", "slot", "slot_label", "slot_text"), "")
        return {**words, **nowhere, "walk": None, "unit": None, "slots": []}
    return place_of(ticket.device_id, "" if ticket.part == WHOLE_MACHINE else ticket.part)


def component(ticket: Ticket) -> dict[str, Any] | None:
    """The part that sits in the ticket's slot now, as the inventory knows it."""
    if ticket.machine_id is None:
        return None
    rows = Installation.objects.filter(device_id=ticket.machine_id, slot=ticket.part, during__endswith=None)
    found = rows.select_related("component").first()
    if found is None:
        return None
    part = found.component
    return {"id": part.pk, "serial": part.serial or None, "part_number": part.part_number, "vendor": part.vendor}


def verification(ticket: Ticket, named: Mapping[str, str]) -> dict[str, Any] | None:
    found = ticket.verification
    if found is None:
        return None
    return {
        "id": found.pk,
        "status": found.status,
        "requested_at": found.requested_at,
        "finished_at": found.finished_at,
        "reason": found.reason,
        "results": [row | {"part_text": named.get(row["part"], row["part"])} for row in found.results],
    }


# ---- what other rooms ask for ----


def tickets_of_machine(machine_id: int) -> list[dict[str, Any]]:
    """All tickets for which one stands at this machine, newest first, as its page shows them."""
    rows = Ticket.objects.filter(device_id=machine_id).only("number", "title", "status")[:100]
    return [{"id": row.pk, "key": row.key, "title": row.title, "status": row.status} for row in rows]


def ticket_of_fault(fault_id: int) -> str | None:
    """The key of the newest ticket of a fault."""
    row = Ticket.objects.filter(fault_links__fault_id=fault_id).only("number").order_by("-number").first()
    return row.key if row else None


def lane_of_machine(machine_id: int, since: datetime, until: datetime, most: int) -> list[dict[str, Any]]:
    """The tickets that were open in this time, the newest first, as items of a machine's timeline. One query."""
    rows = Ticket.objects.filter(device_id=machine_id, opened_at__lt=until)
    rows = rows.filter(Q(closed_at=None) | Q(closed_at__gte=since)).order_by("-opened_at")
    return [
        {
            "at": row.opened_at,
            "until": row.closed_at,
            "kind": row.status,
            "title": f"{row.key}: {row.title}",
            "detail": row.summary,
            "link": f"/tickets/{row.key}",
        }
        for row in rows[:most]
    ]


def _priorities(room_id: int, now: datetime) -> list[tuple[int, str]]:
    """The most urgent active ticket of each machine of a room. One query."""
    rows = Ticket.objects.filter(status__in=ACTIVE_STATUSES, machine__device__placement__rack__room=room_id)
    return list(rows.values_list("machine_id").annotate(most=Min("priority")))


FLOOR_LAYER = layers.Source(
    layers.Layer("tickets", "Most urgent ticket", "word", order=PRIORITIES[::-1], absent="No ticket"), _priorities
)


def tickets_at(site_id: int, at: datetime) -> dict[int, str]:
    """Machine to the key of the newest ticket that was open at a moment. One query."""
    rows = Ticket.objects.filter(site_id=site_id, machine__isnull=False, opened_at__lte=at)
    rows = rows.filter(Q(closed_at=None) | Q(closed_at__gt=at)).order_by("number")
    return {machine: f"{KEY_PREFIX}{number}" for machine, number in rows.values_list("machine_id", "number")}


def ticket_of_finding(finding_id: int) -> dict[str, Any] | None:
    """The newest ticket of a finding of the fabric, as its page shows it."""
    row = Ticket.objects.filter(finding_id=finding_id).only("number", "title", "status").first()
    return {"id": row.pk, "key": row.key, "title": row.title, "status": row.status} if row else None


def life_of_component(component_id: int, visible: list[int] | None = None) -> dict[str, list[dict[str, Any]]]:
    """At the visible sites (None: at all), the swaps a part was taken out or put in by, and the tickets that saw it:
    those, and those for which it was installed, and those about its slot while it sat there. Two queries.
    """
    here = Q() if visible is None else Q(site_id__in=visible)
    swaps = list(
        PartSwap.objects.filter(Q(old_component=component_id) | Q(new_component=component_id))
        .filter(Q() if visible is None else Q(ticket__site_id__in=visible))
        .select_related("ticket__device", "ticket__cable", "by")
        .order_by("-at")
    )
    stays = Installation.objects.filter(component=component_id)
    seen_in_slot = stays.filter(device_id=OuterRef("machine_id"), slot=OuterRef("part"))
    while_there = seen_in_slot.annotate(until=F("during__endswith")).filter(
        Q(until=None) | Q(until__gt=OuterRef("opened_at")),
        during__startswith__lt=Coalesce(OuterRef("closed_at"), Now()),
    )
    rows = (
        Ticket.objects.filter(here)
        .filter(Q(Exists(while_there)) | Q(swaps__old_component=component_id) | Q(swaps__new_component=component_id))
        .distinct()
    )
    return {
        "tickets": [
            {
                "key": row.key,
                "title": row.title,
                "status": row.status,
                "opened_at": row.opened_at,
                "closed_at": row.closed_at,
            }
            for row in rows.only("number", "title", "status", "opened_at", "closed_at").order_by("-number")
        ],
        "swaps": [
            {
                "ticket": row.ticket.key,
                "at": row.at,
                "by": row.by.display_name(),
                "device_name": row.ticket.about[1],
                "slot": row.slot,
                "direction": "in" if row.new_component_id == component_id else "out",
                "other_serial": row.old_serial if row.new_component_id == component_id else row.new_serial,
            }
            for row in swaps
        ],
    }


def find_tickets(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    """Search by key: `REP-2041`, or its number from the start."""
    digits = query.upper().removeprefix(KEY_PREFIX)
    if not digits.isdecimal() or len(digits) > 12:
        return
    rows = tickets() if sites is None else tickets().filter(site_id__in=sites)
    for row in rows.filter(number__startswith=digits).order_by("-number")[:limit]:
        status = row.status.replace("_", " ")
        yield Found("ticket", row.pk, row.key, f"{row.title} · {status}", f"/tickets/{row.key}")
