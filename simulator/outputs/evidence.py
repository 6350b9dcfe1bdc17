"""What a machine answers when the service fetches the evidence of a run: from files that a test gives the machine.

The scripts are recognised by their first line, as the probe is, and their questions by the lines that ask them. Pieces
are printed as the script would print them on a real machine.
"""

from __future__ import annotations

import fnmatch
import re
import shlex
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from weakref import WeakKeyDictionary

from simulator.state import Machine

MARK = "rackside-evidence"
_FIRST = re.compile(rf"^# {MARK} (processes|files|stacks)\n")
_ASKED = re.compile(r"^(?:log|dump|stack) .*$|^(?:journal|kernel|ras)$", re.MULTILINE)
_SINCE = re.compile(r"^since=(\d+)$", re.MULTILINE)
_TEXTS = re.compile(r"cat >\"\$work/(\w+)\" <<'RACKSIDE'\n(.*?)\nRACKSIDE\n", re.DOTALL)
_PID = 4242
STEP_LINES, HEAD, TAIL = 40, 2048, 8192


@dataclass
class Training:
    """Ranks of a run on one machine, and what their machine knows of them."""

    ranks: list[int]
    variables: dict[str, str] = field(default_factory=dict)
    """Of the environment of all of them, such as SLURM_JOB_ID."""
    stacks: dict[int, str] = field(default_factory=dict)
    """What py-spy prints, by rank; a rank without has no py-spy."""
    files: dict[str, bytes] = field(default_factory=dict)
    """By path; `/tmp/nccl_trace_rank_3` is the dump of rank 3."""
    output: dict[int, str] = field(default_factory=dict)
    """The file that a rank prints to."""
    kernel: str = ""
    ras: str = ""

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Training:
        return cls(
            [int(rank) for rank in said.get("ranks", [])],
            {str(name): str(value) for name, value in said.get("variables", {}).items()},
            {int(rank): str(text) for rank, text in said.get("stacks", {}).items()},
            {str(path): str(text).encode() for path, text in said.get("files", {}).items()},
            {int(rank): str(path) for rank, path in said.get("output", {}).items()},
            str(said.get("kernel", "")),
            str(said.get("ras", "")),
        )


_OF: WeakKeyDictionary[Machine, Training] = WeakKeyDictionary()


def give(machine: Machine, training: Training | None) -> None:
    """From now on the machine trains, or no longer does."""
    _OF.pop(machine, None)
    if training is not None:
        _OF[machine] = training


def asked(command: str) -> bool:
    return _FIRST.match(command) is not None


def answer(machine: Machine, command: str, now: float) -> str:
    """What is printed; bytes that are no text stand as surrogates."""
    training = _OF.get(machine) or Training([])
    what = _FIRST.match(command)
    clock = machine.wall_clock(now)
    if what is not None and what[1] == "processes":
        return _processes(training, clock)
    parts = [_piece("clock", None, "ok", f"{clock:.9f}", None)]
    needles = {name: text.encode().split(b"\n") for name, text in _TEXTS.findall(command)}
    since = int(found[1]) if (found := _SINCE.search(command)) else 0
    for line in _ASKED.findall(command.rpartition("\n}\n")[2]):
        if line == "journal":
            parts += _journal(machine, needles, now, since)
        else:
            parts += _answered(training, shlex.split(line), needles, int(now))
    parts.append(_piece("end", None, "ok", "-", None))
    return b"".join(parts).decode("utf-8", "surrogateescape")


def _processes(training: Training, clock: float) -> str:
    lines = ["== all"]
    for rank in training.ranks:
        output = training.output.get(rank, "pipe:[4711]")
        lines += [
            f"== process {_PID + rank}", "Name:\tpython3", "State:\tS (sleeping)", "PPid:\t4000",
            "Uid:\t1002\t1002\t1002\t1002", "exe=/usr/bin/python3.11", "cwd=/home/mk", f"fd/1={output}",
            f"fd/2={output}", f"RANK={rank}", *(f"{name}={value}" for name, value in training.variables.items()),
        ]  # fmt: skip
    return "\n".join([*lines, f"== clock {clock:.9f}", "== end", ""])


def _piece(kind: str, rank: str | None, result: str, name: str, data: bytes | None) -> bytes:
    packed = b""
    if data is not None:
        packer = zlib.compressobj(6, zlib.DEFLATED, 31)
        packed = packer.compress(data) + packer.flush()
    return f"== {MARK} {kind} {rank or '-'} {result} {len(packed)} {name}\n".encode() + packed + b"\n"


def _answered(training: Training, words: list[str], needles: dict[str, list[bytes]], now: int) -> Iterator[bytes]:
    if words[0] == "log":
        _, rank, _, path, name = words
        found = _paths(training, path)
        for each in found:
            yield from _log(rank, name or each, training.files[each], needles, now)
        if not found:
            yield _piece("log", rank, "missing", path, b"stat: No such file or directory\n")
    elif words[0] == "dump":
        _, rank, _, path = words
        data = training.files.get(re.sub(r"^/proc/\d+/root", "", path))
        if data is not None:
            yield _piece("dump", rank, "ok", path, data)
    elif words[0] == "stack":
        _, rank, pid = words
        text = training.stacks.get(int(rank))
        said = text.encode() if text is not None else b"py-spy is not installed here\n"
        yield _piece("stack", rank, "ok" if text is not None else "missing", pid, said)
    elif words[0] == "kernel" and training.kernel:
        yield _piece("kernel", None, "ok", "D", training.kernel.encode())
    elif words[0] == "ras" and training.ras:
        yield _piece("ras", None, "ok", "28028", training.ras.encode())


def _journal(machine: Machine, needles: dict[str, list[bytes]], now: float, since: int) -> Iterator[bytes]:
    """The kernel's lines as journalctl prints them with `-o short-iso-precise`."""
    lines = []
    for after_boot_s, text in machine.state.dmesg:
        at = machine.wall_clock(machine.state.booted_at + after_boot_s)
        if at >= since:
            stamp = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f+0000")
            lines.append(f"{stamp} {machine.hostname} kernel: {text}\n")
    if lines:
        yield from _log("-", "kernel log", "".join(lines).encode(), needles, int(now))


def _paths(training: Training, path: str) -> list[str]:
    if found := re.match(r"^/proc/(\d+)/fd/[12]$", path):
        path = training.output.get(int(found[1]) - _PID, "")
    return sorted(each for each in training.files if each == path or fnmatch.fnmatchcase(each, path))


def _log(rank: str, name: str, data: bytes, needles: dict[str, list[bytes]], now: int) -> Iterator[bytes]:
    yield _piece("log.stat", rank, "ok", name, f"{len(data)} {now} 1002\n".encode())
    yield _piece("log.head", rank, "ok", name, data[:HEAD])
    found, steps, at = [], [], 0
    for number, line in enumerate(data.split(b"\n"), 1):
        row = b"%d:%d:%s\n" % (number, at, line)
        if any(text in line for text in needles.get("needles", [])):
            found.append(row)
        if any(text in line for text in needles.get("steps", [])):
            steps.append(row)
        at += len(line) + 1
    yield _piece("log.found", rank, "ok", name, b"".join(found))
    yield _piece("log.steps", rank, "ok", name, b"".join(steps[-STEP_LINES:]))
    yield _piece("log.tail", rank, "ok", name, data[-TAIL:])
