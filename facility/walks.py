"""Rows of a walk as the tables they are: columns by name, found by their index. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from drivers.meters.oids import Oid, Value, oid_of
from facility.facts import Measured

Units = defaultdict[int, list[Measured]]
"""What each PDU of a chain measures, by the number that the chain gives it: one agent speaks for all of them."""


class Walk:
    """The rows that an agent told."""

    def __init__(self, rows: Iterable[tuple[Oid, Value]]) -> None:
        self.rows = dict(rows)

    def table(self, entry: str, columns: Mapping[int, str]) -> dict[Oid, dict[str, Value]]:
        """By index the named columns of a table; `entry` is the object identifier of its rows, as MIBs have it:
        `ENTRY.COLUMN.INDEX`."""
        base = oid_of(entry)
        found: defaultdict[Oid, dict[str, Value]] = defaultdict(dict)
        for oid, value in self.rows.items():
            if len(oid) > len(base) + 1 and oid[: len(base)] == base:
                name = columns.get(oid[len(base)])
                if name is not None:
                    found[oid[len(base) + 1 :]][name] = value
        return dict(found)


class Wanted(Walk):
    """Notes which columns of which tables a reader asks for: so much is walked, and no more."""

    def __init__(self) -> None:
        super().__init__(())
        self.columns: dict[str, set[int]] = {}

    def table(self, entry: str, columns: Mapping[int, str]) -> dict[Oid, dict[str, Value]]:
        self.columns.setdefault(entry, set()).update(columns)
        return {}


def number(row: Mapping[str, Value], name: str, scale: float = 1.0) -> float | None:
    """A number of a row, in its unit; None where it is not told, or told as -1, which agents use for not known."""
    value = row.get(name)
    if isinstance(value, str):
        try:
            value = int(value)
        except ValueError:
            return None
    return None if value is None or value == -1 else value * scale


def text(row: Mapping[str, Value], name: str) -> str:
    return str(row.get(name, "")).strip()
