"""Device models, devices and where they are mounted.

A placement is a span of half units (1 is the lower half of U1, so a 6U machine at U9 covers 17..28 as the range
[17, 29)), of faces (front 0, rear 1) and of columns (left 0, right 1). One exclusion constraint over the three spans
refuses two devices in one place; reserved units and blanking panels are placements without a device.
"""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import IntegerRangeField, RangeOperators
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import Q
from django.db.models.functions import Upper

from core.models import Site
from inventory.models.labels import EMPTY, Contact, Tag
from inventory.models.names import unique_together
from inventory.models.places import Rack
from inventory.models.stored_json import StoredJSONField


class DeviceKind(models.TextChoices):
    MACHINE = "machine"
    SWITCH = "switch"
    PDU = "pdu"
    PANEL = "panel"
    SHELF = "shelf"


class AirClass(models.TextChoices):
    """Classes of ASHRAE TC 9.9 for air: what each allows, `facility.judgement.limits` says."""

    A1 = "A1"
    A2 = "A2"
    A3 = "A3"
    A4 = "A4"
    H1 = "H1"


class DeviceModel(models.Model):
    """A product: `spec` is the whole device model file, checked by `inventory.specs.device_model`."""

    slug = models.SlugField(unique=True)
    vendor = models.CharField(max_length=60)
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=16, choices=DeviceKind.choices)
    half_u_height = models.PositiveSmallIntegerField(help_text="Height in half units; 0 for zero-U.")
    full_depth = models.BooleanField(default=True)
    airflow = models.CharField(max_length=20, blank=True)
    air_class = models.CharField(
        max_length=2, blank=True, default="", db_default="", choices=AirClass.choices,
        help_text="ASHRAE class of the air that it takes in; empty: the site's.",
    )  # fmt: skip
    power_w = models.PositiveIntegerField(default=0, help_text="Planned draw at full load.")
    gpu_count = models.PositiveSmallIntegerField(default=0)
    gpu_type = models.CharField(max_length=80, blank=True)
    psu_count = models.PositiveSmallIntegerField(default=0)
    spec = StoredJSONField(default=dict)

    class Meta:
        ordering: ClassVar = ["slug"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=DeviceKind.values), name="device_model_kind_is_known"),
            models.CheckConstraint(condition=Q(air_class__in=["", *AirClass.values]), name="air_class_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.vendor} {self.name}"


class Device(models.Model):
    """Anything that is mounted. One with history is retired, not deleted."""

    class Status(models.TextChoices):
        PLANNED = "planned"
        ACTIVE = "active"
        RETIRED = "retired"

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="devices")
    model = models.ForeignKey(DeviceModel, on_delete=models.PROTECT, related_name="devices")
    kind = models.CharField(max_length=16, choices=DeviceKind.choices)
    name = models.CharField(max_length=64)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.ACTIVE)
    serial = models.CharField(max_length=64, blank=True)
    asset_tag = models.CharField(max_length=64, blank=True)
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="children")
    bay = models.CharField(max_length=30, blank=True, help_text="The bay of the parent device it sits in.")
    service_tag = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text="What the vendor's support asks for."
    )
    support_vendor = models.CharField(
        max_length=60, blank=True, default="", db_default="", help_text="Who repairs it under warranty."
    )
    warranty_until = models.DateField(null=True, blank=True)
    contact = models.ForeignKey(Contact, on_delete=models.SET_NULL, null=True, blank=True, related_name="devices")
    tags = models.ManyToManyField(Tag, blank=True, related_name="devices")
    custom = models.JSONField(
        default=dict, db_default=EMPTY, blank=True, help_text="Values of the custom fields of devices."
    )

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            # Checked at the end of a statement: devices may trade names in one.
            unique_together("site", "name", name="device_name_in_site"),
            unique_together("parent", "bay", name="one_device_per_bay"),
            models.CheckConstraint(condition=Q(kind__in=DeviceKind.values), name="device_kind_is_known"),
            models.CheckConstraint(
                condition=Q(status__in=["planned", "active", "retired"]), name="device_status_is_known"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["serial"], name="device_serial"),
            # What inventory.search looks through.
            GinIndex(OpClass(Upper("name"), name="gin_trgm_ops"), name="device_name_part"),
            models.Index(OpClass(Upper("serial"), name="text_pattern_ops"), name="device_serial_start"),
            models.Index(OpClass(Upper("asset_tag"), name="text_pattern_ops"), name="device_asset_tag_start"),
            models.Index(
                OpClass(Upper("service_tag"), name="text_pattern_ops"),
                name="device_service_tag_start",
                condition=~Q(service_tag=""),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Placement(models.Model):
    """Where a device is mounted, or why a span of a rack is taken without one."""

    class Kind(models.TextChoices):
        DEVICE = "device"
        RESERVED = "reserved"
        BLANKING = "blanking"

    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.DEVICE)
    device = models.OneToOneField(Device, on_delete=models.CASCADE, null=True, blank=True, related_name="placement")
    rack = models.ForeignKey(Rack, on_delete=models.PROTECT, related_name="placements")
    # With `rack` a composite foreign key to (rack.id, rack.height_u), made in the migration: the rack's height is at
    # hand for the check below, and a rack cannot shrink under a device.
    rack_height_u = models.PositiveSmallIntegerField()
    half_units = IntegerRangeField(null=True, blank=True)
    faces = IntegerRangeField(null=True, blank=True)
    columns = IntegerRangeField(null=True, blank=True)
    side_slot = models.CharField(max_length=20, blank=True, help_text="Named zero-U slot, such as rear-left.")
    reason = models.CharField(max_length=200, blank=True)
    owner = models.CharField(
        max_length=100, blank=True, default="", db_default="", help_text="Who the reserved units are kept for."
    )

    class Meta:
        constraints: ClassVar = [
            ExclusionConstraint(
                name="one_device_per_place",
                expressions=[
                    ("rack", RangeOperators.EQUAL),
                    ("half_units", RangeOperators.OVERLAPS),
                    ("faces", RangeOperators.OVERLAPS),
                    ("columns", RangeOperators.OVERLAPS),
                ],
            ),
            models.UniqueConstraint(
                fields=["rack", "side_slot"], name="one_device_per_side_slot", condition=~Q(side_slot="")
            ),
            models.CheckConstraint(
                name="placement_is_a_span_or_a_side_slot",
                condition=Q(half_units__isnull=False, faces__isnull=False, columns__isnull=False, side_slot="")
                | (Q(half_units__isnull=True, faces__isnull=True, columns__isnull=True) & ~Q(side_slot="")),
            ),
            models.CheckConstraint(
                name="placement_kind_has_its_device",
                condition=Q(kind="device", device__isnull=False)
                | (Q(kind__in=["reserved", "blanking"], device__isnull=True)),
            ),
        ]


