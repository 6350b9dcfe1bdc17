"""What a collection shows of all its machines: few lines, whatever thousands of ranks said. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from runs.causes.pattern import Strength
from runs.collection.answer import is_of_kernel
from runs.evidence import Files
from runs.hangs import flight_recorder, ras, stacks
from runs.hangs.flight_recorder import Behind

MOST_CAUSES, MOST_PARTIES, MOST_BEHIND, MOST_RANKS, MOST_FRAMES, MOST_UNREADABLE = 20, 12, 64, 64, 30, 20


def summary_of(files: Files) -> dict[str, Any]:
    """Logs by cause, groups of equal stacks with the odd ranks first, who is behind in each process group."""
    logs = [log for of_attempt in files.logs.values() for log in of_attempt if not is_of_kernel(log)]
    times = [at for log in logs for at in (log.first_at, log.last_at) if at]
    return {
        "logs": len(logs),
        "log_bytes": sum(log.size for log in logs),
        "first_at": min(times).isoformat() if times else None,
        "last_at": max(times).isoformat() if times else None,
        "causes": _causes(files),
        "stacks": _parties(files),
        "groups": _groups(files),
        "kernel": [
            {
                "rank": one.rank, "machine": one.machine, "pid": one.pid, "name": one.name, "place": one.place,
                "waits_for": one.holder[1], "frames": list(one.frames[:MOST_FRAMES]),
            }
            for one in sorted(files.stuck, key=lambda one: (one.rank is None, one.rank or 0))[:MOST_BEHIND]
        ],
        "ras": [
            {
                "rank": files.ranks_at.get((one.host.split(".", 1)[0], one.pid)), "machine": one.host, "pid": one.pid,
                "collective": one.collective, "why": one.why,
            }
            for one in ras.late(files.ras)[:MOST_BEHIND]
        ],
        "dumps": len(files.dumps),
        "unreadable": [
            {"file": name, "reason": reason} for name, reason in files.refused[:MOST_UNREADABLE]
        ],
    }  # fmt: skip


def _causes(files: Files) -> list[dict[str, Any]]:
    """Lines of logs by what they mean, those that explain most first; of each the first line stands for all."""
    counts: Counter[str] = Counter()
    ranks: dict[str, set[int]] = {}
    first: dict[str, Any] = {}
    for of_attempt in files.logs.values():
        for log in of_attempt:
            counts.update(log.counts)
            for one in log.sightings:
                known = first.get(one.pattern.name)
                if known is None or (one.at and (not known.at or one.at < known.at)):
                    first[one.pattern.name] = one
                if one.rank is not None:
                    ranks.setdefault(one.pattern.name, set()).add(one.rank)
    kept = [one for one in first.values() if one.pattern.strength > Strength.NOTE]
    kept.sort(key=lambda one: (-one.pattern.strength, one.at.timestamp() if one.at else float("inf"), one.file))
    return [
        {
            "class": one.pattern.cause,
            "means": one.pattern.means,
            "follows": one.pattern.strength <= Strength.PEER,
            "lines": counts[one.pattern.name],
            "ranks": _some(ranks.get(one.pattern.name, ())),
            "ranks_count": len(ranks.get(one.pattern.name, ())),
            "source": one.file,
            "line": one.line.number,
            "at": one.at.isoformat() if one.at else None,
            "text": one.line.raw[:400],
        }
        for one in kept[:MOST_CAUSES]
    ]


def _some(ranks: Iterable[int]) -> list[int]:
    return sorted(ranks)[:MOST_RANKS]


def _parties(files: Files) -> list[dict[str, Any]]:
    groups = stacks.parties(files.stacks)
    odd = stacks.odd_one_out(groups)
    return [
        {
            "odd": group is odd,
            "waits": group.in_collective,
            "count": len(group.stacks),
            "ranks": _some(one.rank for one in group.stacks if one.rank is not None),
            "frames": [str(frame) for frame in group.frames[:MOST_FRAMES]],
        }
        for group in groups[:MOST_PARTIES]
    ]


def _groups(files: Files) -> list[dict[str, Any]]:
    """Process groups in which somebody is behind or called something else."""
    if not files.dumps and not files.unreadable_dumps:
        return []
    found = flight_recorder.analyse(files.dumps, files.unreadable_dumps)
    by_group: dict[str, dict[str, Any]] = {}

    def add(one: Behind, kind: str) -> None:
        row = by_group.setdefault(
            str(one.group), {"name": str(one.group), "size": len(one.group.members), "count": 0, "behind": []}
        )
        row["count"] += 1
        if len(row["behind"]) < MOST_BEHIND:
            row["behind"].append({"rank": one.rank, "collective": one.collective, "why": one.why, "kind": kind})

    for one in found.behind:
        add(one, "behind")
    for one in found.mismatches:
        add(one, "mismatch")
    return list(by_group.values())
