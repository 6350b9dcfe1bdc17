"""Pairs and groups over a fabric in the hall: a bad link is named by its adapter, nobody else is accused."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabric.tests.live_hall import LiveHall, live_hall
from health.diagnostics import services
from health.models import ActiveRun, Fault, MachineHealth, Pool
from health.services import sync_machines
from health.tests import factories as make
from inventory.models import Machine
from runs.services import launch_check

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveHall]:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    with live_hall(tmp_path, monkeypatch) as running:
        sync_machines()
        Pool.objects.update(**make.NO_SCHEDULER)
        MachineHealth.objects.update(state="drained")
        yield running


def to_the_end(run: ActiveRun) -> ActiveRun:
    until = time.monotonic() + 200
    while services.advance(run.pk) in ("waiting", "running"):
        assert time.monotonic() < until, list(run.steps.values_list("kind", "status", "message"))
        time.sleep(0.2)
    run.refresh_from_db()
    return run


def test_a_slow_cable_is_named_by_its_machine_and_adapter_and_opens_a_fault_there(hall: LiveHall) -> None:
    sick = Machine.objects.get(device__name="gpu-3")
    at = hall.clock.seconds()
    hall.change(lambda wiring: wiring.trouble(hall.end("gpu-3 mlx5_4", 1), at, width="1x"))
    chosen = list(Machine.objects.filter(device__name__in=["gpu-1", "gpu-2", "gpu-3", "gpu-4"]))
    options = {"seconds": 2, "latency": False}
    run = services.create(hall.site.pk, "pairs", [m.pk for m in chosen], by="olga", options=options)
    run = to_the_end(run)
    assert run.status == "done" and len(run.conclusion) == 8
    told = {track: said["bad"] for track, said in run.conclusion.items() if said["bad"] or said["undecided"]}
    assert told == {"mlx5_4 bandwidth": ["gpu-3"]}
    (fault,) = Fault.objects.all()
    assert (fault.machine_id, fault.slot, fault.fault_class) == (sick.pk, "HCA mlx5_4", "hca.slow")
    assert fault.status == "confirmed" and "which pass with others" in fault.message
    assert run.rounds <= 4


@pytest.mark.slow
def test_all_reduce_over_groups_names_the_machine_with_the_slow_rail(hall: LiveHall) -> None:
    at = hall.clock.seconds()
    hall.change(lambda wiring: wiring.trouble(hall.end("gpu-6 mlx5_4", 1), at, width="1x"))
    ids = list(Machine.objects.filter(device__site=hall.site).values_list("pk", flat=True))
    run = to_the_end(services.create(hall.site.pk, "groups", ids, by="olga"))
    assert run.conclusion["groups"]["bad"] == ["gpu-6"] and not run.conclusion["groups"]["undecided"]
    assert run.rounds <= 5 and Fault.objects.get().machine.device.name == "gpu-6"


@pytest.mark.slow
def test_a_launch_check_is_over_when_all_pass_together_and_searches_where_they_do_not(hall: LiveHall) -> None:
    ids = list(Machine.objects.filter(device__site=hall.site).values_list("pk", flat=True))
    run = to_the_end(launch_check.start(hall.site.pk, ids, by="olga"))
    (step,) = run.steps.all()
    assert (step.level, step.verdict, len(step.machine_ids)) == ("whole", "pass", len(ids))
    said = {row["check"]: row["message"] for row in step.findings}
    assert "nothing is known to compare it with" in said["nvlink.allreduce_latency"]
    at = hall.clock.seconds()
    hall.change(lambda wiring: wiring.trouble(hall.end("gpu-6 mlx5_4", 1), at, width="1x"))
    run = to_the_end(launch_check.start(hall.site.pk, ids, by="olga"))
    assert run.steps.get(level="whole").verdict == "fail" and run.conclusion["groups"]["bad"] == ["gpu-6"]
