"""Failed runs of machines of the hall, with a known cause: what is fetched and what sweeps see leads to the verdict.

No rank reports anything. Logs lie on the machines and are searched there over SSH; the kernel's lines and lost parts
are seen by a sweep, as everywhere. Some machines have faults from before the run.
"""

from __future__ import annotations

import random
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from django.db.models import F
from django.utils import timezone
from pytest_django.fixtures import Settings

from health.monitoring.models.faults import Fault
from health.services import request_sweep
from health.tests.hall import RunningHall, run_shards, running_hall
from health.tests.real import twins
from inventory.models import Machine
from runs.causes.verdict import Verdict
from runs.models import EvidenceSettings, RunRank, TrainingRun
from runs.services import collections, judgement
from simulator.faults import kernel_pci
from simulator.hall import Hall
from simulator.outputs.evidence import Training, give
from simulator.training.failures import FAILURES, Failure
from simulator.training.run import GPUS, RUN_LASTS, Run

LONG_AGO = timedelta(hours=5)
BROKEN = {
    "gpu lost": "gpu_off_bus",
    "gpu lost, and its rank says nothing": "gpu_off_bus",
    "uncorrectable memory error": "gpu_ecc",
    "NVLink broke": "nvlink_down",
    "InfiniBand link lost": "hca_down",
}
"""What breaks in the hall; of other failures only what the kernel says."""
QUICK = ("gpu lost, and its rank says nothing", "exception in the user's code", "preempted", "ended as it should")


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.CONFIRM_DELAY_S = 0
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


class Fleet:
    def __init__(self, hall: RunningHall, machines: list[Machine]) -> None:
        self.hall, self.machines = hall, machines
        self.by_name = {machine.device.name: machine for machine in machines}
        EvidenceSettings.objects.create(
            site_id=machines[0].device.site_id, logs="/logs/{job}/rank_{rank}.log\n/logs/{job}/slurm.out"
        )

    def sweep(self, names: set[str]) -> None:
        for asked in request_sweep([self.by_name[name].pk for name in names], "manual", actor="test"):
            run_shards(asked)

    def age(self) -> None:
        """What broke and was said until now is of five hours ago, long before the next run."""
        Fault.objects.update(opened_at=F("opened_at") - LONG_AGO)

        def act(hall: Hall) -> None:
            for machine in hall.machines.values():
                machine.state.booted_at -= LONG_AGO.total_seconds()

        self.hall.do(act)

    def break_off(self, plan: Run) -> TrainingRun:
        """The run has ended: its logs lie there, its machine shows what broke. A row of it stands in the database."""
        names = [machine.device.name for machine in self.machines]
        job = str(plan.job)

        def act(hall: Hall) -> None:
            for at, name in enumerate(names):
                ranks = range(at * GPUS, (at + 1) * GPUS)
                files = {f"/logs/{job}/rank_{rank}.log": plan.rank_log(rank).encode() for rank in ranks}
                if at == 0:
                    files[f"/logs/{job}/slurm.out"] = plan.job_log().encode()
                give(hall.machines[name], Training([], files=files))
            broken, local = hall.machines[plan.machine], plan.rank % GPUS
            gpu = broken.plan.gpus[local]
            if kind := BROKEN.get(plan.failure.name):
                slot = broken.plan.hcas[local].slot if kind == "hca_down" else gpu.slot
                hall.inject(broken, kind, slot=slot)
            elif lines := plan.kernel_lines(kernel_pci(gpu.pci)):
                broken.log_kernel(hall.clock(), *lines)

        self.hall.do(act)
        ended = plan.failure.cause == "none"
        run = TrainingRun.objects.create(
            site_id=self.machines[0].device.site_id, key=f"{job}-{plan.seed}", job=job, started_at=plan.began,
            world_size=len(names) * GPUS, last_report_at=plan.ended, ended_at=plan.ended,
            state=TrainingRun.State.ENDED if ended else TrainingRun.State.FAILED,
        )  # fmt: skip
        slots = [gpu.slot for gpu in self.hall.hall.machines[names[0]].plan.gpus]
        RunRank.objects.bulk_create(
            RunRank(
                run=run, rank=at * GPUS + local, local_rank=local, machine=machine, machine_name=names[at], slot=slot
            )
            for at, machine in enumerate(self.machines)
            for local, slot in enumerate(slots)
        )
        return run

    def verdict(self, failure: Failure, number: int) -> tuple[Run, Verdict | None]:
        began = timezone.now().astimezone(UTC) - RUN_LASTS - timedelta(minutes=10)
        plan = Run(failure, [machine.device.name for machine in self.machines], number, began, 912_000 + number)
        run = self.break_off(plan)
        bystanders = random.Random(number).sample(sorted(self.by_name), 3)
        self.sweep({plan.machine, *bystanders})
        assert collections.collect(collections.start(run, by="olga").pk)
        said = judgement.judge_run(run.pk)
        self.hall.do(lambda hall: hall.clear(hall.machines[plan.machine]))
        self.age()
        return plan, said


def is_right(plan: Run, said: Verdict | None) -> bool:
    if said is None:
        return plan.failure.cause == "none"
    machine = said.machine or (plan.machines[said.rank // GPUS] if said.rank is not None else None)
    named = {"rank": said.rank == plan.rank, "machine": machine == plan.machine, "nobody": True}
    return said.cause == plan.failure.cause and named[plan.failure.named]


def accused(plan: Run, said: Verdict | None) -> str | None:
    """A machine that is said to be broken and has nothing to do with it."""
    if said is None or said.hardware is False:
        return None
    machine = said.machine or (plan.machines[said.rank // GPUS] if said.rank is not None else None)
    wrong = machine is not None and (plan.failure.named == "nobody" or machine != plan.machine)
    return machine if wrong else None


def score(folder: Path, machines: int, failures: list[Failure]) -> None:
    fleet = [twin.machine for twin in twins(machines)]
    with running_hall("ams1", folder) as hall:
        room = Fleet(hall, fleet)
        scarred = {machine.device.name for machine in fleet[:: max(2, machines // 8)]}
        for name in scarred:
            hall.do(
                lambda h, name=name: h.inject(h.machines[name], "nvlink_down", slot=h.machines[name].plan.gpus[2].slot)
            )
        room.sweep(scarred)
        room.age()
        wrong, blamed = [], []
        for number, failure in enumerate(failures):
            plan, said = room.verdict(failure, number)
            if not is_right(plan, said):
                wrong.append(f"{failure.name}: {said and (said.cause, said.sentence)}")
            if accused(plan, said):
                blamed.append(f"{failure.name}: {said and said.sentence}")
    assert blamed == [], "\n".join([*blamed, "", *wrong])
    assert len(wrong) <= 0.05 * len(failures), "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.services
def test_what_is_fetched_and_what_a_sweep_saw_name_the_cause_together(tmp_path: Path) -> None:
    score(tmp_path, 4, [each for each in FAILURES if each.name in QUICK])


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.services
@pytest.mark.timeout(3600)
def test_of_511_machines_nineteen_of_twenty_runs_are_right_and_no_machine_is_accused_wrongly(tmp_path: Path) -> None:
    score(tmp_path, 511, list(FAILURES))
