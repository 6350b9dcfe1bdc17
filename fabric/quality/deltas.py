"""What happened at a port between two readings, and the running totals that outlive resets. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from fabric.quality.counters import COUNTERS, Reading, at_top


@dataclass(frozen=True, slots=True)
class Delta:
    """How much a counter grew. `at_least`: it was reset or stopped at its top in between, so more may have happened.

    `saturated`: it stood at its top at both times, and nothing can be said: `count` is None.
    """

    count: int | None
    at_least: bool = False
    reset: bool = False
    saturated: bool = False


def delta(name: str, before: int, after: int) -> Delta:
    """What a counter says of the time between two readings of it.

    A counter never goes down by itself: after a reset it has counted `after` anew, and what it counted before the
    reset is lost.
    """
    if after < before:
        return Delta(after, at_least=True, reset=True)
    if at_top(name, after):
        if before == after:
            return Delta(None, saturated=True)
        return Delta(after - before, at_least=True)
    return Delta(after - before)


@dataclass(frozen=True, slots=True)
class Totals:
    """What a port counted since it was first read, resets notwithstanding: two of them tell any window between.

    `since` is the first reading. A counter of which nothing can be said since `blind` began is named there.
    """

    at: datetime
    since: datetime
    counts: Mapping[str, int] = field(default_factory=dict)
    saturated: frozenset[str] = frozenset()
    resets: int = 0


def begin(reading: Reading) -> Totals:
    """The totals at the first reading of a port: nothing is known to have happened yet."""
    return Totals(
        at=reading.at,
        since=reading.at,
        counts=dict.fromkeys(reading.counters, 0),
        saturated=frozenset(name for name, value in reading.counters.items() if at_top(name, value)),
    )


def go_on(totals: Totals, before: Reading, after: Reading) -> Totals:
    """The totals at a later reading. A counter that only one of the two tells begins anew at the later one.

    Raises ValueError when the later reading is not later.
    """
    if after.at <= before.at:
        raise ValueError(f"a reading of {after.at.isoformat()} does not follow one of {before.at.isoformat()}")
    counts: dict[str, int] = {}
    saturated: set[str] = set()
    reset = False
    for counter in COUNTERS:
        name = counter.name
        now = after.counters.get(name)
        if now is None:
            continue
        then = before.counters.get(name)
        total = totals.counts.get(name, 0)
        if then is not None:
            grown = delta(name, then, now)
            total += grown.count or 0
            reset = reset or grown.reset
        counts[name] = total
        if at_top(name, now):
            saturated.add(name)
    return Totals(after.at, totals.since, counts, frozenset(saturated), totals.resets + reset)
