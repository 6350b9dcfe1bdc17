"""Processes of many machines that hold GPUs, put together to runs with their ranks. Pure.

What belongs together is told by the variables of the launcher: the scheduler's job, torchelastic's run id, where rank 0
listens. Key and attempt are made of them as `contrib/rackside_run.py` makes them, so that a run that is found and one
that reports itself are the same. A process without a rank is no run: a notebook or a server holds GPUs as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

TOGETHER_S = 120.0
"""Ranks that share nothing but user and world size (MPI without an address) are one run where they began this close."""
LEAST_SPECIAL_STEP = 4_294_967_280
"""Steps of Slurm from here on are the batch script and its like (slurm.h.in, SLURM_BATCH_SCRIPT and others)."""
MOST_WORLD = 1_000_000
LOCAL = ("localhost", "127.", "::1")
RANKS = (
    ("RANK", "LOCAL_RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"),
    ("PMIX_RANK", "", ""),
    ("PMI_RANK", "", "PMI_SIZE"),
)
"""Variables of rank, local rank and world size, the first that is set counts."""


class Gpu(NamedTuple):
    uuid: str
    slot: str = ""
    serial: str = ""
    gib: int | None = None


@dataclass(frozen=True)
class Process:
    """A process that holds GPUs; `started` in seconds since 1970, by our clock."""

    machine: int
    machine_name: str
    pid: int
    parent: int
    started: float
    user: str = ""
    container: str = ""
    gpus: Sequence[Gpu] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


class FoundRank(NamedTuple):
    """A process that calls itself this rank. `slice` is the MIG slice it sees, empty for a whole GPU."""

    rank: int
    local_rank: int
    machine: int
    machine_name: str
    slot: str
    serial: str
    slice: str
    pid: int
    container: str
    started: float


@dataclass(frozen=True)
class FoundRun:
    """`ranks` in their order; a rank that several processes claim stands there several times."""

    key: str
    attempt: int
    rendezvous: str
    job: str
    launcher: str
    world: int
    user: str
    ranks: Sequence[FoundRank]

    @property
    def started(self) -> float:
        return min(each.started for each in self.ranks)

    @property
    def newest(self) -> float:
        return max(each.started for each in self.ranks)


class _Told(NamedTuple):
    """What the variables of one process say."""

    rank: int
    local_rank: int
    world: int
    job: str
    elastic: str
    address: str
    step: str
    attempt: int
    launcher: str


Key = tuple[Any, ...]


def runs_of(processes: Iterable[Process]) -> list[FoundRun]:
    """The runs of these processes, the oldest first."""
    groups: dict[Key, list[tuple[Process, _Told]]] = defaultdict(list)
    for process in processes:
        told = _told(process)
        if told is not None:
            groups[_key(process, told)].append((process, told))
    found = [_run(key, part) for key, members in groups.items() for part in _apart(key, _without_children(members))]
    return sorted(found, key=lambda run: (run.started, run.key, run.rendezvous))


def job_of(variables: Mapping[str, str]) -> str:
    """As people call the job: 88213_4 of an array, else its id; of a heterogeneous job Slurm tells the leading one."""
    array, task = variables.get("SLURM_ARRAY_JOB_ID", ""), variables.get("SLURM_ARRAY_TASK_ID", "")
    return f"{array}_{task}" if array and task else array or variables.get("SLURM_JOB_ID", "")


def _told(process: Process) -> _Told | None:
    said = process.variables
    names = next((names for names in RANKS if _number(said, names[0]) is not None), None)
    if names is None:
        return None
    step = _number(said, "SLURM_STEP_ID")
    in_step = step is not None and step < LEAST_SPECIAL_STEP
    if names[0] == "SLURM_PROCID" and not in_step:  # a batch script has the number of tasks, and is not one of them
        rank, world = 0, 1
    else:
        rank, world = _number(said, names[0]) or 0, _number(said, names[2]) or 0
    elastic = said.get("TORCHELASTIC_RUN_ID", "")
    launcher = (
        "torchrun"
        if elastic
        else "mpirun"
        if names[0].startswith("OMPI")
        else "slurm"
        if "SLURM_PROCID" in said
        else ""
    )
    address = said.get("MASTER_ADDR", "")
    return _Told(
        rank,
        _number(said, names[1]) or 0,
        world,
        job_of(said),
        "" if elastic == "none" else elastic,
        f"{address}:{said.get('MASTER_PORT', '')}" if address and names[0] == "RANK" else "",
        str(step) if in_step and names[0] == "SLURM_PROCID" else "",
        (_number(said, "SLURM_RESTART_COUNT") or 0) + (_number(said, "TORCHELASTIC_RESTART_COUNT") or 0),
        launcher,
    )


def _number(said: Mapping[str, str], name: str) -> int | None:
    text = said.get(name, "") if name else ""
    return int(text) if text.isascii() and text.isdecimal() and int(text) <= LEAST_SPECIAL_STEP + 16 else None


def _key(process: Process, told: _Told) -> Key:
    """What ranks of one run have in common. An address of the machine itself means nothing elsewhere."""
    here = process.machine if told.address.startswith(LOCAL) else 0
    shared = told.job or told.elastic or told.address
    if not shared:
        return ("", "", "", 0, told.attempt, told.world, process.user)
    return (told.job, told.elastic, told.address or told.step, here, told.attempt, told.world, "")


def _without_children(members: list[tuple[Process, _Told]]) -> list[tuple[Process, _Told]]:
    """Workers that a rank forked have its variables, and are not the rank a second time."""
    known = {(process.machine, process.pid): told.rank for process, told in members}
    return [(process, told) for process, told in members if known.get((process.machine, process.parent)) != told.rank]


def _apart(key: Key, members: list[tuple[Process, _Told]]) -> list[list[tuple[Process, _Told]]]:
    """Runs of one key: where nothing is shared but user and size, by when their ranks began."""
    members = sorted(members, key=lambda member: (member[0].started, member[1].rank))
    if key[0] or key[1] or key[2]:
        return [members]
    parts: list[list[tuple[Process, _Told]]] = []
    for member in members:
        if parts and member[0].started - parts[-1][-1][0].started <= TOGETHER_S:
            parts[-1].append(member)
        else:
            parts.append([member])
    return parts


def _run(key: Key, members: list[tuple[Process, _Told]]) -> FoundRun:
    first, told = members[0]
    ranks = sorted(
        (_rank(process, each) for process, each in members),
        key=lambda rank: (rank.rank, rank.started, rank.machine, rank.pid),
    )
    alone = f"{first.machine_name}:{first.pid}"  # nothing names it: the process that began first
    return FoundRun(
        key=(told.job or told.elastic or told.address or alone)[:120],
        attempt=told.attempt,
        rendezvous="|".join(str(each) for each in key[1:4] if each)[:200],
        job=told.job[:64],
        launcher=told.launcher,
        world=min(told.world, MOST_WORLD),
        user=first.user[:64],
        ranks=ranks,
    )


def _rank(process: Process, told: _Told) -> FoundRank:
    gpu = _gpu(process)
    return FoundRank(
        min(told.rank, MOST_WORLD),
        min(told.local_rank, MOST_WORLD),
        process.machine,
        process.machine_name,
        gpu.slot if gpu else "",
        gpu.serial if gpu else "",
        _slice(process, told.local_rank, gpu),
        process.pid,
        process.container,
        process.started,
    )


def _gpu(process: Process) -> Gpu | None:
    """The GPU a rank computes on: of several, where libraries opened a little on others too, the one it uses most."""
    return max(process.gpus, key=lambda gpu: gpu.gib or 0, default=None)


def _slice(process: Process, local_rank: int, gpu: Gpu | None) -> str:
    """The MIG slice: nvidia-smi names the GPU it is on, and the process the slice it was given."""
    if gpu is not None and gpu.uuid.startswith("MIG-"):
        return gpu.uuid[:80]
    seen = [part.strip() for part in process.variables.get("CUDA_VISIBLE_DEVICES", "").split(",")]
    chosen = seen[local_rank] if local_rank < len(seen) else seen[0] if len(seen) == 1 else ""
    return chosen[:80] if chosen.startswith("MIG-") else ""
