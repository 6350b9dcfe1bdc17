"""Evidence fetched from machines over real SSH: the hall's machines, each with what its ranks left."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from access.models import Endpoint
from core.models import Role
from health.monitoring.models.verdicts import CurrentVerdict, Layout, MachineReport
from health.tests import factories as make
from health.tests.hall import RunningHall, running_hall
from health.tests.test_api import signed_in
from inventory.models import Machine
from runs.collection import places
from runs.measured import is_stalled
from runs.models import CollectedMachine, Collection, EvidenceSettings, RunRank, TrainingRun
from runs.services import collections, judgement, pulse
from simulator.hall import Hall
from simulator.outputs.evidence import Training, give

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]
WAITS = """Process {pid}: python3 train.py
Python v3.11.2 (/usr/bin/python3.11)

Thread {pid} (active): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:2501)
    wrapper (torch/distributed/c10d_logger.py:83)
    train (train.py:88)
    <module> (train.py:120)
"""
SAVES = """Process {pid}: python3 train.py
Python v3.11.2 (/usr/bin/python3.11)

Thread {pid} (active): "MainThread"
    save (checkpoint.py:41)
    train (train.py:80)
    <module> (train.py:120)
"""
LOG = """[2026-03-02 03:10:00] iteration 100/ 500 | elapsed time per iteration (ms): 900.0 | lm loss: 2.1
{noise}[2026-03-02 03:12:46] {host}:4242:4300 [{gpu}] NCCL WARN NET/IB : Got completion from peer with status=12 opcode=0 len=0 vendor err 129
[rank{rank}]: torch.distributed.DistBackendError: NCCL error
"""


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def machines() -> list[Machine]:
    return make.make_machines(3)


@pytest.fixture
def hall(machines: list[Machine], tmp_path: Path) -> Iterator[RunningHall]:
    with running_hall("ams1", tmp_path) as running:
        yield running


def run_on(machines: list[Machine], ranks: int = 8, **more: Any) -> TrainingRun:
    now = timezone.now()
    told = {"state": "hung", "job": "88213", "world_size": ranks * len(machines), "last_report_at": now, **more}
    run = TrainingRun.objects.create(
        site_id=machines[0].device.site_id, key="88213", started_at=now - timedelta(hours=3), **told
    )
    RunRank.objects.bulk_create(
        RunRank(
            run=run, rank=at * ranks + local, local_rank=local, machine=machine, machine_name=machine.device.name,
            slot=f"gpu{local}",
        )
        for at, machine in enumerate(machines)
        for local in range(ranks)
    )  # fmt: skip
    return run


def trains(hall: RunningHall, at: int, machine: Machine, ranks: int = 8, **told: Any) -> None:
    training = Training(list(range(at * ranks, at * ranks + ranks)), {"SLURM_JOB_ID": "88213"}, **told)
    hall.do(lambda hall: give(hall.machines[machine.device.name], training))


def collected(run: TrainingRun) -> tuple[Collection, dict[str, CollectedMachine]]:
    row = collections.start(run, by="olga")
    assert collections.collect(row.pk)
    row.refresh_from_db()
    return row, {each.name: each for each in row.machines.all()}


def test_the_one_rank_that_stands_elsewhere_is_named_with_its_place(hall: RunningHall, machines: list[Machine]) -> None:
    for at, machine in enumerate(machines):
        stacks = {rank: (SAVES if rank == 13 else WAITS).format(pid=4242 + rank) for rank in range(at * 8, at * 8 + 8)}
        trains(hall, at, machine, stacks=stacks)
    run = run_on(machines)
    row, results = collected(run)
    assert (row.status, {each.result for each in results.values()}) == ("done", {"ok"})
    assert row.summary is not None
    odd, waiting = row.summary["stacks"]
    assert (odd["odd"], odd["ranks"], odd["frames"][0]) == (True, [13], "save (checkpoint.py:41)")
    assert (waiting["count"], waiting["waits"], len(waiting["ranks"])) == (23, True, 23)
    verdict = judgement.judge_run(run.pk)
    assert verdict is not None and (verdict.cause, verdict.rank) == ("hang-pyspy", 13)
    run.refresh_from_db()
    assert run.verdict is not None and run.state == "hung"
    assert (run.verdict["machine_name"], run.verdict["slot"]) == (machines[1].device.name, "gpu5")


def test_the_cause_in_a_log_is_found_where_the_log_lies(hall: RunningHall, machines: list[Machine]) -> None:
    EvidenceSettings.objects.create(site_id=machines[0].device.site_id, logs="/logs/{job}/rank_{rank}.log")
    for at, machine in enumerate(machines):
        files = {}
        for rank in range(at * 8, at * 8 + 8):
            said = LOG.format(noise="x" * 200_000 + "\n", host=machine.device.name, gpu=rank % 8, rank=rank)
            if rank == 9:
                said = said.replace(
                    "[2026-03-02 03:12:46]",
                    "[2026-03-02 03:12:44] NVRM: Xid (PCI:0000:1b:00): 79, pid=4251, GPU has fallen off the bus.\n"
                    "[2026-03-02 03:12:46]",
                    1,
                )
            files[f"/logs/88213/rank_{rank}.log"] = said.encode()
        trains(hall, at, machine, files=files)
    run = run_on(machines, state="failed", ended_at=timezone.now())
    row, results = collected(run)
    assert row.summary is not None and row.summary["logs"] == 24
    assert row.summary["log_bytes"] > 24 * 200_000 and sum(each.size for each in results.values()) < 60_000
    first = row.summary["causes"][0]
    assert (first["class"], first["ranks"], first["line"]) == ("gpu-lost", [9], 3)
    assert first["source"] == f"{machines[1].device.name}:/logs/88213/rank_9.log"
    verdict = judgement.judge_run(run.pk)
    assert verdict is not None and (verdict.cause, verdict.rank) == ("gpu-lost", 9)
    assert verdict.machine == machines[1].device.name


def test_what_the_kernel_said_before_the_last_step_explains_no_hang(hall: RunningHall, machines: list[Machine]) -> None:
    """The GPU that was lost is another rank's trouble only where the run made no step after it."""
    for at, machine in enumerate(machines):
        stacks = {rank: (SAVES if rank == 13 else WAITS).format(pid=4242 + rank) for rank in range(at * 8, at * 8 + 8)}
        trains(hall, at, machine, stacks=stacks)
    name, gpu_lost = machines[0].device.name, "NVRM: Xid (PCI:0000:1b:00): 79, pid=1, GPU has fallen off the bus."

    def lose(hall: Hall) -> None:
        hall.machines[name].state.booted_at -= 3600
        hall.machines[name].log_kernel(hall.clock() - 600, gpu_lost)

    hall.do(lose)
    run = run_on(machines, last_step_at=timezone.now() - timedelta(minutes=5))
    collected(run)
    verdict = judgement.judge_run(run.pk)
    assert verdict is not None and (verdict.cause, verdict.rank) == ("hang-pyspy", 13)
    TrainingRun.objects.update(last_step_at=None)
    verdict = judgement.judge_run(run.pk)
    assert verdict is not None and (verdict.cause, verdict.machine) == ("gpu-lost", name)


