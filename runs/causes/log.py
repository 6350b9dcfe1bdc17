"""One log of a run, read as a stream: the lines that say something about its end, its steps, who its ranks are.

Memory is bounded whatever the log holds: of each pattern the first lines are kept and the rest is counted; of a line
of 100 MB its head and tail are looked at. Lines are searched for a few short texts first, in blocks; only lines that
hold one of them are asked what they are.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from runs.causes import lines
from runs.causes.lines import Line
from runs.causes.pattern import Pattern
from runs.causes.patterns import TABLE, pattern_of
from runs.pace import steps
from runs.pace.steps import Step

BLOCK = 1 << 20
LONG_LINE = 64 << 10
"""Bytes kept of the head, and of the tail, of a line longer than a block."""
KEPT = 12
"""Lines kept of one pattern in one log."""
MOST_STEPS = 20_000
CONTEXT = 4096
"""Bytes before a line in which the time of a line without one is looked for."""

ENDED_WELL = (
    "Training completed",
    "training completed",
    "Training finished",
    "'train_runtime'",
    "|COMPLETED|",
    "Training complete",
    "`Trainer.fit` stopped",
)
FACTS = (
    "nranks",
    "(local_rank: ",
    "exitcode  :",
    "Score=",
    "Ranks with lowest",
    "clocks_event_reasons",
    "clocks_throttle_reasons",
    "Active",
    "collective operation timeout",
    *ENDED_WELL,
    *steps.MARKS,
    steps.WAITING,
)
"""Texts of lines that tell of ranks, steps and ends rather than of failures."""
TRIGGERS = tuple(dict.fromkeys(text.encode() for text in (*FACTS, *(t for one in TABLE for t in one.triggers))))

COMMON = b" eotarn0is:c1dlp2um.4-g3/865bkh7C9fN][_I*=y,EL|(v)wPOTFGxDRUSAB!WM'>zq<`HKV%jYZJX"
"""Bytes of the labelled logs, the most frequent first."""
LEAST_END = 4
ORDINARY = b"NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0/GDRDMA Connected all rings WARNING FutureWarning"
"""Of what stands in healthy logs by the thousand."""


def rarest_end(trigger: bytes) -> bytes:
    """The part of a trigger from its rarest byte on: what grep looks for.

    GNU grep steps from one possible first byte to the next, so first bytes that are rare make it twice as fast. A line
    that holds the end and not the whole trigger is asked in vain.
    """
    ends = [trigger[at:] for at in range(max(1, len(trigger) - LEAST_END + 1))]
    return max((end for end in ends if end not in ORDINARY), key=lambda end: COMMON.find(end[0]) % 256, default=trigger)


ENDS = tuple(dict.fromkeys(rarest_end(trigger) for trigger in TRIGGERS))
_INIT = re.compile(r"\brank (\d+) nranks \d+ cudaDev \d+")
_NCCL_PID = re.compile(r"\b([A-Za-z][\w.-]*):(\d+):\d+ \[\d+\]")
_TABLE_RANK = re.compile(r"rank +: (\d+) \(local_rank: (\d+)\)")
_PID = re.compile(r"\(pid: (\d+)\)|process (\d+) \(|pid=(\d+)")
_TIMED_OUT = re.compile(r"\[Rank (\d+)\] Watchdog caught collective operation timeout: WorkNCCL\(SeqNum=(\d+)")
_BOTTOM = re.compile(r"Bottom \d+ Ranks with lowest .*?: ([\d.]+)/(\d+), ([\d.]+)/")
_SLOWED = re.compile(r"^\s*((?:HW|SW)(?: Thermal| Power Brake)? Slowdown)\s*: Active")
_SCORE = re.compile(r"Rank=(\d+) Node=(\S+) Score=([\d.]+)")
SLOW_SCORE = 0.75
"""NVIDIA resiliency extension: below it a rank is reported."""
_THROTTLE = ("hw_thermal_slowdown", "hw_slowdown", "hw_power_brake_slowdown", "sw_thermal_slowdown")


class Sighting(NamedTuple):
    """A line that says something, with the first moment known at or before it."""

    pattern: Pattern
    file: str
    line: Line
    at: datetime | None
    rank: int | None

    @property
    def place(self) -> tuple[str, int]:
        return (self.file, self.line.number)


class Score(NamedTuple):
    """One row of a straggler report."""

    line: int
    rank: int
    machine: str
    score: float


class Throttled(NamedTuple):
    """A GPU that nvidia-smi shows slowed down, with the reason as the tool names it."""

    line: int
    gpu: str
    reason: str
    machine: str | None


@dataclass
class Log:
    """What was read of one file."""

    name: str
    lines: int = 0
    sightings: list[Sighting] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    """Lines of each pattern, also of those no longer kept."""
    steps: deque[Step] = field(default_factory=lambda: deque(maxlen=MOST_STEPS))
    """The last ones."""
    waits: list[tuple[int, float]] = field(default_factory=list)
    """Line, and the share of the step before it that went into waiting for data."""
    machine: str | None = None
    """Where all of it was written, as far as that is known."""
    whole: bool = False
    """It holds the start of the run, and not its end alone."""
    last_step_at: datetime | None = None
    """When the last step ended whose line gives a time."""
    ranks_of_pids: dict[int, int] = field(default_factory=dict)
    first_rank: int | None = None
    """Of this machine, from torchrun's table of failures: the global rank of local rank 0."""
    ranks_seen: set[int] = field(default_factory=set)
    timed_out: dict[int, int] = field(default_factory=dict)
    """Rank to the lowest number of a collective that timed out on it."""
    scores: list[Score] = field(default_factory=list)
    throttled: list[Throttled] = field(default_factory=list)
    ended_well: int | None = None
    """Line that says that the run ended as it should."""
    cut: bool = False
    """The last line has no end: the log is written to, or was cut off."""
    size: int = 0
    """Bytes; 0: not told."""
    first_at: datetime | None = None
    last_at: datetime | None = None
    """First and last moment that a line gives, where somebody asked."""
    goes_on: Log | None = None
    """The next part of a log that was rotated."""

    @property
    def parts(self) -> Iterator[Log]:
        """This one and all that follow it, the oldest first."""
        part: Log | None = self
        while part is not None:
            yield part
            part = part.goes_on


