"""Object identifiers of SNMP and the values under them. Pure."""

from __future__ import annotations

Oid = tuple[int, ...]
Value = int | str


def oid_of(text: str) -> Oid:
    """Raises ValueError for what is no object identifier."""
    return tuple(int(part) for part in text.strip().strip(".").split("."))
