"""What is wrong with the wiring, one row per trouble from its first sighting to the look that shows it right."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q

from core.models import Site
from fabric.discovery.models.sources import Discovery, FabricSource


class Finding(models.Model):
    """One trouble. `new` at its first sighting, `open` when a later look shows it too, `closed` when one shows it
    right; `accepted` while a person says that it may stay so.

    `detail` holds what a technician needs: moves, checks that tell causes apart, evidence, pictures' marks.
    """

    class State(models.TextChoices):
        NEW = "new"
        OPEN = "open"
        ACCEPTED = "accepted"
        CLOSED = "closed"

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="findings")
    source = models.ForeignKey(FabricSource, on_delete=models.CASCADE, related_name="findings")
    kind = models.CharField(max_length=30)
    key = models.CharField(max_length=300, help_text="The same trouble keeps its key.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.NEW)
    severity = models.CharField(max_length=10)
    title = models.CharField(max_length=300)
    text = models.TextField(blank=True)
    devices = ArrayField(models.CharField(max_length=110), default=list, help_text="Names of the planned devices.")
    device_ids = ArrayField(models.BigIntegerField(), default=list, help_text="Their devices in the inventory.")
    rack_ids = ArrayField(models.BigIntegerField(), default=list, help_text="Where these stand.")
    cables = ArrayField(models.CharField(max_length=60), default=list, help_text="Labels of the planned cables.")
    moves = models.PositiveSmallIntegerField(default=0, help_text="Connector insertions that put it right.")
    detail = models.JSONField(default=dict)
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.CharField(max_length=150, blank=True)
    accept_reason = models.CharField(max_length=500, blank=True)
    first_discovery = models.ForeignKey(Discovery, on_delete=models.SET_NULL, null=True, related_name="+")
    last_discovery = models.ForeignKey(Discovery, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["source", "key"], name="one_open_finding_per_trouble", condition=~Q(state="closed")
            ),
            models.CheckConstraint(
                condition=Q(state__in=["new", "open", "accepted", "closed"]), name="finding_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state="closed", closed_at__isnull=False) | (~Q(state="closed") & Q(closed_at__isnull=True)),
                name="closed_finding_has_its_time",
            ),
            models.CheckConstraint(
                condition=~Q(state="accepted") | ~Q(accept_reason=""), name="accepted_finding_has_a_reason"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["site", "state", "-id"], name="finding_of_site"),
            GinIndex(fields=["device_ids"], name="finding_device"),
        ]

    def __str__(self) -> str:
        return self.title
