"""Where things are mounted: spans of half units, faces and columns, and who is in whose way. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from inventory.specs.units import unit_of, whole

Span = tuple[int, int]
FACES: dict[str, Span] = {"both": (0, 2), "front": (0, 1), "rear": (1, 2)}
COLUMNS: dict[str, Span] = {"full": (0, 2), "left": (0, 1), "right": (1, 2)}
FACE_NAMES = {span: name for name, span in FACES.items()}
COLUMN_NAMES = {span: name for name, span in COLUMNS.items()}


class Spans(NamedTuple):
    """A place in a rack; half-open spans, half unit 1 is the lower half of U1."""

    half_units: Span
    faces: Span
    columns: Span

    def cells(self) -> Iterable[tuple[int, int, int]]:
        return (
            (unit, face, column)
            for unit in range(*self.half_units)
            for face in range(*self.faces)
            for column in range(*self.columns)
        )


def half_unit_span(u: float, half_u_height: int) -> Span:
    low = int(2 * u - 1)
    return low, low + half_u_height


def u_of(span: Any) -> float | None:
    """The lowest unit of a range of half units; 5.5 is the upper half of U5."""
    return None if span is None else unit_of(span.lower)


def height_of(span: Any) -> float | None:
    return None if span is None else whole((span.upper - span.lower) / 2)


def face_of(span: Any) -> str | None:
    return None if span is None else FACE_NAMES[span.lower, span.upper]


def column_of(span: Any) -> str | None:
    return None if span is None else COLUMN_NAMES[span.lower, span.upper]


def range_text(span: Span | None) -> str | None:
    """As PostgreSQL reads it."""
    return None if span is None else f"[{span[0]},{span[1]})"


def units_text(span: Span) -> str:
    """U17–22, or U41."""
    low = (span[0] + 1) / 2
    last = low + (span[1] - span[0]) / 2 - 1
    return f"U{low:g}–{last:g}" if last > low else f"U{low:g}"


@dataclass
class Occupancy:
    """Who is where in the racks that a write touches."""

    cells: dict[tuple[int, int, int, int], str] = field(default_factory=dict)
    sides: dict[tuple[int, str], str] = field(default_factory=dict)

    def take(self, rack: int, spans: Spans, who: str) -> str:
        """Put something in; returns who is there already, in which case it stays out."""
        keys = [(rack, *cell) for cell in spans.cells()]
        there = next((self.cells[key] for key in keys if key in self.cells), "")
        if not there:
            self.cells.update(dict.fromkeys(keys, who))
        return there

    def hang(self, rack: int, side: str, who: str) -> str:
        there = self.sides.setdefault((rack, side), who)
        return "" if there is who else there
