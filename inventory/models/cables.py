"""Ports and cables.

A cable has connectors per side, and each connector's strands end in ports: a plain cable is side A and side B with one
strand end each; a twin-port or breakout cable has more. A link (port to port) is derived from the shared lane numbers;
a cable is what a hand moves. What was seen by a discovery never writes here.
"""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.indexes import OpClass
from django.db import models
from django.db.models import Q
from django.db.models.functions import Upper

from core.models import Site
from inventory.models.devices import Device
from inventory.models.labels import EMPTY, Tag
from inventory.models.names import unique_together


class Port(models.Model):
    class Kind(models.TextChoices):
        INFINIBAND = "infiniband"
        ETHERNET = "ethernet"
        BMC = "bmc"
        POWER_IN = "power_in"
        POWER_OUTLET = "power_outlet"
        FRONT = "front", "front of a patch panel"
        REAR = "rear", "rear of a patch panel"
        CONSOLE = "console"

    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="ports")
    name = models.CharField(max_length=40)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    speed_gbps = models.PositiveIntegerField(null=True, blank=True)
    cage = models.PositiveSmallIntegerField(null=True, blank=True)
    lane = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Port within its cage: 1 upper, 2 lower.")
    slot = models.CharField(max_length=40, blank=True, help_text="The component slot this port is on.")
    face = models.CharField(max_length=5, blank=True)
    guid = models.CharField(max_length=18, blank=True)
    mac = models.CharField(max_length=17, blank=True)
    rail = models.PositiveSmallIntegerField(null=True, blank=True, help_text="The rail its adapter serves, from 1.")
    vlan = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Untagged VLAN.")
    positions = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="Fibre positions of a patch panel's rear port."
    )

    class Meta:
        ordering: ClassVar = ["device", "id"]
        constraints: ClassVar = [
            unique_together("device", "name", name="port_name_in_device"),
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "infiniband",
                        "ethernet",
                        "bmc",
                        "power_in",
                        "power_outlet",
                        "front",
                        "rear",
                        "console",
                    ]
                ),
                name="port_kind_is_known",
            ),
            models.CheckConstraint(condition=Q(vlan=None) | Q(vlan__gte=1, vlan__lte=4094), name="port_vlan_is_sane"),
            models.CheckConstraint(condition=Q(positions__gte=1), name="port_has_positions"),
            # Target of the composite foreign keys that keep both ends of a pass-through on one device.
            models.UniqueConstraint(fields=["id", "device"], name="port_id_and_device"),
        ]
        indexes: ClassVar = [
            # For equality and for the first letters, which inventory.search looks for.
            models.Index(fields=["guid"], name="port_guid", opclasses=["varchar_pattern_ops"], condition=~Q(guid="")),
            models.Index(fields=["mac"], name="port_mac", opclasses=["varchar_pattern_ops"], condition=~Q(mac="")),
        ]

    def __str__(self) -> str:
        return f"{self.device.name} {self.name}"


class PassThrough(models.Model):
    """One position of a patch panel's rear port, and the front port it comes out at."""

    # With `device` composite foreign keys to (port.id, port.device_id), made in the migration.
    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="pass_throughs")
    front = models.OneToOneField(Port, on_delete=models.CASCADE, related_name="passes_to_rear")
    rear = models.ForeignKey(Port, on_delete=models.CASCADE, related_name="passes_to_front")
    position = models.PositiveSmallIntegerField(default=1)

    class Meta:
        ordering: ClassVar = ["device", "rear", "position"]
        constraints: ClassVar = [
            unique_together("rear", "position", name="one_front_port_per_position"),
            models.CheckConstraint(condition=Q(position__gte=1), name="position_counts_from_one"),
            models.CheckConstraint(condition=~Q(front=models.F("rear")), name="pass_through_joins_two_ports"),
        ]


class ChangeSet(models.Model):
    """A named plan of cabling that is not live yet: a port may be used once in it, beside its live cable."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="change_sets")
    name = models.CharField(max_length=60)

    class Meta:
        constraints: ClassVar = [unique_together("site", "name", name="change_set_name_in_site")]


class Cable(models.Model):
    class Status(models.TextChoices):
        PLANNED = "planned"
        CONNECTED = "connected"
        TO_MOVE = "to_move"
        REMOVED = "removed"

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="cables")
    label = models.CharField(max_length=40)
    type = models.CharField(max_length=30, help_text="Such as MPO-12 OS2, DAC, Cat6, C13-C14.")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.CONNECTED)
    length_m = models.DecimalField(max_digits=6, decimal_places=2, null=True, blank=True)
    colour = models.CharField(max_length=20, blank=True)
    vendor = models.CharField(max_length=60, blank=True, default="", db_default="")
    part_number = models.CharField(max_length=60, blank=True, default="", db_default="")
    bundle = models.CharField(
        max_length=60, blank=True, default="", db_default="", help_text="The bundle or trunk it is laid in."
    )
    tags = models.ManyToManyField(Tag, blank=True, related_name="cables")
    custom = models.JSONField(
        default=dict, db_default=EMPTY, blank=True, help_text="Values of the custom fields of cables."
    )

    class Meta:
        ordering: ClassVar = ["label"]
        indexes: ClassVar = [
            models.Index(OpClass(Upper("label"), name="text_pattern_ops"), name="cable_label_start"),
        ]
        constraints: ClassVar = [
            unique_together("site", "label", name="cable_label_in_site"),
            models.CheckConstraint(
                condition=Q(status__in=["planned", "connected", "to_move", "removed"]), name="cable_status_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.label


class Connector(models.Model):
    """One plug of a cable: its side (A or B) and its number on that side."""

    cable = models.ForeignKey(Cable, on_delete=models.CASCADE, related_name="connectors")
    side = models.CharField(max_length=1)
    number = models.PositiveSmallIntegerField(default=1)
    serial = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Printed on the connector; both ends may differ.",
    )

    class Meta:
        ordering: ClassVar = ["cable", "side", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["cable", "side", "number"], name="connector_of_cable"),
            models.CheckConstraint(condition=Q(side__in=["A", "B"]), name="connector_side_is_a_or_b"),
        ]
        indexes: ClassVar = [
            models.Index(
                OpClass(Upper("serial"), name="text_pattern_ops"),
                name="connector_serial_start",
                condition=~Q(serial=""),
            ),
        ]


class StrandEnd(models.Model):
    """Where the strands of one lane of a connector end. Two ends of a cable with the same lane are a link."""

    connector = models.ForeignKey(Connector, on_delete=models.CASCADE, related_name="ends")
    lane = models.PositiveSmallIntegerField(default=1, help_text="Lane within the cable, the same on both sides.")
    port = models.ForeignKey(Port, on_delete=models.PROTECT, related_name="strand_ends")
    change_set = models.ForeignKey(ChangeSet, on_delete=models.CASCADE, null=True, blank=True, related_name="ends")

    class Meta:
        ordering: ClassVar = ["connector", "lane"]
        constraints: ClassVar = [
            # One live cable per port, and one per change set. It also refuses a cable from a port to itself.
            models.UniqueConstraint(fields=["port", "change_set"], name="one_cable_per_port", nulls_distinct=False),
            models.UniqueConstraint(
                fields=["connector", "lane", "change_set"], name="one_port_per_lane", nulls_distinct=False
            ),
        ]
