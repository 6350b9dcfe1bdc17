"""Front and rear of one thing agree wherever they are told: picture of the rack, trace, list of cables, place of a
part, list of tickets."""

from __future__ import annotations

import re

import pytest

from inventory.cabling.trace import trace_ports
from inventory.elevation.read import elevation
from inventory.models import DeviceModel, Placement, Port
from inventory.queries import place_of
from inventory.queries.cables import device_cables
from tickets import queries
from tickets.models import Ticket
from tickets.tests.test_orders import Hall, hall, quiet  # noqa: F401  (fixtures)

pytestmark = pytest.mark.django_db
FACE = re.compile(r"U[\d–.]+ (front|rear)")


def told(text: str) -> str:
    found = FACE.search(text)
    assert found, text
    return found[1]


def drawn(rack: int) -> dict[int, str]:
    """Port to the face it is drawn on; each is drawn once."""
    sheet = elevation(rack)
    pairs = [(port["id"], face) for face in ("front", "rear") for item in sheet[face] for port in item["ports"]]
    assert len(pairs) == len(dict(pairs))
    return dict(pairs)


@pytest.mark.parametrize("said", ["", "front", "rear"])
def test_a_port_is_on_one_face_in_the_picture_the_trace_the_list_of_cables_and_the_place(
    said: str,
    hall: Hall,  # noqa: F811
) -> None:
    port = Port.objects.filter(device__kind="machine", strand_ends__isnull=False).exclude(slot="").order_by("pk")[0]
    Port.objects.filter(device__kind="machine").update(face=said)
    model = DeviceModel.objects.get(devices=port.device_id)
    model.spec["ports"] = [row | {"face": said} for row in model.spec["ports"]]
    DeviceModel.objects.filter(pk=model.pk).update(spec=model.spec)
    rack = Placement.objects.get(device=port.device_id).rack_id
    face = drawn(rack)[port.pk]
    assert face == (said or "rear")
    (trace,) = trace_ports([port.pk])
    assert trace["port"]["place"]["face"] == told(trace["port"]["place"]["text"]) == face
    far = Port.objects.get(pk=trace["ends"][0]["port"]["id"])
    (row,) = [row for row in device_cables(far.device_id) if row["near"]["port_id"] == far.pk]
    assert told(row["far"]["place"]) == face
    place = place_of(port.device_id, port.slot)
    assert place["face"] == told(place["text"]) == face
    Ticket.objects.create(
        site=port.device.site,
        subject="machine",
        device=port.device,
        machine_id=port.device_id,
        part=port.slot,
        title="x",
    )
    assert told(queries.item(queries.tickets().get())["place"]["text"]) == face
