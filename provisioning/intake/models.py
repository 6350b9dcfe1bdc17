"""Deliveries and the machines on their lists."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from core.models import Credential, Site
from inventory.models import Machine


class Delivery(models.Model):
    """What one list of a vendor says was sent to a site."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="deliveries")
    order = models.CharField(max_length=60, help_text="The purchase order, or what the vendor calls the delivery.")
    vendor = models.CharField(max_length=60, blank=True)
    filename = models.CharField(max_length=200)
    received_at = models.DateTimeField(auto_now_add=True)
    received_by = models.CharField(max_length=150)

    class Meta:
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return self.order


class DeliveryItem(models.Model):
    """One machine of a list. `machine` is that of the inventory that it was taken over for, none before."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="items")
    number = models.PositiveIntegerField(help_text="Its row in the list.")
    service_tag = models.CharField(max_length=64)
    model = models.CharField(max_length=120, blank=True)
    bmc_mac = models.CharField(max_length=17, blank=True)
    macs = ArrayField(models.CharField(max_length=17), default=list, blank=True)
    rack = models.CharField(max_length=40, blank=True)
    u = models.FloatField(null=True, blank=True, help_text="Its lowest rack unit.")
    credential = models.OneToOneField(
        Credential,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="delivery_item",
        help_text="Its BMC's password as delivered; it opens nothing before the machine is taken over.",
    )
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, null=True, blank=True, related_name="delivery_items")
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering: ClassVar = ["delivery", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["delivery", "number"], name="one_item_a_row"),
            models.UniqueConstraint(fields=["delivery", "service_tag"], name="service_tag_once_in_a_delivery"),
            models.UniqueConstraint(
                fields=["machine"], name="machine_of_one_delivery", condition=models.Q(machine__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return self.service_tag
