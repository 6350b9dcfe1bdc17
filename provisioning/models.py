"""Runs, the machines in them, their steps, their log, and the tokens machines boot with."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from core.models import Site
from inventory.models import Machine
from provisioning.acceptance.models import AcceptanceTest
from provisioning.bmc.models import BmcPassword, BmcProfile, BmcReading, BmcRun, BmcRunMachine
from provisioning.discovery.models import DiscoveredBmc, Discovery, LeaseSource
from provisioning.failures.models import FailureEvidence
from provisioning.images.models import ImagePlacement, PlacedImage
from provisioning.intake.models import Delivery, DeliveryItem
from provisioning.ironic.models import IronicNode, IronicServer, IronicWrite
from provisioning.limits.models import ProvisioningLimits
from provisioning.maas.models import MaasMachine, MaasRegion, MaasWrite
from provisioning.media.models import BootMedium
from provisioning.mirrors.models import MachineSources, Mirror
from provisioning.returns.models import ReturnedMachine, VendorReturn
from provisioning.software.models import SoftwareMachine, SoftwareRun, SoftwareTask
from provisioning.steps import OPEN, FailureClass, Status, StepName

__all__ = [
    "AcceptanceTest", "BmcPassword", "BmcProfile", "BmcReading", "BmcRun", "BmcRunMachine", "BootMedium", "BootToken",
    "Delivery", "DeliveryItem", "DiscoveredBmc", "Discovery", "FailureEvidence", "ImagePlacement", "IronicNode",
    "IronicServer", "IronicWrite", "LeaseSource", "LogLine", "MaasMachine", "MaasRegion", "MaasWrite",
    "MachineSources", "Mirror", "PlacedImage", "ProvisioningLimits", "ReturnedMachine", "Run", "RunMachine",
    "SoftwareMachine", "SoftwareRun", "SoftwareTask", "Step", "VendorReturn",
]  # fmt: skip

STATUS_CHOICES = [(status.value, status.value) for status in Status]
STATUSES = [status.value for status in Status]


class Run(models.Model):
    """A set of machines brought to service together, at most `limit` at a time."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="runs")
    name = models.CharField(max_length=100, blank=True)
    engine = models.CharField(max_length=20, default="redfish")
    image = models.CharField(
        max_length=40,
        blank=True,
        default="",
        db_default="",
        help_text="What is installed, by name; empty: what the site installs by network boot.",
    )
    limit = models.PositiveIntegerField(default=8, help_text="How many of its machines run at once.")
    bmc_setup = models.BooleanField(default=False, db_default=False, help_text="The BMCs are set up first.")
    software = ArrayField(
        models.CharField(max_length=40), default=list, db_default=[],
        help_text="Roles of base software that installed machines get; empty: none.",
    )  # fmt: skip
    gpu_tests = models.CharField(
        max_length=20, blank=True, default="", db_default="", help_text="The active check of its GPUs; empty: none."
    )
    fabric = models.BooleanField(
        default=False, db_default=False, help_text="InfiniBand links are tested between pairs of its machines."
    )
    status = models.CharField(max_length=10, choices=STATUS_CHOICES, default=Status.WAITING.value)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=150)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(status__in=STATUSES), name="run_status_is_known"),
            models.CheckConstraint(condition=Q(limit__gte=1), name="run_limit_is_at_least_one"),
        ]

    def __str__(self) -> str:
        return self.name or f"run {self.pk}"


