"""Reads of the aisle: labels near a repair, and the round. A fixed number of queries each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db.models import Q, QuerySet

from inventory.models import Device, Installation, Landmark, Placement, Rack
from inventory.parts.queries import spares
from inventory.queries.place import COLUMNS, face_of
from tickets.aisle.nearness import Spot, nearness
from tickets.aisle.round import MOST_STOPS, Block, Stop, length, shortest, standing
from tickets.models import WHOLE_MACHINE, Step, Ticket
from tickets.proof import SHORTEST, TAIL, label_names

RACKS_BESIDE = 1
"""Labels of so many racks to each side come along: the wrong machine is nearly always one of those."""
PLACED = ("rack__room", "rack__row", "device")


# ---- labels ----


def labels(ticket: Ticket, label: str) -> dict[str, Any]:
    """What the right label says, what those near it say and where the right one is from there; and of a label that is
    none of these, which device of the site has it."""
    device = ticket.device
    right = [ticket.about[1]]
    if ticket.subject != "cable" and device is not None:
        right += [name for name in (device.serial, device.asset_tag) if name]
    mine = _placements({device.pk}).get(device.pk) if device is not None else None
    nearby = _nearby(mine) if mine is not None else []
    found = None
    if len(label.strip()) >= SHORTEST and not label_names(label, right):
        found = next(
            (row for row in nearby if label_names(label, (row["name"], row["serial"], row["asset_tag"]))), None
        )
        found = found or _elsewhere(ticket, mine, label.strip())
    return {"expected": right, "nearby": nearby, "found": found}


def spot(placement: Placement, rack_at: int | None) -> Spot:
    rack, units, columns = placement.rack, placement.half_units, placement.columns
    return Spot(
        rack.room.name,
        rack.row.name if rack.row else "",
        rack.name,
        rack.pk,
        rack_at,
        units.lower if units else None,
        COLUMNS[columns.lower, columns.upper] if columns else "full",
        rack.facing,
    )


def _row_of(rack: Rack) -> list[int]:
    if rack.row_id is None:
        return [rack.pk]
    return list(Rack.objects.filter(row_id=rack.row_id).order_by("x_mm", "id").values_list("pk", flat=True))


def _nearby(mine: Placement) -> list[dict[str, Any]]:
    row = _row_of(mine.rack)
    at = row.index(mine.rack_id)
    racks = row[max(0, at - RACKS_BESIDE) : at + RACKS_BESIDE + 1]
    placed = Placement.objects.filter(rack_id__in=racks, device__isnull=False).select_related(*PLACED)
    rows = list(placed.order_by("rack_id", "half_units"))
    right = spot(mine, at)
    return [
        _label(each, nearness(right, spot(each, row.index(each.rack_id)), _taken(rows, mine.rack_id)))
        for each in rows
        if each.pk != mine.pk
    ]


def _taken(rows: Sequence[Placement], rack: int) -> list[int]:
    return [row.half_units.lower for row in rows if row.rack_id == rack and row.half_units]


def _label(placement: Placement, where: str) -> dict[str, Any]:
    device = placement.device
    assert device is not None
    return {"name": device.name, "serial": device.serial, "asset_tag": device.asset_tag or "", "where": where}


def _elsewhere(ticket: Ticket, mine: Placement | None, label: str) -> dict[str, Any] | None:
    """The one device of the site with this label, and where the right one is from there."""
    named = Q(device__name__iexact=label) | Q(device__serial__iexact=label) | Q(device__asset_tag__iexact=label)
    if len(label) >= TAIL:
        named |= Q(device__serial__iendswith=label)
    here = Placement.objects.filter(device__site_id=ticket.site_id).filter(named)
    found = list(here.exclude(device_id=ticket.device_id or 0).select_related(*PLACED)[:2])
    if len(found) != 1:
        return None
    row = _row_of(found[0].rack)
    seen = spot(found[0], row.index(found[0].rack_id))
    right = spot(mine, row.index(mine.rack_id) if mine.rack_id in row else None) if mine is not None else None
    return _label(found[0], nearness(right, seen, ()) if right is not None else "")


# ---- the round ----


def round_of(tickets: QuerySet[Ticket], visible: list[int] | None) -> dict[str, Any]:
    """These tickets as one walk, with what to fetch first from where spares lie."""
    chosen = list(tickets.order_by("priority", "number")[:MOST_STOPS])
    devices = {ticket.device_id for ticket in chosen if ticket.device_id is not None}
    placed = _placements(devices)
    standings: dict[tuple[int, str], list[Ticket]] = {}
    for ticket in chosen:
        placement = placed.get(ticket.device_id or 0)
        if placement is not None:
            rear = getattr(ticket, "part_face", None) == "rear" or face_of(placement) == "rear"
            standings.setdefault((placement.rack_id, "rear" if rear else "front"), []).append(ticket)
    rooms = {each.rack.room_id for each in placed.values()}
    blocks, racks = _blocks(rooms)
    stops = [_stop(at, racks[rack], face) for at, (rack, face) in enumerate(standings)]
    starts = [
        Stop(-1, str(mark.room_id), mark.x_mm, mark.y_mm)
        for mark in Landmark.objects.filter(room_id__in=rooms, kind=Landmark.Kind.DOOR).order_by("-name")
    ]
    walk = shortest(stops, starts, blocks)
    groups = list(standings.items())
    where = [(racks[groups[stop.key][0][0]], *groups[stop.key]) for stop in walk]
    return {
        "stops": [
            {
                "room": rack.room.name,
                "row": rack.row.name if rack.row else "",
                "rack": rack.name,
                "rack_id": rack.pk,
                "face": face,
                "way": _leg(walk, at, [each[0] for each in where]),
                "tickets": [_line(ticket) for ticket in there],
            }
            for at, (rack, (_, face), there) in enumerate(where)
        ],
        "nowhere": [_line(ticket) for ticket in chosen if ticket.device_id not in placed],
        "distance_m": round(sum(_legs_mm(walk, starts, blocks)) / 1000),
        **_fetch(chosen, visible),
    }


def _placements(devices: set[int]) -> dict[int, Placement]:
    """Where each of these stands; a device in a bay where its chassis does."""
    rows = Placement.objects.filter(Q(device_id__in=devices) | Q(device__children__in=devices)).distinct()
    by_device = {row.device_id: row for row in rows.select_related(*PLACED) if row.device_id is not None}
    parents = Device.objects.filter(pk__in=devices).values_list("pk", "parent_id")
    found = {pk: by_device.get(pk) or by_device.get(parent or 0) for pk, parent in parents}
    return {pk: placement for pk, placement in found.items() if placement is not None}


def _blocks(rooms: set[int]) -> tuple[list[Block], dict[int, Rack]]:
    racks = {rack.pk: rack for rack in Rack.objects.filter(room_id__in=rooms).select_related("room", "row")}
    blocks = [Block(str(r.room_id), r.x_mm, r.y_mm, r.width_mm, r.depth_mm) for r in racks.values()]
    return blocks, racks


def _stop(key: int, rack: Rack, face: str) -> Stop:
    looks_up = (rack.facing == Rack.Facing.DOWN) == (face == "front")
    return standing(key, str(rack.room_id), rack.x_mm, rack.y_mm, rack.width_mm, rack.depth_mm, looks_up=looks_up)


def _legs_mm(walk: Sequence[Stop], starts: Sequence[Stop], blocks: Sequence[Block]) -> list[float]:
    """Of each room by itself: how far two rooms are apart nobody knows."""
    first = {start.room: start for start in starts}
    found = []
    for room in dict.fromkeys(stop.room for stop in walk):
        here = [stop for stop in walk if stop.room == room]
        found.append(length([first[room], *here] if room in first else here, blocks))
    return found


def _leg(walk: Sequence[Stop], at: int, racks: Sequence[Rack]) -> str:
    """From the stop before, in words."""
    if at == 0 or racks[at].room_id != racks[at - 1].room_id:
        return f"into {racks[at].room.name}"
    here, before = racks[at], racks[at - 1]
    if here.pk == before.pk:
        return "same rack, on the other face"
    metres = max(1, round(abs(walk[at].x_mm - walk[at - 1].x_mm) / 1000))
    if walk[at].y_mm == walk[at - 1].y_mm and here.row_id == before.row_id:
        return f"same aisle, same side, {metres} m on"
    if abs(walk[at].y_mm - walk[at - 1].y_mm) <= here.depth_mm:
        return f"same aisle, other side, {metres} m on"
    return f"another aisle, row {here.row.name}" if here.row else "another aisle"


def _line(ticket: Ticket) -> dict[str, Any]:
    return {
        "key": ticket.key,
        "title": ticket.title,
        "priority": ticket.priority,
        "status": ticket.status,
        "name": ticket.about[1],
    }


def _fetch(tickets: Sequence[Ticket], visible: list[int] | None) -> dict[str, Any]:
    """What the open swap steps need, and where good ones lie; suspect parts are no spares. Three queries."""
    swaps = Step.objects.filter(ticket__in=[ticket.pk for ticket in tickets], kind="swap", done_at=None, swaps="")
    waiting = set(swaps.values_list("ticket_id", flat=True))
    slots = {
        (ticket.device_id, ticket.part): ticket
        for ticket in tickets
        if ticket.pk in waiting and ticket.machine_id is not None and ticket.part not in ("", WHOLE_MACHINE)
    }
    sits = Installation.objects.filter(device_id__in={device for device, _ in slots}, during__endswith=None)
    needs: dict[tuple[int, str, str], list[Ticket]] = {}
    for row in sits.select_related("component"):
        ticket = slots.get((row.device_id, row.slot))
        if ticket is not None and row.component.part_number:
            needs.setdefault((ticket.site_id, row.component.vendor, row.component.part_number), []).append(ticket)
    lying = [row for row in spares(visible) if row["have"]] if needs else []
    fetch, missing = [], []
    left = Counter({(row["storage"], row["vendor"], row["part_number"]): row["have"] for row in lying})
    for (site, vendor, number), asking in sorted(needs.items()):
        for ticket in asking:
            shelf = next(
                (
                    row for row in lying
                    if (row["site"], row["vendor"], row["part_number"]) == (site, vendor, number)
                    and left[row["storage"], vendor, number] > 0
                ),
                None,
            )  # fmt: skip
            if shelf is None:
                missing.append({"ticket": ticket.key, "vendor": vendor, "part_number": number})
                continue
            left[shelf["storage"], vendor, number] -= 1
            fetch.append(
                {
                    "ticket": ticket.key,
                    "vendor": vendor,
                    "part_number": number,
                    "storage": shelf["storage_name"],
                    "room": shelf["room"] or "",
                    "have": shelf["have"],
                }
            )
    return {
        "fetch": sorted(fetch, key=lambda row: (row["room"], row["storage"], row["part_number"])),
        "missing": missing,
    }
