"""Active checks from the request to the fault, on machines that answer over real SSH."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from health.diagnostics import services
from health.diagnostics.services import progress
from health.models import ActiveMachine, ActiveRun, ActiveStep, Fault, Hold, MachineHealth, Verification
from health.tests import factories as make
from health.tests.hall import RunningHall, running_hall
from inventory.models import Machine
from live.models import Event
from simulator import faults

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[RunningHall]:
    make.make_machines(2)
    MachineHealth.objects.update(state="drained")
    with running_hall("ams1", tmp_path) as running:
        yield running


def hurt(hall: RunningHall, number: int, name: str, slot: str) -> None:
    machine = Machine.objects.order_by("pk")[number].device.name
    hall.do(lambda h: faults.inject(h.machines[machine], name, h.clock(), slot=slot))


def site_id() -> int:
    return int(Machine.objects.select_related("device").first().device.site_id)  # type: ignore[union-attr]


def ids() -> list[int]:
    return list(Machine.objects.order_by("pk").values_list("pk", flat=True))


def to_the_end(run: ActiveRun, *, within_s: float = 60) -> ActiveRun:
    until = time.monotonic() + within_s
    while services.advance(run.pk) in ("waiting", "running"):
        assert time.monotonic() < until, [(s.kind, s.status, s.message) for s in run.steps.all()]
        time.sleep(0.2)
    run.refresh_from_db()
    return run


def verdicts(run: ActiveRun) -> dict[tuple[str, int], list[str]]:
    found: dict[tuple[str, int], list[str]] = {}
    for step in run.steps.order_by("round", "number"):
        found.setdefault((step.kind, ids().index(step.machine_ids[0])), []).append(step.verdict)
    return found


@pytest.mark.slow
def test_healthy_machines_pass_every_test_of_a_burn_in(hall: RunningHall) -> None:
    kinds = ["diagnostic", "stress", "copies", "all_reduce", "training"]
    run = services.create(site_id(), "burn_in", ids()[:2], by="olga", options={"kinds": kinds})
    run = to_the_end(run)
    assert run.status == "done" and run.rounds == 5
    assert set(map(tuple, verdicts(run).values())) == {("pass",)}, list(run.steps.values_list("kind", "message"))
    assert not Fault.objects.exists() and not ActiveMachine.objects.filter(released_at=None).exists()
    kinds_told = list(Event.objects.filter(kind__startswith="active.").values_list("kind", flat=True))
    assert kinds_told[-1] == "active.finished" and "active.progress" in kinds_told


@pytest.mark.parametrize(
    ("kind", "fault", "slot", "check"),
    [("stress", "gpu_wrong_math", "GPU 3", "gpu.stress"),
     pytest.param("copies", "nvlink_slow", "GPU 4", "nvlink.bandwidth", marks=pytest.mark.slow),
     pytest.param("diagnostic", "dcgm_fails", "GPU 2", "gpu.diagnostic", marks=pytest.mark.slow),
     pytest.param("training", "gpu_slow", "GPU 1", "machine.training", marks=pytest.mark.slow),
     pytest.param("stress", "gpu_slow", "GPU 6", "gpu.stress", marks=pytest.mark.slow),
     pytest.param("copies", "pcie_slow", "GPU 0", "pcie.bandwidth", marks=pytest.mark.slow)],
)  # fmt: skip
def test_what_fails_twice_is_a_confirmed_fault_of_its_part_with_evidence(
    hall: RunningHall, kind: str, fault: str, slot: str, check: str
) -> None:
    hurt(hall, 1, fault, slot)
    run = to_the_end(services.create(site_id(), kind, ids()[:2], by="olga"))
    assert verdicts(run) == {(kind, 0): ["pass"], (kind, 1): ["fail", "fail"]}
    (found,) = Fault.objects.all()
    assert (found.machine_id, found.slot, found.status, found.checks) == (ids()[1], slot, "confirmed", [check])
    assert found.evidence.filter(check_id=check, part=slot).exists() and found.announced_at is not None


@pytest.mark.parametrize(
    ("fault", "words"),
    [("gpu_busy", "its GPUs"), ("container_runs", "1 container runs"), ("launcher_runs", "launcher"),
     ("somebody_logged_in", "1 person is logged in"), ("machine_unreachable", "not known what runs on it")],
)  # fmt: skip
def test_no_test_begins_on_a_machine_that_names_work_or_does_not_tell(
    hall: RunningHall, monkeypatch: pytest.MonkeyPatch, fault: str, words: str
) -> None:
    """It is out of service, and its scheduler knows of nothing: the machine's own word goes before that."""
    busy = Machine.objects.order_by("pk")[0].device.name
    hall.do(lambda h: h.inject(h.machines[busy], fault))
    begun: list[int] = []
    real = progress.remote.begin

    def begin(batch: Any) -> Any:
        begun.extend(job.machine_id for job, _ in batch)
        return real(batch)

    monkeypatch.setattr(progress.remote, "begin", begin)
    run = services.create(site_id(), "copies", ids()[:2], by="olga")
    services.advance(run.pk)
    (step,) = [each for each in run.steps.all() if each.machine_ids == ids()[:1]]
    assert (step.status, step.verdict) == ("done", "unknown") and words in step.message, step.message
    assert step.message.startswith(f"not begun: {busy}: ") and begun == ids()[1:2], "the other machine is tested"


