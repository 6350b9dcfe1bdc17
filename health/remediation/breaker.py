"""The breaker: when automation must have done, or wanted, something wrong, it stops until a person closes it. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from health.machines.limits import Limits
from health.remediation.types import Guard, SiteView

# Refusals that count, once per incident: the automation wants more machines out than it may have.
COUNTED = frozenset({Guard.BUDGET, Guard.RATE_10MIN, Guard.RATE_1H})


def open_reason(site: SiteView, limits: Limits) -> str | None:
    """Why the breaker must open, None when it need not. The counts start when it was last closed.

    Raises ValueError when a count is not known: the caller must not read that as calm.
    """
    refused, ambiguous, failed = site.refused_1h, site.ambiguous, site.failed_verifications
    if refused is None or ambiguous is None or failed is None or site.drained is None or site.size is None:
        raise ValueError("the circuit breaker's counts are not known")
    if refused >= limits.breaker_refused_1h:
        return f"budgets refused {refused} incidents within an hour"
    if ambiguous >= limits.breaker_ambiguous:
        return f"{ambiguous} actions ended ambiguous"
    if failed >= limits.breaker_failed_verifications:
        return f"the verifications of {failed} machines in a row failed"
    if site.drained >= limits.breaker_drained_machines and site.drained > limits.breaker_drained_share * site.size:
        return f"automation drained {site.drained} of {site.size} machines within {_span(limits)}"
    return None


def failed_in_a_row(newest_first: Iterable[tuple[int, bool]]) -> int:
    """Machines whose last verification after an action failed, since the last one that passed anywhere.

    Each is (machine, whether it passed). A machine that climbs its ladder fails once on every level: it counts once,
    and what a later level of it cured is no failure.
    """
    failed: set[int] = set()
    for machine, passed in newest_first:
        if passed:
            break
        failed.add(machine)
    return len(failed)


def _span(limits: Limits) -> str:
    hours = limits.breaker_drained_window_s / 3600
    return f"{hours:.0f} hours" if hours > 1 else f"{limits.breaker_drained_window_s // 60} minutes"
