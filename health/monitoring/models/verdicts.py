"""What the checks said: now (rows for what is not ok, one packed row per machine), and over time (partitions).

`Sample` and `Transition` are partitioned by time in SQL (migration 0002) and hold the machine's id without a foreign
key, so that nothing cascades through history.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from inventory.models import Machine


class Layout(models.Model):
    """Which check of which part each byte of a packed report stands for. Never changed once written."""

    checks_version = models.CharField(max_length=40)
    model = models.CharField(max_length=60, help_text="Slug of the device model.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the entries.")
    entries = models.JSONField(help_text="[[check, part], ...] in the order of the bytes.")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["checks_version", "model", "digest"], name="one_row_per_layout")
        ]


class CurrentVerdict(models.Model):
    """A verdict that is not ok. What a layout lists and this table does not hold is ok or was never looked at."""

    pk = models.CompositePrimaryKey("machine_id", "check_id", "part")
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="verdicts", db_index=False)
    check_id = models.CharField(max_length=60)
    part = models.CharField(max_length=60)
    verdict = models.CharField(max_length=8)
    message = models.TextField()
    action = models.TextField(blank=True)
    fault_class = models.CharField(max_length=60, blank=True)
    kind = models.CharField(max_length=5, default="level")
    value = models.FloatField(null=True)
    command = models.CharField(max_length=300, blank=True)
    exit_status = models.IntegerField(null=True)
    excerpt = models.TextField(blank=True)
    observed = models.JSONField(default=dict)
    checked_at = models.DateTimeField(help_text="Report this verdict was made from.")
    changed_at = models.DateTimeField(help_text="Since when the verdict is this one.")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(verdict__in=["fail", "unknown", "warn", "info"]), name="current_verdict_is_not_ok"
            )
        ]


class MachineReport(models.Model):
    """The newest report of a machine: every verdict packed into one byte each, in the order of its layout."""

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="report")
    layout = models.ForeignKey(Layout, on_delete=models.PROTECT, related_name="+")
    verdicts = models.BinaryField()
    checked_at = models.DateTimeField(help_text="When the machine was last checked, reachable or not.")
    heard_at = models.DateTimeField(null=True)
    sweep_id = models.BigIntegerField(null=True)


class Sample(models.Model):
    """One look at one machine: partition of the day of `at`.

    `verdicts` holds verdicts and measured values as `health.monitoring.samples` packs them.
    """

    pk = models.CompositePrimaryKey("machine_id", "at")
    machine_id = models.BigIntegerField()
    at = models.DateTimeField()
    sweep_id = models.BigIntegerField(null=True)
    layout_id = models.BigIntegerField()
    heard = models.BooleanField()
    worst = models.PositiveSmallIntegerField(help_text="Verdict code, as in `health.packing`.")
    fail = models.PositiveSmallIntegerField()
    unknown = models.PositiveSmallIntegerField()
    warn = models.PositiveSmallIntegerField()
    verdicts = models.BinaryField()

    class Meta:
        managed = False
        db_table = "health_sample"


class Transition(models.Model):
    """A verdict that changed: partition of the month of `at`."""

    pk = models.CompositePrimaryKey("machine_id", "at", "check_id", "part")
    machine_id = models.BigIntegerField()
    at = models.DateTimeField()
    check_id = models.CharField(max_length=60)
    part = models.CharField(max_length=60)
    from_verdict = models.CharField(max_length=8)
    to_verdict = models.CharField(max_length=8)
    message = models.TextField()

    class Meta:
        managed = False
        db_table = "health_transition"
