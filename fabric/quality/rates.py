"""Rates of a port over windows, from running totals at the two ends of each window. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache

from fabric.quality.deltas import Totals
from fabric.quality.thresholds import WINDOWS

LATE = timedelta(seconds=30)
"""A schedule that is late by a moment does not double its windows."""


@dataclass(frozen=True, slots=True)
class Rate:
    """What one port counted in one window: `counts` by counter, over `seconds` that the readings really cover.

    A counter whose value stood at its top is in `saturated` and its count is only what was seen before it got there.
    """

    seconds: float
    counts: Mapping[str, int] = field(default_factory=dict)
    saturated: frozenset[str] = frozenset()
    reset: bool = False

    def per_s(self, name: str) -> float | None:
        """Events per second; None when the port does not tell this counter."""
        count = self.counts.get(name)
        return None if count is None else count / self.seconds

    def per_h(self, name: str) -> float | None:
        rate = self.per_s(name)
        return None if rate is None else rate * 3600


def base_time(times: Sequence[datetime], now: datetime, window: timedelta) -> datetime | None:
    """Which earlier reading a window begins with: the last one that is as old as the window, or else the oldest.

    `times` are those of the readings before `now`, in order. None: there is no earlier reading, or the last one as old
    as the window is more than twice as old, so that it says nothing of this window.
    """
    earlier = [at for at in times if at < now]
    old = [at for at in earlier if at <= now - window + LATE]
    if old:
        longest = max(window * 2, window + timedelta(minutes=30))
        return old[-1] if now - old[-1] <= longest else next((at for at in earlier if at > old[-1]), None)
    return earlier[0] if earlier else None


@lru_cache(maxsize=256)
def _bases(
    times: tuple[datetime, ...], now: datetime, windows: tuple[tuple[str, timedelta], ...]
) -> tuple[tuple[str, datetime | None], ...]:
    """The same for nearly all ports of a round."""
    return tuple((name, base_time(times, now, window)) for name, window in windows)


def rate(before: Totals, after: Totals) -> Rate | None:
    """What a port counted between two readings; None when the later is not later."""
    seconds = (after.at - before.at).total_seconds()
    if seconds <= 0:
        return None
    counts = {
        name: total - before.counts[name]
        for name, total in after.counts.items()
        if name in before.counts and total >= before.counts[name]
    }
    return Rate(seconds, counts, after.saturated, after.resets > before.resets)


def rates(
    history: Mapping[datetime, Totals], now: Totals, windows: Mapping[str, timedelta] = WINDOWS
) -> dict[str, Rate]:
    """The rate of one port in each window that its readings tell something of."""
    found: dict[str, Rate] = {}
    for name, at in _bases(tuple(sorted(history)), now.at, tuple(windows.items())):
        told = rate(history[at], now) if at is not None else None
        if told is not None:
            found[name] = told
    return found