def test_first_causes_are_compared_by_clocks_that_are_right(hall: RunningHall, machines: list[Machine]) -> None:
    """The clock of the machine that failed first is four minutes fast, so its line looks like the last."""
    EvidenceSettings.objects.create(site_id=machines[0].device.site_id, logs="/logs/rank_{rank}.log")
    name = machines[2].device.name
    hall.do(lambda hall: hall.inject(hall.machines[name], "clock_skew", params={"seconds": 240.0}))
    error = "[2026-03-02 03:{time}] RuntimeError: CUDA error: an illegal memory access was encountered\n"
    for at, machine in enumerate(machines):
        time = {0: "12:47", 1: "12:46", 2: "16:45"}[at]
        trains(hall, at, machine, 1, files={f"/logs/rank_{at}.log": error.format(time=time).encode()})
    run = run_on(machines, 1, state="failed", ended_at=timezone.now())
    _, results = collected(run)
    assert results[name].clock_ahead_s == pytest.approx(240, abs=3)
    verdict = judgement.judge_run(run.pk)
    assert verdict is not None and verdict.rank == 2


def test_each_machine_fails_for_itself(hall: RunningHall, machines: list[Machine]) -> None:
    for at, machine in enumerate(machines):
        trains(hall, at, machine, 1, stacks={at: WAITS.format(pid=4242 + at)})
    refuses, silent = machines[0].device.name, machines[1]
    hall.do(lambda hall: hall.inject(hall.machines[refuses], "ssh_refuses"))
    Endpoint.objects.filter(machine=silent, kind="ssh").update(port=9)
    run = run_on(machines, 1)
    RunRank.objects.create(run=run, rank=3, machine_name="laptop")
    row, results = collected(run)
    assert {name: each.result for name, each in results.items()} == {
        refuses: "refused", silent.device.name: "unreachable", machines[2].device.name: "ok", "laptop": "unreachable"
    }  # fmt: skip
    assert results["laptop"].message == "not in the inventory"
    assert row.summary is not None and row.summary["stacks"][0]["ranks"] == [2]


