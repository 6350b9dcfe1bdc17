"""The limits of a site as columns: one for each of `health.machines.limits.Limits`, with its default and range."""

from __future__ import annotations

from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from health.machines.limits import TABLE, is_share, range_of


def _column(name: str) -> Any:
    about = range_of(name)
    made: type[models.Field[Any, Any]] = models.FloatField if is_share(name) else models.PositiveIntegerField
    number = float if is_share(name) else int
    return made(
        default=TABLE[name].default,
        validators=[MinValueValidator(number(about.low)), MaxValueValidator(number(about.high))],
        help_text=f"{about.title} ({about.unit}).",
    )


class SiteLimits(models.Model):
    """What `services.limits.limits_of` reads. A limit that is added to the table needs a line here: a test says so."""

    min_unavailable = _column("min_unavailable")
    min_unavailable_from = _column("min_unavailable_from")
    drains_10min = _column("drains_10min")
    drains_1h = _column("drains_1h")
    cause_machines = _column("cause_machines")
    cause_share = _column("cause_share")
    cause_explains = _column("cause_explains")
    cause_window_s = _column("cause_window_s")
    cause_out_s = _column("cause_out_s")
    suspicious_share = _column("suspicious_share")
    suspicious_machines = _column("suspicious_machines")
    suspicion_s = _column("suspicion_s")
    rollout_s = _column("rollout_s")
    power_at_once = _column("power_at_once")
    power_spacing_s = _column("power_spacing_s")
    power_1h = _column("power_1h")
    power_off_s = _column("power_off_s")
    reboots_7d = _column("reboots_7d")
    remediations_7d = _column("remediations_7d")
    flaps_24h = _column("flaps_24h")
    redrain_cooldown_s = _column("redrain_cooldown_s")
    breaker_refused_1h = _column("breaker_refused_1h")
    breaker_ambiguous = _column("breaker_ambiguous")
    breaker_failed_verifications = _column("breaker_failed_verifications")
    breaker_drained_share = _column("breaker_drained_share")
    breaker_drained_machines = _column("breaker_drained_machines")
    breaker_drained_window_s = _column("breaker_drained_window_s")
    patience_s = _column("patience_s")
    retry_s = _column("retry_s")
    retries = _column("retries")
    lease_s = _column("lease_s")
    inventory_age_s = _column("inventory_age_s")
    clock_step_s = _column("clock_step_s")
    golden_days = _column("golden_days")

    class Meta:
        abstract = True


def in_range() -> Q:
    """Every limit within its range."""
    return Q(**{f"{name}__range": (range_of(name).low, range_of(name).high) for name in TABLE})
