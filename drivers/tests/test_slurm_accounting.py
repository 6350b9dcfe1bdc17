"""Past jobs and steps: both ways to a real slurmdbd, and text that is none of its answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.scheduler import Job, Scheduler, SchedulerError
from drivers.slurm.commands import Done, LocalShell, SlurmCommands, SshShell
from drivers.slurm.past_jobs import FIELDS, jobs_in, jobs_of
from drivers.slurm.rest import SlurmRest
from drivers.tests.ports import until
from drivers.tests.slurm import PrivateSlurm
from drivers.tests.slurm_accounting import AccountedSlurm

CONTRIB = Path(__file__).parents[2] / "contrib" / "slurm" / "rackside-scontrol"
NAMES = ["gpu001", "gpu002"]
BETWEEN = "51ab"
SCRIPT = "srun -J setup true; srun -J train bash -c 'exit 7'"


class Ran:
    """What ran on it: a job of two steps that fails, a cancelled one, an array, one that was put back in the queue."""

    def __init__(self, slurm: AccountedSlurm) -> None:
        self.slurm, self.began = slurm, int(time.time())
        self.failed = slurm.submit(SCRIPT, "-J", "kes|trel", "--gres=gpu:4", "-N", "2", "-t", "90")
        forged = line(JobIDRaw="99", JobID="99", State="NODE_FAIL")
        self.forger = slurm.submit("true", "-J", f"x\n{forged}")
        self.array = slurm.submit("true", "--array=3", "-N", "1")
        self.cancelled = slurm.run_job("gpu001")
        self.again = slurm.run_job("gpu002")
        slurm.cancel(self.cancelled)
        slurm.scontrol("requeue", self.again)
        self.running = slurm.run_job("gpu001")
        until(lambda: {"REQUEUED", "RUNNING"} <= self._states(), 30, "the accounting does not hear of them")

    def _states(self) -> set[str]:
        return set(self.slurm.command("sacct", "-D", "-X", "-n", "-o", "State").stdout.split())


@pytest.fixture(scope="module")
def ran() -> Iterator[Ran]:
    with AccountedSlurm(NAMES) as slurm:
        yield Ran(slurm)


def ways(slurm: PrivateSlurm) -> dict[str, Scheduler]:
    return {
        "commands": SlurmCommands(LocalShell(environment=slurm.environment)),
        "rest": SlurmRest(slurm.url, "root", slurm.key_text),
    }


@pytest.mark.services
@pytest.mark.parametrize("way", ["commands", "rest"])
def test_past_jobs_are_read_with_their_steps_and_ends(way: str, ran: Ran) -> None:
    found = asyncio.run(ways(ran.slurm)[way].past(3600))
    assert found is not None
    jobs: dict[str, list[Job]] = {}
    for job in found:
        jobs.setdefault(job.id, []).append(job)
    (failed,) = jobs[ran.failed]
    assert (failed.state, failed.running, failed.machines) == ("failed", False, frozenset(NAMES))
    assert failed.exit_status == (7 if way == "commands" else None), "slurmrestd 22.05 says 0 of what failed"
    assert (failed.asked.name, failed.asked.time_limit_s, failed.gpus) == ("kes|trel", 5400, 8)
    assert failed.started is not None and failed.ended is not None and failed.asked.submitted is not None
    assert ran.began - 1 <= failed.asked.submitted <= failed.started <= failed.ended <= time.time() + 1
    steps = {step.name: step for step in failed.steps}
    assert [steps[name].id for name in ("batch", "setup", "train")] == ["batch", "0", "1"]
    assert (steps["setup"].state, steps["setup"].machines, steps["setup"].gpus) == ("completed", 2, 8)
    assert steps["train"].state == "failed"
    assert steps["train"].exit_status == (7 if way == "commands" else None)
    assert [job.state for job in jobs[ran.cancelled]] == ["cancelled"]
    assert jobs[ran.array][0].label == f"{ran.array}_3"
    assert jobs[ran.again][0].state == "requeued" and jobs[ran.again][0].machines == frozenset({"gpu002"})
    assert all(job.running for job in jobs[ran.running])
    assert ran.forger in jobs and "99" not in jobs, "a name with a line break is no row of another job"


@pytest.mark.services
def test_a_span_leaves_out_what_ended_before_it(ran: Ran) -> None:
    for scheduler in ways(ran.slurm).values():
        early = asyncio.run(scheduler.past(7200, 3600))
        assert early == (), "nothing ran an hour ago"


@pytest.mark.services
def test_the_forced_command_lets_past_jobs_through_and_nothing_beside(ran: Ran) -> None:
    shell = SshShell(ran.slurm.start_sshd(str(CONTRIB)))
    found = asyncio.run(SlurmCommands(shell).past(3600))
    assert found is not None
    assert next(job for job in found if job.id == ran.failed).exit_status == 7
    assert asyncio.run(SlurmCommands(shell).past(7200, 3600)) == ()
    asked = ("sacct", "-a", "-D", "-P", "-n", "-S", "now-5seconds")
    for end, fields, between in (
        ("now; id", "User", "a"), ("now", "User;id", "a"), ("now-5 -u root", "User", "a"), ("now", "User", "a -u root"),
    ):  # fmt: skip
        done = asyncio.run(shell.run((*asked, "-E", end, "-o", fields, "--delimiter", between)))
        assert (done.status, done.out) == (126, "")
        assert "not allowed" in done.err


@pytest.mark.services
def test_a_cluster_without_accounting_says_so_either_way() -> None:
    with PrivateSlurm(["gpu001"]) as slurm:
        assert {way: asyncio.run(each.past(3600)) for way, each in ways(slurm).items()} == {
            "commands": None, "rest": None,
        }  # fmt: skip


def line(**told: str) -> str:
    usual = {
        "JobIDRaw": "7", "JobID": "7", "State": "COMPLETED", "Start": "1000", "End": "1060", "ExitCode": "0:0",
        "NNodes": "1", "NodeList": "gpu001",
    }  # fmt: skip
    return BETWEEN.join((usual | told).get(field, "") for field in FIELDS)


def test_a_name_with_a_line_break_takes_no_other_job_away() -> None:
    text = f"{line(JobName='two')}\nlines of a name\n{line(JobIDRaw='8', JobID='8')}\n"
    assert [(job.id, job.asked.name) for job in jobs_in(text, BETWEEN)] == [("7", "two"), ("8", "")]


class Listens:
    """Notes what it is asked to run."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    async def run(self, words: tuple[str, ...], text: str = "") -> Done:
        self.asked.append(words)
        return Done(0, "", "")


