"""Ranks whose GPU or links stand out from the run's: clocks, power, temperature, link counters. Pure.

Each kind of reading is compared with the median of the run's own GPUs: limits of a model say when a GPU is bad, this
says which one is not like the others that do the same work.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple

LEAST_READ = 8
"""Of fewer GPUs the median says nothing."""
MOST_SHARE = 0.2
"""Where more of them differ, it is the run's way and nobody stands out."""
SIGMA = 1.4826


class Kind(NamedTuple):
    word: str
    unit: str
    low: float | None
    """Stands out below the median by this share of it,"""
    above: float | None
    """or above it by this much, in its unit."""


KINDS: dict[str, Kind] = {
    "clock_mhz": Kind("clock", "MHz", 0.05, None),
    "power_w": Kind("power", "W", 0.15, None),
    "temperature_c": Kind("temperature", "°C", None, 10.0),
    "tensor_active": Kind("tensor cores busy", "%", 0.25, None),
    "symbol_errors": Kind("symbol errors", "an hour", None, 60.0),
    "link_downs": Kind("link downs", "a day", None, 1.0),
}


class Reading(NamedTuple):
    rank: int
    kind: str
    value: float


class Odd(NamedTuple):
    rank: int
    kind: str
    value: float
    usual: float

    @property
    def text(self) -> str:
        kind = KINDS[self.kind]
        return f"{kind.word} {self.value:.0f} {kind.unit}, median of the run {self.usual:.0f}"


def odd_ones(readings: Iterable[Reading]) -> list[Odd]:
    """What stands out, the farthest from the median first."""
    by_kind: dict[str, list[Reading]] = defaultdict(list)
    for reading in readings:
        by_kind[reading.kind].append(reading)
    found: list[tuple[float, Odd]] = []
    for name, told in by_kind.items():
        if len(told) < LEAST_READ:
            continue
        usual = median(reading.value for reading in told)
        spread = SIGMA * median(abs(reading.value - usual) for reading in told)
        odd = [(far, Odd(one.rank, name, one.value, usual)) for one in told if (far := _far(one, usual, spread)) > 1]
        if len(odd) <= max(1, len(told) * MOST_SHARE):
            found += odd
    return [odd for _, odd in sorted(found, key=lambda pair: (-pair[0], pair[1].rank))]


def _far(reading: Reading, usual: float, spread: float) -> float:
    """How many times its limit it is away from the median; more than 1 stands out."""
    kind = KINDS[reading.kind]
    if kind.low is not None:
        return (usual - reading.value) / max(kind.low * usual, 4 * spread, 1e-9)
    return (reading.value - usual) / max(kind.above or 0.0, 4 * spread, 1e-9)
