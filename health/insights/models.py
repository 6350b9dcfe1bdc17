"""The golden set: machines that were clean for long enough to be what others are compared with."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inventory.models import Machine


class GoldenMachine(models.Model):
    """A machine's time in the golden set: by whom and why it came in, and out. One that runs on has no `demoted_at`."""

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="golden")
    promoted_at = models.DateTimeField(db_default=Now())
    promoted_by = models.CharField(max_length=150)
    reason = models.CharField(max_length=300)
    demoted_at = models.DateTimeField(null=True, blank=True)
    demoted_by = models.CharField(max_length=150, blank=True)
    demote_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["machine"], name="golden_once", condition=Q(demoted_at__isnull=True)),
            models.CheckConstraint(condition=~Q(reason=""), name="golden_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.machine_id} since {self.promoted_at:%Y-%m-%d}"
