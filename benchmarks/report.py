"""What a benchmark gets and gives back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Context:
    """What the benchmarks share. They run one after the other on one empty, migrated database of their own."""

    folder: Path
    """For files; gone afterwards. `fleet.yaml` in it is the reference fleet once the fleet benchmark ran."""
    machines: int = 511
    growth: bool = False
    """Whether to measure the larger fleets too."""


@dataclass(frozen=True)
class Row:
    """One line of the report: what was measured, the figure with its unit, and what it must be read with."""

    name: str
    figure: str
    context: str = ""
    goal: str = ""
    """What the figure is to be, in its unit and with its direction: `100,000 a second or more`, `9 s or less`."""


def table(rows: Iterable[Row]) -> str:
    """The rows as aligned text: name, figure, goal where one of them has one, context."""
    rows = list(rows)
    name = max((len(row.name) for row in rows), default=0)
    figure = max((len(row.figure) for row in rows), default=0)
    goals = [f"goal: {row.goal}" if row.goal else "" for row in rows]
    goal = max((len(text) for text in goals), default=0)
    return "\n".join(
        f"  {row.name:<{name}}  {row.figure:>{figure}}{'  ' if goal else ''}{text:<{goal}}  {row.context}".rstrip()
        for row, text in zip(rows, goals, strict=True)
    )
