"""Stacks of py-spy in groups: the odd rank is named, however many stand alike."""

from __future__ import annotations

import json
from pathlib import Path

from runs.explanation import explain
from runs.hangs.stacks import looks_like_stacks, odd_one_out, parties, read_stacks

LOGS = Path(__file__).parent / "data" / "logs"
COLLECTIVE = """Process {pid}: /usr/bin/python3 train.py --x (y)
Python v3.11.2 (/usr/bin/python3.11)

Thread {pid} (idle): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:2806)
    train (train.py:88)
    <module> (train.py:120)
Thread 9999 (idle): "Thread-1 (_worker)"
    wait (threading.py:320)
"""
ODD = """Process {pid}: /usr/bin/python3 train.py
Python v3.11.2 (/usr/bin/python3.11)

Thread {pid} (idle): "MainThread"
    sleep_here (train.py:41)
    train (train.py:87)
    <module> (train.py:120)
"""


def test_the_rank_outside_the_collective_is_named(tmp_path: Path) -> None:
    for rank in range(8):
        text = (ODD if rank == 5 else COLLECTIVE).format(pid=100 + rank)
        (tmp_path / f"rank_{rank}.txt").write_text(text)

    verdict = explain([tmp_path]).verdict

    assert (verdict.cause, verdict.rank, verdict.line) == ("hang-pyspy", 5, 4)
    assert (
        verdict.sentence
        == "Rank 5 stands in sleep_here (train.py:41), called from <module> (train.py:120); 7 others wait."
    )


def test_dumps_of_many_processes_in_one_file_are_told_apart() -> None:
    text = "\n".join((ODD if pid == 3 else COLLECTIVE).format(pid=pid) for pid in range(6))
    groups = parties(read_stacks(text))
    assert [len(group.stacks) for group in groups] == [1, 5]
    assert groups[0].stacks[0].thread == "3"


def test_the_form_that_people_paste_is_read() -> None:
    text = (LOGS / "t143.log").read_text()
    assert looks_like_stacks(text)
    assert [len(group.stacks) for group in parties(read_stacks(text))] == [1, 3, 4]


def test_json_of_py_spy_is_read() -> None:
    frames = [
        {
            "name": "all_reduce",
            "filename": "/x/torch/distributed/c10d.py",
            "short_filename": "torch/distributed/c10d.py",
            "line": 7,
        }
    ]
    text = json.dumps([{"pid": 1, "thread_id": 1, "thread_name": "MainThread", "frames": frames}])
    assert [str(stack.frames[0]) for stack in read_stacks(text)] == ["all_reduce (torch/distributed/c10d.py:7)"]


def test_4000_equal_stacks_are_one_group_and_blame_nobody() -> None:
    stacks = [stack for rank in range(4000) for stack in read_stacks(COLLECTIVE.format(pid=rank), "", rank)]
    groups = parties(stacks)
    assert [len(group.stacks) for group in groups] == [4000]
    assert odd_one_out(groups) is None


def test_ranks_that_stand_in_different_collectives_are_not_blamed_by_number_alone() -> None:
    other = COLLECTIVE.replace("all_reduce", "broadcast")
    stacks = [stack for rank in range(8) for stack in read_stacks((other if rank < 3 else COLLECTIVE).format(pid=rank))]
    assert [len(group.stacks) for group in parties(stacks)] == [3, 5]


def test_a_log_is_no_stack() -> None:
    assert not looks_like_stacks((LOGS / "t103.log").read_text())
