"""Stacks of all ranks from py-spy, grouped into equal ones, the odd ranks first. Pure.

Read are `py-spy dump` (one process or many after each other), its `--json`, and the grouped form that people paste
("4 in:" above the threads that share a stack). Facts: py-spy 0.4.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

_PROCESS = re.compile(r"^Process (\d+)(?:: (.*))?$")
_THREAD = re.compile(r'^Thread (?:0x)?([0-9A-Fa-f]+) \((\w+(?:\+\w+)?)\)(?:: "(.*)")?')
_FRAME = re.compile(r"^ {2,}(\S.*?) \(([^()]*?)(?::(\d+))?\)$")
_GROUP = re.compile(r"^(\d+) in:$")
WAITS_FOR_OTHERS = (
    "torch/distributed/",
    "torch/cuda/",
    "torch/autograd/",
    "torch/nn/parallel/",
    "nccl",
    "mpi4py",
    "horovod",
)


class Frame(NamedTuple):
    function: str
    file: str
    line: int | None

    def __str__(self) -> str:
        return f"{self.function} ({self.file}{f':{self.line}' if self.line else ''})"


class Stack(NamedTuple):
    """The main thread of one process, innermost frame first."""

    source: str
    """File it was read from."""
    at: int
    """Line of the thread in it, from 1."""
    rank: int | None
    thread: str
    frames: tuple[Frame, ...]

    @property
    def in_collective(self) -> bool:
        return any(any(mark in frame.file for mark in WAITS_FOR_OTHERS) for frame in self.frames[:4])


class Party(NamedTuple):
    """Processes that stand at the same place."""

    stacks: list[Stack]

    @property
    def frames(self) -> tuple[Frame, ...]:
        return self.stacks[0].frames

    @property
    def in_collective(self) -> bool:
        return self.stacks[0].in_collective


def looks_like_stacks(text: str) -> bool:
    """Whether a file holds stacks of py-spy: threads with frames under them."""
    head = text[:20_000]
    return bool(re.search(r"^Thread (?:0x)?[0-9A-Fa-f]+ \(\w+", head, re.MULTILINE)) and bool(
        re.search(r"^ {2,}\S.* \(.*:\d+\)$", head, re.MULTILINE)
    )


def read_stacks(text: str, source: str = "", rank: int | None = None) -> list[Stack]:
    """Main threads of the text; threads that are listed above one stack share it."""
    if text.lstrip()[:1] in "[{":
        return _from_json(text, source, rank)
    found: list[Stack] = []
    waiting: list[tuple[int, str]] = []
    frames: list[Frame] = []

    def close() -> None:
        found.extend(Stack(source, at, rank, thread, tuple(frames)) for at, thread in waiting if frames)
        frames.clear()

    for number, line in enumerate(text.splitlines(), 1):
        if thread := _THREAD.match(line):
            if frames:
                close()
                waiting.clear()
            if (thread[3] or "MainThread") == "MainThread":
                waiting.append((number, thread[1]))
            else:
                waiting.clear()
        elif frame := _FRAME.match(line):
            if waiting:
                frames.append(Frame(frame[1], frame[2], int(frame[3]) if frame[3] else None))
        elif _PROCESS.match(line) or _GROUP.match(line):
            close()
            waiting.clear()
    close()
    return found


def _from_json(text: str, source: str, rank: int | None) -> list[Stack]:
    try:
        said: Any = json.loads(text)
    except ValueError:
        return []
    threads = said if isinstance(said, list) else [said]
    found = []
    for thread in threads:
        if not isinstance(thread, dict) or thread.get("thread_name") not in (None, "MainThread"):
            continue
        frames = tuple(
            Frame(str(row.get("name")), str(row.get("short_filename") or row.get("filename")), row.get("line"))
            for row in thread.get("frames") or ()
            if isinstance(row, dict)
        )
        if frames:
            found.append(Stack(source, 1, rank, str(thread.get("thread_id", "")), frames))
    return found


def parties(stacks: Iterable[Stack]) -> list[Party]:
    """Groups of equal stacks: first those that stand in no collective, then the smaller ones."""
    grouped: dict[tuple[Frame, ...], list[Stack]] = {}
    for stack in stacks:
        grouped.setdefault(stack.frames, []).append(stack)
    found = [Party(members) for members in grouped.values()]
    return sorted(found, key=lambda party: (party.in_collective, len(party.stacks)))


def odd_one_out(found: Sequence[Party]) -> Party | None:
    """The party that the others wait for; None where all stand alike, or nobody waits."""
    if len(found) < 2 or not any(party.in_collective for party in found):
        return None
    first = found[0]
    if first.in_collective and len(first.stacks) * 2 > sum(len(party.stacks) for party in found):
        return None
    return first
