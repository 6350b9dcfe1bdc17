"""Not to be nervous: what must repeat, rest or calm down before a machine is moved. Pure.

A level is confirmed by a second look in `faults`, and cleared by one that passes; here is when that is
not enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from health.machines.limits import Limits

DAY = timedelta(days=1)


def rests_until(
    checks: Sequence[str], undrained: Mapping[str, datetime], now: datetime, limits: Limits
) -> datetime | None:
    """Until when these checks may not drain the machine again after a person undrained it; None when they may.

    A check that the person had not seen failing is new and may.
    """
    rest = timedelta(seconds=limits.redrain_cooldown_s)
    if not checks or any(check not in undrained for check in checks):
        return None
    until = min(undrained[check] for check in checks) + rest
    return until if now < until else None


def flaps(verdicts: Iterable[tuple[datetime, str]], now: datetime) -> int:
    """How often a check went from fail to something known within a day; `verdicts` oldest first, unknown left out."""
    count, failing = 0, False
    for at, verdict in verdicts:
        if verdict == "unknown":
            continue
        if failing and verdict != "fail" and now - at < DAY:
            count += 1
        failing = verdict == "fail"
    return count


def flapping(verdicts: Iterable[tuple[datetime, str]], now: datetime, limits: Limits) -> bool:
    """Whether a check comes and goes so often that its passing clears nothing: only a verification or a person does."""
    return flaps(verdicts, now) >= limits.flaps_24h


def drain_is_complete(jobs: int | None, empty_since: datetime | None, now: datetime, settle_s: float) -> bool:
    """Nothing runs, said twice with `settle_s` between; `empty_since` is the first look of an unbroken row of such."""
    if jobs is None or jobs > 0 or empty_since is None:
        return False
    return now - empty_since >= timedelta(seconds=settle_s)