class Machine(models.Model):
    """What only a machine has. Addresses are the planned ones; `access` may override how it is reached."""

    device = models.OneToOneField(Device, on_delete=models.CASCADE, primary_key=True, related_name="machine")
    role = models.CharField(max_length=30, default="compute", help_text="With site and model: the pool it is in.")
    system_uuid = models.UUIDField(null=True, blank=True)
    primary_ip = models.GenericIPAddressField(null=True, blank=True)
    bmc_ip = models.GenericIPAddressField(null=True, blank=True)
    bmc_mac = models.CharField(max_length=17, blank=True)
    boot_mac = models.CharField(max_length=17, blank=True, help_text="Lower case with colons.")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["boot_mac"], name="boot_mac_is_unique", condition=~Q(boot_mac="")),
            models.UniqueConstraint(fields=["bmc_mac"], name="bmc_mac_is_unique", condition=~Q(bmc_mac="")),
        ]

    def __str__(self) -> str:
        return self.device.name


class Switch(models.Model):
    class Fabric(models.TextChoices):
        INFINIBAND = "infiniband"
        ETHERNET = "ethernet"
        MANAGEMENT = "management"

    device = models.OneToOneField(Device, on_delete=models.CASCADE, primary_key=True, related_name="switch")
    fabric = models.CharField(max_length=12, choices=Fabric.choices)
    tier = models.CharField(max_length=10, help_text="leaf, spine, core; tor for Ethernet and management.")
    node_guid = models.CharField(max_length=18, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["node_guid"], name="switch_guid_is_unique", condition=~Q(node_guid=""))
        ]

    def __str__(self) -> str:
        return self.device.name


class Pdu(models.Model):
    device = models.OneToOneField(Device, on_delete=models.CASCADE, primary_key=True, related_name="pdu")
    feed = models.ForeignKey(
        "inventory.PowerFeed", on_delete=models.PROTECT, null=True, blank=True, related_name="pdus",
        help_text="Empty: nobody has written down what it hangs on.",
    )  # fmt: skip
    limit_w = models.PositiveIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return self.device.name
