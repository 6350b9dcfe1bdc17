"""The launch check as a job of a real Slurm, running a real all-reduce of torch over gloo; read over a real OpenSSH."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from access.services import EndpointRow, load_endpoints
from core.models import Site
from core.services import set_credential
from drivers.scheduler import SchedulerError
from drivers.tests.ports import until
from drivers.tests.slurm import PrivateSlurm
from health.diagnostics import services
from health.diagnostics.services import progress, slurm_jobs
from health.diagnostics.services.candidates import Candidate
from health.diagnostics.services.launch_ways import save
from health.machines.workload import Workload
from health.models import ActiveRun, LaunchWay, MachineHealth, SchedulerSource
from health.schedulers.services import readings
from health.tests.factories import device_model, make_machines
from health.tests.test_api import signed_in
from inventory.models import Machine
from runs.services import launch_check

pytestmark = [pytest.mark.services, pytest.mark.django_db]
NAMES = [f"gpu-ams1-{number:04}" for number in range(4)]
WRAPPER = """\
# Starts a task as it is told; on the machine {slow} every all-reduce takes a while longer.
import os
text = os.environ["RACKSIDE_ALL_REDUCE"]
if os.environ.get("SLURMD_NODENAME") == {slow!r}:
    text = text.replace("for _ in range(rounds):\\n", "for _ in range(rounds):\\n        time.sleep(0.3)\\n", 1)
