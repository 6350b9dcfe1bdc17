"""Processes of many machines put together to runs and ranks; which of them is which run; the roll call. Pure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.found.groups import Gpu, Process, runs_of
from runs.found.matching import Known, Now, of_job, restarted, same
from runs.found.roll_call import Seen, Unknown, roll_call, spans, words

NOW = 1_770_000_000.0


def torchrun(rank: int, world: int = 16, **more: Any) -> dict[str, str]:
    told = {
        "RANK": rank, "WORLD_SIZE": world, "LOCAL_RANK": rank % 8, "MASTER_ADDR": "gpu-0", "MASTER_PORT": 29500,
        "TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_RESTART_COUNT": 0, **more,
    }  # fmt: skip
    return {name: str(value) for name, value in told.items() if value is not None}


def process(machine: int, gpu: int, variables: dict[str, str], **more: Any) -> Process:
    """One on a GPU of a machine; parents are 1 and ids stand for machine and GPU unless told."""
    fields: dict[str, Any] = {
        "machine": machine, "machine_name": f"gpu-{machine}", "pid": 1000 * (machine + 1) + gpu, "parent": 1,
        "started": NOW, "user": "mk", "gpus": [Gpu(f"GPU-{machine}-{gpu}", f"GPU {gpu}", f"16{machine}{gpu}", 70)],
        "variables": variables,
    }  # fmt: skip
    return Process(**(fields | more))


def two_machines(**more: Any) -> list[Process]:
    return [process(rank // 8, rank % 8, torchrun(rank, **more)) for rank in range(16)]


def test_ranks_of_two_machines_are_one_run_with_slots_and_serials() -> None:
    (run,) = runs_of(two_machines(SLURM_JOB_ID=88213, SLURM_RESTART_COUNT=1))
    assert (run.key, run.attempt, run.job, run.world, run.launcher, run.user) == (
        "88213", 1, "88213", 16, "torchrun", "mk",
    )  # fmt: skip
    assert [each.rank for each in run.ranks] == list(range(16))
    last = run.ranks[15]
    assert (last.machine, last.slot, last.serial, last.local_rank) == (1, "GPU 7", "1617", 7)


def test_a_found_run_has_the_key_that_its_launcher_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "contrib"))
    from rackside_run import from_launcher  # type: ignore[import-not-found]

    for more in ({"SLURM_JOB_ID": 7}, {"SLURM_ARRAY_JOB_ID": 5, "SLURM_ARRAY_TASK_ID": 2, "SLURM_JOB_ID": 7},
                 {"TORCHELASTIC_RUN_ID": "night-3"}, {"TORCHELASTIC_RESTART_COUNT": 2, "SLURM_RESTART_COUNT": 1}):  # fmt: skip
        variables = torchrun(0, **more)
        (run,) = runs_of([process(0, 0, variables)])
        told = from_launcher(variables)
        assert (run.key, run.attempt, run.job, run.world) == (
            told["id"], told["attempt"], told["job"], told["world_size"],
        )  # fmt: skip


def test_tasks_of_an_array_and_components_of_a_heterogeneous_job_are_told_apart() -> None:
    tasks = [
        process(0, task, torchrun(0, 1, SLURM_JOB_ID=90 + task, SLURM_ARRAY_JOB_ID=90, SLURM_ARRAY_TASK_ID=task))
        for task in range(3)
    ]
    assert [run.key for run in runs_of(tasks)] == ["90_0", "90_1", "90_2"]
    # srun tells every component of a heterogeneous job the id of the leading one, and counts ranks through.
    parts = [process(rank, 0, torchrun(rank, 2, SLURM_JOB_ID=700, SLURM_HET_SIZE=2)) for rank in range(2)]
    assert [(run.key, len(run.ranks)) for run in runs_of(parts)] == [("700", 2)]


def test_several_runs_on_one_machine_are_told_apart() -> None:
    one = [process(0, gpu, torchrun(gpu, 4, MASTER_PORT=29500)) for gpu in range(4)]
    other = [process(0, 4 + gpu, torchrun(gpu, 4, MASTER_PORT=29501), started=NOW + 5) for gpu in range(4)]
    found = runs_of(one + other)
    assert [(run.key, next(each.slot for each in run.ranks)) for run in found] == [
        ("gpu-0:29500", "GPU 0"), ("gpu-0:29501", "GPU 4"),
    ]  # fmt: skip


def test_several_runs_of_one_job_are_told_apart_by_where_they_meet() -> None:
    one = [process(0, gpu, torchrun(gpu, 4, SLURM_JOB_ID=5, MASTER_PORT=29500)) for gpu in range(4)]
    other = [process(0, 4 + gpu, torchrun(gpu, 4, SLURM_JOB_ID=5, MASTER_PORT=29501)) for gpu in range(4)]
    found = runs_of(one + other)
    assert [(run.key, len(run.ranks)) for run in found] == [("5", 4), ("5", 4)]
    assert len({run.rendezvous for run in found}) == 2


def test_runs_outside_any_scheduler_that_meet_on_themselves_are_one_a_machine() -> None:
    found = runs_of([process(machine, 0, torchrun(0, 1, MASTER_ADDR="127.0.0.1")) for machine in range(3)])
    assert len(found) == 3 and len({run.rendezvous for run in found}) == 3


def test_mpi_without_an_address_is_one_run_where_its_ranks_began_together() -> None:
    def mpi(rank: int, started: float) -> Process:
        told = {"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_LOCAL_RANK": "0", "OMPI_COMM_WORLD_SIZE": "4"}
        return process(rank, 0, told, started=started)

    (run,) = runs_of([mpi(rank, NOW + rank) for rank in range(4)])
    assert (run.launcher, run.world, len(run.ranks), run.job) == ("mpirun", 4, 4, "")
    assert len(runs_of([*(mpi(rank, NOW) for rank in range(4)), *(mpi(rank, NOW + 9000) for rank in range(4))])) == 2


def test_an_elastic_restart_with_another_world_size_is_a_run_of_its_own() -> None:
    """torchelastic does not count a change of its members as a restart."""
    old = [process(1, gpu, torchrun(8 + gpu, 16, TORCHELASTIC_RUN_ID="night")) for gpu in range(8)]
    new = [process(0, gpu, torchrun(gpu, 8, TORCHELASTIC_RUN_ID="night"), started=NOW + 60) for gpu in range(8)]
    assert [(run.key, run.attempt, run.world, len(run.ranks)) for run in runs_of(old + new)] == [
        ("night", 0, 16, 8), ("night", 0, 8, 8),
    ]  # fmt: skip


def test_mig_slices_of_one_gpu_are_places_of_their_own() -> None:
    def on(rank: int, visible: str) -> Process:
        return process(0, 0, torchrun(rank, 2, CUDA_VISIBLE_DEVICES=visible), pid=50 + rank)

    (run,) = runs_of([on(0, "MIG-aaaa"), on(1, "MIG-bbbb")])
    assert [each.slice for each in run.ranks] == ["MIG-aaaa", "MIG-bbbb"]
    ranks = [Seen(each.rank, each.machine_name, each.slot, each.slice, False, ()) for each in run.ranks]
    assert roll_call(2, ranks, ())["sentences"] == []


def test_two_ranks_on_one_gpu_are_told() -> None:
    (run,) = runs_of([process(0, 0, torchrun(rank, 2), pid=50 + rank) for rank in range(2)])
    ranks = [Seen(each.rank, each.machine_name, each.slot, each.slice, False, ()) for each in run.ranks]
    told = roll_call(2, ranks, ())
    assert told["shared"] == [{"machine_name": "gpu-0", "slot": "GPU 0", "ranks": [0, 1]}]
    assert told["sentences"] == ["Ranks 0 and 1 share GPU 0 of gpu-0."]


def test_a_rank_that_opened_other_gpus_too_is_on_the_one_it_uses_most() -> None:
    gpus = [Gpu("GPU-a", "GPU 0", "1", 1), Gpu("GPU-b", "GPU 5", "2", 71), Gpu("GPU-c", "GPU 6", "3", None)]
    (run,) = runs_of([process(0, 0, torchrun(5, 8), gpus=gpus)])
    assert run.ranks[0].slot == "GPU 5"


def test_a_worker_that_a_rank_forked_is_not_the_rank_twice() -> None:
    rank = process(0, 0, torchrun(0, 1), pid=100)
    loader = process(0, 0, torchrun(0, 1), pid=101, parent=100)
    (run,) = runs_of([rank, loader])
    assert [each.pid for each in run.ranks] == [100]


def test_missing_and_doubled_ranks_are_told_with_their_places() -> None:
    there = [process(0, gpu, torchrun(gpu, 16)) for gpu in range(8) if gpu != 3]
    twice = process(1, 2, torchrun(2, 16))
    (run,) = runs_of([*there, twice])
    assert [each.machine for each in run.ranks if each.rank == 2] == [0, 1]
    told = roll_call(
        16,
        [Seen(2, "gpu-0", "GPU 2", "", False, [{"machine": "gpu-1", "slot": "GPU 2"}]),
         *(Seen(rank, "gpu-0", f"GPU {rank}", "", rank == 7, ()) for rank in (0, 1, 4, 5, 6, 7))],
        [Unknown(9, "gpu-2", "refused")],
    )  # fmt: skip
    assert told["missing"] == [[3, 3], [8, 15]] and told["gone"] == [[7, 7]]
    assert told["sentences"] == [
        "Ranks 3, 8 to 15 are missing: no process on a GPU calls itself so.",
        "Rank 7 is gone: the process is no longer on its machine.",
        "Rank 2 is there 2 times: gpu-0 GPU 2, gpu-1 GPU 2.",
        "What runs on gpu-2 is not known: refused.",
    ]


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"CUDA_VISIBLE_DEVICES": "0"},
        {"WORLD_SIZE": "8"},
        {"RANK": ""},
        {"RANK": "-1"},
        {"RANK": "x"},
        {"RANK": "٣"},
    ],
    ids=str,
)
def test_a_process_without_a_rank_is_no_run(variables: dict[str, str]) -> None:
    assert runs_of([process(0, 0, variables)]) == []


def test_a_batch_script_is_one_rank_and_not_the_first_of_all_its_tasks() -> None:
    batch = {"SLURM_JOB_ID": "9", "SLURM_PROCID": "0", "SLURM_NTASKS": "8", "SLURM_STEP_ID": "4294967291"}
    assert [run.world for run in runs_of([process(0, 0, batch)])] == [1]
    step = batch | {"SLURM_STEP_ID": "0"}
    assert [run.world for run in runs_of([process(0, 0, step)])] == [8]


@given(st.permutations(list(range(16))))
def test_the_order_in_which_machines_answer_changes_nothing(order: list[int]) -> None:
    processes = two_machines(SLURM_JOB_ID=1)
    assert runs_of(processes[index] for index in order) == runs_of(processes)


# ---- which run it is ----
def test_a_name_that_is_used_again_is_another_run() -> None:
    old = Known(1, 0, 16, "", NOW - 7200)
    assert same([old], Now(16, "", NOW - 7300)) == 1, "a report that comes late is of the old one"
    assert same([old], Now(16, "", NOW)) is None
    newer = Known(2, 1, 16, "", None)
    assert same([newer, old], Now(16, "", NOW)) == 2


def test_a_run_of_another_size_or_meeting_point_is_another_run() -> None:
    known = Known(1, 0, 16, "gpu-0:29500", None)
    assert same([known], Now(8, "gpu-0:29500", NOW)) is None
    assert same([known], Now(16, "gpu-0:29501", NOW)) is None
    assert same([known], Now(0, "", NOW)) == same([Known(1, 0, 0, "", None)], Now(16, "x", NOW)) == 1


def test_processes_that_are_all_others_are_a_restart() -> None:
    assert restarted({(1, 50), (2, 50)}, {(1, 70), (2, 70)})
    assert not restarted({(1, 50), (2, 50)}, {(1, 70), (2, 50)}), "one rank was replaced"
    assert not restarted(set(), {(1, 70)}), "none was seen before"


def test_a_run_belongs_to_the_start_of_the_job_it_fell_into() -> None:
    assert of_job(NOW + 10, NOW, None) and of_job(NOW - 60, NOW, NOW + 900)
    assert not of_job(NOW + 1000, NOW, NOW + 900), "requeued: the next start"
    assert not of_job(NOW - 86_400, NOW, None), "an id that was used before"


@given(st.sets(st.integers(0, 300)))
def test_spans_hold_every_number_once(ranks: set[int]) -> None:
    told = spans(ranks)
    assert [rank for first, last in told for rank in range(first, last + 1)] == sorted(ranks)
    assert len(words(told)) < 1500
