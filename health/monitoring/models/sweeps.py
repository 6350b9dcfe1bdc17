"""Sweeps: who was looked at, in which shards, and how it went."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.models import Site


class Sweep(models.Model):
    """A look at some machines of one site. A scheduled one owns its time slot, so beat may fire twice."""

    class Kind(models.TextChoices):
        SCHEDULED = "scheduled"
        CONFIRM = "confirm"
        VERIFICATION = "verification"
        MANUAL = "manual"

    class Status(models.TextChoices):
        RUNNING = "running"
        FINISHED = "finished"
        LATE = "late", "Closed before every shard was done"

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="sweeps")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    slot_at = models.DateTimeField(null=True, blank=True, help_text="Start of the period it belongs to.")
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.RUNNING)
    started_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)
    machines = models.PositiveIntegerField(default=0)
    reachable = models.PositiveIntegerField(default=0)
    requested_by = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["site", "kind", "slot_at"], name="one_sweep_per_slot", condition=Q(slot_at__isnull=False)
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["scheduled", "confirm", "verification", "manual"]), name="sweep_kind_is_known"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["started_at"], name="sweep_running", condition=Q(status="running")),
            models.Index(fields=["site", "-started_at"], name="sweep_of_site"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} sweep {self.pk}"


class SweepShard(models.Model):
    """The machines one task looks at. Attempts are counted, so a shard that kills its worker does not loop for ever.

    Machines that kept others waiting are looked at in a lane of their own, by other workers.
    """

    class Lane(models.TextChoices):
        FAST = "fast"
        SLOW = "slow"

    class Status(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    OVER = (Status.DONE, Status.FAILED)

    sweep = models.ForeignKey(Sweep, on_delete=models.CASCADE, related_name="shards")
    number = models.PositiveSmallIntegerField()
    machine_ids = ArrayField(models.BigIntegerField())
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.WAITING)
    lane = models.CharField(max_length=4, choices=Lane.choices, default=Lane.FAST, db_default=Lane.FAST)
    attempts = models.PositiveSmallIntegerField(default=0)
    reachable = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    answered_s = models.FloatField(null=True, blank=True, help_text="Seconds until the last answer it waited for.")
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["sweep", "number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["sweep", "number"], name="shard_number_in_sweep")]


class SweepPeriod(models.Model):
    """How often the fleet is swept now: one row, of all sites (`health.monitoring.sweep_period`)."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    set_s = models.FloatField(help_text="Seconds between two sweeps, as they were set.")
    period_s = models.FloatField(help_text="As they are: longer where sweeps take longer.")
    takes_s = models.FloatField(null=True, help_text="What a sweep takes; unknown before two were measured.")
    longest_s = models.FloatField(default=0, help_text="The longest of the last sweeps and of those under way.")
    since = models.DateTimeField(db_default=Now(), help_text="When the period became this one.")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(id=1), name="one_sweep_period"),
            models.CheckConstraint(condition=Q(period_s__gte=models.F("set_s")), name="sweep_period_only_stretches"),
        ]

    def __str__(self) -> str:
        return f"every {self.period_s:g} s"


class SlowMachine(models.Model):
    """A machine that let its last look run into a time-out. There is no row for the others."""

    machine = models.OneToOneField(
        "inventory.Machine", on_delete=models.CASCADE, primary_key=True, related_name="slow_lane"
    )
    since = models.DateTimeField(db_default=Now())
    reason = models.CharField(max_length=300)

    def __str__(self) -> str:
        return self.reason
