"""Where the logs and dumps of a run's ranks lie on one machine: from patterns, and from its processes. Pure.

A pattern is a path with `{job}`, `{run}`, `{name}`, `{user}`, `{attempt}`, `{machine}`, `{rank}`, `{local_rank}`, and
with `*`, `?` and `[..]` of the shell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from runs.collection.processes import USUAL_DUMP, Found
from runs.collection.script import ANY, NOT_ROOT, DumpFile, LogFile

FIELDS = ("job", "run", "name", "user", "attempt", "machine", "rank", "local_rank")
_FIELD = re.compile(r"\{(\w+)\}")
_SAFE = re.compile(r"[\w.@:+,=-]{1,120}")
"""A value that is put into a path: one name within a folder, and no pattern."""


class NoPattern(ValueError):
    """Why a text is no pattern of paths."""


class Facts(NamedTuple):
    """What patterns are filled with."""

    job: str
    key: str
    name: str
    user: str
    attempt: int
    machine: str
    ranks: Mapping[int, int]
    """Global to local rank."""


def checked(text: str) -> str:
    """A pattern as it is kept. Raises NoPattern."""
    text = text.strip()
    if not text.startswith("/") or "/../" in f"{text}/":
        raise NoPattern("a path from the root, without ..")
    if unknown := next((name for name in _FIELD.findall(text) if name not in FIELDS), None):
        raise NoPattern(f"{{{unknown}}} is not known; known are {', '.join(FIELDS)}")
    if not text.isprintable():
        raise NoPattern("no control characters")
    return text


def filled(pattern: str, facts: Facts) -> list[tuple[str, int | None]]:
    """(path, rank) of a pattern; none where it names what is not known, or a value is no name of a file."""
    told = {
        "job": facts.job, "run": facts.key, "name": facts.name, "user": facts.user, "attempt": str(facts.attempt),
        "machine": facts.machine,
    }  # fmt: skip
    wanted = set(_FIELD.findall(pattern))
    if any(not _SAFE.fullmatch(told[name]) or told[name] in (".", "..") for name in wanted & told.keys()):
        return []
    if not wanted & {"rank", "local_rank"}:
        return [(_put(pattern, told), None)]
    return [
        (_put(pattern, told | {"rank": str(rank), "local_rank": str(local)}), rank)
        for rank, local in sorted(facts.ranks.items())
    ]


def _put(pattern: str, told: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda field: told.get(field[1], field[0]), pattern)


def logs_of(facts: Facts, own: str, sites: Sequence[str], processes: Mapping[int, Found]) -> list[LogFile]:
    """Logs by the site's patterns, by what the launcher told, and what the processes write to; each file once."""
    found: dict[str, LogFile] = {}
    for pattern in sites:
        for path, rank in filled(pattern, facts):
            found.setdefault(path, LogFile(path, rank, ANY))
    if own:
        for path, rank in filled(own, facts):
            found.setdefault(path, LogFile(path, rank, _user(processes.get(rank) if rank is not None else None)))
    shared: dict[str, list[int]] = {}
    for rank, process in sorted(processes.items()):
        for link in ("fd/1", "fd/2"):
            target = process.links.get(link, "")
            if target.startswith("/") and not target.startswith("/dev/") and rank not in shared.setdefault(target, []):
                shared[target].append(rank)
    for target, ranks in shared.items():
        process = processes[ranks[0]]
        link = "fd/1" if process.links.get("fd/1") == target else "fd/2"
        one = LogFile(f"/proc/{process.pid}/{link}", ranks[0] if len(ranks) == 1 else None, ANY, target)
        found.setdefault(target, one)
    return list(found.values())


def dumps_of(facts: Facts, own: str, processes: Mapping[int, Found]) -> list[DumpFile]:
    """Flight-recorder dumps of all ranks: by the site's pattern, as processes say, or where torch leaves them."""
    found = []
    by_pattern = {rank: path for path, rank in filled(own, facts) if rank is not None} if own else {}
    for rank in sorted(facts.ranks):
        process = processes.get(rank)
        if rank in by_pattern:
            found.append(DumpFile(by_pattern[rank], rank, ANY))
        elif process is not None:
            found.append(DumpFile(process.dump_of(rank), rank, _user(process)))
        else:
            found.append(DumpFile(f"{USUAL_DUMP}{rank}", rank, NOT_ROOT))
    return found


def _user(process: Found | None) -> str:
    return process.user if process is not None and process.user.isdecimal() else NOT_ROOT
