"""Shapes of a curve of step times. Pure."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import NamedTuple

RISE = 0.03
"""A step counts as slower for good from this rise on; below it is noise of ordinary runs (1 to 2 %)."""
BEFORE, AFTER = 3, 2
"""Fewest steps before and after a change."""


class Change(NamedTuple):
    """The steps from `at` on take `ratio` times those before."""

    at: int
    ratio: float


def step_change(costs: Sequence[float]) -> Change | None:
    """Where the steps became slower and stayed so until the end; None where they did not.

    Dips that end (a checkpoint, an evaluation) are no change: all later steps must lie above the earlier ones, but
    for a tenth of them on either side.
    """
    best: Change | None = None
    best_gain = 0.0
    before, after = sorted(costs[:BEFORE]), sorted(costs[BEFORE:])
    for at in range(BEFORE, len(costs) - AFTER + 1):
        if at > BEFORE:
            moved = costs[at - 1]
            insort(before, moved)
            del after[bisect_left(after, moved)]
        low, high = _median(before), _median(after)
        if low <= 0 or high < low * (1 + RISE):
            continue
        top, bottom = _quantile(before, 0.9), _quantile(after, 0.1)
        if bottom <= top * (1 + RISE / 3):
            continue
        gain = (bottom - top) * min(at, len(costs) - at) ** 0.5
        if gain > best_gain:
            best, best_gain = Change(at, high / low), gain
    return best


def _median(ordered: Sequence[float]) -> float:
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _quantile(ordered: Sequence[float], share: float) -> float:
    """With at most ten values the largest or the smallest: one of few is no outlier."""
    if len(ordered) <= 10:
        return ordered[-1] if share > 0.5 else ordered[0]
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
