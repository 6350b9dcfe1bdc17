"""The cable list for a contractor, as CSV and as a workbook. Pure: rows in, bytes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core import spreadsheets
from core.spreadsheets import Value, workbooks
from inventory.papers.cables import CableRow, Plug

END = ("room", "row", "rack", "U", "device", "port", "cage", "lane")
COLUMNS = (
    "label", "connectors", "type", "length_m", "colour", "status", "bundle", "vendor", "part_number",
    *(f"A {name}" for name in END), *(f"B {name}" for name in END),
)  # fmt: skip
WIDTHS = {"label": 16, "type": 14, "bundle": 14, "part_number": 18, "device": 22, "port": 18, "room": 14}


def cable_lines(cables: Iterable[CableRow]) -> Iterator[list[Value]]:
    """A line per pair of connectors, in the order of COLUMNS; `connectors` tells those of a breakout apart (A1–B3)."""
    for cable in cables:
        several = len(cable.a) > 1 or len(cable.b) > 1
        for a, b in list(cable.pairs()) or [(None, None)]:
            numbers = "–".join(f"{plug.side}{plug.number}" for plug in (a, b) if plug) if several else ""
            yield [
                cable.label, numbers, cable.type, cable.length_m, cable.colour, cable.status, cable.bundle,
                cable.vendor, cable.part_number, *_end(a), *_end(b),
            ]  # fmt: skip


def _end(plug: Plug | None) -> list[Value]:
    if plug is None or plug.device is None:
        return [""] * len(END)
    at = plug.device
    return [at.room, at.row, at.rack, at.units, at.name, plug.port, plug.cage, plug.lane]


def as_csv(lines: Iterable[list[Value]]) -> bytes:
    return spreadsheets.as_csv(COLUMNS, lines)


def as_xlsx(lines: Iterable[list[Value]]) -> bytes:
    return workbooks.as_xlsx("Cables", COLUMNS, lines, WIDTHS)
