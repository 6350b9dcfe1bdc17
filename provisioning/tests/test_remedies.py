"""Automation has a machine installed anew through a run of its own."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from access.tests.fleet import make_credentials
from health.machines.calls import Report
from health.models import Incident, MachineHealth, RemediationAction
from health.remediation.executors import Job, executor
from health.remediation.services import actions
from health.remediation.types import World
from inventory.models import Machine
from provisioning import services
from provisioning.models import Run, RunMachine
from provisioning.services import permits, wanted
from provisioning.steps import FailureClass, StepName
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


@pytest.mark.parametrize(("before", "now"), [("virtual_media", "virtual_media"), ("adopt", "redfish")])
def test_a_machine_is_installed_as_it_was_before_and_one_that_was_adopted_from_the_network(
    job: Job, before: str, now: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("provisioning.engines.media.images.names", lambda folder: ["a", "debian-12"])
    earlier = Run.objects.create(
        site=Machine.objects.get().device.site,
        engine=before,
        image="debian-12" if before == now else "",
        created_by="olga",
    )
    RunMachine.objects.create(run=earlier, machine_id=job.machine_id, status="done")
    reimage = executor("reimage")
    assert reimage is not None
    reimage.send(job)
    run = Run.objects.latest("pk")
    assert (run.engine, run.image) == (now, "debian-12" if before == now else "ubuntu")


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


# ---- a run lives no longer than its action ----


def action_of(job: Job) -> RemediationAction:
    """The action that had it installed: sent, and accepted."""
    machine, now = Machine.objects.get(pk=job.machine_id), timezone.now()
    incident = Incident.objects.create(site=machine.device.site, kind="machine", machine=machine, title="x")
    return RemediationAction.objects.create(
        key=job.key, machine=machine, incident=incident, check_id="gpu.ecc", rung=5, remedy="reimage", reason="x",
        planned_by="automation", state="sent", granted_at=now, sent_at=now, lease_until=now, lease_owner="w",
        deadline=now + timedelta(hours=3), report="accepted",
    )  # fmt: skip


@pytest.mark.parametrize("started", [True, False], ids=["in progress", "waits for room"])
def test_an_installation_ends_with_the_action_that_wanted_it(
    job: Job, started: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    action, reimage = action_of(job), executor("reimage")
    assert reimage is not None
    reimage.send(job)
    row = RunMachine.objects.get()
    if started:
        services.fill()
    services.reap()
    row.refresh_from_db()
    assert row.status == ("running" if started else "waiting"), "as long as the action is in progress"

    RemediationAction.objects.update(deadline=timezone.now() - timedelta(seconds=1))
    monkeypatch.setattr("health.remediation.services.world.read", lambda row: World(timezone.now()))
    assert actions.carry_out(action.pk) == "failed"
    for step in (StepName.BOOT_OVERRIDE, StepName.POWER_ON):
        assert "has ended" in permits._refusal(row.pk, step, may_stop=True), "nothing is written from then on"
    services.reap()
    row.refresh_from_db()
    assert row.status == "cancelled"
    state = MachineHealth.objects.get(pk=job.machine_id).state
    assert state == ("triage" if started else "drained"), "it is left to people, and not taken for a new machine"


def test_one_machine_that_cannot_be_cancelled_stops_no_recovery(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    reimage = executor("reimage")
    assert reimage is not None
    other = bare("gpu-10", state="drained", boot_mac="02:00:00:00:00:10")
    reimage.send(job)
    reimage.send(Job(other.pk, "gpu-10", f"{other.pk}:2:5:1", refusal=lambda: None))
    first, second = RunMachine.objects.order_by("pk")
    cancel = wanted._cancel

    def broken(run_machine_id: int) -> bool:
        if run_machine_id == first.pk:
            raise RuntimeError("this one is broken")
        return cancel(run_machine_id)

    monkeypatch.setattr(wanted, "_cancel", broken)
    assert wanted.cancel_unwanted() == 1
    second.refresh_from_db()
    assert second.status == "cancelled"
    _, waiting = services.reap()
    assert waiting, "who waits has its turn"


def test_who_tries_the_run_of_an_ended_action_again_wants_it_himself(job: Job) -> None:
    action, reimage = action_of(job), executor("reimage")
    assert reimage is not None
    reimage.send(job)
    RemediationAction.objects.filter(pk=action.pk).update(state="ambiguous", finished_at=timezone.now())
    services.reap()
    assert RunMachine.objects.get().status == "cancelled"
    services.retry_machine(RunMachine.objects.get().pk, actor="olga")
    services.reap()
    assert RunMachine.objects.get().status == "waiting" and Run.objects.get().created_by == "olga"
