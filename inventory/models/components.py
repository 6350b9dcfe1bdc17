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


class Component(models.Model):
    """One part for life, whatever machine it sits in. A serial may be unknown (empty)."""

    class Kind(models.TextChoices):
        GPU = "gpu"
        HCA = "hca"
        NVME = "nvme"
        PSU = "psu"
        DIMM = "dimm"
        OTHER = "other"

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="components")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    vendor = models.CharField(max_length=60, blank=True)
    part_number = models.CharField(max_length=60, blank=True)
    serial = models.CharField(max_length=64, blank=True)
    attributes = models.JSONField(default=dict, help_text="uuid, guid, firmware and the like, as the tools print them.")

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["vendor", "part_number", "serial"], name="component_serial_is_unique", condition=~Q(serial="")
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["gpu", "hca", "nvme", "psu", "dimm", "other"]), name="component_kind_is_known"
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
