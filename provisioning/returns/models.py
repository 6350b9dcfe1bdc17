"""A return to a vendor and the machines on it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models import Site
from inventory.models import Machine
from provisioning.steps import FailureClass


class VendorReturn(models.Model):
    """One request to one vendor. It is open until it is sent, and closed when each machine on it has an outcome."""

    class Status(models.TextChoices):
        OPEN = "open"
        SENT = "sent"
        CLOSED = "closed"

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="vendor_returns")
    vendor = models.CharField(max_length=60)
    status = models.CharField(max_length=6, choices=Status, default=Status.OPEN)
    reference = models.CharField(max_length=60, blank=True, help_text="The vendor's number of it, such as an RMA.")
    note = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=150)
    sent_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(status="open", sent_at=None, closed_at=None)
                | Q(status="sent", sent_at__isnull=False, closed_at=None)
                | Q(status="closed", sent_at__isnull=False, closed_at__isnull=False),
                name="vendor_return_times_fit_its_status",
            )
        ]

    def __str__(self) -> str:
        return f"{self.vendor} {self.reference}".strip()


class ReturnedMachine(models.Model):
    """One machine with what it failed at when it was put on the return, and what the vendor made of it."""

    class Outcome(models.TextChoices):
        NOT_FOUND = "not_found", "No fault found"
        REPAIRED = "repaired"
        REPLACED = "replaced"
        REFUSED = "refused"

    vendor_return = models.ForeignKey(VendorReturn, on_delete=models.CASCADE, related_name="machines")
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="vendor_returns")
    serial = models.CharField(max_length=64, blank=True)
    failure_class = models.CharField(max_length=20)
    failure_text = models.CharField(max_length=500, blank=True)
    evidence = models.TextField(blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    outcome_note = models.CharField(max_length=500, blank=True)
    outcome_at = models.DateTimeField(null=True, blank=True)
    outcome_by = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering: ClassVar = ["vendor_return", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["machine"], name="machine_on_one_open_return", condition=Q(outcome="")),
            models.CheckConstraint(
                condition=Q(outcome="", outcome_at=None) | (~Q(outcome="") & Q(outcome_at__isnull=False)),
                name="returned_machine_outcome_has_a_time",
            ),
            models.CheckConstraint(
                condition=Q(failure_class__in=[each.value for each in FailureClass]),
                name="returned_machine_class_is_known",
            ),
        ]

    def __str__(self) -> str:
        return self.serial or str(self.machine_id)
