"""Runs that load every link of a fabric: planned, started by a person, stage by stage, and what came of each pair."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.models import Site
from fabric.discovery.models.sources import FabricSource
from inventory.models import Machine


class BurnIn(models.Model):
    """One run. It is made as a dry run: a person who may sets it to run for real."""

    class Status(models.TextChoices):
        PLANNING = "planning"
        PLANNED = "planned"
        RUNNING = "running"
        STOPPING = "stopping", "no new stage begins"
        STOPPED = "stopped"
        DONE = "done"
        FAILED = "failed"

    OPEN: ClassVar = [Status.PLANNING, Status.PLANNED, Status.RUNNING, Status.STOPPING]

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="burn_ins")
    source = models.ForeignKey(FabricSource, on_delete=models.PROTECT, related_name="burn_ins")
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.PLANNING)
    dry_run = models.BooleanField(default=True, help_text="Nothing is run on any machine.")
    settings = models.JSONField(default=dict, help_text="Seconds of a stage, limits and options, all of them.")
    machine_ids = ArrayField(models.BigIntegerField(), default=list, help_text="Asked for; empty: all that may be.")
    left_out = models.JSONField(default=list, help_text="[{machine, reason}] of those that may not be used.")
    links = models.PositiveIntegerField(default=0)
    covered = models.PositiveIntegerField(default=0)
    gaps = models.JSONField(default=list, help_text="[{a, b, share, reason}] of links that no stage covers.")
    message = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.CharField(max_length=150)
    started_at = models.DateTimeField(null=True, blank=True)
    started_by = models.CharField(max_length=150, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["source"],
                name="one_burn_in_runs_on_a_source",
                condition=Q(status__in=["running", "stopping"]),
            ),
            models.CheckConstraint(
                condition=Q(status__in=["planning", "planned", "running", "stopping", "stopped", "done", "failed"]),
                name="burn_in_status_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"burn-in {self.pk}"


class BurnInStage(models.Model):
    """Pairs that run at the same time. It is written as running before anything is started."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    burn_in = models.ForeignKey(BurnIn, on_delete=models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=7, choices=Status.choices, default=Status.WAITING)
    covers = models.JSONField(default=list, help_text="Keys of the links that it is the first to load.")
    attempts = models.PositiveSmallIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    before = models.JSONField(default=dict, help_text="Error counters by port before it, where they were read.")
    after = models.JSONField(default=dict, help_text="The same after it.")
    message = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering: ClassVar = ["burn_in", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["burn_in", "number"], name="burn_in_stage_number"),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "running", "done", "failed"]), name="burn_in_stage_status_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"stage {self.number}"


class BurnInPair(models.Model):
    """Traffic between two adapters of the same name, and what the tool said of it."""

    class Verdict(models.TextChoices):
        WAITING = "waiting"
        PASS = "pass"
        FAIL = "fail"
        UNKNOWN = "unknown", "it gave no result"

    stage = models.ForeignKey(BurnInStage, on_delete=models.CASCADE, related_name="pairs")
    adapter = models.CharField(max_length=40)
    server = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="+")
    server_guid = models.CharField(max_length=64)
    client = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="+")
    client_guid = models.CharField(max_length=64)
    verdict = models.CharField(max_length=7, choices=Verdict.choices, default=Verdict.WAITING)
    gbps = models.FloatField(null=True, blank=True, help_text="Both directions together.")
    p99_us = models.FloatField(null=True, blank=True)
    message = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["stage", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["stage", "server", "adapter"], name="server_once_in_a_stage"),
            models.UniqueConstraint(fields=["stage", "client", "adapter"], name="client_once_in_a_stage"),
            models.CheckConstraint(
                condition=Q(verdict__in=["waiting", "pass", "fail", "unknown"]), name="burn_in_verdict_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.adapter} of {self.server_id} and {self.client_id}"
