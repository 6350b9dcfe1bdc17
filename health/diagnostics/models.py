"""Active checks: runs that load machines which do nothing else, their steps, and the windows of the weekly burn-in."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from core.models import Site
from inventory.models import Machine


class ActiveWindow(models.Model):
    """When idle machines of a site may be burnt in by themselves, in UTC. One that ends before it begins ends the
    next day."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="active_windows")
    weekday = models.PositiveSmallIntegerField(help_text="0 is Monday.")
    starts = models.TimeField()
    ends = models.TimeField()
    kinds = ArrayField(models.CharField(max_length=20), help_text="Kinds of checks, in the order they are run.")
    enabled = models.BooleanField(default=True)
    started_at = models.DateTimeField(null=True, blank=True, help_text="When it last began a run.")
    created_by = models.CharField(max_length=150)

    class Meta:
        ordering: ClassVar = ["site", "weekday", "starts"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(weekday__lte=6), name="active_window_weekday"),
            models.CheckConstraint(condition=~Q(starts=F("ends")), name="active_window_has_a_length"),
        ]

    def __str__(self) -> str:
        return f"weekday {self.weekday}, {self.starts:%H:%M} to {self.ends:%H:%M}"


class LaunchWay(models.Model):
    """How a site launches an all-reduce over machines (`health.diagnostics.ways`). The one with the lowest position is
    used where a run does not say another."""

    class Kind(models.TextChoices):
        SSH = "ssh"
        MPI = "mpi"
        TORCHRUN = "torchrun"
        SRUN = "srun"

    class Program(models.TextChoices):
        NCCL_TESTS = "nccl-tests"
        TORCH = "torch"

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="launch_ways")
    name = models.CharField(max_length=60)
    position = models.PositiveSmallIntegerField(default=0)
    enabled = models.BooleanField(default=True)
    way = models.CharField(max_length=8, choices=Kind.choices)
    program = models.CharField(max_length=10, choices=Program.choices, default=Program.NCCL_TESTS)
    command = models.CharField(max_length=1000, blank=True, help_text="With {program}; empty: the usual one.")
    partition = models.CharField(max_length=60, blank=True)
    account = models.CharField(max_length=60, blank=True)
    reservation = models.CharField(max_length=60, blank=True, help_text="One of ours: its name begins with rackside.")
    image = models.CharField(max_length=300, blank=True, help_text="Of the container that pyxis starts.")
    mounts = models.CharField(max_length=300, blank=True, help_text="/FROM:/TO, with commas between them.")

    class Meta:
        ordering: ClassVar = ["site", "position", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "name"], name="launch_way_once_at_a_site"),
            models.CheckConstraint(condition=Q(way__in=["ssh", "mpi", "torchrun", "srun"]), name="launch_way_is_known"),
            models.CheckConstraint(condition=Q(program__in=["nccl-tests", "torch"]), name="launch_program_is_known"),
        ]

    def __str__(self) -> str:
        return self.name


class ActiveRun(models.Model):
    """One run of active checks at one site, by a person, by a window, or for a verification."""

    class Status(models.TextChoices):
        WAITING = "waiting", "no worker began it yet"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    OPEN: ClassVar = [Status.WAITING, Status.RUNNING]

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="active_runs")
    kind = models.CharField(max_length=20)
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.WAITING)
    options = models.JSONField(default=dict, help_text="All options, those that were not given as usual.")
    launch = models.JSONField(
        default=dict, db_default={}, help_text="Of groups: the way in which they are launched, as it was then."
    )
    pairs = models.JSONField(default=list, help_text="[[machine, machine]] to begin with, where they were given.")
    left_out = models.JSONField(default=list, help_text="[{machine, name, reason}] of those that may not be used.")
    window = models.ForeignKey(ActiveWindow, on_delete=models.SET_NULL, null=True, blank=True, related_name="runs")
    must_end_at = models.DateTimeField(null=True, blank=True, help_text="Nothing is begun that would end later.")
    reason = models.CharField(max_length=300, blank=True)
    requested_by = models.CharField(max_length=150)
    rounds = models.PositiveSmallIntegerField(default=0, help_text="Rounds begun so far.")
    cancelled_by = models.CharField(max_length=150, blank=True)
    conclusion = models.JSONField(default=dict, help_text="Bad, switches, undecided, by rail; of tests over groups.")
    message = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "running", "done", "failed", "cancelled"]),
                name="active_run_status_is_known",
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["id"], name="active_run_open", condition=Q(status__in=["waiting", "running"])),
            models.Index(fields=["site", "-id"], name="active_run_of_site"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class ActiveMachine(models.Model):
    """A machine that a run uses. One run at a time has a machine; `held` says that the run took it out of service."""

    run = models.ForeignKey(ActiveRun, on_delete=models.CASCADE, related_name="machines")
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="active_runs")
    held = models.BooleanField(default=False)
    released_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["run", "machine"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "machine"], name="machine_once_in_an_active_run"),
            models.UniqueConstraint(
                fields=["machine"], name="one_active_run_has_a_machine", condition=Q(released_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.machine_id} in {self.run_id}"


class ActiveStep(models.Model):
    """One test on one machine, pair or group. It is written as running before anything is started there.

    The command runs on the first machine; of a pair the second is the server. `about` are those that it tells of in the
    words of the bisecting plan, where it is part of one.
    """

    class Status(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        CANCELLED = "cancelled"

    class Verdict(models.TextChoices):
        PASS = "pass"
        FAIL = "fail"
        UNKNOWN = "unknown", "it gave no result"

    OPEN: ClassVar = [Status.WAITING, Status.RUNNING]

    run = models.ForeignKey(ActiveRun, on_delete=models.CASCADE, related_name="steps")
    round = models.PositiveSmallIntegerField()
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)
    machine_ids = ArrayField(models.BigIntegerField())
    adapter = models.CharField(max_length=40, blank=True)
    level = models.CharField(max_length=8, blank=True)
    about = ArrayField(models.CharField(max_length=120), default=list)
    partners = ArrayField(models.CharField(max_length=120), default=list)
    repeats = models.ForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="repeated_by")
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.WAITING)
    verdict = models.CharField(max_length=7, choices=Verdict.choices, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    command = models.CharField(max_length=500, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    deadline_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    message = models.CharField(max_length=500, blank=True)
    findings = models.JSONField(default=list, help_text="What the checks say of its outputs.")
    output = models.TextField(blank=True, help_text="The beginning of what it printed.")

    class Meta:
        ordering: ClassVar = ["run", "round", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "round", "number"], name="active_step_number"),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "running", "done", "cancelled"]), name="active_step_status_is_known"
            ),
            models.CheckConstraint(
                condition=Q(verdict__in=["", "pass", "fail", "unknown"]), name="active_step_verdict_is_known"
            ),
            models.CheckConstraint(condition=~Q(status="done", verdict=""), name="active_step_done_has_a_verdict"),
        ]

    def __str__(self) -> str:
        return f"step {self.number} of round {self.round}"
