"""What an open gap lets back: hot air from behind the rack reaches the inlets beside the gap. Pure.

Heights are in rack units above the floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

MOST = 0.6
"""Of a machine's air, whatever is open."""
OF_A_WIDE_GAP = 0.65
GAP_U = 3.0
"""Units of a gap that let through about two thirds of what a wide one does."""
REACH_U = 6.0
TOP_C = 1.5
"""How much warmer the air of the aisle is at the top of a rack."""


class Span(NamedTuple):
    low: float
    high: float

    def overlaps(self, other: Span) -> bool:
        return self.low < other.high and other.low < self.high


def distance(one: Span, other: Span) -> float:
    """Units between them; 0 where they touch."""
    return max(0.0, one.low - other.high, other.low - one.high)


def share(machine: Span, gaps: Sequence[Span]) -> float:
    """How much of its air comes from behind the rack, through these gaps."""
    let_through = sum(
        OF_A_WIDE_GAP * (1 - exp(-(gap.high - gap.low) / GAP_U)) * exp(-distance(machine, gap) / REACH_U)
        for gap in gaps
    )
    return min(MOST, let_through)


def sources(machine: Span, gaps: Sequence[Span], others: Sequence[Span]) -> list[float]:
    """Whose exhaust that air is: a weight for each of `others`, together 1. Near to a gap counts most, and the
    machine's own is among them if it is one of `others`."""
    weights = [
        sum(exp(-distance(other, gap) / REACH_U) * exp(-distance(machine, gap) / REACH_U) for gap in gaps)
        * (other.high - other.low)
        for other in others
    ]
    whole = sum(weights)
    return [weight / whole for weight in weights] if whole else weights


def warmer_at(machine: Span, height_u: float) -> float:
    """How much warmer the aisle is before it than at the floor."""
    return TOP_C * (machine.low + machine.high) / 2 / height_u
