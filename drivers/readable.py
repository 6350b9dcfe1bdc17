"""Reading decoded JSON of a service: what cannot be read raises NotJson with the field that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drivers.https import NotJson

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reader:
    """`who`: whose answers these are, for the errors."""

    who: str

    def row(self, value: Any, what: str) -> Row:
        if not isinstance(value, dict):
            raise NotJson(f"{self.who}'s answer has no {what} that can be read")
        return value

    def rows(self, value: Any, what: str) -> list[Row]:
        if not isinstance(value, list):
            raise NotJson(f"{self.who}'s answer has no list of {what}")
        return [self.row(each, what) for each in value]

    def needed(self, row: Row, key: str, kind: type, what: str) -> Any:
        value = row.get(key)
        if not isinstance(value, kind) or isinstance(value, bool) or value == "":
            raise NotJson(f"{self.who}'s answer has a {what} without a readable {key}")
        return value


def text(row: Row, key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def number(row: Row, key: str) -> int:
    """0 for what is none; numbers in text are some."""
    value = row.get(key)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63 else 0
