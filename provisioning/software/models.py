"""Software runs, the machines in them, and what each task did there."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from core.models import Site
from inventory.models import Machine
from provisioning.software.words import Outcome
from provisioning.waves.policy import MACHINE_STATES, OPEN_MACHINES, RUN_STATES, MachineState, RunState

OUTCOMES = [outcome.value for outcome in Outcome]


class SoftwareRun(models.Model):
    """Roles over machines of one site: a canary, then waves. A dry run asks what would change and changes nothing."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="software_runs")
    part_of = models.ForeignKey(
        "provisioning.Run", on_delete=models.CASCADE, null=True, blank=True, related_name="software_runs",
        help_text="The provisioning run whose machines wait for it at their step software; empty: started by a person.",
    )  # fmt: skip
    roles = ArrayField(models.CharField(max_length=40), help_text="In the order in which they are done.")
    dry_run = models.BooleanField(default=True)
    canary = models.PositiveSmallIntegerField(default=1, help_text="So many machines go first, alone.")
    limit = models.PositiveIntegerField(default=8, help_text="Machines of a wave after the canary.")
    stop_share = models.FloatField(default=0.2, help_text="Share of failed machines, over 0 to 1, that stops the run.")
    status = models.CharField(max_length=10, choices=[(s, s) for s in RUN_STATES], default=RunState.WAITING.value)
    message = models.CharField(max_length=500, blank=True, help_text="Why it stopped, or what it waits for.")
    cancelled_by = models.CharField(max_length=150, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Times that the role under way was begun.")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=150)
    turn_at = models.DateTimeField(null=True, blank=True, help_text="When a worker last did a role of it.")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(status__in=RUN_STATES), name="software_run_status_is_known"),
            models.CheckConstraint(condition=Q(limit__gte=1), name="software_run_limit_is_at_least_one"),
            models.CheckConstraint(
                condition=Q(stop_share__gt=0, stop_share__lte=1), name="software_run_stop_share_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return f"software run {self.pk}"


class SoftwareMachine(models.Model):
    """One machine of a software run; `outcomes` is what each role that ended did there."""

    run = models.ForeignKey(SoftwareRun, on_delete=models.CASCADE, related_name="machines")
    machine = models.ForeignKey(Machine, on_delete=models.PROTECT, related_name="software_machines")
    status = models.CharField(
        max_length=12, choices=[(s, s) for s in MACHINE_STATES], default=MachineState.WAITING.value
    )
    wave = models.PositiveIntegerField(null=True, blank=True)
    outcomes = models.JSONField(default=dict, help_text="{role: outcome}")
    message = models.CharField(max_length=1000, blank=True)
    task_count = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["run", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "machine"], name="machine_once_in_a_software_run"),
            models.UniqueConstraint(
                fields=["machine"],
                name="machine_in_one_open_software_run",
                condition=Q(status__in=[state.value for state in OPEN_MACHINES]),
            ),
            models.CheckConstraint(condition=Q(status__in=MACHINE_STATES), name="software_machine_status_is_known"),
        ]

    def __str__(self) -> str:
        return f"machine {self.machine_id} in software run {self.run_id}"


class SoftwareTask(models.Model):
    """What one task did on one machine, numbered from 1 without gaps."""

    run_machine = models.ForeignKey(SoftwareMachine, on_delete=models.CASCADE, related_name="tasks")
    n = models.PositiveIntegerField()
    at = models.DateTimeField(auto_now_add=True)
    role = models.CharField(max_length=40, blank=True)
    task = models.CharField(max_length=200)
    outcome = models.CharField(max_length=12, choices=[(o, o) for o in OUTCOMES])
    text = models.CharField(max_length=1000, blank=True)
    duration_s = models.FloatField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["run_machine", "n"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run_machine", "n"], name="software_task_number"),
            models.CheckConstraint(condition=Q(outcome__in=OUTCOMES), name="software_task_outcome_is_known"),
        ]

    def __str__(self) -> str:
        return self.task
