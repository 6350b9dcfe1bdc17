"""What many failures at once have in common: a rack, a switch, a power feed, or a check that is wrong. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from health.remediation.types import Cause, Limits

# With equal counts the narrower explanation leads.
_NARROW = {"switch": 0, "feed": 1, "rack": 2}


@dataclass(frozen=True, slots=True)
class Failure:
    """A machine with a confirmed fault: when it was confirmed, and what it hangs on."""

    machine: int
    at: datetime
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    cause: Cause
    machines: frozenset[int]


def recent(failures: Iterable[Failure], now: datetime, limits: Limits) -> list[Failure]:
    """Those within the window; what is dated after `now` counts, since a clock may have gone back."""
    window = timedelta(seconds=limits.cause_window_s)
    return [failure for failure in failures if now - failure.at <= window]


def shared_causes(failures: Iterable[Failure], now: datetime, limits: Limits) -> list[Shared]:
    """The causes that more machines share than may fail by themselves, the one that explains most first.

    A machine is explained once: what is left over counts for the next cause.
    """
    left: dict[Cause, set[int]] = defaultdict(set)
    for failure in recent(failures, now, limits):
        for cause in failure.causes:
            left[cause].add(failure.machine)
    found: list[Shared] = []
    while left:
        cause = min(left, key=lambda c: (-len(left[c]), _NARROW.get(c.kind, 9), c.key))
        machines = frozenset(left.pop(cause))
        if len(machines) <= limits.cause_machines:
            break
        found.append(Shared(cause, machines))
        for others in left.values():
            others.difference_update(machines)
    return found


def suspicious_check(failing: int | None, pool_size: int | None, limits: Limits) -> bool:
    """Whether a check that began to fail in so many machines of a pool within the window is itself the likelier fault.

    Unknown numbers make it suspicious.
    """
    if failing is None or not pool_size or pool_size < 0:
        return True
    return failing >= limits.suspicious_machines and failing > limits.suspicious_share * pool_size
