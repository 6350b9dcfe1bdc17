"""What is wrong with a file, before any record is looked at."""

from __future__ import annotations

from inventory.kinds.report import FieldError, RowOutcome

WHOLE_FILE = "file"


class FileRefused(ValueError):
    """The file cannot be read. Each problem has the row (0: the file as a whole), the field, the reason and a code."""

    def __init__(self, problems: list[tuple[int, FieldError]]) -> None:
        super().__init__(problems[0][1].reason if problems else "")
        self.problems = problems

    def rows(self) -> list[RowOutcome]:
        found: dict[int, RowOutcome] = {}
        for number, error in self.problems:
            found.setdefault(number, RowOutcome(number, "", None, "refused")).errors.append(error)
        return list(found.values())


def refused(reason: str, code: str = "invalid", *, row: int = 0, field: str = WHOLE_FILE) -> FileRefused:
    return FileRefused([(row, FieldError(field, reason, code))])
