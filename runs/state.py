"""What state a run is in, from what was reported of it. Pure; one table of limits.

Unknown is never healthy: a run that nobody reports of is `unknown`, not `running` and not `hung`.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

SILENT_S = 180.0
"""Without a report for so long nothing is known of a run."""
UNSEEN_S = 1800.0
"""A run that was found and does not report: for so long neither a sweep nor the scheduler may have missed it."""
HUNG_STEPS = 10
"""Reports come, but no step for so many times the usual one,"""
HUNG_LEAST_S = 60.0
"""and for at least so long."""
HUNG_MEASURED_S = 300.0
"""The same of steps that are read from Prometheus, which may scrape once a minute and keeps a value for five."""
HUNG_AT_START_S = 1800.0
"""Before its first step a run loads, compiles and shards: so long is no hang."""
SLOW = 1.05
"""Slower than its own baseline by this."""
WARM_UP = 10
"""Steps of the beginning that no baseline is taken from: compiling, caches."""
BASELINE_STEPS = 50


class Facts(NamedTuple):
    now: float
    started_at: float
    last_report_at: float
    last_step_at: float | None
    baseline_s: float | None
    recent_s: float | None
    reports: bool = True
    """Whether it ever reported; of one that was only found nothing but its processes, or its job, is known."""
    stalled: bool = False
    """All its GPUs are busy at idle power since more than one sweep, and since its last step."""
    measured_at: float | None = None
    """Of steps that were not reported but read: the newest moment of which the step is known."""


def state_of(facts: Facts) -> str:
    """Of a run that has not ended. Its GPUs tell of a hang also where nobody reports steps."""
    if facts.stalled:
        return "hung"
    if facts.measured_at is not None:
        return _of_measured(facts, facts.measured_at)
    if not facts.reports:
        return "unknown" if facts.now - facts.last_report_at > UNSEEN_S else "running"
    if facts.now - facts.last_report_at > SILENT_S:
        return "unknown"
    if facts.last_step_at is None:
        return "hung" if facts.now - facts.started_at > HUNG_AT_START_S else "starting"
    return _of_steps(facts, facts.now - facts.last_step_at, HUNG_LEAST_S)


def _of_measured(facts: Facts, measured_at: float) -> str:
    """Its step is known up to this moment and no further: later it may have made some."""
    if facts.now - measured_at > SILENT_S:
        return "unknown"
    return _of_steps(facts, measured_at - (facts.last_step_at or measured_at), HUNG_MEASURED_S)


def _of_steps(facts: Facts, without_s: float, least_s: float) -> str:
    """By how long no step ended, and how long the last ones took."""
    usual = facts.baseline_s or facts.recent_s or 0.0
    if without_s > max(least_s, HUNG_STEPS * usual):
        return "hung"
    if facts.baseline_s and facts.recent_s and facts.recent_s > facts.baseline_s * SLOW:
        return "slow"
    return "running"


def baseline_of(first_steps: Sequence[float]) -> float | None:
    """A step at the run's own pace, from its first steps in seconds; None while there are too few."""
    usable = first_steps[WARM_UP : WARM_UP + BASELINE_STEPS]
    return median(usable) if len(usable) >= BASELINE_STEPS else None
