"""The MAAS region of a site, its records of our machines, and what is written to it outside of runs."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from core.models import Site
from inventory.models import Machine
from provisioning.deployers.models import KINDS, Deployer, DeployerRecord, DeployerWrite


class MaasRegion(Deployer):
    """How a site's MAAS is reached, and what may be written to it. What is off is said and not sent."""

    class MarkBroken(models.TextChoices):
        OFF = "off"
        IDLE = "idle"
        ALL = "all"

    class Erase(models.TextChoices):
        NONE = "none"
        QUICK = "quick"
        SECURE = "secure"
        FULL = "full"

    site = models.OneToOneField(Site, on_delete=models.CASCADE, primary_key=True, related_name="maas_region")
    series = models.CharField(max_length=20, default="jammy", help_text="The distro series that is deployed.")
    commissioning_scripts = ArrayField(
        models.CharField(max_length=60), default=list, blank=True, help_text="Scripts or tags besides MAAS's own."
    )
    enlist = models.BooleanField(
        default=False,
        help_text="Whether machines that MAAS does not have are enlisted: it is given the login of their BMC then.",
    )
    mark_broken = models.CharField(
        max_length=4,
        choices=MarkBroken.choices,
        default=MarkBroken.OFF,
        help_text="Machines in repair: none, those nobody has in MAAS, or all. MAAS releases what it marks broken.",
    )
    release = models.BooleanField(
        default=False, help_text="Whether machines that are retired, or whose run was cancelled, are released."
    )
    erase = models.CharField(max_length=6, choices=Erase.choices, default=Erase.NONE, help_text="At each release.")
    last_event_id = models.BigIntegerField(null=True, blank=True, help_text="Its newest event that was read.")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(mark_broken__in=["off", "idle", "all"]), name="maas_broken_is_known"),
            models.CheckConstraint(
                condition=Q(erase__in=["none", "quick", "secure", "full"]), name="maas_erase_is_known"
            ),
            models.CheckConstraint(condition=Q(state__in=["never", "good", "failed"]), name="maas_state_is_known"),
            models.CheckConstraint(
                condition=Q(enabled=False) | (~Q(url="") & Q(credential__isnull=False)), name="maas_enabled_with_key"
            ),
        ]

    def __str__(self) -> str:
        return f"MAAS of {self.site}"


class MaasMachine(DeployerRecord):
    """MAAS's record of a machine."""

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="maas")
    region = models.ForeignKey(MaasRegion, on_delete=models.CASCADE, related_name="machines")
    system_id = models.CharField(max_length=40)
    hostname = models.CharField(max_length=255)
    status = models.SmallIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["region", "system_id"], name="maas_record_of_one_machine"),
            models.CheckConstraint(condition=Q(wanted__in=["", *KINDS]), name="maas_wanted_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.hostname} ({self.system_id})"


class MaasWrite(DeployerWrite):
    """One thing that is to be written to MAAS."""

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="maas_writes")

    class Meta(DeployerWrite.Meta):
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=KINDS), name="maas_write_kind_is_known"),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "done", "dry_run", "dropped"]), name="maas_write_status_is_known"
            ),
            models.UniqueConstraint(fields=["machine"], name="one_waiting_maas_write", condition=Q(status="waiting")),
        ]