def test_a_rank_in_the_kernel_and_the_flight_recorder_are_read(hall: RunningHall, machines: list[Machine]) -> None:
    kernel = (
        "process 4242 thread 4242\nName:\tpython3\nState:\tD (disk sleep)\nPPid:\t4000\nwchan: rpc_wait_bit_killable\n"
        "[<0>] rpc_wait_bit_killable+0x11/0x70 [sunrpc]\n[<0>] nfs4_file_flush+0x5e/0x90 [nfsv4]\n"
    )
    trains(hall, 0, machines[0], 1, kernel=kernel)
    for at in (1, 2):
        trains(hall, at, machines[at], 1, files={f"/tmp/nccl_trace_rank_{at}": b'{"pg_config": {}'})
    run = run_on(machines, 1)
    row, results = collected(run)
    assert row.summary is not None and row.summary["kernel"][0]["waits_for"] == "a file system"
    assert len(row.summary["unreadable"]) == 2 and results[machines[0].device.name].result == "ok"
    verdict = judgement.judge_run(run.pk)
    assert verdict is not None and verdict.rank is not None


# ---- by itself ----
def test_a_run_that_hangs_is_collected_once_and_where_the_site_lets_it(
    machines: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, tuple[Any, ...]]] = []
    monkeypatch.setattr("runs.services.pulse.after_commit", lambda task, *args, **more: sent.append((task, args)))
    now = timezone.now()
    run = run_on(machines, 1, state="running", baseline_s=1.0, last_step_at=now - timedelta(minutes=5), last_step=7)
    assert pulse.follow() == 1
    assert ("runs.tasks.collect_of_hang", (run.pk,)) in sent
    made = collections.start_for_hang(run.pk)
    assert made is not None and (made.reason, made.machines.count()) == ("hang", 3)
    assert collections.start_for_hang(run.pk) is None
    Collection.objects.all().delete()
    EvidenceSettings.objects.create(site_id=run.site_id, hangs=False)
    assert collections.start_for_hang(run.pk) is None


def test_one_collection_at_a_time_and_none_without_a_rank(machines: list[Machine]) -> None:
    run = run_on(machines, 1)
    assert collections.start(run).pk == collections.start(run).pk
    empty = TrainingRun.objects.create(
        site_id=run.site_id, key="x", started_at=timezone.now(), last_report_at=timezone.now()
    )
    with pytest.raises(collections.CollectionRefused, match="no rank"):
        collections.start(empty)


def test_evidence_is_kept_as_long_as_the_table_says(machines: list[Machine]) -> None:
    row = collections.start(run_on(machines, 1))
    now = timezone.now()
    assert collections.prune(now=now + timedelta(days=400)) == 0, "it is under way"
    Collection.objects.filter(pk=row.pk).update(status="done", finished_at=now)
    assert collections.prune(now=now + timedelta(days=89)) == 0
    assert collections.prune(now=now + timedelta(days=91)) == 1


