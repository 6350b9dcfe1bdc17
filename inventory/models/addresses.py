"""IP addresses beside the two that a machine has of its own, and the register that refuses duplicates in a site."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.indexes import OpClass
from django.db import models
from django.db.models import Q

from core.models import Site
from inventory.models.cables import Port
from inventory.models.devices import Device


class IpAddress(models.Model):
    """One more address of a device, on one of its ports if known."""

    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="ip_addresses")
    port = models.ForeignKey(Port, on_delete=models.CASCADE, null=True, blank=True, related_name="ip_addresses")
    address = models.GenericIPAddressField()
    prefix_length = models.PositiveSmallIntegerField(null=True, blank=True)
    vlan = models.PositiveSmallIntegerField(null=True, blank=True)
    dns_name = models.CharField(max_length=255, blank=True)

    class Meta:
        ordering: ClassVar = ["address"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(vlan=None) | Q(vlan__gte=1, vlan__lte=4094), name="address_vlan_is_sane"
            ),
            models.CheckConstraint(
                condition=Q(prefix_length=None) | Q(prefix_length__lte=128), name="prefix_length_is_sane"
            ),
        ]

    def __str__(self) -> str:
        return self.address


class AddressClaim(models.Model):
    """Which device an address of a site belongs to, whether it is a machine's own or one more.

    Written by triggers of the database only (migration 0004), so that no way of writing gets around it.
    """

    class Source(models.TextChoices):
        PRIMARY = "primary"
        BMC = "bmc"
        ADDITIONAL = "additional"

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="+")
    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="+")
    address = models.GenericIPAddressField()
    source = models.CharField(max_length=10, choices=Source.choices)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["site", "address"], name="address_is_unique_in_site")]
        indexes: ClassVar = [
            models.Index(fields=["device"], name="address_claim_device"),
            # The address as text, for the first digits that inventory.search looks for.
            models.Index(
                OpClass(
                    models.Func(models.F("address"), function="host", output_field=models.TextField()),
                    name="text_pattern_ops",
                ),
                name="address_claim_start",
            ),
        ]
