"""Which rank wrote a file, from where launchers put it. Pure.

torchrun: `<run>/attempt_<n>/<local rank>/stderr.log`; Open MPI `--output-filename`: `1/rank.3/stderr`; srun `%t`, and
the names that people give (`rank_5.log`, `dump_5`, `nccl_trace_rank_5`). Facts: PyTorch 2.8, Open MPI 4.1.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import NamedTuple

_RANK = re.compile(r"(?:^|[^a-z])(?:global_)?(?:rank|dump|task|proc)[_.=-]?(\d+)(?!\d)", re.IGNORECASE)
_TRACE = re.compile(r"rank_(\d+)(?:\.\w+)?$")
_ATTEMPT = re.compile(r"^attempt_(\d+)$")
_MACHINE = re.compile(r"^[a-z][a-z0-9]*(?:-[a-z0-9]+)*-?\d+[a-z0-9-]*$")


class Origin(NamedTuple):
    rank: int | None = None
    local: int | None = None
    machine: str | None = None
    attempt: int = 0


def origin_of(path: PurePath) -> Origin:
    """What the path says; the lines of the file may say more."""
    found = _TRACE.search(path.name) or _RANK.search(path.name)
    rank = int(found[1]) if found else None
    local, machine, attempt = None, None, 0
    parts = path.parts[:-1]
    for index, part in enumerate(parts):
        if tried := _ATTEMPT.match(part):
            attempt = int(tried[1])
            if index + 1 < len(parts) and parts[index + 1].isdigit():
                local = int(parts[index + 1])
        elif rank is None and (inside := re.fullmatch(r"rank[._-]?(\d+)", part)):
            rank = int(inside[1])
        elif _MACHINE.match(part) and not part.startswith(("run", "attempt", "job")):
            machine = part
    return Origin(rank, local, machine, attempt)
