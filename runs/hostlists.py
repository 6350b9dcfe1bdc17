"""The machines of a run in the form that a launcher takes. Pure.

Order matters: the launchers give ranks in it, so a replacement stands where the machine that left stood.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

_NUMBERED = re.compile(r"(.*?)(\d+)")
RDZV_PORT = 29500
"""Of torchrun's c10d rendezvous, its default."""


class Host(NamedTuple):
    name: str
    ranks: int
    """Processes there: one a GPU."""


def slurm(hosts: Sequence[Host]) -> str:
    """A hostlist of Slurm in its short form, `hgx-a01-[01-03,07]`, as `--nodelist` takes it.

    Neighbours in order are put together, so the order stays: `srun --distribution=arbitrary` follows it.
    """
    parts: list[str] = []
    run: list[str] = []
    head = ""
    for name in (host.name for host in hosts):
        found = _NUMBERED.fullmatch(name)
        if found is None or found[1] != head:
            parts += _folded(head, run)
            head, run = (found[1], [found[2]]) if found else ("", [])
            parts += [] if found else [name]
        else:
            run.append(found[2])
    return ",".join([*parts, *_folded(head, run)])


def _folded(head: str, numbers: Sequence[str]) -> list[str]:
    """Names of one beginning, with those that follow each other as a span. Numbers keep their zeros."""
    if not numbers:
        return []
    if len(numbers) == 1:
        return [head + numbers[0]]
    spans: list[list[str]] = []
    for number in numbers:
        if spans and len(number) == len(spans[-1][-1]) and int(number) == int(spans[-1][-1]) + 1:
            spans[-1] = [spans[-1][0], number]
        else:
            spans.append([number])
    return [f"{head}[{','.join('-'.join(dict.fromkeys(span)) for span in spans)}]"]


def mpi(hosts: Sequence[Host]) -> str:
    """A hostfile of Open MPI: `mpirun --hostfile`."""
    return "".join(f"{host.name} slots={host.ranks}\n" for host in hosts)


def torchrun(hosts: Sequence[Host]) -> str:
    """Arguments of torchrun, the same on every machine, and the machines to start it on, the first one meets them."""
    if not hosts:
        return ""
    ranks = max(host.ranks for host in hosts)
    words = f"--nnodes={len(hosts)} --nproc-per-node={ranks} --rdzv-backend=c10d --rdzv-endpoint={hosts[0].name}"
    return f"{words}:{RDZV_PORT}\n" + "".join(f"{host.name}\n" for host in hosts)


def as_json(hosts: Sequence[Host]) -> str:
    return json.dumps([{"host": host.name, "ranks": host.ranks} for host in hosts], indent=1) + "\n"


def forms(hosts: Sequence[Host]) -> dict[str, str]:
    return {"slurm": slurm(hosts), "mpi": mpi(hosts), "torchrun": torchrun(hosts), "json": as_json(hosts)}
