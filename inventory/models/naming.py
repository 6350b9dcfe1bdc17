"""How a site names its devices after their place."""

from __future__ import annotations

from typing import ClassVar

from django.core.exceptions import ValidationError
from django.db import models

from core.models import Site
from inventory.models.devices import DeviceKind
from inventory.naming import Pattern, PatternError
from inventory.site_places import places_of


class NamingRule(models.Model):
    """The name of a kind of device (and tier, for switches) as a pattern of its place; see `inventory.naming`."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="naming_rules")
    kind = models.CharField(max_length=16, choices=DeviceKind.choices)
    tier = models.CharField(max_length=10, blank=True, help_text="Only for switches of this tier.")
    pattern = models.CharField(max_length=100, help_text="Such as {tier}-{rack}-u{u:02}.")

    class Meta:
        ordering: ClassVar = ["site", "kind", "tier"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["site", "kind", "tier"], name="one_rule_per_kind")]

    def clean(self) -> None:
        """For the admin; the database cannot tell a good pattern from a bad one."""
        try:
            places_of([self.site_id])[self.site_id].check(Pattern(self.pattern), self.tier)
        except PatternError as error:
            raise ValidationError({"pattern": str(error)}) from error

    def __str__(self) -> str:
        return self.pattern
