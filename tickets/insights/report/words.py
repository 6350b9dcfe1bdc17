"""Figures of the report in words. Pure."""

from __future__ import annotations

from tickets.insights.statistics import LEAST, Share, Spread

DAY_S = 86_400


def duration(seconds: float) -> str:
    """As people say it: `12 min`, `3.4 h`, `2.1 d`."""
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 2 * DAY_S else f"{seconds / DAY_S:.1f} d"


def too_little(n: int) -> str:
    return f"too little data ({n} of at least {LEAST})"


def spread(each: Spread) -> str:
    """`3.4 h / 1.2 d (17)`: median, 90th percentile, of how many."""
    if each.median is None or each.p90 is None:
        return too_little(each.n)
    return f"{duration(each.median)} / {duration(each.p90)} ({each.n})"


def spread_in_full(each: Spread) -> str:
    if each.median is None or each.p90 is None:
        return too_little(each.n)
    return f"median {duration(each.median)}, 90 % within {duration(each.p90)} ({each.n} tickets)"


def share(each: Share) -> str:
    return too_little(each.n) if each.share is None else f"{each.share:.0%} ({each.count} of {each.n})"


def rate(per_1000_days: float | None) -> str:
    return "not known" if per_1000_days is None else f"{per_1000_days:.3g}"
