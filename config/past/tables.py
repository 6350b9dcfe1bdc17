"""Rows by COPY, as a file of them would be loaded: one statement a table, so that constraints and audit run once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from psycopg.types.json import Jsonb


class Table:
    """Rows of one table, collected until they are copied."""

    def __init__(self, name: str, columns: Sequence[str]) -> None:
        self.name, self.columns = name, tuple(columns)
        self.rows: list[tuple[Any, ...]] = []

    def add(self, *row: Any) -> None:
        self.rows.append(row)

    def copy(self) -> int:
        """Write them; returns how many."""
        return copy(self.name, self.columns, self.rows)


def copy(table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    count = 0
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({names}) FROM STDIN") as target:  # type: ignore[attr-defined]
        for row in rows:
            target.write_row([Jsonb(cell) if isinstance(cell, dict) else cell for cell in row])
            count += 1
    return count
