"""Meters: what measures, where it is asked, and what it told last."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from core.models import Credential, Site
from inventory.models import Device, Rack, Room


class Meter(models.Model):
    """One thing that measures: a PDU, a cooling unit, sensors of a room, a meter of the site, or a machine by its BMC.

    A rack, a room and a site are meters too, whose values are made from those of the others once a minute, so that
    their history and peaks are as cheap to read as any.
    """

    class Kind(models.TextChoices):
        SNMP_PDU = "snmp_pdu", "rack PDU, over SNMP"
        REDFISH_PDU = "redfish_pdu", "rack PDU, over Redfish"
        SNMP_SENSORS = "snmp_sensors", "sensors, over SNMP"
        REDFISH_SENSORS = "redfish_sensors", "sensors, over Redfish"
        REDFISH_COOLING = "redfish_cooling", "cooling unit, over Redfish"
        MODBUS = "modbus", "meter, over Modbus/TCP"
        PROMETHEUS = "prometheus", "values of a Prometheus"
        MACHINE = "machine", "machine, by its BMC and its GPUs' driver"
        RACK = "rack", "sums of a rack"
        ROOM = "room", "sums of a room"
        SITE = "site", "sums of a site"

    class State(models.TextChoices):
        NEVER = "never", "never read"
        OK = "ok"
        PARTIAL = "partial", "some of its values are not known"
        FAILED = "failed", "could not be read"
        REFUSED = "refused", "it refuses the login, or the login may not be used"

    ASKED: ClassVar = (
        Kind.SNMP_PDU, Kind.REDFISH_PDU, Kind.SNMP_SENSORS, Kind.REDFISH_SENSORS, Kind.REDFISH_COOLING, Kind.MODBUS,
        Kind.PROMETHEUS,
    )  # fmt: skip
    SUMS: ClassVar = (Kind.RACK, Kind.ROOM, Kind.SITE)

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="meters")
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=15, choices=Kind.choices)
    device = models.OneToOneField(
        Device, on_delete=models.CASCADE, null=True, blank=True, related_name="meter",
        help_text="What it is in the inventory: the PDU, or the machine.",
    )  # fmt: skip
    rack = models.ForeignKey(
        Rack, on_delete=models.CASCADE, null=True, blank=True, related_name="meters",
        help_text="Where it measures, if not where its device is.",
    )  # fmt: skip
    room = models.ForeignKey(Room, on_delete=models.CASCADE, null=True, blank=True, related_name="meters")
    address = models.CharField(max_length=253, blank=True, help_text="HOST, HOST:PORT or an URL.")
    credential = models.ForeignKey(Credential, on_delete=models.PROTECT, null=True, blank=True, related_name="meters")
    identity = models.TextField(blank=True, help_text="SHA-256 of its certificate; empty: one that the system trusts.")
    options = models.JSONField(default=dict, blank=True, help_text="What only this kind knows, such as registers.")
    enabled = models.BooleanField(default=True)
    period_s = models.PositiveIntegerField(default=30, help_text="Seconds between two reads.")
    state = models.CharField(max_length=7, choices=State.choices, default=State.NEVER)
    message = models.CharField(max_length=300, blank=True, default="")
    tried_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["site", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["site", "name"], condition=~Q(kind__in=["machine", "rack", "room", "site"]),
                name="meter_name_in_site",
            ),
            models.UniqueConstraint(fields=["rack"], condition=Q(kind="rack"), name="one_meter_of_a_rack"),
            models.UniqueConstraint(fields=["room"], condition=Q(kind="room"), name="one_meter_of_a_room"),
            models.UniqueConstraint(fields=["site"], condition=Q(kind="site"), name="one_meter_of_a_site"),
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "snmp_pdu", "redfish_pdu", "snmp_sensors", "redfish_sensors", "redfish_cooling", "modbus",
                        "prometheus", "machine", "rack", "room", "site",
                    ]
                ),
                name="meter_kind_is_known",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["never", "ok", "partial", "failed", "refused"]), name="meter_state_is_known"
            ),
            models.CheckConstraint(condition=Q(period_s__range=(10, 86400)), name="meter_is_read_at_a_bounded_rate"),
        ]  # fmt: skip

    def __str__(self) -> str:
        return self.name


class Layout(models.Model):
    """Which points a meter tells, in which order: `[part, name, quantity]` of each. Meters that are alike share one."""

    digest = models.CharField(max_length=64, unique=True)
    points = models.JSONField()

    def __str__(self) -> str:
        return f"{len(self.points)} points"


class MeterState(models.Model):
    """What a meter told last. Telemetry: written at every read, and no audit entry made."""

    meter = models.OneToOneField(Meter, on_delete=models.CASCADE, primary_key=True, related_name="told")
    layout = models.ForeignKey(Layout, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(help_text="When these values were read.")
    values = ArrayField(models.FloatField(null=True), help_text="In the order of the layout; null is not known.")
    reasons = models.JSONField(default=dict, help_text="Why a value is not known, by its place in the layout.")
    description = models.CharField(max_length=300, blank=True, default="", help_text="What it says of itself.")
    memory = models.JSONField(default=dict, help_text="What the next reading is compared with.")

    def __str__(self) -> str:
        return f"{len(self.values)} values"
