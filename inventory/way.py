"""The way from the door of a room to a rack, as one colleague tells another. Pure.

x runs to the right and y downwards on the floor plan, in millimetres.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

BESIDE_ROW_MM = 1_500
"""A landmark this far from the aisle's middle, or nearer, stands at it."""


@dataclass(frozen=True)
class RowRack:
    name: str
    x_mm: int
    width_mm: int
    network: bool = False

    @property
    def middle(self) -> float:
        return self.x_mm + self.width_mm / 2


@dataclass(frozen=True)
class Mark:
    """A door or a landmark."""

    name: str
    x_mm: int
    y_mm: int


@dataclass(frozen=True)
class Way:
    door: str
    from_end: Literal["low", "high"]
    passed: str
    passed_position: int | None
    nth: int
    side: Literal["left", "right"]
    text: str


def way(
    row: Sequence[RowRack],
    target: int,
    *,
    stand_y_mm: float,
    looks_up: bool,
    aisle: str = "",
    doors: Sequence[Mark] = (),
    landmarks: Sequence[Mark] = (),
    door_name: str = "",
) -> Way:
    """The way to rack `target` of the row, whose racks are in the order of their x.

    `stand_y_mm` is where one stands before the rack, `looks_up` whether one then looks up the floor plan. Without a
    door on the plan one comes from the low end, through `door_name`.
    """
    low, high = row[0].middle, row[-1].middle
    ends = [(abs(door.x_mm - x) + abs(door.y_mm - stand_y_mm), end, door.name) for door in doors
            for x, end in ((low, "low"), (high, "high"))]  # fmt: skip
    _, end, door = min(ends, key=lambda each: each[0], default=(0.0, "low", door_name))
    step = 1 if end == "low" else -1
    start = 0 if end == "low" else len(row) - 1
    passed, position, nth = "", None, abs(target - start) + 1
    for at in range(start, target, step):
        if row[at].network:
            passed, position, nth = f"NET {row[at].name}", at, abs(target - at)
    mark = _last_landmark(row, target, step, stand_y_mm, landmarks)
    if mark is not None and mark[1] < nth:
        (passed, nth), position = mark, None
    # Walking to the right, what lies up the plan is on the left hand.
    side: Literal["left", "right"] = "left" if looks_up == (step == 1) else "right"
    past = f" past {passed}" if passed else ""
    words = [door, aisle, f"{ordinal(nth)} rack{past}", f"{side} side"]
    from_end: Literal["low", "high"] = "low" if end == "low" else "high"
    return Way(door, from_end, passed, position, nth, side, ", ".join(word for word in words if word))


def _last_landmark(
    row: Sequence[RowRack], target: int, step: int, stand_y_mm: float, landmarks: Sequence[Mark]
) -> tuple[str, int] | None:
    """The landmark at this aisle that one passes last before the rack, and how many racks on that is."""
    found: list[tuple[int, str]] = []
    goal = row[target]
    for mark in landmarks:
        if abs(mark.y_mm - stand_y_mm) > BESIDE_ROW_MM or (goal.middle - mark.x_mm) * step <= 0:
            continue
        on = [rack for rack in row if (rack.middle - mark.x_mm) * step > 0 and (goal.middle - rack.middle) * step >= 0]
        found.append((len(on), mark.name))
    if not found:
        return None
    nth, name = min(found)
    return name, nth


def ordinal(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def aisle_words(name: str, kind: str) -> str:
    """`cold aisle A·B` of the aisle `A·B` or `cold A·B`."""
    if not kind:
        return ""
    own = name[len(kind) :].strip() if name.lower().startswith(kind) else name
    return f"{kind} aisle" if own.lower() in ("", "aisle") else f"{kind} aisle {own.removeprefix('aisle ')}"
