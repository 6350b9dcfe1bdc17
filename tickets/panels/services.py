"""Work orders for open gaps: a ticket that says which units of a rack to close with blanking panels, with a picture."""

from __future__ import annotations

import io
from typing import Any

from django.db import transaction
from django.db.models import Q

from core.models import User
from facility.overview.rack import rack_answer
from health.checks.responses import Response
from inventory.attachments import Upload
from inventory.models import Machine, Rack
from tickets.aisle.photos import add_photo
from tickets.models import WHOLE_MACHINE, Ticket
from tickets.panels.picture import Item, draw
from tickets.runbooks.steps import StepText
from tickets.services.changes import TicketConflict
from tickets.services.openings import create
from tickets.workflow import ACTIVE_STATUSES

FAULT_CLASS = "inlet.hot"


class NoSuchGap(Exception):
    """These units are not open, or closing them would help nobody; the text says so."""


@transaction.atomic
def open_ticket_for_gap(rack: Rack, from_u: int, to_u: int, *, by: User) -> Ticket:
    """A ticket to close these units, at the machine that gains most by it, which is looked at afterwards.

    Raises NoSuchGap, and TicketConflict where there is one for it already.
    """
    told = rack_answer(rack)
    gap = next((each for each in told["gaps"] if (each["from_u"], each["to_u"]) == (from_u, to_u)), None)
    if gap is None:
        raise NoSuchGap(f"No gap of {rack.name} from U{from_u} to U{to_u} lets warm air through.")
    reference = f"gap:{rack.pk}:{from_u}-{to_u}"
    machine = Machine.objects.select_related("device__model").get(
        device__name=gap["machines"][0], device__site_id=rack.room.site_id
    )
    about = Q(source_ref=reference) | Q(machine=machine, part=WHOLE_MACHINE, fault_class=FAULT_CLASS)
    other = Ticket.objects.filter(about, status__in=ACTIVE_STATUSES).first()
    if other is not None:
        raise TicketConflict(other.number, f"{other.key} is open for it: comment there.")
    units = f"U{from_u} to U{to_u}" if to_u > from_u else f"U{from_u}"
    panel = f"{gap['panel_u']}U of blanking panels"
    ticket = create(
        machine, part=WHOLE_MACHINE, fault_class=FAULT_CLASS, title=f"Close {units} of {rack.name} with {panel}",
        summary=gap["text"],
        specific=[StepText("check", f"Close {units} of {rack.name} with {panel}", _detail(gap))],
        where=f"{rack.name} {units}", source="person", source_ref=reference, opened_by=by.display_name(),
        why=gap["text"], response=Response.TICKET,
    )  # fmt: skip
    step = ticket.steps.get(title__startswith="Close ").number
    picture = draw(f"{rack.name}: close {units}", rack.height_u, map(_item, told["heights"]), from_u, to_u)
    add_photo(ticket.number, by=by, upload=Upload(io.BytesIO(picture), "gap.png", f"Close {units}"), step=step)
    return ticket


def _detail(gap: dict[str, Any]) -> str:
    machines = ", ".join(gap["machines"])
    return (
        f"Warm air returns through the front here and is taken in by {machines}. Fit the panel at the front, flush "
        f"with the rails; afterwards about {gap['benefit_c']:.1f} °C less is expected there."
    )


def _item(row: dict[str, Any]) -> Item:
    name = row["device"]["name"] if row["device"] is not None else ""
    return Item(row["from_u"], row["to_u"], row["kind"], name)
