"""What shows why a machine of a run failed."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q


class FailureEvidence(models.Model):
    """One text about one attempt: what a BMC showed, the log of DHCP or of the installer, the checks that failed."""

    class Kind(models.TextChoices):
        BMC = "bmc"
        DHCP = "dhcp", "DHCP server"
        INSTALLER = "installer"
        CHECKS = "checks"

    run_machine = models.ForeignKey("provisioning.RunMachine", on_delete=models.CASCADE, related_name="evidence")
    attempt = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    at = models.DateTimeField(auto_now_add=True)
    text = models.TextField(help_text="At most 64 KiB, of a log its end; without keys and tokens.")

    class Meta:
        ordering: ClassVar = ["run_machine", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run_machine", "attempt", "kind"], name="evidence_once_an_attempt"),
            models.CheckConstraint(
                condition=Q(kind__in=["bmc", "dhcp", "installer", "checks"]), name="failure_evidence_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at attempt {self.attempt}"
