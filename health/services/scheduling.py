"""Which scheduler a machine answers to. One for all so far; the null one, which has nothing to drain."""

from __future__ import annotations

from functools import cache

from drivers.scheduler import NullScheduler, Scheduler


@cache
def scheduler() -> Scheduler:
    return NullScheduler()
