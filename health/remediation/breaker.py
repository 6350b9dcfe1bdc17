"""The breaker: when automation must have done, or wanted, something wrong, it stops until a person closes it. Pure."""

from __future__ import annotations

from health.remediation.types import Guard, Limits, SiteView

# Refusals that count, once per incident: the automation wants more machines out than it may have.
COUNTED = frozenset({Guard.CAP, Guard.RATE_10MIN, Guard.RATE_1H})


def open_reason(site: SiteView, limits: Limits) -> str | None:
    """Why the breaker must open, None when it need not. The counts start when it was last closed.

    Raises ValueError when a count is not known: the caller must not read that as calm.
    """
    refused, ambiguous, failed = site.refused_1h, site.ambiguous, site.failed_verifications
    if refused is None or ambiguous is None or failed is None:
        raise ValueError("the breaker's counts are not known")
    if refused >= limits.breaker_refused_1h:
        return f"budgets refused {refused} incidents within an hour"
    if ambiguous >= limits.breaker_ambiguous:
        return f"{ambiguous} actions ended ambiguous"
    if failed >= limits.breaker_failed_verifications:
        return f"{failed} verifications in a row failed"
    return None
