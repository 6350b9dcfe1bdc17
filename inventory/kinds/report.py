"""What a write did, or would do, row by row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

CREATED, CHANGED, UNCHANGED, DELETED, REFUSED = "created", "changed", "unchanged", "deleted", "refused"


class FieldError(NamedTuple):
    """Why a row is refused. `code` is a stable word, listed in docs/api.md."""

    field: str
    reason: str
    code: str


@dataclass(slots=True)
class RowOutcome:
    """One row: its number in the request or file (from 1), its natural key in words, and what became of it."""

    number: int
    key: str
    id: int | None
    outcome: str
    changes: dict[str, list[Any]] = field(default_factory=dict)
    errors: list[FieldError] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return {
            "row": self.number,
            "key": self.key,
            "id": self.id,
            "outcome": self.outcome,
            "changes": self.changes,
            "errors": [error._asdict() for error in self.errors],
        }


@dataclass(slots=True)
class Report:
    """All rows of one write. With any row refused nothing was written."""

    kind: str
    dry_run: bool
    rows: list[RowOutcome]
    code: str = ""  # busy, when another write held the records for too long
    message: str = ""

    def count(self, outcome: str) -> int:
        return sum(row.outcome == outcome for row in self.rows)

    @property
    def created(self) -> int:
        return self.count(CREATED)

    @property
    def changed(self) -> int:
        return self.count(CHANGED)

    @property
    def unchanged(self) -> int:
        return self.count(UNCHANGED)

    @property
    def deleted(self) -> int:
        return self.count(DELETED)

    @property
    def refused(self) -> int:
        return self.count(REFUSED)

    @property
    def ok(self) -> bool:
        return not self.code and not self.refused

    @property
    def counts(self) -> dict[str, int]:
        return {name: self.count(name) for name in (CREATED, CHANGED, UNCHANGED, DELETED, REFUSED)}

    def errors(self) -> list[RowOutcome]:
        return [row for row in self.rows if row.outcome == REFUSED and row.errors]
