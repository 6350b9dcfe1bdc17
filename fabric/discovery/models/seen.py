"""What was seen, each row with the time it held: the fabric at any time; and every link as it is now beside its plan.

A row of `SeenNode` or `SeenLink` holds from the look that first showed it until the first good look that did not; a
look that was not believed ends nothing. Hundreds of thousands of rows are written at once, so `services.storing` does
it in bulk, and `during` has an open end as long as the row holds.
"""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import DateTimeRangeField
from django.contrib.postgres.indexes import GistIndex
from django.db import models
from django.db.models import Q

from fabric.discovery.models.sources import FabricSource
from inventory.models import Cable, Device, Port


class SeenNode(models.Model):
    """A node of the fabric under the name it had then: a new row begins with a new description or a new name."""

    source = models.ForeignKey(FabricSource, on_delete=models.CASCADE, related_name="nodes")
    guid = models.CharField(max_length=64, help_text="16 hex digits; of an Ethernet device its chassis id.")
    kind = models.CharField(max_length=12)
    description = models.CharField(max_length=128, blank=True)
    ports = models.PositiveSmallIntegerField()
    system_guid = models.CharField(max_length=64, blank=True)
    name = models.CharField(
        max_length=110, blank=True, help_text="The planned device in whose place it stands; empty: not named."
    )
    device = models.ForeignKey(Device, on_delete=models.SET_NULL, null=True, blank=True, related_name="seen_nodes")
    during = DateTimeRangeField()

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["source", "guid"], name="node_seen_once_at_a_time", condition=Q(during__endswith=None)
            )
        ]
        indexes: ClassVar = [
            GistIndex(fields=["source", "during"], name="node_seen_during"),
            models.Index(fields=["source", "name"], name="node_seen_as"),
        ]

    def __str__(self) -> str:
        return self.name or self.guid


class SeenLink(models.Model):
    """A link between two ports, the smaller end first; a new row begins with another width or speed."""

    source = models.ForeignKey(FabricSource, on_delete=models.CASCADE, related_name="seen_links")
    a_guid = models.CharField(max_length=64)
    a_port = models.PositiveSmallIntegerField()
    b_guid = models.CharField(max_length=64)
    b_port = models.PositiveSmallIntegerField()
    width = models.CharField(max_length=6, blank=True)
    speed = models.CharField(max_length=12, blank=True)
    during = DateTimeRangeField()

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["source", "a_guid", "a_port"],
                name="link_seen_once_at_a_time",
                condition=Q(during__endswith=None),
            )
        ]
        indexes: ClassVar = [
            GistIndex(fields=["source", "during"], name="link_seen_during"),
            models.Index(fields=["source", "b_guid", "b_port"], name="link_seen_far_end"),
        ]

    def __str__(self) -> str:
        return f"{self.a_guid}/{self.a_port} - {self.b_guid}/{self.b_port}"


class FabricLink(models.Model):
    """One link as it is now: each planned cable of a source with what became of it, and each cable nobody planned.

    `key` keeps its meaning over time: the label of the planned cable, or for an unplanned one its two ends.
    """

    class State(models.TextChoices):
        CORRECT = "correct"
        SLOW = "slow", "where it should be, slower or narrower than both ends enable"
        WRONG = "wrong", "one of its ports holds another cable"
        DARK = "dark", "both devices are there, the ports have no light"
        MISSING = "missing", "both devices are there, nothing is reported of the ports"
        OFF = "off", "a device of it is off or was not found"
        EXTRA = "extra", "nobody planned it"
        UNKNOWN = "unknown", "an end was not named, or nothing was read"

    source = models.ForeignKey(FabricSource, on_delete=models.CASCADE, related_name="links")
    key = models.CharField(max_length=170)
    cable = models.ForeignKey(Cable, on_delete=models.SET_NULL, null=True, blank=True, related_name="fabric_links")
    state = models.CharField(max_length=8, choices=State.choices)
    a_name = models.CharField(max_length=110, help_text="Planned device, or 0x and the GUID of one without a name.")
    a_number = models.PositiveSmallIntegerField()
    a_guid = models.CharField(max_length=64, blank=True)
    a_port = models.ForeignKey(Port, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    b_name = models.CharField(max_length=110)
    b_number = models.PositiveSmallIntegerField()
    b_guid = models.CharField(max_length=64, blank=True)
    b_port = models.ForeignKey(Port, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    width = models.CharField(max_length=6, blank=True)
    speed = models.CharField(max_length=12, blank=True)
    tier = models.CharField(max_length=30, blank=True, help_text="Tiers of its ends, such as leaf-spine.")
    rail = models.PositiveSmallIntegerField(null=True, blank=True)
    since = models.DateTimeField(help_text="When it came into this state.")

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "key"], name="link_once_in_a_source"),
            models.CheckConstraint(
                condition=Q(state__in=["correct", "slow", "wrong", "dark", "missing", "off", "extra", "unknown"]),
                name="fabric_link_state_is_known",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["source", "a_name", "a_number"], name="fabric_link_a"),
            models.Index(fields=["source", "b_name", "b_number"], name="fabric_link_b"),
        ]

    def __str__(self) -> str:
        return self.key
