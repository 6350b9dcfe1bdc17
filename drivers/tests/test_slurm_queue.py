"""Who waits for what, in which partition, under which reservation: both ways to Slurm, against a real one."""

from __future__ import annotations

import asyncio
import getpass
import time
from collections.abc import Iterator

import pytest

from drivers.scheduler import Asked, Job, Partition, Scheduler, View
from drivers.slurm.client import gpus_of_job
from drivers.slurm.commands import LocalShell, SlurmCommands
from drivers.slurm.rest import SlurmRest
from drivers.slurm.shapes import jobs_of, partitions_of
from drivers.slurm.text import jobs_in, partitions_in, seconds_of
from drivers.tests.ports import until
from drivers.tests.slurm import PrivateSlurm

NAMES = ["gpu001", "gpu002"]
MORE = "PartitionName=night Nodes=gpu002 MaxTime=02:00:00 PriorityTier=5 State=DOWN"


@pytest.fixture(scope="module")
def slurm() -> Iterator[PrivateSlurm]:
    with PrivateSlurm(NAMES, more="") as running:
        conf = running.folder / "slurm.conf"
        conf.write_text(f"{conf.read_text()}{MORE}\n")
        running.scontrol("reconfigure")
        yield running


@pytest.fixture(params=["rest", pytest.param("commands", marks=pytest.mark.slow)])
def scheduler(request: pytest.FixtureRequest, slurm: PrivateSlurm) -> Scheduler:
    if request.param == "rest":
        return SlurmRest(slurm.url, "root", slurm.key_text)
    return SlurmCommands(LocalShell(environment=slurm.environment))


def seen(scheduler: Scheduler) -> View:
    view = asyncio.run(scheduler.read())
    assert view is not None
    return view


@pytest.mark.services
def test_what_runs_and_what_waits_is_read_with_who_asked_for_how_much(
    scheduler: Scheduler, slurm: PrivateSlurm
) -> None:
    began = int(time.time())
    options = ("-J", "State=FAILED kestrel 7b", "-t", "1-02:03", "--gres=gpu:8")
    running = slurm.submit("sleep 600", "-N", "2", *options)
    until(lambda: slurm.job_state(running) == "RUNNING", 20, "the job does not start")
    waiting = slurm.submit("sleep 60", "-N", "2", "--gres=gpu:4", "-t", "30", "--exclusive")
    array = slurm.submit("sleep 60", "--array=3,5", "-N", "1", "--exclusive")
    until(lambda: "Resources" in slurm.command("squeue", "-h", "-j", waiting, "-o", "%r").stdout, 20, "no reason yet")
    try:
        jobs = {job.id: job for job in seen(scheduler).jobs}
    finally:
        slurm.cancel(waiting, array, running)
    asked = jobs[running].asked
    assert (asked.name, asked.user) == ("State=FAILED kestrel 7b", getpass.getuser())
    assert asked.time_limit_s == (24 + 2) * 3600 + 3 * 60 and asked.machines == 2 and asked.expected is None
    assert asked.submitted is not None and began - 2 <= asked.submitted <= time.time() + 2
    assert jobs[running].gpus == 16, "Slurm counts none as allocated where AccountingStorageTRES names none"
    late = jobs[waiting]
    assert (late.state, late.why, late.running, late.machines) == ("pending", "Resources", False, frozenset())
    assert late.gpus == 8 and late.asked.priority and late.asked.machines == 2 and late.asked.time_limit_s == 1800
    assert late.asked.expected is None or late.asked.expected > began
    assert jobs[array].state == "pending" and (jobs[array].label or jobs[array].id).startswith(array)


