"""What Slurm's answers mean: states, lists, shapes of several versions, and what may be done to a drain. Pure."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any

import pytest

from drivers.scheduler import (
    Asked,
    Job,
    MachineState,
    Outcome,
    Reservation,
    SchedulerError,
    UnknownMachine,
    before_drain,
    before_resume,
    written_reason,
)
from drivers.slurm.client import assembled, expand, facts_of, gpus_of, gpus_of_job, safe_name
from drivers.slurm.shapes import NothingChanged, jobs_of, machine_of, number, reservations_of, rows_of
from drivers.slurm.states import state_words
from drivers.slurm.text import jobs_in, machines_in, reservations_in
from drivers.slurm.tokens import SKEW_S, signed_token, token_for


@pytest.mark.parametrize(
    ("words", "state", "closed", "answers"),
    [
        ("idle", "idle", False, True),
        ("IDLE+DRAIN", "drained", True, True),
        (["IDLE", "DRAIN"], "drained", True, True),
        (["idle", "DRAIN", "NOT_RESPONDING"], "drained", True, False),
        ("idle*", "idle", False, False),
        ("MIXED+DRAIN", "allocated", True, True),
        ("draining", "allocated", True, True),
        (["ALLOCATED", "COMPLETING"], "allocated", False, True),
        ("IDLE+COMPLETING+DRAIN", "allocated", True, True),
        ("down*", "down", False, False),
        ("DOWN+DRAIN", "down", True, True),
        ("UNKNOWN+DRAIN", "unknown", True, True),
        ("planned_by_nobody", "unknown", False, True),
        ("", "unknown", False, True),
        ("IDLE+DRAIN+INVALID_REG", "down", True, True),
    ],
    ids=str,
)
def test_a_state_is_read_in_every_form(words: Any, state: str, closed: bool, answers: bool) -> None:
    facts = facts_of("gpu1", state_words(words))
    assert (facts.state, facts.closed, facts.answers) == (MachineState(state), closed, answers)


def test_only_a_closed_machine_without_a_job_is_drained() -> None:
    def of(words: str) -> bool:
        (facts,) = assembled([facts_of("gpu1", state_words(words))], [], []).machines.values()
        return facts.drained

    assert of("IDLE+DRAIN")
    assert not of("IDLE") and not of("MIXED+DRAIN") and not of("UNKNOWN+DRAIN") and not of("IDLE+COMPLETING+DRAIN")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gpu1", {"gpu1"}),
        ("gpu[001-003,7],login1", {"gpu001", "gpu002", "gpu003", "gpu7", "login1"}),
        ("r[1-2]n[09-10]", {"r1n09", "r1n10", "r2n09", "r2n10"}),
        ("", set()),
    ],
)
def test_a_list_of_machines_is_expanded(text: str, names: set[str]) -> None:
    assert expand(text) == names


@pytest.mark.parametrize("text", ["gpu[1-", "gpu]1[", "gpu[a-b]", "gpu[1-99999999]", "gpu[9-1]"])
def test_a_list_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(SchedulerError):
        expand(text)


@pytest.mark.parametrize("name", ["ALL", "all", "gpu[1-3]", "gpu1,gpu2", "gpu1 State=DOWN", "", "-v", "gpu1;reboot"])
def test_a_name_that_could_mean_more_than_one_machine_is_never_written(name: str) -> None:
    with pytest.raises(SchedulerError):
        safe_name(name)


def test_a_reason_has_our_mark_and_nothing_a_shell_reads_otherwise() -> None:
    assert written_reason('it\'s `x` "y" $HOME\n| z – ß') == "rackside: it s x y HOME z"
    assert written_reason("rackside: incident 7: Xid 79") == "rackside: incident 7: Xid 79"
    assert len(written_reason("x" * 1000)) <= 180
    assert written_reason("") == "rackside: taken out of service"


@pytest.mark.parametrize(
    ("gres", "tres", "gpus"),
    [
        ("gpu:h100:8", "", 8),
        ("gpu:h100:8(S:0-1)", "", 8),
        ("gpu:4", "", 4),
        ("gpu:a:2,gpu:b:2,nic:1", "", 4),
        ("(null)", "cpu=16,gres/gpu=8", 8),
        ("", "cpu=16", 0),
        ("", "", None),
    ],
)
def test_gpus_are_counted_in_every_form(gres: str, tres: str, gpus: int | None) -> None:
    assert gpus_of(gres, tres) == gpus


OLD = {"name": "gpu1", "state": "idle", "state_flags": ["DRAIN"], "reason": "rackside: x", "reason_changed_at": 7,
       "reason_set_by_user": "root", "cpus": 16, "real_memory": 64000, "gres": "gpu:h100:8", "partitions": ["main"],
       "tres": "cpu=16"}  # fmt: skip
NEW = {**{key: value for key, value in OLD.items() if key != "state_flags"}, "state": ["IDLE", "DRAIN"],
       "reason_changed_at": {"set": True, "infinite": False, "number": 7}}  # fmt: skip


def test_a_machine_reads_the_same_in_the_old_shape_and_the_new() -> None:
    assert machine_of(OLD) == machine_of(NEW)
    facts = machine_of(NEW)
    assert (facts.state, facts.closed, facts.reason_at, facts.gpus) == (MachineState.DRAINED, True, 7, 8)


def test_jobs_and_reservations_read_in_both_shapes() -> None:
    old = {"job_id": 5, "job_state": "RUNNING", "nodes": "gpu[1-2]", "user_name": "ann", "start_time": 100,
           "end_time": 900, "exit_code": 0, "state_reason": "None", "partition": "main", "account": "ml"}  # fmt: skip
    new = {**old, "job_state": ["RUNNING"], "start_time": {"set": True, "number": 100},
           "exit_code": {"status": "SUCCESS", "return_code": {"set": True, "number": 0}, "signal": {}}}  # fmt: skip
    assert jobs_of([old]) == jobs_of([new])
    (job,) = jobs_of([old])
    ran = Job("5", "running", True, frozenset({"gpu1", "gpu2"}), 100, None, 0, None, "", "main", "ml")
    assert replace(job, label="", gpus=None) == replace(ran, asked=Asked(user="ann"))
    failed = {"job_state": "FAILED", "exit_code": 3 << 8 | 9}
    signalled = {"job_state": ["FAILED"], "exit_code": {"return_code": {"number": 3}, "signal": {"id": {"number": 9}}}}
    for shape in (failed, signalled):
        (job,) = jobs_of([{**old, **shape}])
        assert (job.state, job.running, job.ended, job.exit_status, job.signal) == ("failed", False, 900, 3, 9)
    (job,) = jobs_of([{**old, "job_state": ["COMPLETED", "COMPLETING"]}])
    assert job.running and job.ended is None, "it gives its machines back"
    (job,) = jobs_of([{**old, "job_state": "PENDING", "nodes": ""}])
    assert not job.running and (job.started, job.ended, job.machines) == (None, None, frozenset()), "a plan is no start"
    (kept,) = reservations_of(
        [
            {
                "name": "m",
                "node_list": "gpu1",
                "start_time": {"set": True, "number": 100},
                "end_time": 200,
                "users": "ann",
            }
        ]
    )
    assert kept == Reservation("m", frozenset({"gpu1"}), 100, 200, "ann")
    assert number({"set": True, "infinite": True, "number": 0}) is None


@pytest.mark.parametrize(
    "answer",
    [
        {"errors": [{"error": "Authentication failure", "errno": 1007}], "nodes": []},
        {"errors": [], "nodes": None},
        {"errors": []},
        {"nodes": ["gpu1"]},
        [],
        None,
    ],
    ids=str,
)
def test_a_list_with_errors_or_without_its_shape_is_an_error_and_never_no_machines(answer: Any) -> None:
    with pytest.raises(SchedulerError):
        rows_of(answer, "nodes")


def test_no_change_and_an_unknown_machine_are_told_apart_from_other_errors() -> None:
    with pytest.raises(NothingChanged):
        rows_of({"errors": [{"error_number": 1900, "error": "No change"}], "nodes": []}, "nodes")
    with pytest.raises(UnknownMachine):
        rows_of({"errors": [{"errno": 2018, "error": "Invalid node name specified"}], "nodes": []}, "nodes")


NODE = """\
NodeName=gpu1 Arch=x86_64 CoresPerSocket=1
   CPUAlloc=0 CPUEfctv=16 CPUTot=16 CPULoad=0.52
   Gres=gpu:h100:8
   OS=Linux 6.1 State=fake
   RealMemory=64000 AllocMem=0 FreeMem=1 Sockets=16 Boards=1
   State=MIXED+DRAIN ThreadsPerCore=1
   Partitions=main,all
   BootTime=1795262881 SlurmdStartTime=1795303767
   CfgTRES=cpu=16,mem=62.50G
   Reason=rackside: x=y [z] State=IDLE [root@1795303770]
