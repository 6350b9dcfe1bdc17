"""`nvidia-smi nvlink -s` (state and speed of every link) and `nvidia-smi nvlink -e` (error counters)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from health.checks.parsers import LONGEST_LINE, ParseError
from health.checks.parsers.gpus import refuse_failure

STATUS = "nvidia-smi nvlink -s"
ERRORS = "nvidia-smi nvlink -e"

_GPU = re.compile(r"^GPU (\d+): (.*?)(?: \(UUID: (\S+?)\))?\s*$")
_LINK = re.compile(r"^\s*Link (\d+):\s*(.*?)\s*$")
# NVLink 5 lists its traffic among the errors, and what forward error correction mended: both grow on a healthy link.
_NO_ERROR = re.compile(
    r"^(?:[TR]x (?:packets|bytes)|FEC Errors - \d+|.* BER|Link recovery successful events)$", re.IGNORECASE
)
_SPEED = re.compile(r"^(\d+(?:\.\d+)?) GB/s$")


@dataclass(frozen=True)
class GpuLinks:
    """Links of one GPU: GB/s by link number, 0 for an inactive one, None for one that cannot be read."""

    index: int
    uuid: str | None
    speeds: Mapping[int, float | None]
    all_inactive: bool = False


@dataclass(frozen=True)
class GpuLinkErrors:
    """Counters of one GPU by link and counter name; None where the tool gave no number."""

    index: int
    uuid: str | None
    counters: Mapping[tuple[int, str], int | None]

    @property
    def named(self) -> Mapping[str, int]:
        """Those that gave a number, as `link 3 Replay Errors`."""
        return _named(tuple(self.counters.items()))


_Counters = tuple[tuple[tuple[int, str], int | None], ...]


@lru_cache(maxsize=512)
def _shared(counters: _Counters) -> Mapping[tuple[int, str], int | None]:
    """One mapping for all GPUs that count the same: mostly no error, in 72 counters each."""
    return dict(counters)


@lru_cache(maxsize=512)
def _named(counters: _Counters) -> Mapping[str, int]:
    return {f"link {link} {what}": count for (link, what), count in counters if count is not None}


def parse_links(text: str) -> tuple[GpuLinks, ...]:
    """One entry per GPU listed, in the tool's order."""
    refuse_failure(STATUS, text)
    found: list[tuple[int, str | None, dict[int, float | None], list[bool]]] = []
    for line in text.splitlines():
        if found and (link := _link(line[:LONGEST_LINE])):
            found[-1][2][link[0]] = link[1]
        elif gpu := _GPU.match(line):
            found.append((int(gpu.group(1)), gpu.group(3), {}, [False]))
        elif found and "all links are inactive" in line.lower():
            found[-1][3][0] = True
    if not found:
        raise ParseError(STATUS, "no GPU in the output")
    return tuple(GpuLinks(index, uuid, speeds, inactive[0]) for index, uuid, speeds, inactive in found)


@lru_cache(maxsize=1024)
def _link(line: str) -> tuple[int, float | None] | None:
    link = _LINK.match(line)
    return (int(link.group(1)), _speed(link.group(2))) if link else None


def _speed(text: str) -> float | None:
    if text.strip("<>").lower() in ("inactive", "disabled", "down"):
        return 0.0
    speed = _SPEED.match(text)
    return float(speed.group(1)) if speed else None


def parse_link_errors(text: str) -> tuple[GpuLinkErrors, ...]:
    """One entry per GPU listed, in the tool's order."""
    refuse_failure(ERRORS, text)
    found: list[tuple[int, str | None, dict[tuple[int, str], int | None]]] = []
    for line in text.splitlines():
        if found and (counter := _counter(line[:LONGEST_LINE])):
            found[-1][2][counter[0]] = counter[1]
        elif gpu := _GPU.match(line):
            found.append((int(gpu.group(1)), gpu.group(3), {}))
    if not any(counters for _, _, counters in found):
        raise ParseError(ERRORS, "no error counters in the output")
    return tuple(GpuLinkErrors(index, uuid, _shared(tuple(counters.items()))) for index, uuid, counters in found)


@lru_cache(maxsize=8192)
def _counter(line: str) -> tuple[tuple[int, str], int | None] | None:
    """((link, name), count) of a line such as `Link 0: Replay Errors: 0`."""
    words = line.split(": ")
    link = words[0].strip()
    if len(words) != 3 or not link.startswith("Link ") or not link[5:].isdecimal() or _NO_ERROR.match(words[1]):
        return None
    value = words[2].strip()
    return (int(link[5:]), words[1]), int(value) if value.isdecimal() else None
