"""Which machines a sweep asks apart from the others, so that no good one waits for one that hangs. Pure."""

from __future__ import annotations

ENOUGH_S = 5.0
MOST_TIMES_NORMAL = 1.5
FIRST_S, LEAST_FIRST_S, FIRST_TIMES_NORMAL = 15.0, 3.0, 2.0


def is_slow(kept_waiting: str, took_s: float, *, was_slow: bool, normal_s: float | None) -> bool:
    """Whether the next look at a machine is in the slow lane.

    One that ran into a time-out is. One that is there leaves it when it answers about as fast as the others do
    (`normal_s`: seconds until the last of the others answered; None: not known).
    """
    if kept_waiting:
        return True
    return was_slow and took_s > max(ENOUGH_S, MOST_TIMES_NORMAL * (normal_s or 0.0))


def first_answer_s(normal_s: float | None) -> float:
    """How long a shard waits for its first answer before it leaves all of its machines to the slow lane."""
    return FIRST_S if normal_s is None else min(FIRST_S, max(LEAST_FIRST_S, FIRST_TIMES_NORMAL * normal_s))
