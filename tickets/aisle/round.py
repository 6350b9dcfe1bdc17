"""The shortest way round several places: of few all orders, of many nearest first, then straightened (2-opt and moving
single stops). Pure.

Distances are those of feet: along the aisle, round the end of the rows in between. Millimetres on the floor plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

AISLE_MM = 600
SAME_AISLE_MM = 700
"""Two who stand before facing rows are this far apart at most."""
BESIDE_ROW_MM = 600
ANOTHER_ROOM_MM = 100_000
MOST_STOPS = 100
EXACT = 7
"""Up to so many stops of a room all orders are tried; that is most rounds."""


@dataclass(frozen=True)
class Block:
    """What one walks round: a rack."""

    room: str
    x_mm: int
    y_mm: int
    width_mm: int
    depth_mm: int


@dataclass(frozen=True)
class Stop:
    """Where one stands. `key` is whatever the caller knows it by."""

    key: int
    room: str
    x_mm: float
    y_mm: float


def standing(key: int, room: str, x_mm: int, y_mm: int, width_mm: int, depth_mm: int, *, looks_up: bool) -> Stop:
    """Before a rack, in the aisle: below it on the plan when one looks up the plan."""
    return Stop(key, room, x_mm + width_mm / 2, y_mm + depth_mm + AISLE_MM if looks_up else y_mm - AISLE_MM)


def distance(a: Stop, b: Stop, blocks: Sequence[Block]) -> float:
    if a.room != b.room:
        return ANOTHER_ROOM_MM
    if abs(a.y_mm - b.y_mm) <= SAME_AISLE_MM:
        return abs(a.x_mm - b.x_mm) + abs(a.y_mm - b.y_mm)
    top, bottom = sorted((a.y_mm, b.y_mm))
    between = [
        each for each in blocks if each.room == a.room and each.y_mm < bottom and each.y_mm + each.depth_mm > top
    ]
    if not between:
        return abs(a.x_mm - b.x_mm) + bottom - top
    ends = (
        min(each.x_mm for each in between) - BESIDE_ROW_MM,
        max(each.x_mm + each.width_mm for each in between) + BESIDE_ROW_MM,
    )
    return min(abs(a.x_mm - x) + abs(b.x_mm - x) for x in ends) + bottom - top


def shortest(stops: Sequence[Stop], starts: Sequence[Stop], blocks: Sequence[Block]) -> list[Stop]:
    """The stops in the order in which one walks least, room after room; in each from its start, where it has one.

    The room with the most stops comes first. With more than EXACT stops not always the very shortest.
    """
    rooms: dict[str, list[Stop]] = {}
    for stop in stops:
        rooms.setdefault(stop.room, []).append(stop)
    first = {start.room: start for start in starts}
    order = sorted(rooms, key=lambda room: (-len(rooms[room]), room))
    return [stop for room in order for stop in _in_room(rooms[room], first.get(room), blocks)]


def length(walk: Sequence[Stop], blocks: Sequence[Block]) -> float:
    return sum(distance(a, b, blocks) for a, b in pairwise(walk))


def _in_room(stops: list[Stop], start: Stop | None, blocks: Sequence[Block]) -> list[Stop]:
    left = sorted(stops, key=lambda stop: (stop.y_mm, stop.x_mm, stop.key))
    here = start or left[0]
    legs = {(a.key, b.key): distance(a, b, blocks) for a in [here, *left] for b in left}
    if len(left) <= EXACT:
        return list(min(permutations(left), key=lambda order: _cost([here, *order], legs)))
    walk = [here]
    while left:
        nearest = min(left, key=lambda stop: (legs[walk[-1].key, stop.key], stop.key))
        left.remove(nearest)
        walk.append(nearest)
    _straighten(walk, legs)
    return walk[1:]


def _cost(order: Sequence[Stop], legs: dict[tuple[int, int], float]) -> float:
    return sum(legs[a.key, b.key] for a, b in pairwise(order))


def _straighten(walk: list[Stop], legs: dict[tuple[int, int], float]) -> None:
    """Turn stretches round and move single stops for as long as that shortens the walk. The first place stays."""

    best, better = _cost(walk, legs), True
    while better:
        better = False
        for other in _neighbours(walk):
            if (length_of := _cost(other, legs)) < best - 1e-6:
                walk[:], best, better = other, length_of, True
                break


def _neighbours(walk: list[Stop]) -> Iterator[list[Stop]]:
    for i in range(1, len(walk)):
        for j in range(i + 1, len(walk)):
            yield walk[:i] + walk[i : j + 1][::-1] + walk[j + 1 :]
    for i in range(1, len(walk)):
        rest = walk[:i] + walk[i + 1 :]
        for j in range(1, len(walk)):
            yield [*rest[:j], walk[i], *rest[j:]]
