"""When a program that ended is started again, and when that is called a crash loop. Plain numbers, no clock."""

from __future__ import annotations

from dataclasses import dataclass

DELAYS_S = (0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0)
"""Before the first restart, the second, ..; the last one for ever."""
AFTER_WORK_S = 3.0
"""No longer than this for what had been up: it works until it is killed, and others need it."""
STEADY_S = 30.0
"""A program that ran for so long is no longer counted as failing to start. A start takes two to five seconds."""
LOOP_DEATHS = 4


@dataclass
class Deaths:
    """The quick deaths of a program in a row. Times are those of one monotonic clock."""

    count: int = 0
    how: str = ""
    last_at: float = 0.0
    retry_at: float = 0.0

    def note(self, how: str, *, started: float, now: float, was_up: bool = False) -> float:
        """Count a death; returns after how many seconds the program is started again."""
        self.count = 1 if now - started >= STEADY_S else self.count + 1
        delay = DELAYS_S[min(self.count, len(DELAYS_S)) - 1]
        delay = min(delay, AFTER_WORK_S) if was_up else delay
        self.how, self.last_at, self.retry_at = how, now, now + delay
        return delay

    @property
    def is_loop(self) -> bool:
        return self.count >= LOOP_DEATHS

    def is_over(self, *, started: float, now: float) -> bool:
        """Whether a program that was started again runs long enough to forget its deaths."""
        return self.count > 0 and now - started >= STEADY_S
