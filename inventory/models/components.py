"""Parts by serial, and where each has been installed over its life."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import DateTimeRangeField, RangeOperators
from django.contrib.postgres.indexes import OpClass
from django.db import models
from django.db.models import F, Q
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Upper

from core.models import Site
from inventory.models.devices import Device
from inventory.models.labels import EMPTY, Tag
from inventory.models.names import unique_together
from inventory.models.places import Room


class StoragePlace(models.Model):
    """A shelf or cupboard where spares lie."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="storage_places")
    room = models.ForeignKey(Room, on_delete=models.PROTECT, null=True, blank=True, related_name="storage_places")
    name = models.CharField(max_length=60)
    takes_removed = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Parts swapped out at this site go here, unless set otherwise.",
    )

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            unique_together("site", "name", name="storage_place_name_in_site"),
            models.UniqueConstraint(
                fields=["site"], name="one_place_takes_removed_parts", condition=Q(takes_removed=True)
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Stock(models.Model):
    """How many of a part lie in a storage place. Parts with a serial are counted from their own rows, not here."""

    storage = models.ForeignKey(StoragePlace, on_delete=models.PROTECT, related_name="stock")
    kind = models.CharField(max_length=8)
    vendor = models.CharField(max_length=60, blank=True)
    part_number = models.CharField(max_length=60)
    quantity = models.PositiveIntegerField(default=0)
    minimum = models.PositiveIntegerField(default=0, help_text="Below this many, the part is to be ordered.")

    class Meta:
        ordering: ClassVar = ["storage", "kind", "part_number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["storage", "vendor", "part_number"], name="one_stock_row_per_part")
        ]

    def __str__(self) -> str:
        return f"{self.quantity} x {self.part_number} in {self.storage.name}"


class Component(models.Model):
    """One part for life, whatever machine it sits in. A serial may be unknown (empty)."""

    class Kind(models.TextChoices):
        GPU = "gpu"
        HCA = "hca"
        NVME = "nvme"
        PSU = "psu"
        DIMM = "dimm"
        CPU = "cpu"
        FAN = "fan"
        BOARD = "board"
        OPTIC = "optic"
        OTHER = "other"

    class Condition(models.TextChoices):
        GOOD = "good"
        SUSPECT = "suspect"
        RMA = "rma", "sent back"
        SCRAPPED = "scrapped"

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="components")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    vendor = models.CharField(max_length=60, blank=True)
    part_number = models.CharField(max_length=60, blank=True)
    serial = models.CharField(max_length=64, blank=True)
    attributes = models.JSONField(default=dict, help_text="uuid, guid, firmware and the like, as the tools print them.")
    condition = models.CharField(
        max_length=8, choices=Condition.choices, default=Condition.GOOD, db_default=Condition.GOOD
    )
    storage = models.ForeignKey(
        StoragePlace, on_delete=models.PROTECT, null=True, blank=True, related_name="components",
        help_text="Where it lies while it is installed nowhere.",
    )  # fmt: skip
    tags = models.ManyToManyField(Tag, blank=True, related_name="components")
    custom = models.JSONField(
        default=dict, db_default=EMPTY, blank=True, help_text="Values of the custom fields of components."
    )

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["vendor", "part_number", "serial"], name="component_serial_is_unique", condition=~Q(serial="")
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["gpu", "hca", "nvme", "psu", "dimm", "cpu", "fan", "board", "optic", "other"]),
                name="component_kind_is_known",
            ),
            models.CheckConstraint(
                condition=Q(condition__in=["good", "suspect", "rma", "scrapped"]), name="component_condition_is_known"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["serial"], name="component_serial"),
            # What inventory.search looks through.
            models.Index(OpClass(Upper("serial"), name="text_pattern_ops"), name="component_serial_start"),
            *(
                models.Index(
                    OpClass(Upper(KeyTextTransform(key, "attributes")), name="text_pattern_ops"),
                    name=f"component_{key}_start",
                    condition=Q(attributes__has_key=key),
                )
                for key in ("uuid", "guid")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.serial or 'of unknown serial'}"


class Installation(models.Model):
    """A component in a slot of a device, from when to when. PostgreSQL refuses two at one time."""

    component = models.ForeignKey(Component, on_delete=models.PROTECT, related_name="installations")
    device = models.ForeignKey(Device, on_delete=models.PROTECT, related_name="installations")
    slot = models.CharField(max_length=40, help_text="Name of the slot in the device model, such as GPU 5.")
    during = DateTimeRangeField()
    by = models.CharField(max_length=150, blank=True)
    ticket = models.CharField(max_length=20, blank=True, help_text="Key of the ticket it was installed for.")
    place = models.CharField(
        max_length=300, blank=True, default="", db_default="", help_text="Where the device stood when it was taken out."
    )

    class Meta:
        constraints: ClassVar = [
            ExclusionConstraint(
                name="one_place_per_component",
                expressions=[
                    (OpClass(F("component"), "gist_int8_ops"), RangeOperators.EQUAL),
                    ("during", RangeOperators.OVERLAPS),
                ],
            ),
            ExclusionConstraint(
                name="one_component_per_slot",
                expressions=[
                    (OpClass(F("device"), "gist_int8_ops"), RangeOperators.EQUAL),
                    (OpClass(F("slot"), "gist_text_ops"), RangeOperators.EQUAL),
                    ("during", RangeOperators.OVERLAPS),
                ],
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["device", "slot"], name="installed_now", condition=Q(during__endswith=None)),
        ]