"""


def test_a_reason_in_the_text_form_cannot_pass_for_a_state() -> None:
    node = NODE.replace(" State=fake", "")
    (facts,) = machines_in(node)
    assert facts.state is MachineState.ALLOCATED and facts.closed
    assert (facts.reason, facts.reason_by, facts.reason_at) == ("rackside: x=y [z] State=IDLE", "root", 1795303770)
    assert facts.partitions == ("main", "all")


@pytest.mark.parametrize("text", ["", "slurm_load_node error: Unable to contact slurm controller", NODE[:250]])
def test_text_that_breaks_off_or_is_no_list_is_an_error(text: str) -> None:
    with pytest.raises(SchedulerError):
        machines_in(text)


JOB = """\
JobId=7 ArrayJobId=5 ArrayTaskId=2 JobName=x JobState=COMPLETED NodeList=gpu9
   UserId=ann(1000) GroupId=ann(1000) MCS_label=N/A
   Priority=1 Nice=0 Account=(null) QOS=(null)
   JobState=NODE_FAIL Reason=NodeDown Dependency=(null)
   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:15
   StartTime=100 EndTime=200 Deadline=N/A
   Partition=main AllocNode:Sid=login:1
   ReqNodeList=gpu1 ExcNodeList=(null)
   NodeList=gpu1
   NumNodes=1 NumCPUs=1
