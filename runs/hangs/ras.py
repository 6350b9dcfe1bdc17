"""What NCCL's RAS client answers: which ranks it misses, and who has begun fewer collectives. Pure.

`ncclras -f json -v` of NCCL 2.28 and later, or the same over port 28028. Its ranks count within a communicator, so they
are named by host and process. Facts: NCCL's sources; a mismatch may list the smaller group rather than the slow one
(nccl#1911), and 2.27.3 made ranks up (nccl#1762), so what it says is weaker than a flight recorder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

LARGEST = 32 << 20
DEAD = "is considered dead by NCCL"
SILENT = "does not answer NCCL"
FEWER = "has begun fewer collectives than the others"


class NotReadable(Exception):
    """It is no answer of the RAS client, or it was cut off."""


class Member(NamedTuple):
    rank: int
    """Within the communicator."""
    host: str
    pid: int
    gpu: int | None
    counts: dict[str, int]
    """Collectives begun, by kind."""


class Missing(NamedTuple):
    rank: int
    host: str
    pid: int
    gpu: int | None
    dead: bool


class Communicator(NamedTuple):
    hash: str
    size: int
    members: list[Member]
    missing: list[Missing]


class Answer(NamedTuple):
    version: str
    communicators: list[Communicator]


class Late(NamedTuple):
    """A process that the others of a communicator wait for."""

    communicator: str
    size: int
    rank: int
    host: str
    pid: int
    gpu: int | None
    collective: str
    why: str


def read_ras(text: str) -> Answer:
    """Raises NotReadable. What is of another shape within it is passed over."""
    if len(text) > LARGEST:
        raise NotReadable("larger than any answer of RAS")
    start = text.find("{")
    try:
        said = json.loads(text[start:]) if start >= 0 else None
    except (ValueError, RecursionError) as error:
        raise NotReadable("cut off, or no JSON") from error
    if not isinstance(said, dict) or not isinstance(said.get("communicators"), list):
        raise NotReadable("it has no list of communicators")
    rows = [_communicator(row) for row in said["communicators"] if isinstance(row, dict)]
    return Answer(str(said.get("nccl_version", "?")), rows)


def _communicator(row: dict[str, Any]) -> Communicator:
    members = [
        Member(_whole(one.get("rank")), str(one.get("host", "")), _whole(one.get("pid")), _gpu(one), _counts(one))
        for one in _objects(row.get("ranks"))
    ]
    missing = []
    for one in _objects(row.get("missing_ranks")):
        status = one.get("status")
        dead = isinstance(status, dict) and bool(status.get("considered_dead"))
        missing.append(
            Missing(_whole(one.get("rank")), str(one.get("host", "")), _whole(one.get("pid")), _gpu(one), dead)
        )
    return Communicator(str(row.get("hash", "")), _whole(row.get("size")), members, missing)


def _objects(rows: Any) -> list[dict[str, Any]]:
    return [one for one in rows if isinstance(one, dict)] if isinstance(rows, list) else []


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def _gpu(one: dict[str, Any]) -> int | None:
    value = one.get("cuda_dev")
    return value if isinstance(value, int) else None


def _counts(one: dict[str, Any]) -> dict[str, int]:
    said = one.get("collective_counts")
    if not isinstance(said, dict):
        return {}
    return {str(name): value for name, value in said.items() if isinstance(value, int)}


def late(answers: Iterable[Answer]) -> list[Late]:
    """Who is missing, then who is behind, of the largest communicator first; each process once."""
    found: dict[tuple[str, int], Late] = {}
    told = [one for answer in answers for one in answer.communicators]
    rows = {one.hash or f"number {number}": one for number, one in enumerate(told)}
    ordered = sorted(rows.values(), key=lambda one: (-one.size, one.hash))
    for one in ordered:
        for gone in one.missing:
            why = DEAD if gone.dead else SILENT
            late = Late(one.hash, one.size, gone.rank, gone.host, gone.pid, gone.gpu, "", why)
            found.setdefault((gone.host, gone.pid), late)
    for one in ordered:
        for name in sorted({name for member in one.members for name in member.counts}):
            most = max(member.counts.get(name, 0) for member in one.members)
            behind = [member for member in one.members if member.counts.get(name, 0) < most]
            if len(behind) * 2 > len(one.members):  # one that is ahead is no proof against all others
                continue
            for member in behind:
                said = f"{name} {member.counts.get(name, 0)} of {most}"
                found.setdefault(
                    (member.host, member.pid),
                    Late(one.hash, one.size, member.rank, member.host, member.pid, member.gpu, said, FEWER),
                )
    return list(found.values())