class Excerpt(NamedTuple):
    """A line that was found elsewhere, with what stands right before it."""

    number: int
    before: bytes
    line: bytes


def read_log(name: str, stream: BinaryIO, year: int, most_steps: int = MOST_STEPS) -> Log:
    """Read a log to its end. `year` is taken for times without one, until a line tells another."""
    reader = _Reader(Log(name, steps=deque(maxlen=most_steps)), year)
    for number, block, start, end in _candidates(stream, reader.log):
        reader.take(number, block, start, end)
    return reader.close()


def read_large_log(path: Path, year: int, most_steps: int = MOST_STEPS) -> Log:
    """The same for a large log, searched by GNU grep: about fifty times as fast. Steps that are not kept are not read.

    `lines` is then not told. Raises OSError where grep cannot be run.
    """
    with path.open("rb") as file:
        words: list[str | bytes] = [
            "grep",
            "--text",
            "--line-number",
            "--byte-offset",
            "--fixed-strings",
            "--regexp",
            b"\n".join(ENDS),
            "--",
            str(path),
        ]
        with subprocess.Popen(words, stdout=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"}) as grep:
            assert grep.stdout is not None
            log = Log(str(path), steps=deque(maxlen=most_steps))
            reader = _Reader(log, year, file)
            late: deque[tuple[bytes, bytes, bytes]] = deque(maxlen=most_steps)
            for block in _blocks(cast(BinaryIO, grep.stdout), log):
                for found in block.splitlines():
                    number, offset, data = found.split(b":", 2)
                    if steps.is_step(data):
                        if not late:  # other lines may have none
                            reader.year = lines.year_in(lines.clean(data)) or reader.year
                        late.append((number, offset, data))
                    elif any(trigger in data for trigger in TRIGGERS):
                        reader.take(int(number), data, 0, len(data), int(offset))
            for number, offset, data in late:
                reader.take(int(number), data, 0, len(data), int(offset))
        file.seek(-1, os.SEEK_END)
        log.cut = file.read(1) != b"\n"
    return reader.close()


def read_excerpts(name: str, excerpts: Iterable[Excerpt], year: int) -> Log:
    """The same from lines that were searched for where the log lies, in the order of their numbers."""
    log = Log(name)
    reader = _Reader(log, year)
    for number, before, line in excerpts:
        if number > log.lines:  # a line may say something and be a step as well
            log.lines = number
            reader.take(number, before + line, len(before), len(before) + len(line))
    return reader.close()


def _candidates(stream: BinaryIO, log: Log) -> Iterator[tuple[int, bytes, int, int]]:
    """(number, block, start, end) of lines that may say something."""
    number = 1
    for block in _blocks(stream, log):
        last = 0
        for start, end in _hits(block):
            number += block.count(b"\n", last, start)
            last = start
            yield number, block, start, end
        number += block.count(b"\n", last)
    log.lines = number - 1 + (1 if log.cut else 0)


def _blocks(stream: BinaryIO, log: Log) -> Iterator[bytes]:
    """Whole lines, about a block at a time; a line longer than that is shortened in its middle."""
    rest = b""
    while data := stream.read(BLOCK):
        end = data.rfind(b"\n")
        if end < 0:
            rest += data
            if len(rest) > 2 * BLOCK:
                rest = rest[:LONG_LINE] + b" .. " + rest[-LONG_LINE:]
            continue
        yield rest + data[: end + 1]
        rest = data[end + 1 :]
    if rest:
        log.cut = True
        yield rest


def _hits(block: bytes) -> list[tuple[int, int]]:
    found: dict[int, int] = {}
    size = len(block)
    for trigger in TRIGGERS:
        at = block.find(trigger)
        while at >= 0:
            start = block.rfind(b"\n", 0, at) + 1
            end = block.find(b"\n", at)
            if end < 0:
                end = size
            found[start] = end
            at = block.find(trigger, end)
    return sorted(found.items())


class _Reader:
    """The state between lines: columns of a table, the rank whose row comes next."""

    def __init__(self, log: Log, year: int, file: BinaryIO | None = None) -> None:
        self.log, self.year, self.file = log, year, file
        self.columns: list[str] = []
        self.table_rank: int | None = None
        self.last_step: Line | None = None
        self.machines: set[str] = set()

    def take(self, number: int, block: bytes, start: int, end: int, offset: int = 0) -> None:
        """A line between two places of a block; `offset` is its place in the file, where there is one."""
        line = lines.line_of(number, block[start:end])
        log = self.log
        self.year = lines.year_in(line.raw) or self.year
        if line.rank is not None:
            log.ranks_seen.add(line.rank)
        if step := steps.step_of(number, line.text):
            log.steps.append(step)
            self.last_step = line
            if step.waited is not None:
                log.waits.append((number, step.waited))
            return
        if (waited := steps.waited_s(line.text)) is not None:
            if log.steps and log.steps[-1].cost:
                log.waits.append((number, min(1.0, waited / log.steps[-1].cost)))
            return
        if self._facts(line) or line.text.lstrip().startswith("raise "):  # code of a traceback says nothing itself
            return
        if found := _TIMED_OUT.search(line.text):
            rank, sequence = int(found[1]), int(found[2])
            log.timed_out[rank] = min(sequence, log.timed_out.get(rank, sequence))
        if pattern := pattern_of(line.text):
            log.counts[pattern.name] += 1
            if log.counts[pattern.name] <= KEPT:
                before = block[max(0, start - CONTEXT) : start] if self.file is None else self._before(offset)
                self._keep(pattern, line, before)

    def close(self) -> Log:
        """The log, with what only its end tells."""
        if self.last_step is not None:
            self.log.last_step_at = lines.time_of(self.last_step.raw, self.year)
        if len(self.machines) == len(self.log.ranks_seen) == 1:  # a log of several ranks may be of several machines
            self.log.machine = self.machines.pop()
        return self.log

    def _before(self, offset: int) -> bytes:
        assert self.file is not None
        begin = max(0, offset - CONTEXT)
        self.file.seek(begin)
        return self.file.read(offset - begin)

    def _keep(self, pattern: Pattern, line: Line, before: bytes) -> None:
        at = lines.time_of(line.raw, self.year)
        if at is None:
            for earlier in reversed(before.decode("utf-8", "replace").splitlines()):
                at = lines.time_of(earlier, self.year)
                if at is not None:
                    break
        self.log.sightings.append(Sighting(pattern, self.log.name, line, at, line.rank))

    def _facts(self, line: Line) -> bool:
        """Tables and lists that name ranks and machines rather than failures."""
        log, text = self.log, line.text
        if found := _INIT.search(text):
            log.ranks_seen.add(int(found[1]))
            log.whole = True
            if process := _NCCL_PID.search(text):
                self.machines.add(process[1])
                log.ranks_of_pids[int(process[2])] = int(found[1])
            return True
        if found := _TABLE_RANK.search(text):
            self.table_rank = int(found[1])
            log.first_rank = self.table_rank - int(found[2])
            return True
        if text.lstrip().startswith("exitcode  :"):
            if self.table_rank is not None and (pid := _PID.search(text)):
                log.ranks_of_pids[int(pid[1])] = self.table_rank
            return False  # the code may say how the rank ended
        if found := _SCORE.search(text):
            log.scores.append(Score(line.number, int(found[1]), found[2], float(found[3])))
            return True
        if found := _BOTTOM.search(text):
            score = float(found[1]) / float(found[3]) if float(found[3]) else 1.0
            log.scores.append(Score(line.number, int(found[2]), "", min(1.0, score) - 0.05))
            return True
        if found := _SLOWED.match(text):
            log.throttled.append(Throttled(line.number, "", found[1].lower(), line.machine))
            return True
        if "clocks_event_reasons" in text or "clocks_throttle_reasons" in text:
            self.columns = [column.strip() for column in text.split(",")]
            return True
        if self.columns and "Active" in text and text.count(",") == len(self.columns) - 1:
            for column, value in zip(self.columns, text.split(","), strict=True):
                if value.strip() == "Active" and any(reason in column for reason in _THROTTLE):
                    reason = column.rsplit(".", 1)[-1]
                    log.throttled.append(Throttled(line.number, text.split(",")[0].strip(), reason, line.machine))
            return True
        if any(mark in text for mark in ENDED_WELL):
            log.ended_well = line.number
            return True
        return False


def pid_named(text: str) -> int | None:
    """The process that a kernel or launcher line names."""
    found = _PID.search(text)
    return int(found[1] or found[2] or found[3]) if found else None
