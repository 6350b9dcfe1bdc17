"""A device model that becomes unusable during a run costs its own machines their results, and holds nobody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from health.diagnostics import services
from health.diagnostics.jobs import Look
from health.diagnostics.services import progress, remote
from health.diagnostics.services.remote import Job
from health.machines.specs import usable
from health.models import ActiveMachine, ActiveRun, ActiveStep, Hold, MachineHealth
from health.tests import factories as make
from inventory.models import Device, DeviceModel, Machine

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    monkeypatch.setattr(progress, "ask_schedulers", lambda ids: None)
    monkeypatch.setattr(progress, "_ask_machines", lambda *args: None)


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the jobs that were stopped; every job is begun and goes on for ever."""
    names: list[str] = []
    monkeypatch.setattr(remote, "begin", lambda batch: {})
    monkeypatch.setattr(remote, "look", lambda some: {job.name: Look("running") for job in some})
    monkeypatch.setattr(remote, "tidy", lambda some: None)

    def stop(some: Sequence[Job]) -> None:
        names.extend(job.name for job in some)

    monkeypatch.setattr(remote, "stop", stop)
    return names


def machines_of_two_models(count: int) -> list[Machine]:
    """The first of them is of a model of its own."""
    machines: list[Machine] = make.make_machines(count)
    other = DeviceModel.objects.get(pk=machines[0].device.model_id)
    other.pk, other.slug, other._state.adding = None, "other-box", True
    other.save()
    Device.objects.filter(pk=machines[0].pk).update(model=other)
    MachineHealth.objects.update(state="drained")
    return machines


def running(kind: str, machines: Sequence[Machine]) -> ActiveRun:
    run = services.create(machines[0].device.site_id, kind, [m.pk for m in machines], by="olga")
    ActiveMachine.objects.update(held=True)
    for machine in machines:
        Hold.objects.create(machine=machine, owner=progress.hold_owner(run), reason="tests", placed_by="olga")
    assert services.advance(run.pk) == "running"
    return run


def broken(**change: Any) -> None:
    model = DeviceModel.objects.get(slug="other-box")
    DeviceModel.objects.filter(pk=model.pk).update(spec=model.spec | change)


def test_machines_of_a_model_that_breaks_are_released_without_a_result_and_the_others_go_on(
    stopped: list[str],
) -> None:
    machines = machines_of_two_models(3)
    run = running("copies", machines)
    broken(psu_count=-1)
    assert services.advance(run.pk) == "running"
    mine, *others = run.steps.order_by("number")
    assert (mine.status, mine.verdict) == ("done", "unknown") and "psu_count" in mine.message
    assert stopped == [f"{run.pk}.{mine.pk}.1"]
    assert {step.status for step in others} == {"running"}
    open_rows = ActiveMachine.objects.filter(released_at=None).values_list("machine_id", flat=True)
    assert set(open_rows) == {m.pk for m in machines[1:]}
    assert not Hold.objects.filter(machine=machines[0], lifted_at=None).exists()
    assert make.health(machines[0]).state != "ready"
    run.refresh_from_db()
    assert [row["machine_id"] for row in run.left_out] == [machines[0].pk]


@pytest.mark.parametrize(("field", "value"), [("kind", "adapter"), ("device", "other")])
def test_a_run_of_pairs_comes_to_its_end_whatever_becomes_of_a_model(
    stopped: list[str], field: str, value: str
) -> None:
    """It cannot be used any more; or it can, and has other adapters than those that are being tested."""
    run = running("pairs", machines_of_two_models(2))
    slots = DeviceModel.objects.get(slug="other-box").spec["slots"]
    changed = [
        slot | ({field: f"{value}_{number}"} if slot["kind"] == "hca" else {}) for number, slot in enumerate(slots)
    ]
    broken(slots=changed)
    assert (usable(DeviceModel.objects.get(slug="other-box").spec) is None) == (field == "kind")
    for _ in range(50):
        if services.advance(run.pk) not in ActiveRun.OPEN:
            break
    run.refresh_from_db()
    assert run.status == "done" and not ActiveMachine.objects.filter(released_at=None).exists()
    assert set(run.steps.values_list("verdict", flat=True)) == {"unknown"}


def test_a_run_whose_model_broke_can_be_cancelled(stopped: list[str]) -> None:
    run = running("copies", machines_of_two_models(2))
    broken(psu_count=-1)
    services.cancel(run.pk, by="olga")
    assert services.advance(run.pk) == "cancelled"
    assert len(stopped) == 2 and not ActiveMachine.objects.filter(released_at=None).exists()
    assert not ActiveStep.objects.filter(status__in=ActiveStep.OPEN).exists()
