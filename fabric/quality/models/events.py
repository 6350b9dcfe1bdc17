"""What a source told of events in the fabric, every one of them, and the incidents they belong to."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.models import Site
from fabric.discovery.models.sources import FabricSource
from inventory.models import Device


class Incident(models.Model):
    """A burst of events of one device. It is over when it is quiet and nothing in it waits to come back."""

    class Severity(models.TextChoices):
        CRITICAL = "critical"
        MINOR = "minor"
        WARNING = "warning"
        INFO = "info"

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="fabric_incidents")
    source = models.ForeignKey(FabricSource, on_delete=models.CASCADE, related_name="incidents")
    subject = models.CharField(max_length=120, help_text="GUID of the device, or its name where no GUID was reported.")
    device = models.ForeignKey(Device, on_delete=models.SET_NULL, null=True, blank=True, related_name="incidents")
    name = models.CharField(max_length=110, blank=True)
    title = models.CharField(max_length=300)
    severity = models.CharField(max_length=8, choices=Severity.choices)
    grave = ArrayField(
        models.CharField(max_length=120), default=list, help_text="Names of the kinds in it that are never dropped."
    )
    events_count = models.PositiveIntegerField(default=0)
    began_at = models.DateTimeField()
    last_at = models.DateTimeField()
    waits_for = models.JSONField(default=list, help_text="[code, port] of what went down and is not reported to be up.")
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.CharField(max_length=150, blank=True)
    close_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["-began_at", "-id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(severity__in=["critical", "minor", "warning", "info"]), name="incident_severity_is_known"
            ),
            models.CheckConstraint(condition=Q(last_at__gte=models.F("began_at")), name="incident_ends_after_it_began"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["source", "subject"], name="open_incident", condition=Q(closed_at=None)),
            models.Index(fields=["site", "-began_at"], name="incident_of_site"),
        ]

    def __str__(self) -> str:
        return self.title


class FabricEvent(models.Model):
    """One event, kept as it was told. `number` is the source's own: the same event told twice is stored once."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="fabric_events")
    source = models.ForeignKey(FabricSource, on_delete=models.CASCADE, related_name="events")
    number = models.CharField(max_length=40)
    at = models.DateTimeField()
    at_is_reported = models.BooleanField(default=True, help_text="False: its time could not be read, it was met then.")
    code = models.PositiveIntegerField()
    name = models.CharField(max_length=200, blank=True)
    severity = models.CharField(max_length=8, choices=Incident.Severity.choices)
    group = models.CharField(max_length=20)
    never_dropped = models.BooleanField(default=False)
    guid = models.CharField(max_length=64, blank=True)
    port = models.PositiveIntegerField(null=True, blank=True)
    device_name = models.CharField(max_length=120, blank=True)
    text = models.TextField(blank=True)
    incident = models.ForeignKey(Incident, on_delete=models.SET_NULL, null=True, blank=True, related_name="events")
    met_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["-at", "-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "number"], name="event_stored_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["site", "-at"], name="fabric_event_of_site"),
            models.Index(fields=["guid", "port"], name="fabric_event_of_port", condition=~Q(guid="")),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.name}"
