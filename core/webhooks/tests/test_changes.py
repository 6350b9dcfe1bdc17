"""Changes of records, however they were made, reach the hooks of their site."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from core.models import Role, Site
from core.services import ensure_user
from core.webhooks import dispatch
from core.webhooks.models import Delivery, OutboxRow, Webhook
from core.webhooks.tests.conftest import Receiver
from inventory.models import Room

pytestmark = pytest.mark.django_db
Hook = Callable[..., Webhook]
Sites = tuple[Site, Site]


def told(receiver: Receiver) -> list[dict[str, Any]]:
    dispatch.run()
    """What arrived, by type and time: messages come in no particular order."""
    messages = [json.loads(request.body) for request in receiver.heard]
    return sorted(messages, key=lambda message: (message["type"], message["timestamp"]))


def rooms(site: Site, count: int) -> list[Room]:
    return Room.objects.bulk_create(
        Room(site=site, name=f"R{number}", width_mm=number + 1, depth_mm=1) for number in range(count)
    )


def test_a_bulk_write_is_one_message_with_all_its_records(hook: Hook, receiver: Receiver, sites: Sites) -> None:
    hook(events=["rooms.*"])
    made = rooms(sites[0], 3)
    (message,) = told(receiver)
    assert message["type"] == "rooms.created"
    data = message["data"]
    assert (data["site"], data["count"], data["actor"]) == ("north", 3, "tests")
    assert [row["id"] for row in data["records"]] == [room.pk for room in made]
    assert data["records"][0]["after"]["name"] == "R0"


def test_a_change_tells_what_it_was_and_is_and_a_removal_what_it_was(
    hook: Hook, receiver: Receiver, sites: Sites
) -> None:
    (room,) = rooms(sites[0], 1)
    hook(events=["rooms.changed", "rooms.deleted"])
    Room.objects.filter(pk=room.pk).update(door="west")
    room.delete()
    changed, deleted = (message["data"]["records"][0] for message in told(receiver))
    assert (changed["before"], changed["after"]) == ({"door": ""}, {"door": "west"})
    assert deleted["before"]["door"] == "west"


def test_a_write_past_django_is_heard_too(hook: Hook, receiver: Receiver, sites: Sites) -> None:
    (room,) = rooms(sites[0], 1)
    hook(events=["*"])
    with connection.cursor() as cursor:
        cursor.execute("UPDATE inventory_room SET door = 'east' WHERE id = %s", [room.pk])
    assert [message["type"] for message in told(receiver)] == ["rooms.changed"]


def test_another_sites_records_are_not_told(hook: Hook, receiver: Receiver, sites: Sites) -> None:
    hook("/north", site=sites[0])
    rooms(sites[1], 1)
    assert not told(receiver) and not OutboxRow.objects.exists()


def test_accounts_and_rights_are_never_told(hook: Hook, receiver: Receiver, sites: Sites) -> None:
    hook(events=["*"])
    ensure_user("tina", role=Role.TECHNICIAN, site=sites[0])
    assert not [message["type"] for message in told(receiver)]


def test_telemetry_of_webhooks_makes_no_messages_about_itself(hook: Hook, receiver: Receiver, sites: Sites) -> None:
    hook(events=["rooms.*"], site=sites[0])
    rooms(sites[0], 1)
    told(receiver)
    told(receiver)
    assert Delivery.objects.count() == 1


def test_a_large_bulk_write_names_its_records_by_id(hook: Hook, receiver: Receiver, sites: Sites) -> None:
    hook(events=["rooms.created"])
    made = Room.objects.bulk_create(
        Room(site=sites[0], name=f"R{number}", width_mm=1, depth_mm=1, door="d" * 20) for number in range(500)
    )
    from core.webhooks import fan_out

    limit, fan_out.MOST_BODY_BYTES = fan_out.MOST_BODY_BYTES, 20_000
    try:
        (message,) = told(receiver)
    finally:
        fan_out.MOST_BODY_BYTES = limit
    assert message["data"]["truncated"] and message["data"]["ids"] == [room.pk for room in made]
