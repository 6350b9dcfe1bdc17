"""Discoveries, the addresses they ask, and where a site's leases are read."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from core.models import Site
from inventory.models import Machine
from provisioning.discovery.states import BmcState
from provisioning.steps import OPEN, Status

STATUSES = [status.value for status in Status]
STATES = [state.value for state in BmcState]
IS_OPEN = Q(status__in=[status.value for status in OPEN])


class LeaseSource(models.Model):
    """Where the leases of a site's DHCP server are read: a file that this server sees, or Kea's control API."""

    class Kind(models.TextChoices):
        DNSMASQ = "dnsmasq", "lease file of dnsmasq"
        KEA_FILE = "kea_file", "lease file of Kea"
        KEA_API = "kea_api", "control API of Kea"

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="lease_sources")
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    place = models.CharField(max_length=300, help_text="The path of the file, or the URL of Kea's control API.")

    class Meta:
        ordering: ClassVar = ["site", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "name"], name="lease_source_name_in_site"),
            models.CheckConstraint(
                condition=Q(kind__in=["dnsmasq", "kea_file", "kea_api"]), name="lease_source_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Discovery(models.Model):
    """Addresses of a site that are asked by Redfish, one after the other at a bounded rate.

    `source` is read first where it is given; `read_at` says that its addresses are known.
    """

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="bmc_discoveries")
    source = models.ForeignKey(
        LeaseSource, on_delete=models.SET_NULL, null=True, blank=True, related_name="discoveries"
    )
    origin = models.CharField(max_length=200, help_text="Where its addresses are from, as people call it.")
    ranges = models.CharField(max_length=500, blank=True, help_text="The addresses asked, or those of leases that are.")
    port = models.PositiveIntegerField(default=443)
    rate_per_s = models.PositiveSmallIntegerField(default=20, help_text="Addresses that are begun in a second.")
    status = models.CharField(max_length=10, choices=[(s, s) for s in STATUSES], default=Status.WAITING.value)
    message = models.CharField(max_length=500, blank=True)
    unread_lines = models.PositiveIntegerField(default=0, help_text="Lines of the leases that could not be read.")
    problems = models.JSONField(default=list, help_text="The first of these lines, each with its reason.")
    leases_over = models.PositiveIntegerField(default=0, help_text="Leases that are expired, released or declined.")
    read_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=150)
    finished_at = models.DateTimeField(null=True, blank=True)
    lease = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0, help_text="Workers that began with it and were lost.")

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(status__in=STATUSES), name="bmc_discovery_status_is_known"),
            models.CheckConstraint(
                condition=Q(rate_per_s__gte=1, rate_per_s__lte=100), name="bmc_discovery_rate_is_bounded"
            ),
            models.UniqueConstraint(fields=["site"], name="one_open_bmc_discovery_a_site", condition=IS_OPEN),
        ]

    def __str__(self) -> str:
        return self.origin


class DiscoveredBmc(models.Model):
    """One address of a discovery. `told` is what was read, as `hardware.Machine.document` has it.

    `logins` counts the passwords that were or may have been sent, `refused` are the credentials it refused.
    """

    discovery = models.ForeignKey(Discovery, on_delete=models.CASCADE, related_name="bmcs")
    number = models.PositiveIntegerField()
    address = models.GenericIPAddressField()
    mac = models.CharField(max_length=17, blank=True, help_text="Of its lease.")
    hostname = models.CharField(max_length=255, blank=True, help_text="Of its lease.")
    state = models.CharField(max_length=12, choices=[(s, s) for s in STATES], default=BmcState.WAITING.value)
    reason = models.CharField(max_length=500, blank=True)
    logins = models.PositiveSmallIntegerField(default=0)
    refused = ArrayField(models.BigIntegerField(), default=list, blank=True)
    certificate = models.CharField(max_length=64, blank=True, help_text="SHA-256, in hexadecimal digits.")
    told = models.JSONField(null=True, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)
    parts_differ = models.CharField(
        max_length=500, blank=True, default="", db_default="", help_text="In which parts it differed when it was read."
    )
    machine = models.ForeignKey(
        Machine, on_delete=models.CASCADE, null=True, blank=True, related_name="discovered_bmcs",
        help_text="The machine of the inventory it was accepted for.",
    )  # fmt: skip
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering: ClassVar = ["discovery", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["discovery", "number"], name="one_bmc_a_number"),
            models.UniqueConstraint(fields=["discovery", "address"], name="address_once_in_a_bmc_discovery"),
            models.CheckConstraint(condition=Q(state__in=STATES), name="bmc_state_is_known"),
            models.CheckConstraint(condition=Q(logins__lte=2), name="two_logins_at_most"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["address"], name="bmc_refusals", condition=~Q(refused=[])),
        ]

    def __str__(self) -> str:
        return self.address
