"""What the floor is coloured by: the value of every machine of the room that one sees, and none where it is unknown."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, Site
from core.services import ensure_user
from health.models import MachineFacts, MachineReport
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from inventory.models import CustomField, Machine, PowerReading

pytestmark = pytest.mark.django_db


@pytest.fixture
def machines() -> list[Machine]:
    return make.make_machines(3)


@pytest.fixture
def client(machines: list[Machine]) -> Client:
    client = Client()
    user, _ = ensure_user("vera", role=Role.VIEWER, site=Site.objects.get())
    client.force_login(user)
    return client


def values(client: Client, of: str) -> dict[int, Any]:
    answer = client.get("/api/floor/values/", {"of": of}).json()
    assert answer["key"] == of and answer["machines"]["columns"] == ["machine", "value"]
    return dict(answer["machines"]["rows"])


def test_the_menu_lists_measured_values_tickets_versions_and_the_fields_of_devices(client: Client) -> None:
    CustomField.objects.create(name="owner", title="Owner", type="text", kinds=["devices"])
    CustomField.objects.create(name="colour", title="Colour", type="text", kinds=["racks"])
    layers = {each["key"]: each for each in client.get("/api/floor/layers/").json()["layers"]}
    first = ["temperature", "power", "age", "inlet", "rise", "gpu_band", "slowed", "tickets"]
    assert list(layers)[: len(first)] == first and "fact:driver" in layers
    assert layers["field:owner"]["title"] == "Owner" and layers["field:owner"]["kind"] == "word"
    assert layers["temperature"]["unit"] == "°C" and layers["temperature"]["absent"] == ""
    assert "field:colour" not in layers
    assert layers["tickets"]["order"] == ["P3", "P2", "P1"] and layers["tickets"]["absent"] == "No ticket"


def test_the_hottest_gpu_is_that_of_the_newest_fresh_look(machines: list[Machine], client: Client) -> None:
    now = timezone.now()
    hot = make.Finding("gpu.temperature", "GPU 0", "ok", "71 C", value=71.0)
    cool = make.Finding("gpu.temperature", "GPU 1", "ok", "40 C", value=40.0)
    old = dataclasses.replace(hot, value=99.0)
    layout = (*make.LAYOUT, ("gpu.temperature", "GPU 0"), ("gpu.temperature", "GPU 1"))
    looks = [
        (machines[0], (old, cool), timedelta(minutes=4)),
        (machines[0], (hot, cool), timedelta(minutes=1)),
        (machines[1], (old, cool), timedelta(hours=5)),
    ]
    for machine, findings, age in looks:
        look = make.look(machine, *findings, at=now - age)
        observation_store.record([dataclasses.replace(look, layout=layout)])
    assert values(client, "temperature") == {machines[0].pk: 71.0}


def test_a_reading_that_is_too_old_counts_as_none(machines: list[Machine], client: Client) -> None:
    now = timezone.now()
    PowerReading.objects.create(device_id=machines[0].pk, watts=6_200, at=now)
    PowerReading.objects.create(device_id=machines[1].pk, watts=5_000, at=now - timedelta(hours=5))
    assert values(client, "power") == {machines[0].pk: 6_200}


def test_the_age_of_the_last_answer_is_in_seconds(machines: list[Machine], client: Client) -> None:
    observation_store.record([make.look(machines[0], at=timezone.now() - timedelta(seconds=90))])
    observation_store.record([make.look(machines[1], at=timezone.now())])
    MachineReport.objects.filter(pk=machines[1].pk).update(heard_at=None)
    (machine, age), *others = values(client, "age").items()
    assert not others and machine == machines[0].pk and 89 <= age <= 95


def test_versions_and_custom_fields_are_words(machines: list[Machine], client: Client) -> None:
    MachineFacts.objects.create(machine=machines[0], facts={"driver": "550.54"}, changed_at=timezone.now())
    assert values(client, "fact:driver") == {}, "nobody has heard of it"
    observation_store.record([make.look(machines[0], at=timezone.now())])
    assert values(client, "fact:driver") == {machines[0].pk: "550.54"}
    CustomField.objects.create(name="loan", title="On loan", type="boolean", kinds=["devices"])
    CustomField.objects.create(name="teams", title="Teams", type="choices", kinds=["devices"])
    CustomField.objects.create(name="hours", title="Hours", type="integer", kinds=["devices"])
    for machine, custom in zip(machines, ({"loan": True, "hours": 7}, {"teams": ["a", "b"]}, {}), strict=True):
        machine.device.custom = custom
        machine.device.save()
    assert values(client, "field:loan") == {machines[0].pk: "Yes"}
    assert values(client, "field:teams") == {machines[1].pk: "a, b"}
    assert values(client, "field:hours") == {machines[0].pk: 7}


def test_an_unknown_layer_is_refused_with_the_known_ones_and_a_room_of_another_site_is_not_there(
    machines: list[Machine], client: Client
) -> None:
    refused = client.get("/api/floor/values/", {"of": "smell"})
    assert refused.status_code == 400 and "temperature" in str(refused.json())
    other = make.make_machines(1, site="fra1")[0]
    PowerReading.objects.create(device_id=other.pk, watts=1, at=timezone.now())
    room = other.device.placement.rack.room_id
    assert client.get("/api/floor/values/", {"of": "power", "room": str(room)}).status_code == 404
    assert values(client, "power") == {}
