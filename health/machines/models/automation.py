"""What people allow automation at a site: the kill switch, the circuit breaker and the limits."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models import Site
from health.machines.models.limits import SiteLimits, in_range


class SiteAutomation(SiteLimits):
    """What automation may do at a site: the kill switch, the breaker and the limits.

    The row is read, locked, in the transaction that grants an action.
    """

    site = models.OneToOneField(Site, on_delete=models.CASCADE, primary_key=True, related_name="automation")
    killed = models.BooleanField(default=False)
    killed_by = models.CharField(max_length=150, blank=True)
    killed_reason = models.CharField(max_length=300, blank=True)
    killed_at = models.DateTimeField(null=True, blank=True)
    breaker_open_at = models.DateTimeField(null=True, blank=True)
    breaker_reason = models.CharField(max_length=300, blank=True)
    breaker_closed_at = models.DateTimeField(null=True, blank=True, help_text="Only what happened since then counts.")
    breaker_closed_by = models.CharField(max_length=150, blank=True)
    breaker_close_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        verbose_name_plural = "automation of sites"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(killed=False) | (Q(killed_at__isnull=False) & ~Q(killed_by="") & ~Q(killed_reason="")),
                name="kill_switch_has_who_and_why",
            ),
            models.CheckConstraint(
                condition=Q(breaker_open_at=None) | ~Q(breaker_reason=""), name="open_breaker_has_a_reason"
            ),
            models.CheckConstraint(condition=in_range(), name="limits_are_in_range"),
        ]

    def __str__(self) -> str:
        return f"automation of site {self.site_id}"
