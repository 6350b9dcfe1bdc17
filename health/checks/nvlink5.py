"""What an NVLink 5 error (Xid 144 to 150) asks for, by NVIDIA's table of sub-unit, error status and resolution.

The word Fatal or Nonfatal in the line decides nothing: most non-fatal rows are to be ignored, some ask for a reset.
Source: health/checks/data/nvlink5.csv.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from health.checks.tables import rows_of

CODES = range(144, 151)
# "RLW_REMAP Nonfatal XC0 i0 Link 02 (0x00000004 0x00000001 ...)": unit, link, and the words in brackets.
_LINE = re.compile(
    r"(?:^|,\s*)(MSE Degraded|[A-Z][A-Z0-9_]*)\b\s+(?:[Nn]on-?)?[Ff]atal\b.*?(?:\bLink\s+(-?\d+))?\s*"
    r"[(\[](0x[0-9a-fA-F]{1,8})(?:[ ,]+(0x[0-9a-fA-F]{1,8}))?"
)
# Bits of the first word: the lowest name the sub-unit, 25 to 20 why a link went down (NVIDIA's table, both layouts).
_LOW_BEFORE_R575, _LOW_FROM_R575 = 0x3FF, 0x7F
_MARK_BEFORE_R575, _MARK_FROM_R575 = 1 << 10, 1 << 7


@dataclass(frozen=True)
class Row:
    """A row of the table. `status` None: it does not matter. `marked`: the resolution with the sender's mark set."""

    units: tuple[str, ...]
    low_before_r575: int
    low_from_r575: int
    link_reason: int
    status: int | None
    severity: str
    resolution: str
    investigate: str
    marked: str


@dataclass(frozen=True)
class Verdict5:
    """What the table says of a line: unit, severity, what to do now and whom to ask when it returns."""

    unit: str
    severity: str
    resolution: str
    investigate: str


@cache
def table() -> dict[int, tuple[Row, ...]]:
    """The rows by Xid."""
    found: dict[int, list[Row]] = {code: [] for code in CODES}
    for row in rows_of("nvlink5.csv"):
        found[int(row["xid"])].append(
            Row(
                units=tuple(row["unit"].split("/")),
                low_before_r575=int(row["low_before_r575"], 2),
                low_from_r575=int(row["low_from_r575"], 2),
                link_reason=int(row["link_reason"], 2),
                status=int(row["status"], 16) if row["status"] else None,
                severity=row["severity"],
                resolution=row["resolution"],
                investigate=row["investigate"],
                marked=row["marked"],
            )
        )
    return {code: tuple(rows) for code, rows in found.items()}


def look_up(code: int, detail: str) -> Verdict5 | None:
    """What the table says of a line; None when the line holds no registers or no row is meant by them.

    A status may have several bits set: each is a row, and the worst of them counts. A bit that no row names leaves the
    line unknown, unless another asks for a reset already.
    """
    found = _LINE.search(detail)
    if found is None:
        return None
    unit, first = found.group(1), int(found.group(3), 16)
    status = int(found.group(4), 16) if found.group(4) else None
    rows = [(row, marked) for row in table().get(code, ()) if (marked := _meant(row, unit, first)) is not None]
    exact = [each for each in rows if each[0].status is None or each[0].status == status]
    if exact:
        return _worst(unit, exact)
    if status is None or code not in (144, 145, 146, 147, 148):
        return None
    bits = [each for each in rows if each[0].status and each[0].status & status]
    named = sum({row.status for row, _ in bits if row.status})
    worst = _worst(unit, bits) if bits else None
    if worst and (named == status or worst.resolution == "reset_gpu"):
        return worst
    return None


def _meant(row: Row, unit: str, first: int) -> bool | None:
    """Whether the first word is of this row in one of its layouts, and with the mark set; None when it is not."""
    if unit not in row.units or (first >> 20) & 0x3F != row.link_reason:
        return None
    if first & _LOW_BEFORE_R575 == row.low_before_r575:
        return bool(first & _MARK_BEFORE_R575)
    if first & _LOW_FROM_R575 == row.low_from_r575:
        return bool(first & _MARK_FROM_R575)
    return None


def _worst(unit: str, rows: list[tuple[Row, bool]]) -> Verdict5:
    order = ("reset_gpu", "xid_154", "ignore")
    said = [(row.marked if marked and row.marked else row.resolution, row) for row, marked in rows]
    resolution, row = min(said, key=lambda each: order.index(each[0]))
    return Verdict5(unit, row.severity, resolution, row.investigate)
