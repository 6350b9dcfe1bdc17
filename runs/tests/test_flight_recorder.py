"""Dumps of PyTorch's flight recorder: the rank that the others wait for is named, and nothing in a file is executed."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.explanation import explain
from runs.hangs import flight_recorder
from runs.hangs.flight_recorder import Dump, Unreadable, analyse, read_dump

RECORDED = Path(__file__).parent / "data" / "flight-recorder"


def dump(
    *entries: tuple[int, str, bool], ranks: str = "[0, 1, 2, 3]", sizes: list[list[int]] | None = None, **more: Any
) -> dict[str, Any]:
    """A dump with one group; entries are (number, operation, done)."""
    rows = [
        {
            "collective_seq_id": number,
            "profiling_name": f"nccl:{operation}",
            "process_group": ("0", "default_pg"),
            "pg_id": 0,
            "is_p2p": False,
            "state": "completed" if done else "scheduled",
            "time_discovered_completed_ns": 1 if done else None,
            "retired": done,
            "input_sizes": sizes or [[4]],
            "input_dtypes": ["Float"],
        }
        for number, operation, done in entries
    ]
    return {"version": "2.9", "pg_config": {"0": {"desc": "default_pg", "ranks": ranks}}, "entries": rows, **more}


def of(*dumps: dict[str, Any] | None) -> dict[int, Dump]:
    return {rank: read_dump(pickle.dumps(each)) for rank, each in enumerate(dumps) if each is not None}


@pytest.mark.parametrize("run", ["gpu_error_1st", "gpu_error_2nd", "lock_gil_1st", "lock_gil_2nd"])
def test_every_faulty_rank_of_the_recorded_runs_is_named_and_no_other(run: str) -> None:
    truth = (RECORDED / run / "truth.txt").read_text()
    faulty = {int(rank) for rank in re.findall(r"Rank (\d+),", truth)}

    explanation = explain([RECORDED / run])

    assert {one.rank for one in explanation.behind} == faulty
    assert explanation.verdict.cause == "hang-flightrec"
    assert explanation.verdict.rank in faulty
    gpu = "GPU_ERROR" in truth
    assert {one.called for one in explanation.behind} == {gpu}  # a stuck GPU is told apart from a stuck process


@pytest.mark.parametrize("kind", ["rank_?", "rank_?.json"])
def test_a_desynchronised_rank_is_named_from_pickle_and_from_json(kind: str, tmp_path: Path) -> None:
    for path in (RECORDED / "desync").glob(kind):
        (tmp_path / path.name).write_bytes(path.read_bytes())

    explanation = explain([tmp_path])

    assert [(one.rank, one.collective) for one in explanation.behind] == [(1, "all_reduce 4")]


def test_a_rank_that_never_called_is_told_from_one_whose_gpu_does_not_finish() -> None:
    waiting, late, stuck = dump((5, "all_reduce", False)), dump((4, "all_reduce", True)), dump((4, "all_reduce", False))
    assert [(one.rank, one.called) for one in analyse(of(waiting, late, waiting, waiting)).behind] == [(1, False)]
    assert [(one.rank, one.called) for one in analyse(of(waiting, stuck, waiting, waiting)).behind] == [(1, True)]


def test_a_rank_without_a_dump_is_missing_and_one_whose_dump_is_damaged_is_not_blamed() -> None:
    waiting = dump((5, "all_reduce", False))
    without = analyse(of(waiting, None, waiting, waiting))
    assert ([one.rank for one in without.behind], without.missing) == ([1], [1])
    damaged = analyse(of(waiting, None, waiting, waiting), unreadable=[1])
    assert (damaged.behind, damaged.unreadable) == ([], [1])


def test_ranks_that_all_wait_for_the_network_blame_nobody() -> None:
    waiting = dump((5, "all_reduce", False))
    assert analyse(of(waiting, waiting, waiting, waiting)).behind == []


def test_a_finished_run_blames_nobody() -> None:
    done = dump((5, "all_reduce", True))
    assert analyse(of(done, done, done, dump((4, "all_reduce", True)))).behind == []


def test_a_rank_that_waits_elsewhere_is_excused() -> None:
    """Rank 1 is late in its second group because it waits for rank 3 in the first."""

    def two(first: tuple[int, bool] | None, second: tuple[int, bool] | None) -> dict[str, Any]:
        said = dump()
        said["pg_config"] = {"a": {"desc": "A", "ranks": "[1, 3]"}, "b": {"desc": "B", "ranks": "[0, 1]"}}
        for name, entry in (("a", first), ("b", second)):
            if entry:
                row = dump((entry[0], "all_reduce", entry[1]))["entries"][0]
                said["entries"].append(row | {"process_group": (name, name.upper())})
        return said

    only_b = two(None, (7, False))
    only_b["pg_config"].pop("a")
    only_a = two((8, True), None)
    only_a["pg_config"].pop("b")
    found = analyse({0: read_dump(pickle.dumps(only_b)), 1: read_dump(pickle.dumps(two((9, False), (6, True)))),
                     3: read_dump(pickle.dumps(only_a))})  # fmt: skip
    assert [one.rank for one in found.behind] == [3]


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (dump((5, "all_gather", False)), "the others call all_reduce"),
        (dump((5, "all_reduce", False), sizes=[[8]]), "the others call it with size [[4]]"),
    ],
)
def test_another_operation_or_size_at_the_same_place_is_named(odd: dict[str, Any], why: str) -> None:
    waiting = dump((5, "all_reduce", False))
    found = analyse(of(waiting, waiting, odd, waiting)).mismatches
    assert [(one.rank, one.why) for one in found] == [(2, why)]


def test_sizes_that_may_differ_are_no_mismatch() -> None:
    one, other = dump((5, "all_to_all", False)), dump((5, "all_to_all", False), sizes=[[8]])
    assert analyse(of(one, one, other, one)).mismatches == []


class Harmful:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (os.system, ("touch harm",))


def test_a_dump_that_would_run_something_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dump_1").write_bytes(pickle.dumps({"entries": [Harmful()]}))

    explanation = explain([tmp_path])

    assert not (tmp_path / "harm").exists()
    assert "plain values only" in explanation.refused[0][1]


@pytest.mark.parametrize("cut", [1, 10, 100, 1000, -1])
def test_a_dump_cut_off_is_named_and_takes_no_other_down(cut: int, tmp_path: Path) -> None:
    for path in (RECORDED / "gpu_error_1st").glob("dump_*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    whole = (tmp_path / "dump_3").read_bytes()
    (tmp_path / "dump_3").write_bytes(whole[:cut])

    explanation = explain([tmp_path])

    assert {12, 14} <= {one.rank for one in explanation.behind}
    assert 3 not in {one.rank for one in explanation.behind}


def test_a_newer_format_is_read_as_far_as_it_is_known() -> None:
    waiting = dump((5, "all_reduce", False), version="9.1", novelty={"x": 1})
    late = dump((4, "all_reduce", True), version="9.1")
    assert [one.rank for one in analyse(of(waiting, late, waiting, waiting)).behind] == [1]


@given(st.binary(max_size=300))
def test_any_bytes_are_a_dump_or_refused(data: bytes) -> None:
    with contextlib.suppress(Unreadable):
        read_dump(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["entries", "pg_config", "pg_status", "process_group", "collective_seq_id", "state", "retired", "ranks", "x"]), inner),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_any_plain_value_is_a_dump_or_refused(value: Any) -> None:
    try:
        found = read_dump(json.dumps({"entries": [value], "pg_config": value, "pg_status": value}).encode())
    except Unreadable:
        return
    flight_recorder.analyse({0: found, 1: found})
