"""Automation has a machine installed anew through a run of its own."""

from __future__ import annotations

import pytest
from django.utils import timezone

from access.tests.fleet import make_credentials
from health.models import MachineHealth
from health.remediation.types import Report
from health.remedies import Job, executor
from provisioning.models import Run, RunMachine
from provisioning.steps import FailureClass
from provisioning.tests.world import bare

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def job() -> Job:
    make_credentials()
    machine = bare("gpu-9", state="drained", boot_mac="02:00:00:00:00:09")
    return Job(machine.pk, "gpu-9", f"{machine.pk}:1:5:1", refusal=lambda: None)


def test_an_installation_that_is_asked_for_twice_begins_once(job: Job) -> None:
    reimage = executor("reimage")
    assert reimage is not None
    first, second = reimage.send(job), reimage.send(job)
    assert first.report is second.report is Report.ACCEPTED and first.evidence == second.evidence
    assert Run.objects.get().created_by == "automation"


def test_its_mark_is_a_run_that_came_to_its_end(job: Job) -> None:
    reimage = executor("reimage")
    assert reimage is not None
    reimage.send(job)
    assert reimage.trace(job, timezone.now()) is Report.NONE
    RunMachine.objects.update(status="done")
    assert reimage.trace(job, timezone.now()) is Report.DONE


@pytest.mark.parametrize("end", ["failed", "cancelled"])
def test_an_installation_that_ended_otherwise_failed(job: Job, end: str) -> None:
    reimage = executor("reimage")
    assert reimage is not None
    assert reimage.trace(job, timezone.now()) is Report.NONE
    reimage.send(job)
    RunMachine.objects.update(status=end, failure_class=next(iter(FailureClass)).value if end == "failed" else "")
    assert reimage.trace(job, timezone.now()) is Report.FAILED


def test_a_machine_in_service_is_not_installed(job: Job) -> None:
    reimage = executor("reimage")
    assert reimage is not None
    MachineHealth.objects.update(state="ready")
    assert reimage.send(job).report is Report.REFUSED and not Run.objects.exists()
