"""What a site decided about how many machines start at once, and how long a stage may take."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models import Site


class ProvisioningLimits(models.Model):
    """The limits of a site. Null: the instance's (racks), or none (switches, boot server)."""

    site = models.OneToOneField(Site, on_delete=models.CASCADE, primary_key=True, related_name="provisioning_limits")
    a_rack = models.PositiveIntegerField(null=True, blank=True, help_text="Machines of one rack at once.")
    a_switch = models.PositiveIntegerField(
        null=True, blank=True, help_text="Machines at once whose boot port, or else BMC, is cabled to one switch."
    )
    a_mirror = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Machines at once that fetch from the boot server: until they phone home.",
    )
    stages_s = models.JSONField(
        default=dict, blank=True, db_default={}, help_text="{stage: seconds} where it is not the usual limit."
    )

    class Meta:
        ordering: ClassVar = ["site"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=(Q(a_rack=None) | Q(a_rack__gte=1))
                & (Q(a_switch=None) | Q(a_switch__gte=1))
                & (Q(a_mirror=None) | Q(a_mirror__gte=1)),
                name="provisioning_limits_let_one_start",
            ),
        ]

    def __str__(self) -> str:
        return f"provisioning limits of {self.site}"
