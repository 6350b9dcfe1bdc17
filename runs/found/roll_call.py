"""Which ranks of a run are there: missing, gone, claimed twice, two on one GPU. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

MOST_NAMED = 100
"""Rows of each list that are told; the counts are whole."""


class Seen(NamedTuple):
    """A rank as it is stored. `others` are further processes that call themselves so."""

    rank: int
    machine_name: str
    slot: str
    slice: str
    gone: bool
    others: Sequence[dict[str, Any]]


class Unknown(NamedTuple):
    """A machine of which it is not known what runs there."""

    machine: int
    name: str
    why: str


def spans(ranks: Iterable[int]) -> list[list[int]]:
    """Numbers as first and last of each unbroken row."""
    found: list[list[int]] = []
    for rank in sorted(ranks):
        if found and rank == found[-1][1] + 1:
            found[-1][1] = rank
        else:
            found.append([rank, rank])
    return found


def words(rows: Sequence[Sequence[int]]) -> str:
    """`3, 8 to 15`"""
    told = [str(first) if first == last else f"{first} to {last}" for first, last in rows[:MOST_NAMED]]
    return ", ".join(told)


def roll_call(world: int, ranks: Sequence[Seen], unknown: Sequence[Unknown]) -> dict[str, Any]:
    """What is odd about the ranks of a run whose processes were seen, as lists and as sentences."""
    here = {each.rank for each in ranks}
    missing = spans(set(range(world)) - here)
    beyond = spans(rank for rank in here if world and rank >= world)
    gone = spans(each.rank for each in ranks if each.gone)
    doubled = [
        {
            "rank": each.rank,
            "at": [_at(each.machine_name, each.slot), *(_at(o["machine"], o["slot"]) for o in each.others)],
        }
        for each in ranks
        if each.others
    ]
    by_gpu: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for each in ranks:
        if each.slot and not each.gone:
            by_gpu[each.machine_name, each.slot, each.slice].append(each.rank)
    shared = [
        {"machine_name": machine, "slot": slot, "ranks": sorted(on)}
        for (machine, slot, _), on in sorted(by_gpu.items())
        if len(on) > 1
    ]
    said = list(_sentences(missing, beyond, gone, doubled, shared, unknown))
    return {
        "world_size": world,
        "seen": len(here),
        "missing": missing[:MOST_NAMED],
        "gone": gone[:MOST_NAMED],
        "doubled": doubled[:MOST_NAMED],
        "shared": shared[:MOST_NAMED],
        "unknown": [{"machine": each.machine, "name": each.name, "why": each.why} for each in unknown[:MOST_NAMED]],
        "sentences": said,
    }


def _sentences(
    missing: list[list[int]],
    beyond: list[list[int]],
    gone: list[list[int]],
    doubled: list[dict[str, Any]],
    shared: list[dict[str, Any]],
    unknown: Sequence[Unknown],
) -> Iterable[str]:
    if missing:
        yield f"{_ranks(missing)} missing: no process on a GPU calls itself so."
    if beyond:
        yield f"{_ranks(beyond)} beyond the world size."
    if gone:
        yield f"{_ranks(gone)} gone: the process is no longer on its machine."
    for each in doubled[:3]:
        yield f"Rank {each['rank']} is there {len(each['at'])} times: {', '.join(each['at'][:4])}."
    if len(doubled) > 3:
        yield f"{len(doubled) - 3} more ranks are there several times."
    for each in shared[:3]:
        some = ", ".join(str(rank) for rank in each["ranks"][:-1])
        yield f"Ranks {some} and {each['ranks'][-1]} share {each['slot']} of {each['machine_name']}."
    if len(shared) > 3:
        yield f"{len(shared) - 3} more GPUs are shared by ranks."
    if unknown:
        names = ", ".join(each.name for each in unknown[:3]) + (" and others" if len(unknown) > 3 else "")
        yield f"What runs on {names} is not known: {unknown[0].why}."


def _ranks(rows: list[list[int]]) -> str:
    one = len(rows) == 1 and rows[0][0] == rows[0][1]
    return f"{'Rank' if one else 'Ranks'} {words(rows)} {'is' if one else 'are'}"


def _at(machine: str, slot: str) -> str:
    return f"{machine} {slot}".strip()
