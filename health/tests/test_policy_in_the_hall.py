"""Decisions of people over real SSH: other thresholds change a verdict and back, an odd kernel line goes to triage."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role
from core.services import ensure_user
from health.models import CurrentVerdict, Fault, KernelLine
from health.services import request_sweep
from health.tests.hall import RunningHall, run_shards, running_hall
from health.tests.real import twins
from inventory.models import Machine

pytestmark = pytest.mark.django_db
ODD = "zorblax 0000:3b:00.0: flux capacitor 88 misaligned"


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.CONFIRM_DELAY_S = 0
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def fleet() -> list[Machine]:
    return [twin.machine for twin in twins(2)]


@pytest.fixture
def hall(fleet: list[Machine], tmp_path: Path) -> Iterator[RunningHall]:
    with running_hall("ams1", tmp_path) as running:
        yield running


@pytest.fixture
def client() -> Client:
    user, _ = ensure_user("olga", role=Role.OPERATOR)
    client = Client()
    client.force_login(user)
    return client


def sweep(fleet: list[Machine]) -> None:
    (asked,) = request_sweep([machine.pk for machine in fleet], "manual", actor="test")
    assert run_shards(asked).reachable == len(fleet)


def bad(machine: Machine) -> set[tuple[str, str, str]]:
    rows = CurrentVerdict.objects.filter(machine=machine)
    return set(rows.values_list("check_id", "part", "verdict"))


def post(client: Client, path: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/health/{path}", {"reason": "why", **body}, "application/json")
    assert answer.status_code in (200, 201), answer.json()
    found: dict[str, Any] = answer.json()
    return found


def test_an_override_changes_the_verdict_of_the_next_look_and_its_end_changes_it_back(
    fleet: list[Machine], hall: RunningHall, client: Client
) -> None:
    hot, other = fleet
    for machine in fleet:
        name = machine.device.name
        hall.do(lambda h, name=name: h.inject(h.machines[name], "gpu_overheat", slot="GPU 3", params={"celsius": 82}))
    sweep(fleet)
    warm = ("gpu.temperature", "GPU 3", "warn")
    assert warm in bad(hot) and warm in bad(other)

    limits = {"gpu_temperature_warn_c": 95, "gpu_temperature_slow_c": 96, "gpu_temperature_fail_c": 97}
    place = {"scope": "machine", "machine": hot.pk}
    row = post(client, "overrides/", check="gpu.temperature", thresholds=limits, **place)
    sweep(fleet)
    assert not [each for each in bad(hot) if each[0] == "gpu.temperature"] and warm in bad(other)

    lower = {"gpu_temperature_warn_c": 60, "gpu_temperature_slow_c": 65, "gpu_temperature_fail_c": 70}
    answer = client.patch(f"/api/health/overrides/{row['id']}/", {"thresholds": lower}, "application/json")
    assert answer.status_code == 200
    sweep(fleet)
    assert ("gpu.temperature", "GPU 3", "fail") in bad(hot) and warm in bad(other)

    assert client.delete(f"/api/health/overrides/{row['id']}/").status_code == 204
    sweep(fleet)
    assert warm in bad(hot)


@pytest.mark.slow
def test_an_odd_kernel_line_goes_to_triage_is_accepted_falls_quiet_and_comes_back_when_that_expires(
    fleet: list[Machine], hall: RunningHall, client: Client
) -> None:
    odd, other = fleet
    sweep(fleet)
    assert not KernelLine.objects.exists() and bad(odd) == set(), "an untouched machine says nothing odd"
    hall.do(lambda h: h.machines[odd.device.name].log_kernel(h.clock(), ODD))
    sweep(fleet)
    assert bad(odd) == {("dmesg.unknown", "machine", "info")} and bad(other) == set()
    (line,) = client.get("/api/health/kernel-lines/?state=new").json()["results"]
    assert "flux capacitor" in line["example"] and line["machines"]["names"] == [odd.device.name]
    assert line["image"]["image"] if isinstance(line["image"], dict) else line["image"], "what it runs is known"

    until = (timezone.now() + timedelta(days=7)).isoformat()
    post(client, f"kernel-lines/{line['id']}/accept/", expires_at=until)
    sweep(fleet)
    assert bad(odd) == set() and client.get("/api/health/kernel-lines/?state=new").json()["count"] == 0

    KernelLine.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    sweep(fleet)
    assert bad(odd) == {("dmesg.unknown", "machine", "info")}
    (again,) = client.get("/api/health/kernel-lines/?state=new").json()["results"]
    assert again["id"] == line["id"] and KernelLine.objects.get().state == "new"

    post(client, f"kernel-lines/{line['id']}/mark-bad/", verdict="fail")
    sweep(fleet)
    sweep(fleet)
    assert ("dmesg.known", "machine", "fail") in bad(odd)
    assert Fault.objects.get(machine=odd).fault_class == "kernel.marked" and bad(other) == set()
