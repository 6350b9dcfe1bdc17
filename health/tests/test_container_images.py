"""Container images from the hall over a sweep into rows, and what is told of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.models import Role, Site
from core.services import ensure_user
from health.models import MachineImage, MachineImages
from health.monitoring.images import queries
from health.monitoring.images.seen import ImagesSeen
from health.monitoring.services.sweeps.carryover import Leaving, store
from health.services import request_sweep
from health.tests.hall import RunningHall, run_shards, running_hall
from health.tests.real import twins
from inventory.models import Machine

pytestmark = pytest.mark.django_db
TORCH, CUDA = "registry.example/team/pytorch:25.01", "nvcr.io/nvidia/cuda:12.2.2-base-ubuntu22.04"
IMAGES, OF_ONE = "/api/health/images/", "/api/health/images/machines/"


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.CONFIRM_DELAY_S = 0
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def fleet() -> list[Machine]:
    return [twin.machine for twin in twins(4)]


def sweep(machines: list[Machine]) -> None:
    (asked,) = request_sweep([machine.pk for machine in machines], "manual", actor="test")
    run_shards(asked)


def play(hall: RunningHall, name: str, fault: str, **params: list[str]) -> None:
    def act(h: Any) -> None:
        h.clear(h.machines[name], name=fault)
        h.inject(h.machines[name], fault, params=params)

    hall.do(act)


def get(path: str, **query: Any) -> dict[str, Any]:
    client = Client()
    client.force_login(ensure_user("viewer", role=Role.VIEWER)[0])
    answer = client.get(path, query)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.slow
def test_a_sweep_keeps_images_as_they_lie_there_and_forgets_nothing_that_an_engine_does_not_tell(
    fleet: list[Machine], tmp_path: Path
) -> None:
    first, second, third, fourth = (machine.device.name for machine in fleet)
    with running_hall("ams1", tmp_path) as hall:
        sweep(fleet)
        assert MachineImage.objects.count() == 8
        row = MachineImage.objects.get(machine=fleet[0], reference=TORCH)
        assert row.digest.startswith("sha256:") and row.size_bytes == 21_700_000_000 and row.made_at
        seen, since = MachineImages.objects.get(machine=fleet[0]), row.seen_at
        assert seen.engines == {"docker": ""}

        play(hall, second, "images", missing=[TORCH], stale=[CUDA])
        play(hall, third, "docker_dead")
        sweep(fleet)
        assert MachineImages.objects.get(machine=fleet[0]).changed_at == seen.changed_at, "nothing is written anew"
        assert MachineImage.objects.get(machine=fleet[0], reference=TORCH).seen_at == since
        assert list(MachineImage.objects.filter(machine=fleet[1]).values_list("reference", flat=True)) == [CUDA]
        assert MachineImage.objects.filter(machine=fleet[2]).count() == 2, "what it showed last stays"
        assert "Cannot connect" in MachineImages.objects.get(machine=fleet[2]).engines["docker"]

    told = {row["reference"]: row for row in get(IMAGES)["results"]}
    assert (told[CUDA]["machines"], told[CUDA]["another"], told[CUDA]["read"]) == (4, 1, 4)
    assert (told[TORCH]["machines"], told[TORCH]["another"], told[TORCH]["engines"]) == (3, 0, ["docker"])
    assert [row["reference"] for row in get(IMAGES, q="pytorch")["results"]] == [TORCH]
    states = {row["name"]: row["state"] for row in get(OF_ONE, image=CUDA)["machines"]}
    assert states == {first: "same", second: "another", third: "unknown", fourth: "same"}, (
        "what it showed last may be gone by now"
    )
    of_torch = get(OF_ONE, image="registry.example#team/pytorch:25.01")
    assert of_torch["reference"] == TORCH and of_torch["usual"].startswith("sha256:")
    assert {row["name"]: row["state"] for row in of_torch["machines"]}[second] == "missing"
    nowhere = {row["name"]: (row["state"], row["text"]) for row in get(OF_ONE, image="torch")["machines"]}
    assert nowhere[first] == ("missing", "") and nowhere[third][0] == "unknown" and "Cannot" in nowhere[third][1]


def test_a_machine_whose_model_names_no_engine_any_more_tells_no_images(fleet: list[Machine]) -> None:
    MachineImage.objects.create(machine=fleet[0], engine="docker", reference=TORCH, seen_at=timezone.now())
    MachineImages.objects.create(machine=fleet[0], engines={"docker": ""}, digest="x", changed_at=timezone.now())
    store([(fleet[0].pk, timezone.now(), Leaving(images=ImagesSeen()))])
    assert not MachineImage.objects.exists() and queries.held_by([fleet[0].pk], TORCH) == {}
    assert {row["state"] for row in get(OF_ONE, image=TORCH)["machines"]} == {"not_read"}


def test_the_number_of_statements_does_not_grow_with_machines_and_images(fleet: list[Machine]) -> None:
    def statements(path: str, **query: str) -> int:
        with CaptureQueriesContext(connection) as done:
            get(path, **query)
        return len(done)

    def have(machines: list[Machine], images: int) -> None:
        now = timezone.now()
        MachineImages.objects.bulk_create(
            [MachineImages(machine=m, engines={"docker": ""}, digest="x", changed_at=now) for m in machines],
            ignore_conflicts=True,
        )
        MachineImage.objects.bulk_create(
            [MachineImage(machine=m, engine="docker", reference=f"{TORCH}{n}", digest=f"sha256:{n}", seen_at=now)
             for m in machines for n in range(images)],
            ignore_conflicts=True,
        )  # fmt: skip

    have(fleet[:1], 1)
    statements(IMAGES)
    few = statements(IMAGES), statements(OF_ONE, image=f"{TORCH}0")
    have(fleet, 30)
    assert (statements(IMAGES), statements(OF_ONE, image=f"{TORCH}0")) == few


def test_an_image_without_a_name_is_refused_and_machines_of_another_site_are_not_told(fleet: list[Machine]) -> None:
    client = Client()
    elsewhere = Site.objects.create(slug="lon1", name="London")
    client.force_login(ensure_user("elsewhere", role=Role.VIEWER, site=elsewhere)[0])
    refused = client.get(OF_ONE)
    assert refused.status_code == 400 and "Say which image" in str(refused.json())
    assert client.get(OF_ONE, {"image": TORCH}).json()["machines"] == []
    assert client.get(IMAGES).json()["results"] == []
