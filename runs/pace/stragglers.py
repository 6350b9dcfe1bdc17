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


class Times(NamedTuple):
    """Of a typical step, in seconds."""

    rank: int
    compute_s: float
    wait_s: float | None = None


class Straggler(NamedTuple):
    rank: int
    ratio: float
    """Its computing against the median of all ranks."""
    costs_s: float
    """What each step loses by it."""


def stragglers(times: Sequence[Times]) -> list[Straggler]:
    """The slow ranks, the slowest first; none among fewer than three ranks.

    Stages of a pipeline differ by design: a rank is compared with all others, and where more than a fifth of the ranks
    were slow by this rule none is.
    """
    if len(times) < LEAST_RANKS:
        return []
    typical = median(one.compute_s for one in times)
    waits = [one.wait_s for one in times if one.wait_s is not None]
    waited = median(waits) if waits else None
    if typical <= 0:
        return []
    found = [
        Straggler(one.rank, one.compute_s / typical, one.compute_s - typical)
        for one in times
        if one.compute_s >= typical * SLOWER and (waited is None or one.wait_s is None or one.wait_s <= waited)
    ]
    if len(found) * 5 > len(times) and len(found) > 1:
        return []
    return sorted(found, key=lambda one: -one.ratio)
