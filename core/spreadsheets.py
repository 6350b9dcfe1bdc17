"""Texts in tables that people open in a spreadsheet. Pure."""

from __future__ import annotations

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would compute the text instead of showing it."""
    return text.startswith(FORMULA_STARTS)


def safe_cell(text: str) -> str:
    """The text for a cell of a CSV: what would be computed begins with an apostrophe, which makes it a text."""
    return f"'{text}" if is_formula(text) else text
