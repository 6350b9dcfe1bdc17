"""How often the fleet is swept: as often as was set, and less often where a sweep takes longer than that. Pure.

A sweep may take SHARE of its period; the rest is for second looks and for people. The period follows the second
longest of the last three sweeps: a single slow one (a backup ran, the host was suspended) changes nothing. It shrinks
again when sweeps take less than RELAXED of it, so it does not swing with every second.

What is late is another question. It follows the longest of the same sweeps, and the one under way: nobody may be called
late because the server came late. A machine that does not answer is called late all the same, after as many sweeps.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

SHARE = 0.8
RELAXED = 0.6
COMPARED = 3
STEPS = 6
"""So many times a period beat asks whether a sweep is due."""


@dataclass(frozen=True)
class Period:
    """Seconds between the starts of two sweeps, and what they follow from."""

    set_s: float
    period_s: float
    takes_s: float | None = None
    """What a sweep takes here; None before two were measured."""
    longest_s: float = 0.0
    """The longest of the last sweeps and of those under way."""

    @property
    def is_stretched(self) -> bool:
        return self.period_s > self.set_s

    @property
    def counted_s(self) -> float:
        """The period by which ages of answers are counted."""
        return max(self.period_s, self.longest_s / SHARE)


def as_set(set_s: float) -> Period:
    """Before anything was measured."""
    return Period(set_s, set_s)


def step_s(set_s: float) -> float:
    """Seconds between two questions whether a sweep is due; a stretched period is a whole number of these steps."""
    return set_s / STEPS


def follow(before: Period, set_s: float, took_s: Iterable[Sequence[float]], under_way_s: float = 0.0) -> Period:
    """The period after the last COMPARED sweeps of each site took so long, while the oldest now runs for `under_way_s`.

    All sites are swept by the same workers, so they have one period: that of the slowest.
    """
    if before.set_s != set_s:
        before = as_set(set_s)
    sites = [sorted(each) for each in took_s if each]
    longest = max([under_way_s, *(each[-1] for each in sites)])
    measured = [each[-2] for each in sites if len(each) > 1]
    if not measured:
        return replace(before, longest_s=longest)
    takes = max(measured)
    shortest_s, widest_s = _whole_steps(takes / SHARE, set_s), _whole_steps(takes / RELAXED, set_s)
    return Period(set_s, max(shortest_s, min(before.period_s, widest_s)), takes, longest)


def _whole_steps(seconds: float, set_s: float) -> float:
    """Rounded up to a whole number of steps, at least what was set."""
    step = step_s(set_s)
    return max(set_s, math.ceil(round(seconds / step, 6)) * step)


def is_due(started_at: datetime | None, now: datetime, period: Period) -> bool:
    """Whether another sweep is due. A last one that lies ahead began before the clock was set back."""
    if started_at is None:
        return True
    step = step_s(period.set_s)
    age_s = (now - started_at).total_seconds()
    return age_s < -step or age_s >= period.period_s - step / 2


def words(period: Period) -> str:
    """What people are told when the period is not the one that was set, or is again."""
    if not period.is_stretched:
        return f"Machines are checked every {period.set_s:.0f} s again."
    takes = f"A sweep takes {period.takes_s:.0f} s on this server: " if period.takes_s else ""
    return f"{takes}machines are checked every {period.period_s:.0f} s, not every {period.set_s:.0f} s."
