"""What programs and crashes left behind: processes that cannot end, and records of a crash, with times."""

from __future__ import annotations

import re
from dataclasses import dataclass

from health.checks.parsers import ParseError

WHERE = "processes and crash records"
_PROCESS = re.compile(r"^([A-Za-z])\S*\s+(\d+)\s+(\d+)\s+(\S.*)$")
_HEAD = re.compile(r"^S\s+PID\s+ELAPSED\s+COMMAND\s*$")
_RECORD = re.compile(r"^(\d{1,12}):(/\S.*)$")
_DENIED = re.compile(r"'(/[^']*)'?: Permission denied")
_START = re.compile(r"^btime (\d{10})$")
_PSTORE = "/sys/fs/pstore"


@dataclass(frozen=True)
class Process:
    """`state` is D (blocked in the kernel) or Z (dead, not collected); `age_s` is since it was started."""

    state: str
    pid: int
    age_s: int
    name: str


@dataclass(frozen=True)
class Leftovers:
    """`processes` is None where `ps` told nothing. `records` are (path, when), `started` is when the machine did, both
    in seconds since 1970; `denied` is a folder that may not be read."""

    processes: tuple[Process, ...] | None
    records: tuple[tuple[str, int], ...]
    started: int
    denied: str = ""


def parse_leftovers(text: str) -> Leftovers:
    """Raises ParseError unless the time of the start stands last: what comes before it would be cut off."""
    lines = text.rstrip("\n").split("\n")
    start = _START.match(lines[-1])
    if not start:
        first = next((line.strip() for line in lines if line.strip()), "no output")
        raise ParseError(WHERE, f"the list is not whole: {first[:200]}")
    rows = [found for line in lines if (found := _PROCESS.match(line))]
    processes = tuple(
        Process(state, int(pid), int(age), name.strip())
        for state, pid, age, name in (row.groups() for row in rows)
        if state in "DZ" and len(pid) < 12 and len(age) < 12
    )
    records = [(found.group(2), int(found.group(1))) for line in lines if (found := _RECORD.match(line))]
    denied = _DENIED.search(text)
    return Leftovers(
        processes if any(_HEAD.match(line) for line in lines) else None,
        tuple((path, at) for path, at in records if path != _PSTORE),
        int(start.group(1)),
        denied.group(1) if denied else "",
    )
