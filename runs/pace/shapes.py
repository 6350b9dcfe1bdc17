"""Shapes of a curve of step times. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

RISE = 0.03
"""A step counts as slower for good from this rise on; below it is noise of ordinary runs (1 to 2 %)."""
BEFORE, AFTER = 3, 2
"""Fewest steps before and after a change."""
MANY, PLACES = 2000, 250
"""Of more steps so many places are tried first, then those around the best one; each sorts the whole curve."""


class Change(NamedTuple):
    """The steps from `at` on take `ratio` times those before."""

    at: int
    ratio: float


def step_change(costs: Sequence[float]) -> Change | None:
    """Where the steps became slower and stayed so until the end; None where they did not.

    Dips that end (a checkpoint, an evaluation) are no change: all later steps must lie above the earlier ones, but
    for a tenth of them on either side.
    """
    places = range(BEFORE, len(costs) - AFTER + 1)
    if len(costs) <= MANY:
        return _best(costs, places)
    stride = len(costs) // PLACES
    # A change near the end has few steps behind it, and shows only close to its place.
    found = _best(costs, (*places[:-PLACES:stride], *places[-PLACES:]))
    return found and _best(costs, range(max(BEFORE, found.at - stride), min(places.stop, found.at + stride + 1)))


def _best(costs: Sequence[float], places: Iterable[int]) -> Change | None:
    best: Change | None = None
    best_gain = 0.0
    for at in places:
        before, after = costs[:at], costs[at:]
        low, high = median(before), median(after)
        if low <= 0 or high < low * (1 + RISE):
            continue
        top = _quantile(before, 0.9)
        bottom = _quantile(after, 0.1)
        if bottom <= top * (1 + RISE / 3):
            continue
        gain = (bottom - top) * min(at, len(costs) - at) ** 0.5
        if gain > best_gain:
            best, best_gain = Change(at, high / low), gain
    return best


def _quantile(values: Sequence[float], share: float) -> float:
    """With at most ten values the largest or the smallest: one of few is no outlier."""
    ordered = sorted(values)
    if len(ordered) <= 10:
        return ordered[-1] if share > 0.5 else ordered[0]
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