@pytest.mark.slow
def test_a_machine_that_does_not_answer_is_unknown_and_has_no_fault(hall: RunningHall) -> None:
    machine = Machine.objects.order_by("pk")[0].device.name
    hall.do(lambda h: faults.inject(h.machines[machine], "machine_unreachable", h.clock()))
    run = services.create(site_id(), "copies", ids()[:1], by="olga")
    assert services.advance(run.pk) == "running"
    ActiveStep.objects.update(deadline_at="2020-01-01T00:00Z")
    run = to_the_end(run)
    assert set(run.steps.values_list("verdict", flat=True)) <= {"unknown"} or run.steps.count() == 2
    assert not Fault.objects.exists()


@pytest.mark.slow
def test_a_job_is_begun_once_though_its_start_is_sent_twice(hall: RunningHall, monkeypatch: pytest.MonkeyPatch) -> None:
    run = services.create(site_id(), "copies", ids()[:1], by="olga")
    begun: list[str] = []
    real = progress.remote.begin

    def dies_afterwards(batch: Any) -> dict[str, str]:
        real(batch)
        begun.extend(job.name for job, _ in batch)
        raise KeyboardInterrupt

    monkeypatch.setattr(progress.remote, "begin", dies_afterwards)
    with pytest.raises(KeyboardInterrupt):
        services.advance(run.pk)
    monkeypatch.setattr(progress.remote, "begin", real)
    run = to_the_end(run)
    assert verdicts(run) == {("copies", 0): ["pass"]} and len(begun) == 1
    assert run.steps.get().attempts == 1


@pytest.mark.slow
def test_a_step_written_but_never_sent_is_begun_by_the_next_worker(
    hall: RunningHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = services.create(site_id(), "copies", ids()[:1], by="olga")
    real = progress.remote.begin

    def dies_before(batch: Any) -> dict[str, str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(progress.remote, "begin", dies_before)
    with pytest.raises(KeyboardInterrupt):
        services.advance(run.pk)
    monkeypatch.setattr(progress.remote, "begin", real)
    run = to_the_end(run)
    assert verdicts(run) == {("copies", 0): ["pass"]} and run.steps.get().attempts == 2


def test_a_cancelled_run_stops_and_gives_its_machines_back(hall: RunningHall) -> None:
    run = services.create(site_id(), "diagnostic", ids()[:2], by="olga", options={"level": 4})
    assert services.advance(run.pk) == "running"
    services.cancel(run.pk, by="olga")
    run = to_the_end(run)
    assert run.status == "cancelled" and set(run.steps.values_list("status", flat=True)) == {"cancelled"}
    assert not ActiveMachine.objects.filter(released_at=None).exists()
    with pytest.raises(services.ActiveRefused):
        services.cancel(run.pk, by="olga")


def test_an_idle_machine_in_service_is_taken_out_for_it_and_returns_through_a_verification(hall: RunningHall) -> None:
    MachineHealth.objects.filter(machine_id=ids()[0]).update(
        state="ready", allocation="idle", reachability="reachable", last_seen_at=timezone.now()
    )
    run = services.create(site_id(), "copies", ids()[:1], by="olga")
    assert services.advance(run.pk) == "running"
    assert make.health(ids()[0]).state == "drained"
    assert Hold.objects.filter(machine_id=ids()[0], owner=f"active:{run.pk}", lifted_at=None).exists()
    run = to_the_end(run)
    assert verdicts(run) == {("copies", 0): ["pass"]}
    assert not Hold.objects.filter(lifted_at=None).exists()
    assert Verification.objects.filter(machine_id=ids()[0]).exists()


def test_a_machine_taken_by_a_job_meanwhile_is_not_loaded(hall: RunningHall) -> None:
    run = services.create(site_id(), "copies", ids()[:1], by="olga")
    MachineHealth.objects.update(allocation="allocated")
    run = to_the_end(run)
    assert run.status == "failed" and run.steps.get().attempts == 0
    assert "a job runs on it" in run.steps.get().message


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_worker_without_a_transaction_of_its_own_carries_a_run_to_its_end(hall: RunningHall) -> None:
    run = services.create(site_id(), "diagnostic", ids()[:1], by="olga", options={"level": 1})
    run = to_the_end(run)
    assert run.status == "done" and verdicts(run) == {("diagnostic", 0): ["pass"]}
    assert Event.objects.filter(kind="active.progress").count() > 1
