"""What Slurm says of its nodes: `scontrol show node`, `sinfo -N -l`, `sinfo -R`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from health.checks.parsers import ParseError

WHERE = "Slurm"

_NODE = re.compile(r"(?:^|\n)NodeName=(\S+)")
# A state that ends where the text ends may be half a state.
_STATE = re.compile(r"\bState=(\S+)(?=\s)")
_REASON = re.compile(r"\bReason=(.*?)(?: \[([^\]\n]*)\])?(?:\n|$)")
_CPUS = re.compile(r"\bCPUTot=(\d+)\s")
_MEMORY = re.compile(r"\bRealMemory=(\d+)\s")
_GPUS = re.compile(r"\bgres/gpu=(\d+)|\bGres=gpu(?::[A-Za-z][\w.-]*)?:(\d+)")
_LONG = re.compile(r"^(\S+)\s+\d+\s+(\S+)\s+(\S+)\s+(\d+)\s+\d+:\d+:\d+\s+(\d+)\s+\d+\s+\d+\s+\S+\s+(.*?)\s*$")
_WHY = re.compile(r"^(.+?)\s+(\S+?)\s+(\d{4}-\d\d-\d\dT[\d:]+|Unknown)\s+(?:(\S+)\s+)?(\S+)\s*$")
_SHORT = {"drng": "draining", "drain": "drained", "unk": "unknown", "alloc": "allocated", "mix": "mixed",
          "comp": "completing", "resv": "reserved", "maint": "maint", "plnd": "planned", "fail": "fail"}  # fmt: skip


@dataclass(frozen=True)
class SlurmNode:
    """A node (or the list of nodes of one row). `states` are words in lower case, `*` is the state `not_responding`."""

    name: str
    states: tuple[str, ...] | None
    reason: str = ""
    cpus: int | None = None
    memory_mb: int | None = None
    gpus: int | None = None


def parse_nodes(text: str) -> tuple[SlurmNode, ...]:
    """`scontrol show node`, of one node or of all."""
    starts = list(_NODE.finditer(text))
    if not starts:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(WHERE, f"no node in the answer: {first[:200]}")
    ends = [found.start() for found in starts[1:]] + [len(text)]
    return tuple(_node(found.group(1), text[found.end() : end]) for found, end in zip(starts, ends, strict=True))


def _node(name: str, text: str) -> SlurmNode:
    state, reason = _STATE.search(text), _REASON.search(text)
    gpus = [int(first or second) for first, second in _GPUS.findall(text.partition("AllocTRES")[0])]
    return SlurmNode(
        name,
        _states(state.group(1)) if state else None,
        reason.group(1).strip() if reason else "",
        _number(_CPUS.search(text)),
        _number(_MEMORY.search(text)),
        max(gpus, default=None),
    )


def _number(found: re.Match[str] | None) -> int | None:
    return int(found.group(1)) if found and len(found.group(1)) < 15 else None


def _states(word: str) -> tuple[str, ...]:
    """`IDLE+DRAIN`, `down*`, `mix-`: the words, and the marks behind them as words."""
    marks = "".join(letter for letter in word if letter in "*~#!%$@^-")
    words = [_SHORT.get(each, each) for each in re.split(r"[+]", re.sub(r"[*~#!%$@^-]", "", word).lower()) if each]
    return (*words, *(("not_responding",) if "*" in marks else ()), *(("maint",) if "$" in marks else ()))


def parse_sinfo(text: str) -> tuple[SlurmNode, ...]:
    """`sinfo -N -l`: a row per node and partition."""
    lines = text.splitlines()
    if not any(line.split()[:1] == ["NODELIST"] and "STATE" in line for line in lines):
        raise ParseError(WHERE, f"no table of nodes: {lines[0].strip()[:200] if lines else 'no output'}")
    rows = [found for line in lines if (found := _LONG.match(line))]
    nodes = {
        found.group(1): SlurmNode(
            found.group(1),
            _states(found.group(3)),
            "" if found.group(6) == "none" else found.group(6),
            int(found.group(4)),
            int(found.group(5)),
        )
        for found in rows
        if len(found.group(4)) < 8 and len(found.group(5)) < 15
    }
    if not nodes:
        raise ParseError(WHERE, "the table of nodes has no rows")
    return tuple(nodes.values())


def parse_reasons(text: str) -> tuple[SlurmNode, ...]:
    """`sinfo -R`, with or without -l: only nodes that are out of service; none is an empty tuple."""
    lines = [line for line in text.splitlines() if line.strip()]
    head = next((n for n, line in enumerate(lines) if line.split()[:2] == ["REASON", "USER"]), None)
    if head is None:
        raise ParseError(WHERE, f"no table of reasons: {lines[0].strip()[:200] if lines else 'no output'}")
    rows = [found for line in lines[head + 1 :] if (found := _WHY.match(line))]
    return tuple(
        SlurmNode(found.group(5), _states(found.group(4)) if found.group(4) else ("drained",), found.group(1).strip())
        for found in rows
    )
