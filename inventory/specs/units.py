"""Rack units as every answer, file and screen has them: a number, 12 for U12 and 12.5 for its upper half. Pure.

In the database a place is a range of half units, counted from 1; nothing of that shows.
"""

from __future__ import annotations


def whole(units: float) -> float:
    """12 rather than 12.0, in JSON as in a file."""
    return int(units) if units == int(units) else units


def unit_of(half_unit: int) -> float:
    """The unit in which a half unit lies: 12 of the lower half of U12, 12.5 of the upper."""
    return whole((half_unit + 1) / 2)
