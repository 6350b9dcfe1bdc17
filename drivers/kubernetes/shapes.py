"""The JSON of a Kubernetes API server, read piece by piece: parts, times, quantities, who set a field. Pure.

What is absent, null or of another type than documented is empty or None here, never an error of the program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

Row = Mapping[str, Any]

GPU = "nvidia.com/gpu"
MIG = "nvidia.com/mig-"
LAST = 4_102_444_800
"""2100, in seconds since 1970."""
MOST = 2**31 - 1
MOST_GPUS = 1_000_000
"""Whoever sends a pod may ask for any number; nobody has more."""
_QUANTITY = re.compile(r"([+-]?\d{1,18}(?:\.\d{1,9})?)(?:[eE]([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i)?)")
_FACTORS = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18} | {
    f"{letter}i": 1024.0**power for power, letter in enumerate("KMGTPE", 1)
}


def part(row: Any, *names: str) -> Row:
    """The object at that path; empty where there is none."""
    for name in names:
        row = row.get(name) if isinstance(row, Mapping) else None
    return row if isinstance(row, Mapping) else {}


def rows(row: Any, *names: str) -> list[Row]:
    """The list of objects at that path."""
    value = part(row, *names[:-1]).get(names[-1])
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def text(row: Row, name: str) -> str:
    """A text, without the zero bytes that PostgreSQL refuses."""
    value = row.get(name)
    return value.replace("\0", "") if isinstance(value, str) else ""


def number(row: Row, name: str, most: int = MOST) -> int | None:
    """A whole number; None for one beyond what may stand there."""
    value = row.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= most else None


def time_of(row: Row, name: str) -> int | None:
    """A time such as 2026-11-27T22:28:33Z as seconds since 1970; None for one that no clock of a cluster shows."""
    try:
        at = int(datetime.fromisoformat(text(row, name)).timestamp())
    except (ValueError, OverflowError, OSError):
        return None
    return at if 0 <= at < LAST else None


def quantity(value: Any) -> float | None:
    """`8`, `127500m`, `2113546Ki` or `1e3` as a number. Source: resource.Quantity of the API's reference."""
    found = _QUANTITY.fullmatch(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
    if found is None:
        return None
    factor = 10.0 ** int(found[2]) if found[2] else _FACTORS.get(found[3] or "", 1.0)
    return float(found[1]) * factor


def whole(value: Any, per: int = 1) -> int | None:
    """A quantity in whole units of so many; None for one that no machine has."""
    told = quantity(value)
    return int(told / per) if told is not None and 0 <= told / per <= MOST else None


def gpus_in(resources: Row) -> int:
    """GPUs of a list of resources; a MIG slice counts as one."""
    told = (quantity(value) for name, value in resources.items() if name == GPU or name.startswith(MIG))
    return sum(int(min(count, MOST_GPUS)) for count in told if count is not None and count > 0)


def condition(row: Row, kind: str) -> Row:
    """The condition of that type in `status`; empty where there is none."""
    return next((each for each in rows(row, "status", "conditions") if each.get("type") == kind), {})


def set_by(row: Row, *path: str) -> tuple[str, int | None]:
    """The client that gave a field its value, by the server's own book (`managedFields`), and when; ("", None): not
    told. A client that only repeats a value does not become its owner."""
    found: list[tuple[int, str]] = []
    for entry in rows(row, "metadata", "managedFields"):
        fields: Any = entry.get("fieldsV1")
        for name in path:
            fields = fields.get(f"f:{name}") if isinstance(fields, Mapping) else None
        if fields is not None:
            found.append((time_of(entry, "time") or 0, text(entry, "manager")))
    at, manager = max(found, default=(0, ""))
    return manager, at or None


def first(values: Sequence[str]) -> str:
    return next((value for value in values if value), "")
