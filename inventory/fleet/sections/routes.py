"""How long a cable must be: up to the tray over the racks, along it in right angles, and down again."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

STOCK_M = ("0.5", "1", "1.5", "2", "3", "5", "7", "10", "15", "20", "25", "30", "40", "50", "75", "100", "150", "200")
U_MM = 44.45
TRAY_ABOVE_RACK_MM = 400
SLACK = 1.1
DRESSING_MM = 600  # in the rack, from the tray or the neighbour's cage to the plug, both ends together


class Stand(NamedTuple):
    """Where a plug is: the middle of its rack on the floor, its height, and the rack's top (all millimetres)."""

    room: str
    rack: str
    x_mm: float
    y_mm: float
    z_mm: float
    top_mm: float


def route_mm(a: Stand, b: Stand) -> float | None:
    """Length of the way between two plugs; None when they are in different rooms."""
    if a.room != b.room:
        return None
    if a.rack == b.rack:
        return abs(a.z_mm - b.z_mm) + DRESSING_MM
    tray = max(a.top_mm, b.top_mm) + TRAY_ABOVE_RACK_MM
    across = abs(a.x_mm - b.x_mm) + abs(a.y_mm - b.y_mm)
    return (tray - a.z_mm) + across + (tray - b.z_mm) + DRESSING_MM


def stock_length_m(way_mm: float) -> Decimal:
    """The shortest length that is sold and still reaches with 10 % slack."""
    needed = way_mm * SLACK / 1000
    for length in STOCK_M:
        if float(length) >= needed:
            return Decimal(length)
    return Decimal(round(needed + 0.5))