exec(text)
"""


@pytest.fixture(scope="module")
def slurm() -> Iterator[PrivateSlurm]:
    with PrivateSlurm(NAMES) as running:
        running.target = running.start_sshd()  # type: ignore[attr-defined]
        yield running


@pytest.fixture
def machines(slurm: PrivateSlurm, monkeypatch: pytest.MonkeyPatch) -> list[Machine]:
    """In service and idle, each with one task instead of eight; what this computer can reach is expected of them."""
    free(slurm)
    model = device_model()
    limits = {"all_reduce_group_fail_gbytes_s": 0, "all_reduce_latency_us": 150_000}
    model.spec["expected"] = (model.spec.get("expected") or {}) | {"thresholds": limits}
    model.save()
    made = make_machines(4)
    target = slurm.target  # type: ignore[attr-defined]
    set_credential("ssh", kind="ssh_key", username=target.username, secret=slurm.ssh_key, hosts=["127.0.0.0/8"])
    rows = [EndpointRow(machine.device.name, "ssh", "127.0.0.1", target.port) for machine in made]
    load_endpoints(rows, site_slug="ams1")
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    monkeypatch.setattr(Candidate, "gpus", 1)
    nothing = Workload(heard=True, running="", logins=0)
    monkeypatch.setattr(progress, "workloads_of", lambda ids: dict.fromkeys(ids, nothing))
    return made


@pytest.fixture
def source(slurm: PrivateSlurm, machines: list[Machine]) -> SchedulerSource:
    target = slurm.target  # type: ignore[attr-defined]
    login = set_credential(
        "login", kind="ssh_key", username=target.username, secret=slurm.ssh_key, purpose="ssh", hosts=["127.0.0.1"]
    )
    made = SchedulerSource.objects.create(
        site=Site.objects.get(), ssh_address=f"127.0.0.1:{target.port}", ssh_credential=login, settle_s=0
    )
    assert readings.read(made.pk) is not None
    return made


@pytest.fixture
def way(source: SchedulerSource) -> LaunchWay:
    command = command_of("{program}")
    values = {"site": source.site, "name": "srun", "way": "srun", "program": "torch", "command": command}
    return save(LaunchWay(), values)


def free(slurm: PrivateSlurm) -> None:
    """All machines idle."""
    slurm.command("scancel", "-u", "root")
    for name in NAMES:
        if slurm.state(name).startswith("dra"):
            slurm.scontrol("update", f"NodeName={name}", "State=RESUME")
    until(lambda: all(slurm.state(name) == "idle" for name in NAMES), 60, "the machines are not idle")


def command_of(program: str, more: str = "") -> str:
    """Every job has a port of its own: here all machines are one computer."""
    return (
        f"srun env PATH=/usr/bin:/bin OMP_NUM_THREADS=1 {program} --device cpu --most 16 --rounds 1 --wait 60 "
        f"--master 127.0.0.1:{{port}}{more}"
    )


def turns(run: ActiveRun, *, until_s: float = 150) -> ActiveRun:
    end = time.monotonic() + until_s
    while services.advance(run.pk) in ("waiting", "running"):
        assert time.monotonic() < end, list(run.steps.values_list("round", "status", "verdict", "message"))
        time.sleep(0.3)
    run.refresh_from_db()
    return run


def started(source: SchedulerSource, machines: list[Machine], **more: Any) -> ActiveRun:
    return launch_check.start(source.site_id, [each.pk for each in machines], by="olga", **more)


def jobs_of(slurm: PrivateSlurm, run: ActiveRun) -> list[str]:
    said = slurm.command("squeue", "-h", "-t", "all", "-o", "%j %T %D").stdout.splitlines()
    return sorted(line for line in said if line.startswith(f"rackside-{run.pk}."))


def test_all_machines_at_once_run_one_job_and_bandwidth_and_latency_stand_beside_what_is_expected(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, way: LaunchWay
) -> None:
    body = {"kind": "groups", "machines": [each.pk for each in machines[:2]]}
    plan = signed_in().post("/api/health/active-runs/plan/", body, content_type="application/json").json()
    assert [row["taken_out"] for row in plan["machines"]] == [False, False]
    run = turns(started(source, machines[:2]))
    told = list(run.steps.values_list("verdict", "message", "output"))
    assert (run.status, run.message, run.conclusion) == ("done", "", {}), told
    (step,) = run.steps.all()
    assert (step.level, step.verdict, sorted(step.machine_ids)) == ("whole", "pass", [each.pk for each in machines[:2]])
    said = {row["check"]: row for row in step.findings}
    assert set(said) == {"nvlink.allreduce", "nvlink.allreduce_latency"}
    assert said["nvlink.allreduce_latency"]["message"].endswith("over 2 machines, 1.5e+05 at most is asked")
    assert said["nvlink.allreduce"]["verdict"] == said["nvlink.allreduce_latency"]["verdict"] == "ok"
    assert jobs_of(slurm, run) == [f"rackside-{run.pk}.{step.pk}.1-{run.launch['key']} COMPLETED 2"]
    assert set(MachineHealth.objects.values_list("state", flat=True)) == {"ready"}, "nothing left service for it"
    assert all(slurm.state(name) == "idle" for name in NAMES)
    assert not list(Path("/var/tmp").glob(f"rackside-{run.pk}.*")), "its output is gone from the machine"


@pytest.mark.slow
def test_a_worker_that_died_after_submitting_finds_its_job_again(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, way: LaunchWay,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    run = started(source, machines[:2])
    real = slurm_jobs.submit

    def dies(job: slurm_jobs.SlurmJob) -> None:
        assert real(job) is None and real(job) is None, "sent again it finds the first"
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(slurm_jobs, "submit", dies)
        with pytest.raises(KeyboardInterrupt):
            services.advance(run.pk)
    assert turns(run).status == "done" and run.steps.get().attempts == 1
    assert len(jobs_of(slurm, run)) == 1


@pytest.mark.slow
def test_cancelling_the_run_ends_its_job(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, way: LaunchWay
) -> None:
    way.command = "srun sleep 120 # {program}"
    way.save()
    run = started(source, machines[:2])
    services.advance(run.pk)
    until(lambda: slurm.state(NAMES[0]) == "allocated", 20, "it does not start")
    services.cancel(run.pk, by="olga")
    assert turns(run).status == "cancelled"
    until(lambda: slurm.state(NAMES[0]) == "idle", 30, "it goes on")


@pytest.mark.slow
def test_a_machine_with_a_job_or_drained_by_us_is_refused_with_the_reason_and_nothing_is_submitted(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, way: LaunchWay
) -> None:
    slurm.run_job(NAMES[0])
    readings.read(source.pk)
    with pytest.raises(launch_check.NotThisSet, match=f"{NAMES[0]}: a job runs on it"):
        started(source, machines[:2])
    free(slurm)
    MachineHealth.objects.filter(pk=machines[1].pk).update(state="drained")
    slurm.scontrol("update", f"NodeName={NAMES[2]}", "State=DRAIN", "Reason=a riser")
    readings.read(source.pk)
    with pytest.raises(launch_check.NotThisSet) as refused:
        started(source, machines[:3])
    assert f"{NAMES[1]}: it is drained, Slurm starts no job there: return it to service" in str(refused.value)
    assert f"{NAMES[2]}: it is drained in Slurm: a riser" in str(refused.value)
    MachineHealth.objects.filter(pk=machines[1].pk).update(state="ready")
    way.partition = "other"
    way.save()
    with pytest.raises(launch_check.NotThisSet, match="it is not in the partition other"):
        started(source, machines[:2])
    assert not ActiveRun.objects.exists()


@pytest.mark.slow
def test_a_job_that_came_between_or_that_slurm_refuses_ends_the_check_with_its_words(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, way: LaunchWay,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    run = started(source, machines[:2])
    slurm.run_job(NAMES[1])
    run = turns(run)
    assert run.status == "failed" and run.message == (
        f"nothing could be begun: not begun: {NAMES[1]}: a job runs on it"
    )
    free(slurm)
    readings.read(source.pk)
    way.reservation = "rackside-lost"
    way.save()
    run = turns(started(source, machines[:2]))
    assert run.status == "failed" and "Slurm refuses it: " in run.message and "eservation" in run.message
    assert jobs_of(slurm, run) == []


@pytest.mark.slow
def test_what_slurm_does_not_start_on_all_machines_leaves_the_queue(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, way: LaunchWay,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    run = started(source, machines[:2])
    monkeypatch.setattr(progress, "ask_schedulers", lambda ids: None)  # the job begins right after it was asked
    slurm.run_job(NAMES[1])
    monkeypatch.setattr(slurm_jobs, "START_WITHIN", slurm_jobs.START_WITHIN / 60)
    run = turns(run)
    assert run.status == "failed" and "Slurm did not start it on all machines within 2 s: Resources" in run.message
    until(lambda: jobs_of(slurm, run)[0].split()[1] == "CANCELLED", 10, "it waits on")


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_asked_again_and_nothing_is_submitted_twice(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, way: LaunchWay,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    run = started(source, machines[:2])
    services.advance(run.pk)
    assert run.steps.get().status == "running"

    def silent(site_id: int) -> Any:
        raise SchedulerError("no answer")

    with monkeypatch.context() as patch:
        patch.setattr(slurm_jobs, "_driver", silent)
        for _ in range(3):
            assert services.advance(run.pk) == "running"
    assert turns(run).status == "done" and len(jobs_of(slurm, run)) == 1


@pytest.mark.slow
def test_the_machine_that_holds_the_others_back_is_named(
    slurm: PrivateSlurm, machines: list[Machine], source: SchedulerSource, way: LaunchWay, tmp_path: Path
) -> None:
    (tmp_path / "task.py").write_text(WRAPPER.format(slow=NAMES[2]))
    way.command = command_of(f"python3 {tmp_path}/task.py", " # {program}")
    way.save()
    run = turns(started(source, machines), until_s=300)
    assert run.status == "done" and run.steps.get(level="whole").verdict == "fail"
    assert run.conclusion["groups"]["bad"] == [NAMES[2]], run.conclusion


@pytest.mark.slow
def test_a_job_that_slurm_does_not_list_may_still_be_on_its_way_for_a_minute(
    machines: list[Machine], source: SchedulerSource
) -> None:
    job = slurm_jobs.SlurmJob(source.site_id, ["rackside-1.2.1-ab"], [machines[0].pk], timezone.now(), None)
    assert slurm_jobs.look(job).state == "unknown", "it may still be on its way"
    late = slurm_jobs.SlurmJob(source.site_id, job.names, job.machine_ids, timezone.now() - 2 * slurm_jobs.NOT_LISTED)
    assert slurm_jobs.look(late).state == "lost"
