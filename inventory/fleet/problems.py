"""What is wrong with a fleet file, and where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Origin(NamedTuple):
    """A line of a file, counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class FleetError(ValueError):
    """The fleet was refused; the text is one `file:line: reason` per problem."""

    def __init__(self, problems: list[tuple[Origin, str]], more: int = 0) -> None:
        self.problems = problems
        lines = [f"{origin}: {reason}" for origin, reason in problems]
        super().__init__("\n".join([*lines, f"and {more} more"] if more else lines))


@dataclass
class Problems:
    """Collects problems, so that one reading tells all of them (at most `limit` in words)."""

    limit: int = 50
    found: list[tuple[Origin, str]] = field(default_factory=list)
    seen: int = 0

    def add(self, origin: Origin, reason: str) -> None:
        self.seen += 1
        if len(self.found) < self.limit:
            self.found.append((origin, reason))

    def stop_if_any(self) -> None:
        """Raises FleetError when there is a problem."""
        if self.found:
            raise FleetError(sorted(set(self.found)), self.seen - len(self.found))
