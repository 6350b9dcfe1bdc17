"""Output of `ib_write_bw` and `ib_write_lat` (perftest): the numbers of the result row, found by its column heads.

The columns differ with the options (`-a`, `-b`, `-D`, `--report_gbits`), so they are read from the head, never by their
position alone. A run that printed no result has failed, whatever its exit status; so has one that printed nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


class PerftestError(ValueError):
    """There is no result in the output; the message is the tool's own first complaint, or that it broke off."""


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """Of the largest message size that was run, in Gb/s; both directions together when the run was bidirectional."""

    bytes: int
    iterations: int
    average_gbps: float
    bidirectional: bool
    whole: bool = True
    """Whether the line that ends the table is there: the output was not cut off behind the row."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Of the largest message size that was run, in microseconds. `p99_us` only where the tool counts iterations."""

    bytes: int
    iterations: int
    p99_us: float | None
    whole: bool = True


_HEAD = re.compile(r"^\s*#bytes\s+#iterations\s+(.*)$")
_END = "-" * 10
_P99 = "99% percentile"
_MBYTES = {"MB/sec": 8 * 1024 * 1024 / 1e9, "MiB/sec": 8 * 1024 * 1024 / 1e9}
_COMPLAINT = re.compile(
    r"error|fail|couldn|can't|cannot|unable|refused|not found|no route|timed out|invalid|did not|doesn't", re.IGNORECASE
)


def read_bandwidth(text: str) -> Bandwidth:
    """Raises PerftestError."""
    columns, rows, whole = _table(text)
    average = next((name for name in columns if name.startswith("bw average")), None)
    if average is None:
        raise PerftestError("the output is not that of a bandwidth test")
    row = rows[-1]
    return Bandwidth(
        bytes=row.bytes,
        iterations=row.iterations,
        average_gbps=row.values[columns[average][0]] * _scale(columns[average][1]),
        bidirectional="bidirectional" in text.lower(),
        whole=whole,
    )


def read_latency(text: str) -> Latency:
    """Raises PerftestError."""
    columns, rows, whole = _table(text)
    if "t_avg" not in columns:
        raise PerftestError("the output is not that of a latency test")
    row = rows[-1]
    return Latency(
        bytes=row.bytes,
        iterations=row.iterations,
        p99_us=row.values[columns[_P99][0]] if _P99 in columns else None,
        whole=whole,
    )


@dataclass(frozen=True, slots=True)
class Row:
    bytes: int
    iterations: int
    values: tuple[float, ...]


def _table(text: str) -> tuple[dict[str, tuple[int, str]], list[Row], bool]:
    """Column name to (position after bytes and iterations, unit), the rows under the head, and whether it ends."""
    columns: dict[str, tuple[int, str]] = {}
    rows: list[Row] = []
    whole = False
    for line in text.splitlines():
        head = _HEAD.match(line)
        if head:
            columns, rows, whole = _columns(head.group(1)), [], False
        elif rows and line.startswith(_END):
            whole = True
        elif columns and (row := _row(line, len(columns))):
            rows.append(row)
    if not columns or not rows:
        raise PerftestError(_complaint(text))
    return columns, rows, whole


def _columns(head: str) -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    for position, match in enumerate(re.finditer(r"(\S[^\[\]]*?)\s*\[([^\]]+)\]", head)):
        found[" ".join(match.group(1).lower().split())] = (position, match.group(2))
    return found


def _row(line: str, width: int) -> Row | None:
    words = line.split()
    if len(words) < width + 2:
        return None
    try:
        return Row(int(words[0]), int(words[1]), tuple(float(word) for word in words[2 : width + 2]))
    except ValueError:
        return None


def _scale(unit: str) -> float:
    if unit in _MBYTES:
        return _MBYTES[unit]
    if unit.lower() in ("gb/sec", "gbit/sec"):  # perftest means bits by it
        return 1.0
    raise PerftestError(f"the unit {unit} is not known")


def _complaint(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return "no output"
    said = next((line for line in lines if _COMPLAINT.search(line)), None)
    return said[:200] if said else "the output breaks off before its result"