@pytest.mark.services
def test_partitions_and_reservations_are_read(scheduler: Scheduler, slurm: PrivateSlurm) -> None:
    slurm.scontrol(
        "create", "reservation=kernel", "starttime=now+3600", "duration=60", "users=root", "nodes=gpu002"
    )  # fmt: skip
    try:
        view = seen(scheduler)
    finally:
        slurm.scontrol("delete", "reservation=kernel")
    assert view.partitions is not None
    found = {each.name: each for each in view.partitions}
    assert found["main"] == Partition("main", "up", True, None, found["main"].priority_tier, frozenset(NAMES))
    assert found["night"].max_time_s == 7200 and found["night"].state == "down" and not found["night"].default
    assert found["night"].priority_tier == 5 and found["night"].machines == {"gpu002"}
    (kept,) = view.reservations
    assert (kept.name, kept.machines, kept.by, kept.ends - kept.starts) == ("kernel", {"gpu002"}, "root", 3600)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1-02:03:04", 93784), ("02:03:04", 7384), ("03:04", 184), ("UNLIMITED", None), ("365-00:00:00", 31536000)],
)
def test_a_time_limit_is_read(text: str, seconds: int | None) -> None:
    assert seconds_of(text) == seconds


def test_a_partition_reads_the_same_in_the_shape_of_v0_0_40() -> None:
    """As slurmrestd 23.11 answers, shortened: groups, numbers as objects, the state as a list."""
    row = {
        "name": "night", "nodes": {"configured": "gpu[001-002]", "total": 2},
        "maximums": {"time": {"set": True, "infinite": False, "number": 120}},
        "priority": {"tier": 5, "job_factor": 1}, "partition": {"state": ["DOWN"]},
    }  # fmt: skip
    assert partitions_of([row]) == (Partition("night", "down", False, 7200, 5, frozenset(NAMES)),)
    endless = row | {"maximums": {"time": {"set": False, "infinite": True, "number": 0}}}
    assert partitions_of([endless])[0].max_time_s is None


def test_a_job_that_waits_reads_in_both_shapes_and_the_text() -> None:
    old = {"job_id": 7, "job_state": "PENDING", "nodes": "", "name": "llm", "user_name": "ann", "qos": "high",
           "node_count": 4, "tres_per_node": "gres:gpu:h100:8", "resv_name": "march", "priority": 900,
           "submit_time": 50, "start_time": 100, "time_limit": 60}  # fmt: skip
    new = {**old, "job_state": ["PENDING"], "priority": {"set": True, "number": 900},
           "time_limit": {"set": True, "number": 60}, "node_count": {"set": True, "number": 4},
           "submit_time": {"set": True, "number": 50}, "start_time": {"set": True, "number": 100}}  # fmt: skip
    text = (
        "JobId=7 JobName=llm\n   UserId=ann(1000) GroupId=ann(1000) MCS_label=N/A\n   Priority=900 Nice=0 "
        "Account=(null) QOS=high\n"
        "   JobState=PENDING Reason=Priority Dependency=(null)\n   RunTime=00:00:00 TimeLimit=01:00:00 TimeMin=N/A\n"
        "   SubmitTime=50 EligibleTime=50\n   StartTime=100 EndTime=Unknown Deadline=N/A\n   NodeList=(null)\n"
        "   NumNodes=4-4 NumCPUs=4\n   TresPerNode=gres:gpu:h100:8\n   Reservation=march\n"
    )
    wanted = Asked("llm", "ann", "high", "march", 900, 50, 100, 3600, 4)
    found: list[Job] = [*jobs_of([old]), *jobs_of([new]), *jobs_in(text)]
    assert [(job.asked, job.gpus) for job in found] == [(wanted, 32)] * 3
    endless = jobs_of([old | {"time_limit": 2**32 - 1, "start_time": 0}])[0].asked
    assert endless.time_limit_s is None and endless.expected is None


@pytest.mark.parametrize(
    ("per_machine", "machines", "whole", "gpus"),
    [("gres:gpu:8", 2, "", 16), ("gres/gpu:h100:4", 3, "", 12), ("gres:gpu", 2, "", 2), ("", 2, "gres/gpu:9", 9),
     ("", 2, "", None), ("gres:shard:2", 1, "", None)],
)  # fmt: skip
def test_gpus_asked_for_are_counted(per_machine: str, machines: int, whole: str, gpus: int | None) -> None:
    assert gpus_of_job("", per_node=per_machine, nodes=machines, per_job=whole) == gpus


def test_partitions_in_text_without_any_are_none() -> None:
    assert partitions_in("") == ()
