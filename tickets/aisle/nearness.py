"""Where the right device is, seen from the one whose label was read: `one below`, `next rack to the left`. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NUMBERS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class Spot:
    """A mounted device. `at` is its lowest half unit, `rack_at` the rack's place in its row from the low end."""

    room: str
    row: str
    rack: str
    rack_id: int
    rack_at: int | None = None
    at: int | None = None
    column: str = "full"
    facing: str = "up"


def counted(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else str(number)


def nearness(right: Spot, seen: Spot, in_rack: Sequence[int]) -> str:
    """Where `right` is as one stands before `seen`. `in_rack` are the half units of what is mounted in their rack."""
    if right.rack_id == seen.rack_id:
        return _in_rack(right, seen, in_rack)
    if right.room != seen.room:
        return f"in {right.room}, rack {right.rack}"
    if right.row != seen.row or right.rack_at is None or seen.rack_at is None:
        return f"in {f'row {right.row}, ' if right.row else ''}rack {right.rack}"
    racks = abs(right.rack_at - seen.rack_at)
    # Before a rack that faces down the plan one looks up it, and the row's high end is on the right.
    to_right = (right.rack_at > seen.rack_at) == (seen.facing == "down")
    side = "to the right" if to_right else "to the left"
    far = "in the next rack" if racks == 1 else f"{counted(racks)} racks"
    return f"{far} {side}, {right.rack}"


def _in_rack(right: Spot, seen: Spot, in_rack: Sequence[int]) -> str:
    if right.at is None or seen.at is None:
        return "in the same rack"
    if right.at == seen.at:
        return f"beside it, the {right.column} one" if right.column in ("left", "right") else "at the same unit"
    low, high = sorted((right.at, seen.at))
    steps = len({at for at in in_rack if low < at <= high}) or 1
    return f"{counted(steps)} {'below' if right.at < seen.at else 'above'}"
