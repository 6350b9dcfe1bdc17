"""Which rank makes a run slow, from the times of its ranks. Pure.

A synchronous step ends for all ranks together, so step times alone hide who was late: the slow rank computes longer
and waits less than the others. Measured in a run of three ranks: 66 ms of computing and 6 of waiting on the slow one,
18 and 53 on its peers.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

LEAST_RANKS = 3
SLOWER = 1.1
"""A rank that computes this much longer than the median is a straggler, if the others wait for it."""


GROWN = 1.05
"""A rank that computes this much longer than at its own best has become slower, whatever its stage."""
ALIKE = 0.03
LEAST_STAGE = 3


class Times(NamedTuple):
    """Of a typical step, in seconds."""

    rank: int
    compute_s: float
    wait_s: float | None = None
    best_s: float | None = None
    """The least it has computed for; None: not known."""


class Straggler(NamedTuple):
    rank: int
    ratio: float
    """Its computing against the median of all ranks."""
    costs_s: float
    """What each step loses by it."""


def stragglers(times: Sequence[Times]) -> list[Straggler]:
    """The slow ranks, the slowest first; none among fewer than three ranks.

    Stages of a pipeline differ by design: ranks that are slow all alike and no slower than at their own best are a
    stage, and where more than a fifth of the ranks were slow by this rule none is.
    """
    if len(times) < LEAST_RANKS:
        return []
    typical = median(one.compute_s for one in times)
    waits = [one.wait_s for one in times if one.wait_s is not None]
    waited = median(waits) if waits else None
    if typical <= 0:
        return []
    slow = [
        one
        for one in times
        if one.compute_s >= typical * SLOWER and (waited is None or one.wait_s is None or one.wait_s <= waited)
    ]
    slow = _without_stage(slow)
    if len(slow) * 5 > len(times) and len(slow) > 1:
        return []
    found = [Straggler(one.rank, one.compute_s / typical, one.compute_s - typical) for one in slow]
    return sorted(found, key=lambda one: -one.ratio)


def _without_stage(slow: Sequence[Times]) -> list[Times]:
    as_ever = [one for one in slow if one.best_s is not None and one.compute_s < one.best_s * GROWN]
    if len(as_ever) < LEAST_STAGE:
        return list(slow)
    usual = median(one.compute_s for one in as_ever)
    stage = {one.rank for one in as_ever if abs(one.compute_s / usual - 1) <= ALIKE}
    return [one for one in slow if one.rank not in stage] if len(stage) >= LEAST_STAGE else list(slow)
