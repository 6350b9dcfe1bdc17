"""How a site names its devices after their place."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from core.models import Site
from inventory.models.devices import DeviceKind


class NamingRule(models.Model):
    """The name of a kind of device (and tier, for switches) as a pattern of its place; see `inventory.naming`."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="naming_rules")
    kind = models.CharField(max_length=16, choices=DeviceKind.choices)
    tier = models.CharField(max_length=10, blank=True, help_text="Only for switches of this tier.")
    pattern = models.CharField(max_length=100, help_text="Such as {tier}-{rack}-u{u:02}.")

    class Meta:
        ordering: ClassVar = ["site", "kind", "tier"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["site", "kind", "tier"], name="one_rule_per_kind")]

    def __str__(self) -> str:
        return self.pattern
