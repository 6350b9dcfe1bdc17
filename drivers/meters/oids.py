"""Object identifiers of SNMP and the values under them. Pure."""

from __future__ import annotations

Oid = tuple[int, ...]
Value = int | str


def oid_of(text: str) -> Oid:
    """Raises ValueError for what is no object identifier."""
    return tuple(int(part) for part in text.strip().strip(".").split("."))


def dotted(oid: Oid) -> str:
    """As people and agents write it: `1.3.6`."""
    return ".".join(map(str, oid))
