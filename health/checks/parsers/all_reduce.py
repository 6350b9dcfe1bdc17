"""What an all-reduce over GPUs prints: the table of nccl-tests' all_reduce_perf, or the lines of `all_reduce.py`.

A result is only taken from an output that came to its end, and of which every row is a measurement: without the row of
the largest size a slow link would look fine.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from health.checks.parsers import ParseError

ALL_REDUCE = "all_reduce_perf"
MARK = "rackside_all_reduce"
SMALL_BYTES = 1024
"""Up to this size the time is that of the way there and back, not of the bytes."""


@dataclass(frozen=True)
class Size:
    """One size of a run: microseconds and bus bandwidth in GB/s, out of place and in place where both were measured.
    `wrong` values are those of both; None where the tool did not check."""

    bytes: int
    us: float
    bus_gbytes_s: float
    us_in_place: float | None = None
    bus_in_place: float | None = None
    wrong: int | None = None


@dataclass(frozen=True)
class AllReduce:
    """A run over one machine or several. `wrong` is None where the tool did not check. `devices` are (machine, number
    of the GPU on it)."""

    sizes: tuple[Size, ...]
    wrong: int | None
    devices: tuple[tuple[str, int], ...]

    @property
    def machines(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name, _ in self.devices))

    @property
    def bytes(self) -> int:
        return self._largest.bytes

    @property
    def bus_gbytes_s(self) -> float:
        """Of the largest size, out of place."""
        return self._largest.bus_gbytes_s

    @property
    def latency_us(self) -> float | None:
        """The usual time of the smallest messages, out of place; None where none were sent."""
        return median(small) if (small := [each.us for each in self.sizes if 0 < each.bytes <= SMALL_BYTES]) else None

    @property
    def _largest(self) -> Size:
        return max(self.sizes, key=lambda each: each.bytes)


_TAG = re.compile(r"\[[\d,]+\]<std(?:out|err)>:[ \t]?")
"""What mpirun puts before each line, and sometimes before the end of one, as its own piece (Open MPI 4.1)."""
_STREAM = re.compile(r"^\s*(?:\d+: |\[\w+\]:)?")
"""What srun and torchrun may put before each line."""
_RANK = re.compile(r"^#\s+Rank\s+\d+\s.*?\bon\s+(\S+)\s+device\s+(\d{1,4})\b")
_OUT_OF_BOUNDS = re.compile(r"^#\s*Out of bounds values\s*:\s*(\d{1,18})\s+(\w+)")
_WORRIED = re.compile(r"(?i)\b(?:error|fail|failed|failure|abort|aborted|refused|unable|timed? ?out|not found)\b")


def parse_all_reduce(text: str) -> AllReduce:
    """Either form, of any version. Raises ParseError."""
    lines = [_STREAM.sub("", line) for line in _TAG.sub("", text).splitlines()]
    mine = [line for line in lines if line.startswith("{")]
    return _of_script(mine, lines) if any(MARK in line for line in mine) else _of_table(lines)


def _of_table(lines: Sequence[str]) -> AllReduce:
    """nccl-tests: the head names the columns, the last lines say that it came to its end."""
    devices = tuple((found.group(1), int(found.group(2))) for line in lines if (found := _RANK.match(line)))
    rows = [row for line in lines if (row := _row(line))]
    ended = next((found for line in lines if (found := _OUT_OF_BOUNDS.match(line))), None)
    if not rows or ended is None:
        raise ParseError(ALL_REDUCE, _worry(lines))
    return AllReduce(tuple(rows), _sum([row.wrong for row in rows], int(ended.group(1))), devices)


def _row(line: str) -> Size | None:
    """size count type redop root, then time algbw busbw #wrong, out of place and in place."""
    words = line.split()
    if len(words) != 13 or not (_is_count(words[0]) and _is_count(words[1])):
        return None
    us, bus, us_in_place, bus_in_place = (_measured(words[at]) for at in (5, 7, 9, 11))
    return Size(int(words[0]), us, bus, us_in_place, bus_in_place, _sum([_wrong(words[8]), _wrong(words[12])]))


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= 18


def _measured(value: Any) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParseError(ALL_REDUCE, f"a row with {str(value)[:40]} instead of a number") from error
    if isinstance(value, bool) or not math.isfinite(found) or found < 0:
        raise ParseError(ALL_REDUCE, f"a row with {str(value)[:40]} instead of a measurement")
    return found


def _wrong(cell: Any) -> int | None:
    return None if cell in (None, "N/A") else int(_measured(cell))


def _sum(counts: Sequence[int | None], told: int = 0) -> int | None:
    """Wrong values of all that was checked, and at least those that the tool tells; None where nothing was checked."""
    checked = [count for count in counts if count is not None]
    return max(sum(checked), told) if checked or told else None


def _of_script(mine: Sequence[str], lines: Sequence[str]) -> AllReduce:
    """One object a line: the ranks, each size, and the end."""
    rows = [row for line in mine if (row := _object(line)) is not None]
    marked = [row for row in rows if MARK in row]
    if said := next((str(row["error"]) for row in marked if row.get("error")), ""):
        raise ParseError(ALL_REDUCE, said[:200])
    sizes = tuple(_size(row) for row in rows if "bytes" in row)
    if not sizes or not any(row.get("complete") is True for row in marked):
        raise ParseError(ALL_REDUCE, _worry(lines))
    devices: list[Any] = next((row["devices"] for row in marked if isinstance(row.get("devices"), list)), [])
    return AllReduce(sizes, _sum([size.wrong for size in sizes]), tuple(_device(each) for each in devices))


def _object(line: str) -> Mapping[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _size(row: Mapping[str, Any]) -> Size:
    count = row["bytes"]
    if isinstance(count, bool) or not isinstance(count, int) or not 0 < count < 10**18:
        raise ParseError(ALL_REDUCE, f"a row of {str(count)[:40]} bytes")
    return Size(count, _measured(row.get("us")), _measured(row.get("busbw_gbytes_s")), wrong=_wrong(row.get("wrong")))


def _device(row: Any) -> tuple[str, int]:
    if isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) and isinstance(row[1], int):
        return row[0], row[1]
    raise ParseError(ALL_REDUCE, "a rank without a machine and a device")


def _worry(lines: Sequence[str]) -> str:
    """The first line that complains; else that there is no end."""
    worried = next((line.strip() for line in lines if _WORRIED.search(line)), "")
    return (worried or "the output breaks off before its end")[:200]
