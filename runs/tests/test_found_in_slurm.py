"""Runs of a real Slurm's jobs: found without a report, told apart, ended as their jobs end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.models import Site
from core.services import set_credential
from drivers.tests.slurm import PrivateSlurm, until
from health.models import SchedulerSource
from health.schedulers.services import readings
from health.tests.factories import make_machines
from runs.models import TrainingRun
from runs.services import finding

pytestmark = [pytest.mark.services, pytest.mark.django_db]
NAMES = [f"gpu-ams1-{number:04}" for number in range(2)]


@pytest.fixture
def slurm() -> Iterator[PrivateSlurm]:
    with PrivateSlurm(NAMES) as running:
        yield running


@pytest.fixture(params=["REST", pytest.param("scontrol", marks=pytest.mark.slow)])
def source(request: pytest.FixtureRequest, slurm: PrivateSlurm) -> SchedulerSource:
    until(lambda: all(slurm.state(name) == "idle" for name in NAMES), 60, "the machines are not idle")
    make_machines(2)
    site = Site.objects.get()
    if request.param == "REST":
        key = set_credential(
            "slurm", kind="password", username="root", secret=slurm.key_text, purpose="slurm", hosts=["127.0.0.1"]
        )
        return SchedulerSource.objects.create(site=site, url=slurm.url, credential=key)
    target = slurm.start_sshd()
    login = set_credential(
        "login", kind="ssh_key", username=target.username, secret=slurm.ssh_key, purpose="ssh", hosts=["127.0.0.1"]
    )
    return SchedulerSource.objects.create(site=site, ssh_address=f"127.0.0.1:{target.port}", ssh_credential=login)


def look(source: SchedulerSource) -> dict[tuple[str, int], str]:
    """Read it, find runs: the state of each by key and attempt."""
    SchedulerSource.objects.filter(pk=source.pk).update(since=None)
    readings.read(source.pk)
    finding.find()
    return {(run.key, run.attempt): run.state for run in TrainingRun.objects.all()}


def runs_there(slurm: PrivateSlurm, job: str) -> None:
    until(lambda: slurm.job_state(job) == "RUNNING", 30, f"job {job} does not start")


def test_jobs_with_gpus_are_runs_and_end_as_slurm_says(slurm: PrivateSlurm, source: SchedulerSource) -> None:
    small = ("--mem", "100")
    gpus = ("--gres", "gpu:h100:2", *small)
    failed = slurm.submit("exit 3", *gpus)
    plain = slurm.submit("sleep 600", "-w", NAMES[0], *small)
    again = slurm.submit("sleep 600", *gpus, "--requeue", "-w", NAMES[0])
    array = slurm.submit("sleep 600", *gpus, "--array", "0-1", "-w", NAMES[1]).split("_")[0]
    runs_there(slurm, again)
    runs_there(slurm, f"{array}_1")
    until(lambda: slurm.job_state(failed) in ("", "FAILED"), 30, "the job does not fail")
    found = look(source)
    assert found == {
        (failed, 0): "failed", (again, 0): "running", (f"{array}_0", 0): "running", (f"{array}_1", 0): "running",
    }, plain  # fmt: skip
    job = TrainingRun.objects.get(key=failed).scheduler_job
    assert job is not None and (job.exit_status, job.gpus) == (3, 2)

    slurm.scontrol("requeue", again)
    # Not within the second in which it was killed: a node takes such a start for one that was revoked, and it fails.
    slurm.scontrol("update", f"JobId={again}", "StartTime=now+3")
    slurm.cancel(f"{array}_0")
    # It waits, or it has begun once more already.
    until(lambda: slurm.job_state(again) in ("PENDING", "RUNNING"), 60, "the job is not requeued")
    found = look(source)
    assert (found[again, 0], found[f"{array}_0", 0], found[f"{array}_1", 0]) == ("ended", "ended", "running")
    verdict = TrainingRun.objects.get(key=f"{array}_0").verdict
    assert verdict is not None and verdict["class"] == "slurm-cancel"
