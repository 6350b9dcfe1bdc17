"""An open gap that lets warm air through becomes a ticket with the units, a picture and a look afterwards."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from django.utils import timezone
from PIL import Image
from rest_framework.test import APIClient

from facility.overview import sums
from facility.tests.conftest import Hall, as_role, hall  # noqa: F401  (fixtures)
from inventory.models import Rack
from tickets.models import Attachment, Ticket
from tickets.panels.picture import Item, draw

pytestmark = pytest.mark.django_db


def warm(hall: Hall) -> Rack:  # noqa: F811
    hall.tell_all()
    beside = [each for each in hall.machines if "-a01-" in each.device.name]
    for machine, inlet in zip(beside, (22.0, 22.4, 27.4, 28.3), strict=True):
        hall.tell_machine(machine, inlet_c=inlet)
    sums.add_up_site(hall.site.pk, timezone.now())
    return Rack.objects.get(name="A01")


def test_a_technician_orders_a_gap_closed_once_and_gets_a_ticket_with_a_picture(
    hall: Hall,  # noqa: F811
    as_role: Callable[..., APIClient],  # noqa: F811
) -> None:
    rack = warm(hall)
    client = as_role("technician")
    gap = client.get(f"/api/facility/racks/{rack.pk}/").json()["gaps"][0]
    asked = {"from_u": gap["from_u"], "to_u": gap["to_u"]}
    path = f"/api/facility/racks/{rack.pk}/work-orders/"
    answer = client.post(path, asked, format="json")
    assert answer.status_code == 201, answer.content
    ticket = Ticket.objects.get(number=answer.json()["ticket"]["number"])
    assert f"of {rack.name} with {gap['panel_u']}U of blanking panels" in ticket.title
    assert ticket.machine is not None and ticket.machine.device.name == gap["machines"][0]
    step = ticket.steps.get(title__startswith="Close U")
    photo = Attachment.objects.get(ticket=ticket)
    assert (photo.step, photo.content_type) == (step.number, "image/png")
    again = client.post(path, asked, format="json")
    assert again.status_code == 409 and answer.json()["ticket"]["key"] in again.json()["error"]["message"]


def test_units_that_are_not_open_and_people_who_may_not_are_refused(
    hall: Hall,  # noqa: F811
    as_role: Callable[..., APIClient],  # noqa: F811
) -> None:
    rack = warm(hall)
    path = f"/api/facility/racks/{rack.pk}/work-orders/"
    refused = as_role("technician").post(path, {"from_u": 1, "to_u": 2}, format="json")
    assert refused.status_code == 400 and "U1 to U2" in str(refused.json())
    assert as_role("viewer").post(path, {"from_u": 1, "to_u": 2}, format="json").status_code == 403
    assert not Ticket.objects.exists()


def test_the_picture_marks_the_units_at_their_height() -> None:
    png = draw("A01: close U3 to U4", 10, [Item(1, 2, "machine", "hgx"), Item(5, 6, "panel")], 3, 4)
    image = Image.open(io.BytesIO(png))
    colours = {image.getpixel((500, y)) for y in range(72 + 6 * 24 + 4, 72 + 8 * 24 - 4)}
    assert (246, 195, 68) in colours and image.getpixel((500, 72 + 9 * 24)) == (219, 228, 240)
