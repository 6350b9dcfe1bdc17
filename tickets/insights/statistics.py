"""Medians, 90th percentiles and how likely a count is by chance. Pure.

Below `LEAST` values there is no number: one slow repair out of three says nothing about the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, floor

LEAST = 5


@dataclass(frozen=True)
class Spread:
    """Of `n` values; both None where they are fewer than `LEAST`."""

    n: int
    median: float | None
    p90: float | None


@dataclass(frozen=True)
class Share:
    """`count` of `n`; `share` is None where n is below `LEAST`."""

    count: int
    n: int

    @property
    def share(self) -> float | None:
        return self.count / self.n if self.n >= LEAST else None


def spread(values: Iterable[float]) -> Spread:
    ordered = sorted(values)
    n = len(ordered)
    if n < LEAST:
        return Spread(n, None, None)
    return Spread(n, quantile(ordered, 0.5), quantile(ordered, 0.9))


def quantile(ordered: list[float], q: float) -> float:
    """Between the two nearest values, as PostgreSQL's percentile_cont and numpy do. `ordered` holds one at least."""
    place = (len(ordered) - 1) * q
    low = floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def chance_of_at_least(count: int, expected: float) -> float:
    """How likely so many independent failures, or more, are where `expected` are usual (Poisson)."""
    if count <= 0:
        return 1.0
    if expected <= 0:
        return 0.0
    term = exp(-expected)
    below = term
    for k in range(1, count):
        term *= expected / k
        below += term
    return max(0.0, 1.0 - below)
