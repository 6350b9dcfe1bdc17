"""From processes of the virtual hall over real SSH and a sweep to runs with ranks and places, without any report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from health.models import GpuProcesses, Sweep
from health.services import request_sweep
from health.tests.hall import RunningHall, run_shards, running_hall
from health.tests.real import twins
from runs.models import RunRank, TrainingRun
from runs.queries import chain_of, rank_of
from runs.services import finding

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.CONFIRM_DELAY_S = 0
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


def sweep(machine_ids: list[int]) -> Sweep:
    (asked,) = request_sweep(machine_ids, "manual", actor="test")
    return run_shards(asked)


def play(hall: RunningHall, name: str, *runs: dict[str, Any]) -> None:
    """Let a machine of the hall run ranks; those that ran there before end."""

    def act(h: Any) -> None:
        h.clear(h.machines[name], name="training")
        if runs:
            h.inject(h.machines[name], "training", params={"runs": list(runs)})

    hall.do(act)


def test_a_run_that_nobody_reported_is_found_with_its_places_and_ends_with_its_processes(tmp_path: Path) -> None:
    fleet = [twin.machine for twin in twins(3)]
    ids, names = [machine.pk for machine in fleet], [machine.device.name for machine in fleet]
    with running_hall("ams1", tmp_path) as hall:
        big = {"job": "88213", "world": 16, "master": names[0], "requeued": 1}
        play(hall, names[0], big)
        play(hall, names[1], {**big, "first_rank": 8, "container": "docker-" + "3f" * 32})
        sliced = {"run": "lab", "ranks": 4, "world": 4, "slices": 2, "port": 29600, "user": "ada"}
        by_hand = {"launcher": "mpirun", "ranks": 4, "world": 6, "first_gpu": 4, "user": "ada"}
        play(hall, names[2], sliced, by_hand)
        sweep(ids)
        assert finding.find() == 3
        runs = {run.key: run for run in TrainingRun.objects.all()}
        run = runs["88213"]
        assert (run.attempt, run.world_size, run.found_by, run.launcher) == (1, 16, ["processes"], "torchrun")
        rank = rank_of(run, 11)
        assert rank is not None and rank.machine is not None
        assert (rank.machine_id, rank.slot, rank.container) == (ids[1], "GPU 3", "docker 3f3f3f3f3f3f")
        assert rank.serial == hall.do(lambda h: h.machines[names[1]].part("GPU 3").serial)
        assert chain_of(rank)["hca"] and chain_of(rank)["place"]
        assert len(set(RunRank.objects.filter(run=runs["lab"]).values_list("slot", "slice"))) == 4
        other = next(run for run in runs.values() if run.launcher == "mpirun")
        assert (other.world_size, other.ranks.count(), other.user) == (6, 4, "ada")

        changed = dict(GpuProcesses.objects.values_list("pk", "changed_at"))
        sweep(ids)
        assert finding.find() == 0
        assert dict(GpuProcesses.objects.values_list("pk", "changed_at")) == changed, "nothing is written anew"

        play(hall, names[0])
        sweep(ids)
        finding.find()
        run.refresh_from_db()
        assert run.state == "running" and RunRank.objects.filter(run=run, gone_at=None).count() == 8
        play(hall, names[1])
        sweep(ids)
        finding.find()
        run.refresh_from_db()
        assert run.state == "ended" and TrainingRun.objects.filter(ended_at=None).count() == 2


def test_a_machine_whose_tool_hangs_or_that_is_silent_ends_nothing(tmp_path: Path) -> None:
    (twin,) = twins(1)
    machine = twin.machine
    with running_hall("ams1", tmp_path) as hall:
        play(hall, machine.device.name, {"world": 8})
        sweep([machine.pk])
        finding.find()
        hall.do(lambda h: h.inject(h.machines[machine.device.name], "binary_junk"))
        sweep([machine.pk])
        finding.find()
        run = TrainingRun.objects.get()
        assert run.state == "running" and not RunRank.objects.exclude(gone_at=None).exists()