# ---- the API ----
@pytest.mark.slow
def test_an_operator_starts_and_whom_the_site_lets_reads(hall: RunningHall, machines: list[Machine]) -> None:
    EvidenceSettings.objects.create(site_id=machines[0].device.site_id, logs="/logs/rank_{rank}.log")
    trains(hall, 0, machines[0], 1, files={"/logs/rank_0.log": b"ValueError: secret prompt\nKeyError: 'x'\n"})
    run = run_on(machines[:1], 1, state="failed", ended_at=timezone.now())
    viewer, operator = signed_in(Role.VIEWER, name="vera"), signed_in(Role.OPERATOR)
    body = json.dumps({"run": run.pk})
    assert viewer.post("/api/run-collections/", body, content_type="application/json").status_code == 403
    made = operator.post("/api/run-collections/", body, content_type="application/json")
    assert made.status_code == 201 and made.json()["state"] == "queued"
    number = made.json()["id"]
    collections.collect(number)
    said = viewer.get(f"/api/run-collections/{number}/").json()
    assert (said["state"], said["answered"], said["complete"]) == ("done", 1, 1)
    assert said["summary"]["causes"][0]["text"] == ""
    assert operator.get(f"/api/run-collections/{number}/").json()["summary"]["causes"][0]["text"]
    rows = viewer.get(f"/api/run-collections/{number}/machines/").json()["results"]
    assert (rows[0]["name"], rows[0]["ranks"], rows[0]["result"]) == (machines[0].device.name, [0], "ok")
    place = f"/api/run-collections/{number}/machines/{rows[0]['id']}/evidence/"
    assert viewer.get(place).status_code == 403
    file = b"".join(_bytes(operator.get(place)))
    with tarfile.open(fileobj=io.BytesIO(file)) as tar:
        tail = next(name for name in tar.getnames() if "log.tail" in name)
        found = tar.extractfile(tail)
        assert found is not None and b"secret prompt" in gzip.decompress(found.read())


def _bytes(response: Any) -> list[bytes]:
    import asyncio

    async def read() -> list[bytes]:
        return [part async for part in response.streaming_content]

    return asyncio.run(read()) if response.is_async else list(response.streaming_content)


@pytest.mark.parametrize(
    ("logs", "good"),
    [
        ("/logs/{job}/rank_{rank}.log\n/scratch/*/{local_rank}/std*", True),
        ("logs/x", False),
        ("/logs/../etc/shadow", False),
        ("/logs/{secret}", False),
    ],
)
def test_patterns_of_a_site_are_checked(machines: list[Machine], logs: str, good: bool) -> None:
    admin: Client = signed_in(Role.ADMIN)
    site = machines[0].device.site_id
    place = f"/api/run-evidence-settings/{site}/"
    answer = admin.patch(place, json.dumps({"logs": logs}), content_type="application/json")
    assert (answer.status_code == 200) is good
    assert (admin.get(place).json()["logs"] == logs) is good
    assert admin.get(place).json()["places"] == list(places.FIELDS)


def test_a_collection_whose_worker_dies_is_gone_on_with(hall: RunningHall, machines: list[Machine]) -> None:
    """What was fetched before is not fetched again."""
    for at, machine in enumerate(machines):
        trains(hall, at, machine, 1, stacks={at: WAITS.format(pid=4242 + at)})
    row = collections.start(run_on(machines, 1))
    assert collections.WORK.take(row.pk) is not None
    first = row.machines.get(name=machines[0].device.name)
    first.result, first.message = "ok", "of the first worker"
    first.save()
    assert not collections.collect(row.pk), "the lease of the dead worker still runs"
    with transaction.atomic():
        Collection.objects.filter(pk=row.pk).update(due_at=timezone.now() - timedelta(seconds=1))
    assert collections.collect(row.pk)
    first.refresh_from_db()
    assert first.message == "of the first worker"


# ---- hangs by what GPUs do ----
def test_a_run_whose_gpus_are_busy_at_idle_power_hangs_also_where_nobody_reports(machines: list[Machine]) -> None:
    now = timezone.now()
    run = run_on(machines, 2, state="running", last_report_at=now - timedelta(minutes=20))
    layout = Layout.objects.create(checks_version="x", model="m", digest="d", entries=[])
    for machine in machines:
        MachineReport.objects.create(machine=machine, layout=layout, verdicts=b"", checked_at=now, heard_at=now)
    rows = [
        CurrentVerdict(
            machine=machine, check_id="gpu.stall", part=f"gpu{local}", verdict="warn", message="", checked_at=now,
            changed_at=now - timedelta(minutes=5),
        )
        for machine in machines
        for local in range(2)
    ]  # fmt: skip
    CurrentVerdict.objects.bulk_create(rows[:5])
    assert not is_stalled(run), "a sixth of its GPUs works"
    rows[5].save(force_insert=True)
    assert is_stalled(run)
    pulse.follow()
    run.refresh_from_db()
    assert run.state == "hung"
    CurrentVerdict.objects.update(changed_at=now)
    assert not is_stalled(run), "seen once: it may wait at the end of a step"
    CurrentVerdict.objects.update(changed_at=now - timedelta(minutes=5))
    run.last_step_at = now - timedelta(minutes=1)
    assert not is_stalled(run), "it made a step since"
