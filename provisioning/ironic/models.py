"""The Ironic of a site, its nodes of our machines, and what is written to it outside of runs."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models import Site
from inventory.models import Machine
from provisioning.deployers.models import KINDS, Deployer, DeployerRecord, DeployerWrite


class IronicServer(Deployer):
    """How a site's Ironic is reached, and what may be written to it. What is off is said and not sent."""

    class DeployInterface(models.TextChoices):
        NODE = "node"
        DIRECT = "direct"
        RAMDISK = "ramdisk"

    class Cleaning(models.TextChoices):
        AS_SET = "as_set"
        ALWAYS = "always"
        NEVER = "never"
        METADATA = "metadata"
        DISKS = "disks"

    site = models.OneToOneField(Site, on_delete=models.CASCADE, primary_key=True, related_name="ironic_server")
    image = models.CharField(
        max_length=500,
        blank=True,
        help_text="URL of the image that is installed, or with `ramdisk` of the ISO.",
    )
    checksum = models.CharField(
        max_length=500, blank=True, help_text="Of the image: SHA-256 or SHA-512, or the URL of a list of them."
    )
    deploy_interface = models.CharField(
        max_length=8,
        choices=DeployInterface.choices,
        default=DeployInterface.NODE,
        help_text="How it is installed; `node`: as each node says.",
    )
    inspect = models.BooleanField(
        default=True, help_text="Whether each run has the hardware read by Ironic and compares it with the inventory."
    )
    cleaning = models.CharField(
        max_length=8,
        choices=Cleaning.choices,
        default=Cleaning.AS_SET,
        help_text="Whether disks are erased before an installation and at a release, or as Ironic and its nodes say; "
        "`metadata` and `disks` are ordered in each run.",
    )
    enroll = models.BooleanField(
        default=False,
        help_text="Whether machines that Ironic does not have are enrolled: it is given the login of their BMC then.",
    )
    verify_bmc = models.BooleanField(
        default=True, help_text="Whether Ironic verifies the certificates of the BMCs of nodes that are enrolled."
    )
    maintenance = models.BooleanField(
        default=False,
        help_text="Whether nodes of machines in repair are set to maintenance until they are back.",
    )
    release = models.BooleanField(
        default=False, help_text="Whether machines that are retired, or whose run was cancelled, are undeployed."
    )

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(deploy_interface__in=["node", "direct", "ramdisk"]), name="ironic_deploy_interface_is_known"
            ),
            models.CheckConstraint(
                condition=Q(cleaning__in=["as_set", "always", "never", "metadata", "disks"]),
                name="ironic_clean_is_known",
            ),
            models.CheckConstraint(condition=Q(state__in=["never", "good", "failed"]), name="ironic_state_is_known"),
            models.CheckConstraint(
                condition=Q(enabled=False) | (~Q(url="") & ~Q(image="")), name="ironic_enabled_with_image"
            ),
        ]

    def __str__(self) -> str:
        return f"Ironic of {self.site}"


class IronicNode(DeployerRecord):
    """Ironic's node of a machine."""

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="ironic")
    server = models.ForeignKey(IronicServer, on_delete=models.CASCADE, related_name="nodes")
    uuid = models.UUIDField()
    name = models.CharField(max_length=255)
    state = models.CharField(max_length=40)
    maintenance = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["server", "uuid"], name="ironic_node_of_one_machine"),
            models.CheckConstraint(condition=Q(wanted__in=["", *KINDS]), name="ironic_wanted_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.uuid})"


class IronicWrite(DeployerWrite):
    """One thing that is to be written to Ironic."""

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="ironic_writes")

    class Meta(DeployerWrite.Meta):
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=KINDS), name="ironic_write_kind_is_known"),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "done", "dry_run", "dropped"]), name="ironic_write_status_is_known"
            ),
            models.UniqueConstraint(fields=["machine"], name="one_waiting_ironic_write", condition=Q(status="waiting")),
        ]
