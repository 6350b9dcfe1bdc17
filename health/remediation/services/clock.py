"""Whether the clock jumped: the time of day against one that only counts on, in this process.

Budgets and rates are counted over spans of time, so a clock that jumps gives them back too early. A process compares
both clocks at every look with how they stood when it began; after a jump it stays careful until the longest span of a
rate is over. A worker that is forked later takes over how they stood in its parent.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

REST_S = 3600.0
"""How long a jump counts after it was noticed: the longest span over which drains and power actions are counted."""


def _steady() -> float:
    """Seconds since the machine started, suspended or not; nobody can set it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


@dataclass
class Clocks:
    """Two clocks that must go on together. `least_s` is the smallest difference that is a jump."""

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = _steady
    least_s: float = 1.0
    _apart: float = field(init=False)
    _jump: float = field(init=False, default=0.0)
    _until: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self._apart = self.wall() - self.steady()

    def jumped(self) -> float:
        """By how many seconds the time of day jumped lately, forward positive; 0 when it did not.

        Of several jumps the largest counts.
        """
        steady = self.steady()
        apart = self.wall() - steady
        now, self._apart = apart - self._apart, apart
        if abs(now) >= self.least_s and (abs(now) >= abs(self._jump) or steady >= self._until):
            self._jump, self._until = now, steady + REST_S
        if steady >= self._until:
            self._jump = 0.0
        return self._jump


CLOCKS = Clocks()
