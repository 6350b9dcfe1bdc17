"""Which processes of a machine are ranks of a run, from the variables that launchers set. Pure.

Read are only variables that are named here. Facts: torchrun 1.13 to 2.8, Slurm 23 to 24.05, Open MPI 4 and 5.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
"""The first that a process of the run has says its rank; torchrun's agents have only Slurm's, which counts agents."""
DUMPS = ("TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE")
USUAL_DUMP = "/tmp/nccl_trace_rank_"
"""Where torch writes without either variable: a prefix, the rank follows."""
NAMES = (
    *RANKS, *DUMPS, "SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "TORCHELASTIC_RUN_ID",
    "TORCHELASTIC_RESTART_COUNT", "NCCL_DEBUG_FILE",
)  # fmt: skip
_VARIABLE = re.compile(r"([A-Z_]+)=(.*)")


@dataclass
class Found:
    """A process that says that it is a rank of something."""

    pid: int
    parent: int = 0
    name: str = ""
    state: str = ""
    user: str = ""
    """Its effective user id."""
    links: dict[str, str] = field(default_factory=dict)
    """exe, cwd, fd/1 and fd/2."""
    told: dict[str, str] = field(default_factory=dict)

    @property
    def is_python(self) -> bool:
        return (PurePosixPath(self.links.get("exe", "")).name or self.name).startswith("python")

    @property
    def job(self) -> str:
        array, task = self.told.get("SLURM_ARRAY_JOB_ID"), self.told.get("SLURM_ARRAY_TASK_ID")
        return f"{array}_{task}" if array and task else self.told.get("SLURM_JOB_ID", "")

    def rank_by(self, name: str) -> int | None:
        text = self.told.get(name, "")
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else None

    def dump_of(self, rank: int) -> str:
        """Where torch leaves its flight recorder, seen from outside of the process's container."""
        prefix = next((self.told[name] for name in DUMPS if self.told.get(name)), USUAL_DUMP)
        path = prefix if prefix.startswith("/") else f"{self.links.get('cwd', '')}/{prefix}"
        return f"/proc/{self.pid}/root{path}{rank}"


class Answer(NamedTuple):
    processes: list[Found]
    whole: bool
    """It was told to its end."""
    all_readable: bool
    """Processes of other users too."""
    clock: float | None
    """The machine's clock, seconds since 1970, at the end."""


def read(text: str) -> Answer:
    """What the script printed; lines of a shape that is not known are passed over."""
    found: list[Found] = []
    whole, readable, clock = False, False, None
    for line in text.splitlines():
        if line.startswith("== process ") and line[11:].isdecimal():
            found.append(Found(int(line[11:])))
        elif line.startswith("== clock "):
            clock = _number(line[9:])
        elif line == "== all":
            readable = True
        elif line == "== end":
            whole = True
        elif found:
            _take(found[-1], line)
    return Answer(found, whole, readable, clock)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _take(process: Found, line: str) -> None:
    name, _, value = line.partition(":")
    value = value.strip()
    if name == "PPid" and value.isdecimal():
        process.parent = int(value)
    elif name == "Name":
        process.name = value
    elif name == "Uid" and len(value.split()) == 4:
        process.user = value.split()[1]
    elif name == "State":
        process.state = value[:1]
    elif line.startswith(("exe=", "cwd=", "fd/1=", "fd/2=")):
        link, _, target = line.partition("=")
        process.links[link] = target
    elif variable := _VARIABLE.fullmatch(line):
        process.told[variable[1]] = variable[2]


def ranks_of(
    processes: Iterable[Found], *, job: str, key: str, attempt: int | None, ranks: Collection[int]
) -> Mapping[int, Found]:
    """The process of each of the run's ranks on this machine.

    Several runs may share a machine: a process of another job or another elastic run is none of ours. A rank's helpers
    (data loaders) have its variables too; the outermost Python of them is the rank.
    """
    ours = [process for process in processes if _may_be_of(process, job, key, attempt)]
    name = next((name for name in RANKS if any(process.rank_by(name) in ranks for process in ours)), None)
    if name is None:
        return {}
    by_rank: dict[int, list[Found]] = {}
    for process in ours:
        rank = process.rank_by(name)
        if rank is not None and rank in ranks:
            by_rank.setdefault(rank, []).append(process)
    return {rank: _outermost(found) for rank, found in by_rank.items()}


def _may_be_of(process: Found, job: str, key: str, attempt: int | None) -> bool:
    if process.job and job:
        return process.job == job
    elastic = process.told.get("TORCHELASTIC_RUN_ID", "")
    return not elastic or elastic in ("none", key) or not key


def _outermost(found: list[Found]) -> Found:
    pythons = [process for process in found if process.is_python] or found
    pids = {process.pid for process in pythons}
    outer = [process for process in pythons if process.parent not in pids] or pythons
    return min(outer, key=lambda process: process.pid)
