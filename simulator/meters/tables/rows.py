"""Rows of an SNMP agent: object identifier to value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Oid = tuple[int, ...]
Value = int | str | Oid
Rows = dict[Oid, Value]

DESCR, OBJECT_ID, UPTIME, NAME = ((1, 3, 6, 1, 2, 1, 1, number, 0) for number in (1, 2, 3, 5))


def oid(text: str) -> Oid:
    return tuple(int(part) for part in text.split("."))


def system(description: str, kind: str, name: str) -> Rows:
    """What every agent says of itself; `kind` identifies the product."""
    return {DESCR: description, OBJECT_ID: oid(kind), NAME: name}


def table(entry: str, rows: Mapping[Any, Mapping[int, Any]]) -> Rows:
    """Index to columns, as `ENTRY.COLUMN.INDEX`."""
    base = oid(entry)
    return {(*base, column, *index): value for index, row in rows.items() for column, value in row.items()}
