"""Burn-ins: only machines that run nothing, dry unless told otherwise, each stage once, no result is no pass."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from core.work import dispatch
from drivers.ssh import Limits, SshFailure, SshFailureKind, SshResult, SshTarget
from fabric.burn_in.services import plans, runs
from fabric.burn_in.services.plans import BurnInRefused
from fabric.models import BurnIn, BurnInPair, BurnInStage, FabricSource, SeenLink, SeenNode
from fabric.tests.test_perftest import BY_TIME, LATENCY
from health.machines.workload import Workload
from health.models import MachineHealth
from health.tests import factories as make
from inventory.models import Machine
from live.models import Event

GOOD = BY_TIME + LATENCY


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    idle = Workload(heard=True, running="", logins=0)
    monkeypatch.setattr(runs, "workloads_of", lambda ids: dict.fromkeys(ids, idle))


@pytest.fixture
def where(db: Any) -> FabricSource:
    """Four idle machines, two on each of two leaves, one spine."""
    machines = make.make_machines(4)
    source = FabricSource.objects.create(site=machines[0].device.site, name="fabric", kind="file")
    during = (timezone.now(), None)
    for number, machine in enumerate(machines):
        leaf = f"{0xA0 + number // 2:016x}"
        SeenNode.objects.create(
            source=source, guid=f"{number + 1:016x}", kind="adapter", description="", ports=1, during=during,
            name=f"{machine.device.name} mlx5_0",
        )  # fmt: skip
        link(source, f"{number + 1:016x}", 1, leaf, number % 2 + 1)
    for number in range(2):
        link(source, f"{0xA0 + number:016x}", 33, f"{0xB0:016x}", number + 1)
        link(source, f"{0xA0 + number:016x}", 34, f"{0xB0:016x}", number + 3)
    MachineHealth.objects.update(state="ready", allocation="idle")
    return source


def link(source: FabricSource, a: str, a_port: int, b: str, b_port: int) -> None:
    SeenLink.objects.create(
        source=source, a_guid=a, a_port=a_port, b_guid=b, b_port=b_port, width="4x", speed="NDR",
        during=(timezone.now(), None),
    )  # fmt: skip


def planned(where: FabricSource, **settings: Any) -> BurnIn:
    run = plans.create(where, by="olga", settings=settings)
    made = plans.make_plan(run.pk)
    assert made is not None
    return made


def answering(monkeypatch: pytest.MonkeyPatch, said: str = GOOD) -> list[list[int]]:
    """Every pair prints this; returns the pairs of each stage that was really run."""
    ran: list[list[int]] = []

    def run(pairs: Sequence[BurnInPair], settings: dict[str, Any]) -> dict[int, str]:
        ran.append([pair.pk for pair in pairs])
        return {pair.pk: said for pair in pairs}

    monkeypatch.setattr(runs, "_run", run)
    return ran


def test_a_plan_covers_every_link_and_says_which_machines_are_left_out(where: FabricSource) -> None:
    run = planned(where)
    assert run.status == "planned" and (run.links, run.covered, run.gaps) == (8, 8, []) and run.dry_run
    assert run.stages.count() == 1 and BurnInPair.objects.count() == 2


def test_a_plan_whose_worker_was_lost_is_handed_out_again_and_given_up_after_an_hour(
    where: FabricSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed: list[tuple[Any, ...]] = []
    monkeypatch.setattr("core.work.dispatch.enqueue", lambda *words: handed.append(words))
    run = plans.create(where, by="olga")
    dispatch.follow(plans.WORK.every_s)
    assert handed == [("fabric.burn_in.tasks.plan_burn_in", run.pk)]
    BurnIn.objects.update(created_at=timezone.now() - timedelta(minutes=61))
    dispatch.follow(plans.WORK.every_s)
    run.refresh_from_db()
    assert (run.status, run.message) == ("failed", "no worker made a plan within an hour") and len(handed) == 1
    assert plans.make_plan(run.pk) is None and not run.stages.exists()


@pytest.mark.parametrize(
    ("state", "allocation", "words"),
    [("ready", "allocated", "not known to be idle"), ("ready", "unknown", "not known to be idle"),
     ("drained", "allocated", "a job runs on it"), ("draining", "idle", "it is draining"),
     ("repair", "idle", "it is repair")],
)  # fmt: skip
def test_a_machine_that_may_run_something_is_never_used(
    where: FabricSource, state: str, allocation: str, words: str
) -> None:
    busy = Machine.objects.order_by("device__name")[0]
    MachineHealth.objects.filter(machine=busy).update(state=state, allocation=allocation)
    run = planned(where)
    assert [row["machine"] for row in run.left_out] == [busy.device.name] and words in run.left_out[0]["reason"]
    assert not BurnInPair.objects.filter(server=busy).exists() and not BurnInPair.objects.filter(client=busy).exists()
    assert run.covered < run.links and run.gaps[0]["reason"]


def test_a_drained_machine_may_be_used(where: FabricSource) -> None:
    MachineHealth.objects.update(state="drained", allocation="unknown")
    assert planned(where).covered == 8


def test_without_machines_or_links_there_is_no_plan(where: FabricSource) -> None:
    MachineHealth.objects.update(allocation="allocated")
    assert (planned(where).status, planned(where).message) == ("failed", "no two machines may be used")
    SeenLink.objects.all().delete()
    assert planned(where).message == "no links were seen"


def test_a_run_is_dry_unless_it_is_started_for_real(where: FabricSource, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = answering(monkeypatch)
    run = planned(where)
    runs.start(run.pk, by="olga")
    assert runs.advance(run.pk) == "running" and runs.advance(run.pk) == "done"
    assert ran == [] and set(BurnInPair.objects.values_list("verdict", flat=True)) == {"unknown"}
    assert "dry run, would run: ib_write_bw -d mlx5_0" in BurnInPair.objects.all()[0].message


def test_a_real_run_judges_every_pair(where: FabricSource, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = answering(monkeypatch)
    run = planned(where)
    runs.start(run.pk, by="olga", for_real=True)
    while runs.advance(run.pk) == "running":
        pass
    assert len(ran) == 1 and len(ran[0]) == 2
    pair = BurnInPair.objects.all()[0]
    assert (pair.verdict, pair.gbps, pair.p99_us) == ("pass", 737.91, 3.05)
    told = [event.data for event in Event.objects.filter(kind="burn_in.changed").order_by("id")]
    assert [data["status"] for data in told] == ["running", "running", "done"] and told[-1]["progress"]["done"] == 1


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [(GOOD, "pass", ""), (GOOD.replace("737.91", "512.00"), "fail", "512 Gb/s, at least 720"),
     (GOOD.replace("3.05", "9.90"), "fail", "9.9 us at the 99th"), ("", "unknown", "no output"),
     (BY_TIME, "unknown", "latency: no output"), ("Couldn't connect to 10.0.0.7\n", "unknown", "Couldn't connect")],
)  # fmt: skip
def test_no_result_is_no_pass(text: str, verdict: str, words: str) -> None:
    told = runs.verdict(text, plans.settings_of({}))
    assert told[0] == verdict and words in told[3]


def test_without_gpu_direct_less_is_enough() -> None:
    settings = plans.settings_of({"gpu_direct": False})
    assert runs.verdict(GOOD.replace("737.91", "512.00"), settings)[0] == "pass"
    assert not any("cuda" in word for word in runs.bandwidth("mlx5_0", 0, settings))


@pytest.mark.parametrize(
    "wrong", [{"stage_s": 0}, {"stage_s": "60; rm"}, {"share": 2}, {"what": 1}, {"latency": 1}, {"port": 80.5}], ids=str
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BurnInRefused):
        plans.settings_of(wrong)


def test_a_machine_that_took_work_meanwhile_is_passed_over(
    where: FabricSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = answering(monkeypatch)
    run = planned(where)
    runs.start(run.pk, by="olga", for_real=True)
    MachineHealth.objects.update(allocation="allocated")
    runs.advance(run.pk)
    assert ran == [[]] and set(BurnInPair.objects.values_list("verdict", flat=True)) == {"unknown"}


def ready_to_run(where: FabricSource) -> tuple[BurnIn, BurnInPair, list[int]]:
    """A run that was begun for real, its first pair, and the numbers of the others."""
    run = planned(where)
    runs.start(run.pk, by="olga", for_real=True)
    busy, *others = BurnInPair.objects.order_by("pk")
    return run, busy, [pair.pk for pair in others]


@pytest.mark.parametrize(
    ("said", "words"),
    [(Workload(heard=True, running="1 container runs (llm)", logins=0), "1 container runs (llm)"),
     (Workload(heard=True, running="", logins=1), "1 person is logged in"),
     (Workload(unknown="it does not answer"), "not known what runs on it: it does not answer")],
)  # fmt: skip
def test_a_machine_that_names_work_or_does_not_tell_is_passed_over_whatever_the_scheduler_says(
    where: FabricSource, monkeypatch: pytest.MonkeyPatch, said: Workload, words: str
) -> None:
    ran = answering(monkeypatch)
    run, busy, others = ready_to_run(where)
    idle = Workload(heard=True, running="", logins=0)
    monkeypatch.setattr(runs, "workloads_of", lambda ids: dict.fromkeys(ids, idle) | {busy.client_id: said})
    runs.advance(run.pk)
    busy.refresh_from_db()
    assert (busy.verdict, busy.message) == ("unknown", words) and ran == [others]


def test_work_that_begins_while_the_counters_are_read_is_found_before_the_stage(
    where: FabricSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading them may take four minutes: the machines are asked behind it."""
    ran, now = answering(monkeypatch), {"running": ""}
    run, _, _ = ready_to_run(where)

    def read_counters(source: FabricSource) -> str:
        now["running"] = "1 launcher of a job runs (srun)"
        return ""

    monkeypatch.setattr(runs, "read_counters", read_counters)
    monkeypatch.setattr(
        runs,
        "workloads_of",
        lambda ids: {pk: Workload(heard=True, running=now["running"], logins=0) for pk in ids},
    )
    runs.advance(run.pk)
    assert ran == [[]]
    assert set(BurnInPair.objects.values_list("verdict", "message")) == {("unknown", "1 launcher of a job runs (srun)")}


