"""The best way to give cables to places: as many kept plugs as possible, then the lowest price. Pure.

Where each cable competes with at most two others the graph is made of paths and cycles and is solved in linear time;
breakouts can tie a larger knot, which is solved by shortest augmenting paths.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence

Edge = tuple[int, int]  # number of a found body, number of a wanted body
Worth = tuple[int, ...]  # more is better, first part first


def best_matching(worth: Mapping[Edge, Worth]) -> set[Edge]:
    """The matching of the highest total worth, parts compared in order. Every worth must be greater than zero in its
    first part that is not zero, so that a pair is always better than none."""
    near: dict[tuple[int, int], list[Edge]] = defaultdict(list)
    for edge in worth:
        near[0, edge[0]].append(edge)
        near[1, edge[1]].append(edge)
    chosen: set[Edge] = set()
    seen: set[tuple[int, int]] = set()
    for start in near:
        if start in seen:
            continue
        part = _part(near, start, seen)
        if all(len(near[node]) <= 2 for node in part):
            chosen |= _line(near, part, worth)
        else:
            chosen |= _knot(sorted({edge for node in part for edge in near[node]}), worth)
    return chosen


def _part(
    near: Mapping[tuple[int, int], list[Edge]], start: tuple[int, int], seen: set[tuple[int, int]]
) -> list[tuple[int, int]]:
    part, waiting = [], [start]
    seen.add(start)
    while waiting:
        node = waiting.pop()
        part.append(node)
        for found, wanted in near[node]:
            for other in ((0, found), (1, wanted)):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
    return part


def _line(
    near: Mapping[tuple[int, int], list[Edge]], part: list[tuple[int, int]], worth: Mapping[Edge, Worth]
) -> set[Edge]:
    """A path or a cycle: its edges in a row, no two neighbours chosen."""
    node = next((node for node in part if len(near[node]) == 1), part[0])
    closed = len(near[node]) == 2
    edges: list[Edge] = []
    used: set[Edge] = set()
    while True:
        onward = next((edge for edge in near[node] if edge not in used), None)
        if onward is None:
            break
        used.add(onward)
        edges.append(onward)
        node = (1, onward[1]) if node == (0, onward[0]) else (0, onward[0])
    if not closed:
        return set(_row(edges, worth)[1])
    without = _row(edges[1:], worth)
    inside = _row(edges[2:-1], worth)
    with_first = (_sum(inside[0], worth[edges[0]]), [*inside[1], edges[0]])
    return set(max(without, with_first, key=lambda answer: answer[0])[1])


def _row(edges: Sequence[Edge], worth: Mapping[Edge, Worth]) -> tuple[Worth, list[Edge]]:
    """The best choice of edges in a row of which no two neighbours are taken."""
    totals: list[Worth] = [(), ()]
    for edge in edges:
        totals.append(max(totals[-1], _sum(totals[-2], worth[edge])))
    chosen, at = [], len(edges)
    while at > 0:
        if totals[at + 1] != totals[at]:
            chosen.append(edges[at - 1])
            at -= 1
        at -= 1
    return totals[-1], chosen


def _sum(one: Worth, other: Worth) -> Worth:
    return tuple(a + b for a, b in zip(one, other, strict=True)) if one else other


def _knot(edges: Sequence[Edge], worth: Mapping[Edge, Worth]) -> set[Edge]:
    """Successive longest augmenting paths; the number of steps grows with nodes times edges."""
    near: dict[int, list[int]] = defaultdict(list)
    for found, wanted in edges:
        near[found].append(wanted)
    held: dict[int, int] = {}  # wanted -> found
    holds: dict[int, int] = {}
    zero = (0,) * len(next(iter(worth.values())))
    while True:
        gain: dict[int, Worth] = {found: zero for found in near if found not in holds}
        came: dict[int, int] = {}  # wanted -> found that it is reached from
        reached: dict[int, Worth] = {}
        waiting = deque(gain)
        while waiting:
            found = waiting.popleft()
            for wanted in near[found]:
                if holds.get(found) == wanted:
                    continue
                total = _sum(gain[found], worth[found, wanted])
                if wanted in reached and reached[wanted] >= total:
                    continue
                reached[wanted], came[wanted] = total, found
                holder = held.get(wanted)
                if holder is not None:
                    gain[holder] = tuple(a - b for a, b in zip(total, worth[holder, wanted], strict=True))
                    waiting.append(holder)
        ends = [(total, wanted) for wanted, total in reached.items() if wanted not in held]
        best = max(ends, default=None)
        if best is None or best[0] <= zero:
            return {(found, wanted) for wanted, found in held.items()}
        end: int | None = best[1]
        while end is not None:
            found = came[end]
            held[end] = found
            holds[found], end = end, holds.get(found)
