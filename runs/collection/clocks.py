"""By how much a machine's clock is off, so that moments of different machines can be compared. Pure."""

from __future__ import annotations

WITHIN_S = 2.0
"""What health measured is believed where it is no further than this from what was seen while collecting."""


def ahead_s(asked_at: float | None, told: float | None, answered_at: float | None) -> tuple[float, float] | None:
    """Least and most seconds by which a clock is ahead of ours: it was read between two moments of our clock."""
    if told is None or asked_at is None or answered_at is None:
        return None
    return (told - max(asked_at, answered_at), told - asked_at)


def offset_s(seen: tuple[float, float] | None, measured: float | None) -> float | None:
    """Seconds the clock is ahead; None where nobody knows.

    `measured` is health's (`clock.offset`), exact to milliseconds where the time service is right; a collection sees it
    only between two bounds, but sees it now.
    """
    if seen is None:
        return measured
    least, most = seen
    if measured is not None and least - WITHIN_S <= measured <= most + WITHIN_S:
        return measured
    if least <= 0.0 <= most:
        return 0.0
    return round((least + most) / 2, 3)
