"""Numbers of things in sentences. Pure."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """`1 row was`, `2,140 rows were`: a number with the word for it; `many` is `one` with an s unless told."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
