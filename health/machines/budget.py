"""The disruption budget of a pool: how many of its machines may be out of service at once, and why. Pure.

One rule for everybody: the guard that grants a drain, the windows of planned tests, the API and the screen call
`budget`. It counts every machine that is out, for whatever reason, and gives nothing when in doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

from health.machines.limits import Limits


@dataclass(frozen=True)
class PoolCount:
    """A pool counted under its lock. `unavailable` is all that is not ready and heard, for whatever reason.

    `stale` says that the counts do not describe now: nothing of the pool was heard for too long. None is not known.
    """

    size: int | None
    unavailable: int | None
    stale: bool | None = False


@dataclass(frozen=True)
class BudgetRule:
    """`share` of the pool may be out, rounded down; but `min_unavailable` machines in a pool of `min_unavailable_from`
    or more.

    A share of 0 is a decision that nothing may be out: it is not lifted to `min_unavailable`.
    """

    share: float
    min_unavailable: int
    min_unavailable_from: int


@dataclass(frozen=True)
class Budget:
    """What the rule gives for a counted pool.

    by_share         machines by the share alone
    max_unavailable  machines that may be out at all
    left             machines that may still be taken out now
    reason           the sum in words, for the screen
    size             machines of the pool as counted, 0 where that is not known
    unavailable      those of them that are out, for whatever reason
    """

    by_share: int
    max_unavailable: int
    left: int
    reason: str
    size: int
    unavailable: int


def max_unavailable(size: int, rule: BudgetRule) -> int:
    """Machines of a pool of this size that may be out; 0 for an empty pool and a share that is none."""
    by_share = _by_share(size, rule.share)
    if size <= 0 or not 0 < rule.share <= 1 or size < rule.min_unavailable_from:
        return by_share
    return min(size, max(by_share, rule.min_unavailable))


def budget(count: PoolCount, rule: BudgetRule) -> Budget:
    """The budget of a pool; nothing is left of one that is empty, stale or not known."""
    if doubt := _doubt(count):
        return Budget(0, 0, 0, doubt, count.size or 0, count.unavailable or 0)
    assert count.size is not None and count.unavailable is not None  # said by `_doubt`
    by_share, most = _by_share(count.size, rule.share), max_unavailable(count.size, rule)
    left = max(0, most - count.unavailable)
    out = f"{count.unavailable} out of service now, {left} left."
    reason = f"{_why(count.size, by_share, most, rule)} {out}"
    return Budget(by_share, most, left, reason, count.size, count.unavailable)


def _by_share(size: int, share: float) -> int:
    if size <= 0 or not 0 <= share <= 1:
        return 0
    # A share such as 0.29 x 100 must not become 28 by binary fractions.
    return floor(share * size + 1e-9)


def _doubt(count: PoolCount) -> str:
    if count.size is None or count.unavailable is None or count.stale is None or count.size < 0:
        return "The size of the pool or how many are out is not known, so nothing is drained."
    if count.size == 0:
        return "The pool has no machines."
    if count.stale:
        return "No machine of the pool reported lately, so nothing is drained."
    return ""


def _why(size: int, by_share: int, most: int, rule: BudgetRule) -> str:
    share = f"{rule.share * 100:.3g} % of {size} machine{'s' if size != 1 else ''} is {by_share}"
    if most > by_share:
        return f"{share}, but at least {most} in a pool of {rule.min_unavailable_from} or more: {most} may be out."
    if most == 0 and 0 < size < rule.min_unavailable_from and rule.share > 0:
        return f"{share}, and a pool of fewer than {rule.min_unavailable_from} has no minimum: none may be out."
    return f"{share}: {most or 'none'} may be out."


def rule_for(share: float, limits: Limits) -> BudgetRule:
    """What may be out of a pool: its own share, and the site's least for small pools."""
    return BudgetRule(share, limits.min_unavailable, limits.min_unavailable_from)