"""


def test_a_name_of_a_job_in_the_text_form_cannot_pass_for_its_state() -> None:
    (job,) = jobs_in(JOB)
    ran = Job("7", "node_fail", False, frozenset({"gpu1"}), 100, 200, 0, 15, "NodeDown", "main", "", "5_2")
    assert replace(job, gpus=None, asked=Asked()) == ran


ALLOCATED = """\
JobId=93 ArrayJobId=90 ArrayTaskId=0 ArrayTaskThrottle=2 JobName=HetJobId=1 Restarts=9
   UserId=ann(1000) GroupId=ann(1000) MCS_label=N/A
   JobState=RUNNING Reason=None Dependency=(null)
   Requeue=1 Restarts=2 BatchFlag=1 Reboot=0 ExitCode=0:0
   StartTime=100 EndTime=200
   NodeList=gpu[1-2]
   {tres}cpu=192,mem=2000G,node=2,billing=192,gres/gpu=16,gres/gpu:h100=16
"""
HETEROGENEOUS = (
    "JobId=701 HetJobId=700 HetJobOffset=1 JobName=x\n   HetJobIdSet=700-701\n   JobState=RUNNING\n   NodeList=gpu1\n"
)


@pytest.mark.parametrize("tres", ["TRES=", "ReqTRES=cpu=1\n   AllocTRES="], ids=["22.05", "23.11"])
def test_array_task_restarts_and_gpus_of_a_job_in_the_text_form(tres: str) -> None:
    (job,) = jobs_in(ALLOCATED.format(tres=tres))
    assert (job.id, job.label, job.component, job.restarts, job.gpus) == ("93", "90_0", None, 2, 16)
    (part,) = jobs_in(HETEROGENEOUS)
    assert (part.id, part.label, part.component, part.restarts, part.gpus) == ("701", "700", 1, 0, None)


@pytest.mark.parametrize(
    ("told", "gpus"),
    [
        ({"detail": ["gpu:h100:2(IDX:0-1)", "gpu:h100:2(IDX:4,6)"]}, 4),
        ({"per_job": "gres:gpu:3"}, 3),
        ({"per_node": "gres:gpu:h100:2", "nodes": 3}, 6),
        ({"per_node": "gres/gpu:2", "nodes": 3}, 6),
        ({"per_task": "gres:gpu:1", "tasks": 2}, 2),
        ({"per_node": "gres:gpu"}, 1),
        ({"per_node": "gres:shard:4"}, 0),
        ({}, 0),
        ({"exclusive": True}, None),
    ],
    ids=str,
)
def test_gpus_of_a_job_are_known_where_slurm_does_not_account_them(told: dict[str, Any], gpus: int | None) -> None:
    """As Slurm 22.05 prints them; without accounting of GPUs TRES names none, whatever a job has."""
    assert gpus_of_job("cpu=1,mem=100M,node=1,billing=1", **told) == gpus
    assert gpus_of_job("") is None


def test_array_task_restarts_and_gpus_of_a_job_in_json() -> None:
    def told(**more: Any) -> tuple[Any, ...]:
        (job,) = jobs_of([{"job_id": 93, "job_state": ["RUNNING"], "nodes": "gpu1", "start_time": 100, **more}])
        return job.label, job.component, job.restarts, job.gpus

    none = {"set": False, "infinite": False, "number": 0}
    new = {"array_job_id": {"set": True, "number": 90}, "array_task_id": {"set": True, "number": 0}, "restart_cnt": 2}
    assert told(**new, het_job_id=none, tres_alloc_str="cpu=8,gres/gpu=8") == ("90_0", None, 2, 8)
    assert told(array_job_id=0, array_task_id=None, het_job_id=0, tres_alloc_str="cpu=8") == ("", None, 0, 0)
    assert told(array_job_id=none, array_task_id=none, het_job_id={"set": True, "number": 700},
                het_job_offset={"set": True, "number": 0}) == ("700", 0, 0, None)  # fmt: skip


def test_no_jobs_and_no_reservations_are_said_in_words_and_silence_is_an_error() -> None:
    assert jobs_in("No jobs in the system\n") == () and reservations_in("No reservations in the system\n") == ()
    for reader in (jobs_in, reservations_in):
        with pytest.raises(SchedulerError):
            reader("")


def test_a_drain_of_somebody_else_keeps_his_reason_and_is_not_resumed() -> None:
    theirs = facts_of("gpu1", ("idle", "drain"), reason="NHC: disk")
    assert before_drain(theirs, "rackside: x", "") is Outcome.THEIRS
    assert before_resume(theirs, "rackside: x") is Outcome.THEIRS
    edited = facts_of("gpu1", ("idle", "drain"), reason="rackside: x, and Bob looks at it")
    assert before_resume(edited, "rackside: x") is Outcome.THEIRS
    assert before_resume(facts_of("gpu1", ("idle", "drain"), reason=""), "") is Outcome.THEIRS


def test_our_own_drain_is_resumed_unless_the_machine_is_down_or_silent() -> None:
    ours = "rackside: x"
    assert before_resume(facts_of("gpu1", ("idle", "drain"), reason=ours), ours) is None
    assert before_resume(facts_of("gpu1", ("mixed", "drain"), reason=ours), ours) is None
    assert before_resume(facts_of("gpu1", ("idle", "drain", "not_responding"), reason=ours), ours) is Outcome.SILENT
    assert before_resume(facts_of("gpu1", ("down", "drain"), reason=ours), ours) is Outcome.SILENT
    assert before_resume(facts_of("gpu1", ("idle",)), ours) is Outcome.ALREADY


def test_our_reason_may_be_replaced_and_is_written_once() -> None:
    ours = facts_of("gpu1", ("idle", "drain"), reason="rackside: x")
    assert before_drain(ours, "rackside: x", "rackside: x") is Outcome.ALREADY
    assert before_drain(ours, "rackside: incident 3: x", "rackside: x") is None
    assert before_drain(facts_of("gpu1", ("down",), reason="Not responding"), "rackside: x", "") is None


def test_a_busy_machine_without_a_visible_job_has_one_and_an_unknown_one_nobody_knows() -> None:
    facts = [facts_of("a", ("mixed",)), facts_of("b", ("unknown",)), facts_of("c", ("idle",)), facts_of("d", ("down",))]
    seen = assembled(facts, [], []).machines
    assert [seen[name].jobs for name in "abcd"] == [1, None, 0, 0]


def test_a_reservation_counts_a_while_before_it_begins_and_ours_does_not() -> None:
    theirs, ours = (Reservation(name, frozenset({"a"}), 10_000, 20_000) for name in ("exam", "rackside-7"))
    seen = assembled([facts_of("a", ("idle",))], [], [theirs]).machines["a"]
    assert [seen.reserved_by_others(now) for now in (9_000, 9_200, 15_000, 20_000)] == [False, True, True, False]
    assert not assembled([facts_of("a", ("idle",))], [], [ours]).machines["a"].reserved_by_others(15_000)


def test_a_token_is_signed_with_the_key_and_a_stored_token_is_sent_as_it_is() -> None:
    key = bytes(range(32))
    header, claims, signature = signed_token(key, "slurm", now=1000, lifespan_s=60).split(".")
    read = json.loads(base64.urlsafe_b64decode(claims + "=="))
    assert read == {"iat": 1000 - SKEW_S, "exp": 1060, "sun": "slurm"}
    expected = hmac.new(key, f"{header}.{claims}".encode(), hashlib.sha256).digest()
    assert base64.urlsafe_b64decode(signature + "==") == expected
    assert token_for("aaa.bbb.ccc\n", "slurm", now=0) == "aaa.bbb.ccc"
    assert token_for(base64.b64encode(key).decode(), "slurm", now=1000).count(".") == 2
    for bad in ("no key at all!", base64.b64encode(b"short").decode()):
        with pytest.raises(ValueError, match="key"):
            token_for(bad, "slurm", now=0)
