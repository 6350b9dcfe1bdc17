"""The processes of training runs that a machine of the hall plays, as the probe's command about them prints them.

They come from the fault `training`: its `runs` are dictionaries of what differs from eight ranks of torchrun on all
GPUs (see DEFAULTS), several of them for several runs on one machine. Ids of processes are made up and stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simulator.state import Machine

DEFAULTS: dict[str, Any] = {
    "job": "", "step": 0, "array": "", "run": "", "restarts": 0, "requeued": 0, "first_rank": 0, "ranks": 8, "world": 8,
    "first_gpu": 0, "master": "127.0.0.1", "port": 29500, "user": "mk", "container": "", "slices": 0,
    "launcher": "torchrun",
}  # fmt: skip
"""`array` is `JOB_TASK`; `slices` MIG slices a GPU, each with a rank of its own; `launcher` torchrun, srun or mpirun;
`began` in seconds since 1970 where it is not when the fault came."""
_FIRST_PID = 4242
_HEAD = "said pid gpu_uuid used_gpu_memory [MiB]\n"


def processes(machine: Machine) -> str:
    """What the probe's command about processes prints."""
    gpus, rest, users = [], [], []
    for pid, uuid, started_s, user, lines in _ranks(machine):
        gpus.append(f"gpu {pid} {uuid} 71204\n")
        rest += [f"process {pid} {_FIRST_PID - 1} {round(started_s * 100)}\n", *(f"{line}\n" for line in lines)]
        users.append(f"user {pid} {user}\n")
    return "".join((_HEAD, *gpus, *rest, *users, "end of processes\n"))


def pids(machine: Machine) -> list[int]:
    """Of the ranks that run there."""
    return [pid for pid, *_ in _ranks(machine)]


def _ranks(machine: Machine) -> Iterator[tuple[int, str, float, str, list[str]]]:
    """(pid, UUID of its GPU, seconds after the start of the machine, user, lines about it) of every rank."""
    fault = machine.fault("training")
    if fault is None:
        return
    listed = [machine.part(gpu.slot).uuid for gpu in machine.listed_gpus()]
    pid = _FIRST_PID
    for told in fault.params["runs"]:
        run = {**DEFAULTS, **told}
        began = max(0.0, float(run.get("began", 0.0) or fault.since) - machine.state.booted_at)
        for local in range(int(run["ranks"])):
            gpu = int(run["first_gpu"]) + (local // run["slices"] if run["slices"] else local)
            if gpu >= len(listed):
                break
            pid += 1
            yield pid, listed[gpu], began + local / 100, str(run["user"]), list(_lines(run, local, listed[gpu]))


def _lines(run: dict[str, Any], local: int, uuid: str) -> Iterator[str]:
    rank = int(run["first_rank"]) + local
    if run["launcher"] == "torchrun":
        yield from (
            f"RANK={rank}", f"WORLD_SIZE={run['world']}", f"LOCAL_RANK={local}", f"LOCAL_WORLD_SIZE={run['ranks']}",
            f"MASTER_ADDR={run['master']}", f"MASTER_PORT={run['port']}", f"TORCHELASTIC_RUN_ID={run['run'] or 'none'}",
            f"TORCHELASTIC_RESTART_COUNT={run['restarts']}",
        )  # fmt: skip
    elif run["launcher"] == "mpirun":
        yield from (f"OMPI_COMM_WORLD_RANK={rank}", f"OMPI_COMM_WORLD_LOCAL_RANK={local}",
                    f"OMPI_COMM_WORLD_SIZE={run['world']}", f"MASTER_ADDR={run['master']}")  # fmt: skip
    if run["job"]:
        yield from (
            f"SLURM_JOB_ID={run['job']}",
            f"SLURM_STEP_ID={run['step']}",
            f"SLURM_RESTART_COUNT={run['requeued']}",
        )
        if run["launcher"] == "srun":
            yield from (f"SLURM_PROCID={rank}", f"SLURM_LOCALID={local}", f"SLURM_NTASKS={run['world']}")
    if run["array"]:
        job, _, task = str(run["array"]).partition("_")
        yield from (f"SLURM_ARRAY_JOB_ID={job}", f"SLURM_ARRAY_TASK_ID={task}")
    if run["slices"]:
        yield f"CUDA_VISIBLE_DEVICES=MIG-{uuid[4:-2]}{local % run['slices']:02d}"
    if run["container"]:
        yield str(run["container"])
