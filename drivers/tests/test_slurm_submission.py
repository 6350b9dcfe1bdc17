"""Jobs of our own through a real Slurm: over slurmrestd, by sbatch over SSH, and behind the forced command."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from drivers.scheduler import Job, JobScheduler, NewJob, NotQueued, SchedulerError
from drivers.slurm import submission
from drivers.slurm.commands import LocalShell, SlurmCommands, SshShell
from drivers.slurm.rest import SlurmRest
from drivers.tests.ports import until
from drivers.tests.slurm import PrivateSlurm

NAMES = ["gpu001", "gpu002", "gpu003"]
FORCED = Path(__file__).parents[2] / "contrib" / "slurm" / "rackside-scontrol"
JOB = NewJob("rackside-1.2.1-9f3a", ("gpu001", "gpu002"), 2, 8, 90, "echo it\\'s $SLURM_JOB_NAME\nsrun hostname\n",
             "/var/tmp/rackside-1.2.1-9f3a.out")  # fmt: skip


# ---- pure ----


def test_a_job_asks_for_exactly_its_machines_whole_and_once() -> None:
    words = submission.words_of(replace(JOB, partition="train", account="ops", reservation="rackside-check"))
    assert words == (
        "sbatch", "--parsable", "--no-requeue", "--exclusive", "--job-name=rackside-1.2.1-9f3a", "--nodes=2",
        "--nodelist=gpu001,gpu002", "--ntasks-per-node=2", "--gres=gpu:8", "--time=2",
        "--output=/var/tmp/rackside-1.2.1-9f3a.out", "--chdir=/", "--partition=train", "--account=ops",
        "--reservation=rackside-check",
    )  # fmt: skip
    body = submission.body_of(replace(JOB, partition="train"), "v0.0.40")["job"]
    assert (body["required_nodes"], body["tres_per_node"], body["environment"][0][:5]) == (
        ["gpu001", "gpu002"], "gres/gpu:8", "PATH=",
    )  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"name": "train-1"}, {"name": "rackside-1;ls"}, {"machines": ()}, {"machines": ("gpu001", "gpu001")},
        {"machines": ("gpu[1-3]",)}, {"machines": ("ALL",)}, {"partition": "a b"}, {"account": "x --uid=0"},
        {"reservation": "-x"}, {"output": "/var/tmp/%x;ls"}, {"output": "out"},
        {"script": f"ls\n{submission.END_OF_SCRIPT}\nls"}, {"script": "x" * 70_000},
    ],
)  # fmt: skip
def test_what_slurm_would_read_otherwise_is_refused_before_it_is_asked(change: dict[str, object]) -> None:
    with pytest.raises(NotQueued):
        submission.checked(replace(JOB, **change))  # type: ignore[arg-type]


def test_only_an_answer_of_the_controller_says_that_nothing_was_queued() -> None:
    said = submission.no("sbatch: error: Batch job submission failed: Invalid partition name specified")
    assert isinstance(said, NotQueued) and "Invalid partition" in str(said)
    for text in ("sbatch: error: Batch job submission failed: Socket timed out on send/recv operation",
                 "sbatch: error: Batch job submission failed: Unable to contact slurm controller"):  # fmt: skip
        assert not isinstance(submission.no(text), NotQueued)
    assert submission.number_of("sbatch: warning: x\n88213;main\n") == "88213"
    with pytest.raises(SchedulerError, match="tells no id"):
        submission.number_of("Submitted")


def test_of_several_jobs_of_a_name_the_newest_is_meant_and_names_of_others_are_none_of_ours() -> None:
    def job(number: str, name: str) -> Job:
        found = Job(number, "pending", False, frozenset())
        return replace(found, asked=replace(found.asked, name=name))

    jobs = [job("9", JOB.name), job("10", JOB.name), job("11", JOB.name + "x")]
    found = submission.newest(jobs, JOB.name)
    assert found is not None and found.id == "10"
    with pytest.raises(SchedulerError, match="no name of a job of ours"):
        submission.newest(jobs, "train")


# ---- a real Slurm ----


@pytest.fixture(scope="module")
def slurm() -> Iterator[PrivateSlurm]:
    with PrivateSlurm(NAMES) as running:
        running.target = running.start_sshd()  # type: ignore[attr-defined]
        yield running


@pytest.fixture(
    params=["rest", pytest.param("ssh", marks=pytest.mark.slow), pytest.param("local", marks=pytest.mark.slow)]
)
def scheduler(request: pytest.FixtureRequest, slurm: PrivateSlurm) -> JobScheduler:
    slurm.command("scancel", "-u", "root")
    until(lambda: all(slurm.state(name) == "idle" for name in NAMES), 30, "the machines are not idle")
    match request.param:
        case "rest":
            return SlurmRest(slurm.url, "root", slurm.key_text)
        case "ssh":
            return SlurmCommands(SshShell(slurm.target))  # type: ignore[attr-defined]
    return SlurmCommands(LocalShell(environment=slurm.environment))


def ended(scheduler: JobScheduler, name: str) -> Job:
    deadline = time.monotonic() + 40
    while (found := asyncio.run(scheduler.find(name))) is None or found.running or found.state == "pending":
        assert time.monotonic() < deadline, found
        time.sleep(0.3)
    return found


@pytest.mark.services
def test_a_job_runs_on_its_machines_and_is_found_by_its_name(
    scheduler: JobScheduler, slurm: PrivateSlurm, tmp_path: Path
) -> None:
    mine = replace(JOB, name=f"rackside-1.{time.monotonic_ns()}.1-ab", output=f"{tmp_path}/out")
    assert asyncio.run(scheduler.find(mine.name)) is None
    number = asyncio.run(scheduler.submit(mine))
    found = ended(scheduler, mine.name)
    assert (found.id, found.state, found.exit_status, found.first_machine) == (number, "completed", 0, "gpu001")
    assert found.machines == {"gpu001", "gpu002"}
    lines = Path(mine.output).read_text().splitlines()
    assert lines[0] == f"it's {mine.name}" and len(lines) == 5, "two tasks on each of two machines"


@pytest.mark.services
def test_cancelling_ends_all_jobs_of_a_name_and_no_other(
    scheduler: JobScheduler, slurm: PrivateSlurm, tmp_path: Path
) -> None:
    mine = replace(JOB, name=f"rackside-2.{time.monotonic_ns()}.1-ab", script="sleep 60", output=f"{tmp_path}/out")
    other = replace(mine, name=mine.name + "x", machines=("gpu003",))
    for job in (mine, mine, other):
        asyncio.run(scheduler.submit(job))
    until(lambda: slurm.state("gpu001") == "allocated", 20, "it does not start")
    asyncio.run(scheduler.cancel(mine.name))
    assert ended(scheduler, mine.name).state == "cancelled"
    until(lambda: slurm.command("squeue", "-h", "-n", mine.name).stdout == "", 20, "one of them goes on")
    left = asyncio.run(scheduler.find(other.name))
    assert left is not None and left.state in ("pending", "running")
    asyncio.run(scheduler.cancel(mine.name))
    asyncio.run(scheduler.cancel(other.name))


@pytest.mark.services
def test_what_slurm_refuses_is_not_in_the_queue_and_is_told_in_its_words(scheduler: JobScheduler) -> None:
    with pytest.raises(NotQueued, match=r"(?i)partition"):
        asyncio.run(scheduler.submit(replace(JOB, partition="lost")))
    with pytest.raises(NotQueued, match=r"(?i)node"):
        asyncio.run(scheduler.submit(replace(JOB, machines=("gpu009",))))
    assert asyncio.run(scheduler.find(JOB.name)) is None


@pytest.mark.services
@pytest.mark.slow
def test_the_forced_command_lets_launch_checks_through_where_it_was_told_to_and_nothing_else(tmp_path: Path) -> None:
    with PrivateSlurm(["gpu001"]) as slurm:
        asked = tmp_path / "forced"
        asked.write_text(f"#!/bin/sh\nRACKSIDE_LAUNCH=$(cat {tmp_path}/on) exec {FORCED}\n")
        asked.chmod(0o755)
        (tmp_path / "on").write_text("0")
        shell = SshShell(slurm.start_sshd(forced_command=str(asked)))
        scheduler, mine = SlurmCommands(shell), replace(JOB, machines=("gpu001",), output=f"{tmp_path}/out")
        with pytest.raises(NotQueued, match="RACKSIDE_LAUNCH"):
            asyncio.run(scheduler.submit(mine))
        (tmp_path / "on").write_text("1")
        asyncio.run(scheduler.submit(mine))
        assert ended(scheduler, mine.name).state == "completed"
        assert Path(mine.output).read_text().startswith("it's rackside-")
        asyncio.run(scheduler.cancel(mine.name))
        words = submission.words_of(mine)
        for wrong in (
            (*words, "--uid=0"), (*words, "--wrap=ls"), tuple(word.replace("rackside-", "x-") for word in words),
            ("scancel", "--name=x"), ("scancel", "-u", "root"), (*words, "$(id)"), (*words, "--output=/x\n"),
        ):  # fmt: skip
            try:
                done = asyncio.run(shell.run(wrong, "ls"))
            except ValueError:
                continue  # no word of a command line
            assert done.status == 126 and "not allowed" in done.err, wrong
        done = asyncio.run(shell.run((*words, "--time=1"), f"ls\n{submission.END_OF_SCRIPT}\nid"))
        assert done.status != 0 or json.dumps(done.out), "what stands behind its end is no command of the shell"
