"""When a piece of durable work is due, who has it, and what follows a try that failed. Pure.

A piece is *due*, *leased* to one worker until a time, and in the end *over*: done or given up. A worker that dies says
nothing: its lease passes, and the piece is due again. `core.work.kinds` keeps the same in PostgreSQL.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any


@dataclass(frozen=True)
class Backoff:
    """Seconds until the next try: `first_s` after the first, `factor` times as many after each, `longest_s` at most."""

    first_s: float
    longest_s: float
    factor: float = 2.0
    jitter: float = 0.0
    """Share by which it is more or less at random, so that what failed together does not come back together."""

    def after_s(self, attempts: int, luck: Callable[[float, float], float] = random.uniform) -> float:
        """After so many tries."""
        seconds = min(self.longest_s, self.first_s * self.factor ** min(max(attempts, 1) - 1, 64))
        return seconds * luck(1 - self.jitter, 1 + self.jitter) if self.jitter else seconds


@dataclass(frozen=True)
class Standing:
    """How one piece of work stands. `due_at` None: at once; `until` None: nobody has it."""

    attempts: int = 0
    due_at: datetime | None = None
    until: datetime | None = None
    over: bool = False


@dataclass(frozen=True)
class Policy:
    """What holds for every piece of one kind."""

    lease_s: float
    retry: Backoff
    most: int | None = None
    """Tries after which it is given up; None: it is tried for ever."""
    counts_losses: bool = False
    """Workers that were lost are counted, and not tries: most tries of this kind are meant to be repeated."""

    def is_due(self, piece: Standing, now: datetime) -> bool:
        free = piece.until is None or piece.until <= now
        return not piece.over and free and (piece.due_at is None or piece.due_at <= now)

    def claimed(self, piece: Standing, now: datetime) -> Standing:
        """Leased to a worker from now on. Each lease ends later than the one before it: its end tells them apart."""
        counted = piece.until is not None or not self.counts_losses
        return replace(piece, attempts=piece.attempts + counted, until=now + timedelta(seconds=self.lease_s))

    def renewed(self, piece: Standing, now: datetime) -> Standing:
        """Leased for as long again, never for a shorter time than it was."""
        until = now + timedelta(seconds=self.lease_s)
        return replace(piece, until=until if piece.until is None else max(piece.until, until))

    def is_last(self, attempts: int) -> bool:
        return self.most is not None and attempts >= self.most

    def put_back(
        self, piece: Standing, now: datetime, *, after_s: float | None = None, at_least_s: float = 0.0,
        uncounted: bool = False,
    ) -> Standing:  # fmt: skip
        """Given back, and due again after the next delay or `after_s`. `uncounted`: it was not tried at all."""
        wait_s = max(self.retry.after_s(piece.attempts), at_least_s) if after_s is None else after_s
        attempts = max(0, piece.attempts - 1) if uncounted else piece.attempts
        return replace(piece, attempts=attempts, due_at=now + timedelta(seconds=wait_s), until=None)

    def failed(self, piece: Standing, now: datetime) -> Standing:
        """After a try that failed, or whose worker was lost: due again later, or over."""
        if self.is_last(piece.attempts):
            return replace(piece, until=None, over=True)
        return self.put_back(piece, now)


def no_less(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Progress `{done, total, stage}` that never goes back within a stage: a late message changes nothing."""
    goes_back = before.get("stage") == after.get("stage") and after.get("done", 0) < before.get("done", 0)
    return before if goes_back else after