def test_what_stands_between_the_fields_is_known_to_nobody_beforehand() -> None:
    shell = Listens()
    for _ in range(2):
        assert asyncio.run(SlurmCommands(shell).past(60)) == ()
    first, second = (words[words.index("--delimiter") + 1] for words in shell.asked)
    assert first != second and len(first) >= 16


def test_what_never_began_has_no_machines_and_a_component_is_told_by_its_job() -> None:
    waits = line(State="PENDING", Start="Unknown", End="Unknown", NodeList="None assigned")
    part = line(JobIDRaw="90", JobID="89+1", State="CANCELLED by 1000", ExitCode="0:15")
    first, second = jobs_in(f"{waits}\n{part}\n", BETWEEN)
    assert (first.machines, first.started, first.ended) == (frozenset(), None, None)
    assert (second.label, second.component, second.state, second.signal) == ("89", 1, "cancelled", 15)


def test_text_that_is_no_list_is_refused_and_nothing_is_an_empty_list() -> None:
    with pytest.raises(SchedulerError, match="no list of past jobs: sacct: error"):
        jobs_in("sacct: error: something\n", BETWEEN)
    assert jobs_in("", BETWEEN) == ()


def test_steps_beyond_the_last_hundred_are_left_out() -> None:
    steps = "\n".join(line(JobIDRaw=f"7.{number}", JobName="srun") for number in range(130))
    (job,) = jobs_in(f"{line()}\n{steps}\n", BETWEEN)
    assert [job.steps[0].id, job.steps[-1].id, len(job.steps)] == ["30", "129", 100]


def test_steps_of_later_versions_are_named_by_text_or_by_an_object() -> None:
    time_ = {"start": {"set": True, "number": 1000}, "end": {"set": True, "number": 1060}}
    row = {
        "job_id": 7, "nodes": "gpu001", "state": {"current": ["FAILED"], "reason": "NonZeroExitCode"}, "time": time_,
        "exit_code": {"return_code": {"set": True, "number": 3}}, "restart_cnt": 1,
        "steps": [{"step": {"id": "7.0", "name": "train"}, "state": ["FAILED"], "time": time_},
                  {"step": {"id": {"job_id": 7, "step_id": "batch"}, "name": "batch"}, "time": time_}],
    }  # fmt: skip
    (job,) = jobs_of([row])
    assert (job.state, job.exit_status, job.why, job.restarts) == ("failed", 3, "NonZeroExitCode", 1)
    assert [(step.id, step.name, step.started) for step in job.steps] == [
        ("0", "train", 1000),
        ("batch", "batch", 1000),
    ]