def test_stopping_begins_no_new_stage(where: FabricSource, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = answering(monkeypatch)
    run = planned(where)
    runs.start(run.pk, by="olga", for_real=True)
    runs.stop(run.pk, by="olga")
    assert runs.advance(run.pk) == "stopped" and ran == []
    with pytest.raises(BurnInRefused):
        runs.start(run.pk, by="olga")


def test_a_stage_whose_worker_died_is_repeated_and_given_up_at_last(
    where: FabricSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = planned(where)
    runs.start(run.pk, by="olga", for_real=True)

    def die(pairs: Sequence[BurnInPair], settings: dict[str, Any]) -> dict[int, str]:
        raise RuntimeError("the worker is gone")

    monkeypatch.setattr(runs, "_run", die)
    for attempt in range(1, 4):
        with pytest.raises(RuntimeError):
            runs.advance(run.pk)
        assert BurnInStage.objects.get().attempts == attempt and runs.WORK.due_ids() == [run.pk]
    runs.advance(run.pk)
    assert BurnInStage.objects.get().status == "failed" and runs.advance(run.pk) == "done"


def test_one_run_at_a_time_on_a_fabric(where: FabricSource) -> None:
    first, second = planned(where), planned(where)
    runs.start(first.pk, by="olga")
    with pytest.raises(BurnInRefused, match="Another"):
        runs.start(second.pk, by="olga")


@pytest.mark.slow
def test_the_script_of_a_machine_runs_in_a_real_shell(
    where: FabricSource, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The tools print recorded results here; what is proven is the script and the reading of its output."""
    (tmp_path / "good").write_text(BY_TIME)
    (tmp_path / "fast").write_text(LATENCY)
    for tool, answer in (("ib_write_bw", "good"), ("ib_write_lat", "fast")):
        (tmp_path / tool).write_text(f'#!/bin/sh\necho "$0 $*" >>{tmp_path}/calls\ncat {tmp_path}/{answer}\n')
        (tmp_path / tool).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}

    async def run_one(target: SshTarget, script: str, limits: Limits) -> SshResult:
        if target.name == "dead":
            return SshResult(target, SshFailure(SshFailureKind.REFUSED, "connection refused"))
        done = await asyncio.to_thread(
            subprocess.run, ["sh", "-c", script], env=environment, capture_output=True, timeout=60, check=False
        )
        return SshResult(target, None, done.returncode, done.stdout, done.stderr)

    monkeypatch.setattr(runs, "run_one", run_one)
    run = planned(where, stage_s=5, lead_s=1)
    pairs = list(BurnInPair.objects.all())
    targets: dict[int | None, SshTarget] = {
        pk: SshTarget("10.0.0.7", 22, "root", "key", name=f"m{pk}", machine_id=pk)
        for pair in pairs
        for pk in (pair.server_id, pair.client_id)
    }
    dead = pairs[1].client_id
    targets[dead] = SshTarget("10.0.0.9", 22, "root", "key", name="dead", machine_id=dead)
    said, results = asyncio.run(runs.run_pairs(pairs, targets, run.settings))
    assert len(results) == 4
    assert runs.verdict(said[pairs[0].pk], run.settings)[:3] == ("pass", 737.91, 3.05)
    assert runs.verdict(said[pairs[1].pk], run.settings)[0] == "unknown" and "refused" in said[pairs[1].pk]
    calls = (tmp_path / "calls").read_text()
    assert "-d mlx5_0 -p 18515 -D 5 -b -F --report_gbits --use_cuda=0 10.0.0.7" in calls
    assert "-d mlx5_0 -p 18515 -D 5 -b -F --report_gbits --use_cuda=0\n" in calls, "the server has no address"


def test_a_name_that_is_no_adapter_reaches_no_shell(where: FabricSource) -> None:
    run = planned(where)
    pair = BurnInPair.objects.all()[0]
    pair.adapter = "mlx5_0; reboot"
    with pytest.raises(BurnInRefused):
        runs.script([runs.Line(pair, 0, "")], run.settings, lead_s=0)
