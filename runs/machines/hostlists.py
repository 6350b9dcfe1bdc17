"""A set of machines as launchers take it: Slurm's host list, an MPI hostfile, torchrun's options, JSON. Pure.

Order matters: the launchers give ranks in it, so a replacement stands where the machine that left stood.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

PORT = 29500
"""torchrun's usual port of the rendezvous."""
_NUMBER = re.compile(r"(\d+)")
_NUMBERED_LAST = re.compile(r"(.*?)(\d+)")
DIMENSIONS = 2
"""Slurm's node names have at most so many ranges, the last at the end (slurm.conf, NodeName)."""


class Host(NamedTuple):
    name: str
    gpus: int
    leaf: str = ""


def compressed(names: Iterable[str]) -> str:
    """`hgx-a[01-08]-[01-04],hgx-b01-01`: names as Slurm writes them; `drivers.slurm.client.expand` is the way back."""
    plain: list[str] = []
    groups: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for name in dict.fromkeys(names):
        parts = _NUMBER.split(name)
        if parts[-1] or len(parts) == 1:  # a range stands at the end
            plain.append(name)
            continue
        numbers = parts[1::2]
        ranged = numbers[-DIMENSIONS:]
        start = len(parts) - 1 - 2 * len(ranged)
        head = "".join(parts[:start])
        between = parts[start:-1:2]
        # Numbers of another width are another list: 8 and 08 are two names.
        key = (head, *between, *(str(len(number)) for number in ranged))
        groups.setdefault(key, set()).add(tuple(ranged))
    found = []
    for (head, *rest), rows in groups.items():
        count = len(rest) // 2
        found += [head + _joined(rest[:count], row) for row in _merged(rows, count)]
    return ",".join(sorted([*plain, *found]))


def _joined(between: Sequence[str], row: Sequence[str]) -> str:
    return "".join(text + number for text, number in zip(between, row, strict=True))


def _merged(rows: Iterable[tuple[str, ...]], count: int) -> list[tuple[str, ...]]:
    """Rows that differ in one number as one with a range, the last number first."""
    left = list(rows)
    for at in reversed(range(count)):
        same: dict[tuple[str, ...], list[str]] = {}
        for row in left:
            same.setdefault((*row[:at], *row[at + 1 :]), []).append(row[at])
        left = [(*others[:at], _ranges(numbers), *others[at:]) for others, numbers in same.items()]
    return sorted(left)


def _ranges(numbers: Sequence[str]) -> str:
    if len(numbers) == 1:
        return numbers[0]
    width = len(numbers[0])
    pieces: list[list[int]] = []
    for number in sorted(int(each) for each in numbers):
        if pieces and number == pieces[-1][1] + 1:
            pieces[-1][1] = number
        else:
            pieces.append([number, number])
    return f"[{','.join(f'{a:0{width}d}' + (f'-{b:0{width}d}' if b > a else '') for a, b in pieces)}]"


def in_order(names: Iterable[str]) -> str:
    """A hostlist of Slurm in its short form, `hgx-a01-[01-03,07]`, as `--nodelist` takes it.

    Neighbours in order are put together, so the order stays: `srun --distribution=arbitrary` follows it.
    """
    parts: list[str] = []
    run: list[str] = []
    head = ""
    for name in names:
        found = _NUMBERED_LAST.fullmatch(name)
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


def forms(hosts: Sequence[Host], *, run: str, left_out: Sequence[str] = ()) -> dict[str, str]:
    """The four forms. `run` is the rendezvous id; hosts in the order that their ranks shall have."""
    if not hosts:
        return {"slurm": "", "mpi": "", "torchrun": "", "json": ""}
    return {
        "slurm": in_order(host.name for host in hosts),
        "mpi": "".join(f"{host.name} slots={host.gpus}\n" for host in hosts),
        "torchrun": _torchrun(hosts, run),
        "json": _json(hosts, left_out),
    }


def _torchrun(hosts: Sequence[Host], run: str) -> str:
    a_node = min(host.gpus for host in hosts)
    rdzv = f"--rdzv-id={run} --rdzv-backend=c10d --rdzv-endpoint={hosts[0].name}:{PORT}"
    return f"torchrun --nnodes={len(hosts)} --nproc-per-node={a_node} \\\n  {rdzv} train.py\n"


def _json(hosts: Sequence[Host], left_out: Sequence[str]) -> str:
    rows = [{"node": at, "host": host.name, "gpus": host.gpus, "leaf": host.leaf} for at, host in enumerate(hosts)]
    whole = {"gpus": sum(host.gpus for host in hosts), "hosts": rows, "left_out": list(left_out)}
    return json.dumps(whole, indent=1) + "\n"