class RunMachine(models.Model):
    """One machine in a run. `lease_*` says which worker looks at it now; `next_at` when somebody should look again."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="machines")
    machine = models.ForeignKey(Machine, on_delete=models.PROTECT, related_name="run_machines")
    status = models.CharField(max_length=10, choices=STATUS_CHOICES, default=Status.WAITING.value)
    step = models.CharField(max_length=20, default=StepName.IDENTITY.value)
    attempt = models.PositiveSmallIntegerField(default=0)
    failure_class = models.CharField(max_length=20, blank=True)
    failure_text = models.CharField(max_length=500, blank=True)
    first_failure = models.CharField(
        max_length=20,
        blank=True,
        default="",
        db_default="",
        help_text="The class of its first failure; it stays when a retry mends it.",
    )
    ticket = models.CharField(max_length=20, blank=True, help_text="Key of the ticket opened for the failure.")
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    host_key = models.TextField(blank=True, help_text="Public host key given out with the install data.")
    verification_id = models.BigIntegerField(null=True, blank=True)
    log_count = models.PositiveIntegerField(default=0)
    lease = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    next_at = models.DateTimeField(null=True, blank=True)
    lost_workers = models.PositiveSmallIntegerField(default=0, help_text="Workers lost in the current step.")
    silent_looks = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Checks in a row at which its BMC or SSH timed out without an answer."
    )

    class Meta:
        ordering: ClassVar = ["run", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "machine"], name="machine_once_in_a_run"),
            models.UniqueConstraint(
                fields=["machine"],
                name="machine_in_one_open_run",
                condition=Q(status__in=[status.value for status in OPEN]),
            ),
            models.CheckConstraint(condition=Q(status__in=STATUSES), name="run_machine_status_is_known"),
            models.CheckConstraint(
                condition=Q(step__in=[step.value for step in StepName]), name="run_machine_step_is_known"
            ),
            models.CheckConstraint(
                condition=Q(status="failed", failure_class__in=[each.value for each in FailureClass])
                | (~Q(status="failed") & Q(failure_class="")),
                name="failed_exactly_with_a_class",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["next_at"], name="run_machine_due", condition=Q(status="running")),
        ]

    def __str__(self) -> str:
        return f"machine {self.machine_id} in run {self.run_id}"


class Step(models.Model):
    """One step of one machine; `data` is what its engine remembers between looks."""

    run_machine = models.ForeignKey(RunMachine, on_delete=models.CASCADE, related_name="steps")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=20)
    title = models.CharField(max_length=80)
    status = models.CharField(max_length=10, choices=STATUS_CHOICES, default=Status.WAITING.value)
    attempt = models.PositiveSmallIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)
    deadline_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    looks = models.PositiveIntegerField(default=0, db_default=0, help_text="Checks in this attempt.")
    detail = models.CharField(max_length=500, blank=True)
    data = models.JSONField(default=dict)

    class Meta:
        ordering: ClassVar = ["run_machine", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run_machine", "number"], name="step_number_in_run_machine"),
            models.CheckConstraint(condition=Q(status__in=STATUSES), name="step_status_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.number}. {self.title}"


class LogLine(models.Model):
    """One line of the log of a machine in a run, numbered from 1 without gaps."""

    run_machine = models.ForeignKey(RunMachine, on_delete=models.CASCADE, related_name="log_lines")
    n = models.PositiveIntegerField()
    at = models.DateTimeField(auto_now_add=True)
    step = models.CharField(max_length=20)
    text = models.CharField(max_length=1000)

    class Meta:
        ordering: ClassVar = ["run_machine", "n"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["run_machine", "n"], name="log_line_number")]

    def __str__(self) -> str:
        return self.text


class BootToken(models.Model):
    """What lets one machine fetch its install data once and phone home once. Only the token's hash is stored."""

    run_machine = models.ForeignKey(RunMachine, on_delete=models.CASCADE, related_name="boot_tokens")
    mac = models.CharField(max_length=17, help_text="The address the boot script was given to.")
    token_hash = models.CharField(max_length=64, unique=True)
    client_address = models.GenericIPAddressField(null=True, blank=True)
    issued_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    user_data_at = models.DateTimeField(null=True, blank=True)
    phoned_home_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["run_machine"],
                name="one_live_boot_token",
                condition=Q(revoked_at__isnull=True, phoned_home_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"boot token of {self.mac}"
