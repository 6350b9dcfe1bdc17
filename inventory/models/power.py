"""Where power comes from: panels and feeds. PDUs hang on feeds; outlets, inlets and cords are ports and cables."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models import Site
from inventory.models.devices import Device
from inventory.models.names import unique_together
from inventory.models.places import Room


class PowerPanel(models.Model):
    """A distribution board with its breakers. Its size is that of what feeds it; not known where a column is empty."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="power_panels")
    room = models.ForeignKey(Room, on_delete=models.PROTECT, null=True, blank=True, related_name="power_panels")
    name = models.CharField(max_length=60)
    voltage_v = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Between phases if it has three.")
    current_a = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Size of its main breaker.")
    phases = models.PositiveSmallIntegerField(default=3, db_default=3)
    derating_percent = models.PositiveSmallIntegerField(default=80, db_default=80)

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            unique_together("site", "name", name="power_panel_name_in_site"),
            models.CheckConstraint(condition=Q(phases__in=[1, 3]), name="power_panel_has_one_or_three_phases"),
            models.CheckConstraint(condition=Q(derating_percent__range=(1, 100)), name="panel_derating_is_a_share"),
        ]

    def __str__(self) -> str:
        return self.name


class PowerFeed(models.Model):
    """One breaker's circuit, or a whole side of a site. For long it may carry `derating_percent` of its size."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="power_feeds")
    panel = models.ForeignKey(PowerPanel, on_delete=models.PROTECT, null=True, blank=True, related_name="feeds")
    name = models.CharField(max_length=60)
    side = models.CharField(max_length=10, blank=True, help_text="Feeds of one side fail together: A or B.")
    voltage_v = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Between phases if it has three.")
    current_a = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Size of its breaker.")
    phases = models.PositiveSmallIntegerField(default=3)
    derating_percent = models.PositiveSmallIntegerField(default=80)

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            unique_together("site", "name", name="power_feed_name_in_site"),
            models.CheckConstraint(condition=Q(phases__in=[1, 3]), name="power_feed_has_one_or_three_phases"),
            models.CheckConstraint(
                condition=Q(derating_percent__gte=1, derating_percent__lte=100), name="derating_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PowerReading(models.Model):
    """What a device drew when its BMC was last asked. Telemetry: no history is kept and no audit entry made."""

    device = models.OneToOneField(Device, on_delete=models.CASCADE, primary_key=True, related_name="power_reading")
    watts = models.PositiveIntegerField()
    at = models.DateTimeField(help_text="When it was read; an old reading is as good as none.")

    def __str__(self) -> str:
        return f"{self.watts} W"
