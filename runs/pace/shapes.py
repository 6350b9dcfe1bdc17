"""Where the level of a series changes for good: the one recogniser that logs and curves share. Pure."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import NamedTuple

RISE = 0.03
"""A step counts as slower for good from this rise on; below it is noise of ordinary runs (1 to 2 %)."""
BEFORE, AFTER = 3, 2
"""Fewest steps of a log before and after a change."""
FEW = 10
"""Of so few values none is an outlier."""
NEIGHBOURS = 5
"""Of more, a value is what most of so many around it are: a checkpoint's long step is no level."""


class Change(NamedTuple):
    """The steps from `at` on take `ratio` times those before."""

    at: int
    ratio: float


class Sums:
    """Squared errors of any stretch around its mean, each in a few operations."""

    def __init__(self, values: Sequence[float]) -> None:
        self.sums, self.squares = [0.0], [0.0]
        for value in values:
            self.sums.append(self.sums[-1] + value)
            self.squares.append(self.squares[-1] + value * value)

    def mean(self, start: int, end: int) -> float:
        return (self.sums[end] - self.sums[start]) / (end - start)

    def error(self, start: int, end: int) -> float:
        size = end - start
        if size <= 0:
            return 0.0
        return max(0.0, self.squares[end] - self.squares[start] - (self.sums[end] - self.sums[start]) ** 2 / size)


def split(sums: Sums, least: int = 1, rest: int = 1) -> tuple[float, int] | None:
    """The place that parts a series into two levels with the least error, and that error: at least `least` values lie
    before it and `rest` from it on. None where there are too few."""
    count = len(sums.sums) - 1
    places = range(least, count - rest + 1)
    return min(((sums.error(0, at) + sums.error(at, count), at) for at in places), default=None)


def step_change(costs: Sequence[float]) -> Change | None:
    """Where the steps of a log became slower and stayed so until the end; None where they did not.

    Dips that end (a checkpoint, an evaluation) are no change: all later steps must lie above the earlier ones, but
    for a tenth of them on either side.
    """
    found = split(Sums(costs if len(costs) <= FEW else running_median(costs, NEIGHBOURS)), BEFORE, AFTER)
    if found is None:
        return None
    at = found[1]
    before, after = sorted(costs[:at]), sorted(costs[at:])
    low, high = _median(before), _median(after)
    if low <= 0 or high < low * (1 + RISE) or _quantile(after, 0.1) <= _quantile(before, 0.9) * (1 + RISE / 3):
        return None
    return Change(at, high / low)


def running_median(values: Sequence[float], width: int) -> list[float]:
    """The median of the `width` values around each; at the ends of those that there are."""
    half = width // 2
    window: list[float] = sorted(values[:half])
    found = []
    for at in range(len(values)):
        if at + half < len(values):
            insort(window, values[at + half])
        if at - half > 0:
            del window[bisect_left(window, values[at - half - 1])]
        found.append(window[len(window) // 2])
    return found


def _median(ordered: Sequence[float]) -> float:
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _quantile(ordered: Sequence[float], share: float) -> float:
    """With few values the largest or the smallest."""
    if len(ordered) <= FEW:
        return ordered[-1] if share > 0.5 else ordered[0]
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
