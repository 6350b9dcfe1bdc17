"""Spans of a rack: what is free, where hot air comes through, and where something would fit. Pure.

A rack has four cells in every half unit: front and rear, left and right. A half unit is counted along the printed
numbers, from 1: the span [17, 29) is U9 to U14. Each cell's half units are the bits of one integer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from inventory.specs.units import unit_of, whole

Face = Literal["both", "front", "rear"]
Column = Literal["full", "left", "right"]
Span = tuple[int, int]

FACES: dict[Face, Span] = {"both": (0, 2), "front": (0, 1), "rear": (1, 2)}
COLUMNS: dict[Column, Span] = {"full": (0, 2), "left": (0, 1), "right": (1, 2)}
CELLS = [(face, column) for face in (0, 1) for column in (0, 1)]


class Taken(NamedTuple):
    """Units of a rack with something in them. What `closes` stops hot air: a device or a blanking panel."""

    units: Span
    faces: Span
    columns: Span
    closes: bool = True


class Box(NamedTuple):
    face: Face
    column: Column
    low: int
    high: int


def u_of(low: int) -> float:
    return unit_of(low)


def units(halves: int) -> float:
    """Half units as units; whole ones as an integer."""
    return whole(halves / 2)


def occupied(taken: Iterable[Taken]) -> dict[tuple[int, int], int]:
    """For each cell, the half units that something is in."""
    cells = dict.fromkeys(CELLS, 0)
    for item in taken:
        bits = _bits(*item.units)
        for face in range(*item.faces):
            for column in range(*item.columns):
                cells[face, column] |= bits
    return cells


def free_runs(height_u: int, cells: dict[tuple[int, int], int], face: Face, column: Column) -> list[Span]:
    """The runs of half units in which all of a face and column is free."""
    there = 0
    for at in range(*FACES[face]):
        for side in range(*COLUMNS[column]):
            there |= cells[at, side]
    return list(_runs(~there & _bits(1, 2 * height_u + 1)))


def free_boxes(height_u: int, taken: Iterable[Taken]) -> list[Box]:
    """The largest boxes that are free, from U1 on. They may overlap: 3U of both faces lie inside 10U of the front."""
    cells = occupied(taken)
    boxes: list[Box] = []
    known: dict[tuple[Face, Column], set[Span]] = {}
    for face in FACES:  # from the large to the small
        for column in COLUMNS:
            runs = free_runs(height_u, cells, face, column)
            known[face, column] = set(runs)
            larger = [(f, c) for f in (face, "both") for c in (column, "full") if (f, c) != (face, column)]
            boxes += [Box(face, column, *run) for run in runs if not any(run in known[wider] for wider in larger)]  # type: ignore[index]
    return sorted(boxes, key=lambda box: (box.low, -box.high))


def open_gaps(height_u: int, taken: Iterable[Taken]) -> list[Box]:
    """Where the front is open beside or between devices, so that hot air returns through it. An empty rack has none.

    Reserved units are open: a reservation stops no air.
    """
    closing = [item for item in taken if item.closes]
    if not closing:
        return []
    cells, everything = occupied(closing), _bits(1, 2 * height_u + 1)
    left, right = (~cells[0, column] & everything for column in (0, 1))
    gaps: list[Box] = []
    ways: tuple[tuple[Column, int], ...] = (("full", left & right), ("left", left & ~right), ("right", right & ~left))
    for column, bits in ways:
        gaps += [Box("front", column, *run) for run in _runs(bits)]
    return sorted(gaps, key=lambda gap: gap.low)


def places(spans: list[Box], half_height: int, numbering: str, most: int = 5) -> list[Box]:
    """Where to put something of this height: what it fills exactly comes first, then the nearest to the floor.

    A whole number of units starts on a whole unit.
    """
    found: dict[Box, tuple[bool, int]] = {}
    for box in spans:
        step = 2 if half_height % 2 == 0 else 1
        lowest = box.low if step == 1 or box.low % 2 else box.low + 1
        highest = box.high - half_height
        highest -= (highest - lowest) % step if highest >= lowest else 0
        for low in {lowest, highest} if highest >= lowest else ():
            exact = box.high - box.low == half_height
            floor = low if numbering == "up" else -low
            found[Box(box.face, box.column, low, low + half_height)] = (not exact, floor)
    return sorted(found, key=lambda box: (found[box], box.column))[:most]


def _bits(low: int, high: int) -> int:
    """The half units from `low` up to but not `high`, bit 0 being half unit 1."""
    return ((1 << (high - low)) - 1) << (low - 1)


def _runs(bits: int) -> Iterator[Span]:
    at = 1
    while bits:
        skip = (bits & -bits).bit_length() - 1
        bits >>= skip
        at += skip
        length = (~bits & (bits + 1)).bit_length() - 1
        yield at, at + length
        bits >>= length
        at += length
