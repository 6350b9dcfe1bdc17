"""How many machines of a pool the automation may still take out of service. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor


@dataclass(frozen=True)
class PoolCount:
    """A pool counted under its lock. `unavailable` is all that is not ready and heard, for whatever reason.

    `stale` says that the counts do not describe now: nothing of the pool was heard for too long.
    """

    size: int | None
    unavailable: int | None
    stale: bool = False


def cap(size: int, share: float) -> int:
    """Machines of a pool that may be out at all: floor(share x size); 0 for a share that is none."""
    if size <= 0 or not 0 <= share <= 1:
        return 0
    # A share such as 0.29 x 100 must not become 28 by binary fractions.
    return floor(share * size + 1e-9)


def allowance(count: PoolCount, share: float) -> int:
    """Machines that may still be drained: floor(share x size) less all that are out already; 0 when in doubt."""
    if count.stale or not count.size or count.unavailable is None or count.size < 0:
        return 0
    return max(0, cap(count.size, share) - count.unavailable)
