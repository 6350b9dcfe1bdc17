"""How many spares of a part are enough until more come: failures as a Poisson process. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

FEWEST_SEEN = 3
"""Fewer failures than this say nothing of a rate: then only the minimum that a person set counts."""


@dataclass(frozen=True)
class Advice:
    """What to have and what to order. `rate_per_day` None: too few failures were seen."""

    wanted: int
    order: int
    rate_per_day: float | None
    why: str


def enough(mean: float, confidence: float) -> int:
    """The least k with P(failures <= k) >= confidence, for a Poisson distribution with this mean.

    Raises ValueError for a mean below 0, or a confidence outside 0..1.
    """
    if mean < 0 or not 0 < confidence < 1:
        raise ValueError("a mean of at least 0, and a confidence between 0 and 1")
    if mean > 500:  # exp(-mean) leaves the range of floats; the normal approximation is right to a part or two
        return math.ceil(mean + _z(confidence) * math.sqrt(mean))
    term = total = math.exp(-mean)
    k = 0
    while total < confidence and k < 10_000:
        k += 1
        term *= mean / k
        total += term
    return k


def _z(confidence: float) -> float:
    low, high = -8.0, 8.0
    for _ in range(80):
        middle = (low + high) / 2
        if 0.5 * (1 + math.erf(middle / math.sqrt(2))) < confidence:
            low = middle
        else:
            high = middle
    return high


def advise(
    *, failures: int, days: float, lead_days: float, have: int, coming: int = 0, minimum: int = 0,
    confidence: float = 0.95,
) -> Advice:  # fmt: skip
    """`failures` seen in `days`; `coming` were shipped by a vendor and are not here yet. `minimum` was set by a person
    and holds in any case."""
    if failures < FEWEST_SEEN or days <= 0:
        wanted, rate = minimum, None
        why = f"{failures} failed in {days:.0f} days: too few for a rate, so the minimum counts"
    else:
        rate = failures / days
        needed = enough(rate * lead_days, confidence)
        wanted = max(minimum, needed)
        why = (
            f"{failures} failed in {days:.0f} days: {needed} last {lead_days:.0f} days with {confidence:.0%}"
            + (f", the minimum is {minimum}" if minimum > needed else "")
        )  # fmt: skip
    return Advice(wanted, max(0, wanted - have - coming), rate, why)
