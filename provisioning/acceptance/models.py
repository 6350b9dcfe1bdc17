"""Which active runs a provisioning run began for its machines."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from health.models import ActiveRun
from provisioning.steps import StepName

TESTED_BY_ACTIVE_RUNS = (StepName.GPU_TESTS.value, StepName.FABRIC.value)


class AcceptanceTest(models.Model):
    """An active run over machines of a provisioning run that waited at one of its steps."""

    run = models.ForeignKey("provisioning.Run", on_delete=models.CASCADE, related_name="acceptance_tests")
    step = models.CharField(max_length=20)
    active_run = models.OneToOneField(ActiveRun, on_delete=models.CASCADE, related_name="acceptance_test")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(step__in=TESTED_BY_ACTIVE_RUNS), name="acceptance_test_step_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.step} of run {self.run_id}"
