"""Checks that other systems report: how their ids and classes of fault are told from ours. Pure."""

from __future__ import annotations

PREFIX = "reported."


def is_reported(check_id: str) -> bool:
    """Whether a check is another system's: those are called SOURCE/CHECK."""
    return "/" in check_id
