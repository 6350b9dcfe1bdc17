"""The limits of a site, as `facility.judgement` takes them."""

from __future__ import annotations

from facility.findings.models import Policy
from facility.findings.services import policy_of
from facility.judgement.limits import SiteLimits


def limits_of(site_id: int) -> SiteLimits:
    return as_limits(policy_of(site_id))


def as_limits(policy: Policy) -> SiteLimits:
    """What a person set, and the usual values of the rest."""
    return SiteLimits(
        load_percent=policy.load_percent, imbalance_percent=policy.imbalance_percent,
        rise_c_per_min=policy.rise_c_per_min, gpu_great_c=policy.gpu_great_c, gpu_good_c=policy.gpu_good_c,
        port_c=policy.port_c, inlet_c=policy.inlet_c,
    )  # fmt: skip
