"""The scheduler of a site, what it says of its machines, and what we wish of it."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.models import Credential, Site
from inventory.models import Machine

FACTS = ("idle", "allocated", "drained", "down", "unknown")


def all_roles() -> list[str]:
    """Every role: the default of `SchedulerSource.roles`."""
    return []


def no_names() -> dict[str, str]:
    return {}


def no_steps() -> list[dict[str, object]]:
    return []


def no_containers() -> list[str]:
    return []


IS_READ = ~Q(kind="none")
"""Sources whose scheduler gives work to machines."""


class SchedulerSource(models.Model):
    """How the scheduler of one site is read and written.

    That a machine has none is never assumed: a person declares it of the pool (`Pool.no_scheduler`).
    """

    class Kind(models.TextChoices):
        SLURM = "slurm"
        KUBERNETES = "kubernetes"
        NONE = "none"

    class State(models.TextChoices):
        NEVER = "never"
        GOOD = "good"
        STALE = "stale"
        FAILED = "failed"

    site = models.OneToOneField(Site, on_delete=models.CASCADE, related_name="scheduler")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.SLURM)
    enabled = models.BooleanField(default=True, help_text="Off: nothing is read or sent; desired states wait.")
    url = models.CharField(
        max_length=200, blank=True, help_text="Of slurmrestd, or of the Kubernetes API; empty: read by scontrol."
    )
    api_version = models.CharField(max_length=10, blank=True, help_text="Such as v0.0.40; empty: the newest of both.")
    credential = models.ForeignKey(
        Credential,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="User name, with a token or the cluster's JWT key in base64 as its secret. Kubernetes: the token "
        "of a service account.",
    )
    ca = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="Kubernetes: the authority that signed the certificate of the url, in PEM; empty: one that this "
        "server trusts.",
    )
    user_label = models.CharField(
        max_length=317,
        blank=True,
        default="",
        db_default="",
        help_text="Kubernetes: the label of pods that says whose they are; empty: none does.",
    )
    certificate = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the certificate of the url.")
    machine = models.ForeignKey(
        Machine,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="To run scontrol on, reached as its access says.",
    )
    ssh_address = models.CharField(max_length=200, blank=True, help_text="ADDRESS or ADDRESS:PORT instead of it.")
    ssh_credential = models.ForeignKey(Credential, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    ssh_identity = models.CharField(max_length=800, blank=True, help_text="Its public host key.")
    local = models.BooleanField(default=False, help_text="Run scontrol where the workers run.")
    sudo = models.BooleanField(default=False, help_text="Write by sudo -n scontrol.")
    partition = models.CharField(
        max_length=60,
        blank=True,
        help_text="Only machines of this partition; Kubernetes: nodes with these labels (KEY=VALUE,..); empty: all.",
    )
    roles = models.JSONField(default=all_roles, blank=True, help_text="Roles of machines that it runs; empty: all.")
    names = models.JSONField(default=no_names, blank=True, help_text="{our name: its name} where they differ.")
    period_s = models.PositiveIntegerField(default=15)
    stale_after_s = models.PositiveIntegerField(default=120, help_text="Older news is unknown.")
    settle_s = models.PositiveIntegerField(
        default=30, help_text="Two checks without a job, this far apart, make a draining machine drained."
    )
    state = models.CharField(max_length=6, choices=State.choices, default=State.NEVER)
    message = models.CharField(max_length=500, blank=True)
    tried_at = models.DateTimeField(null=True, blank=True)
    last_read_at = models.DateTimeField(null=True, blank=True)
    since = models.BigIntegerField(null=True, blank=True, help_text="What changes are asked from, by its own clock.")
    history_read_to = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Until when the accounting was read."
    )
    history_tried_at = models.DateTimeField(null=True, blank=True, editable=False)
    history_message = models.CharField(
        max_length=500, blank=True, editable=False, help_text="Why the accounting was not read."
    )
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["site"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(kind__in=["slurm", "kubernetes", "none"]), name="scheduler_kind_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["never", "good", "stale", "failed"]), name="scheduler_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(period_s__gte=1, stale_after_s__gte=models.F("period_s")), name="scheduler_is_read_in_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.site}"


class SchedulerMachine(models.Model):
    """What the scheduler said of one machine at its last answer. `machine` is ours of that name, if there is one."""

    source = models.ForeignKey(SchedulerSource, on_delete=models.CASCADE, related_name="machines")
    machine = models.ForeignKey(Machine, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    name = models.CharField(max_length=64)
    state = models.CharField(max_length=9, choices=[(word, word) for word in FACTS])
    words = models.CharField(max_length=200, blank=True, help_text="The scheduler's own words.")
    closed = models.BooleanField(help_text="No new job starts there.")
    answers = models.BooleanField(help_text="The scheduler reaches the machine.")
    jobs = models.PositiveIntegerField(null=True, help_text="Null: the scheduler does not say.")
    reason = models.CharField(max_length=300, blank=True)
    reason_by = models.CharField(max_length=100, blank=True)
    reason_at = models.DateTimeField(null=True)
    cpus = models.PositiveIntegerField(null=True)
    memory_mb = models.PositiveBigIntegerField(null=True)
    gpus = models.PositiveIntegerField(null=True)
    reserved_from = models.DateTimeField(null=True, help_text="Begin of the next or present reservation of others.")
    reserved_until = models.DateTimeField(null=True)
    reservation = models.CharField(max_length=200, blank=True)
    since = models.DateTimeField(help_text="It says so since.")

    class Meta:
        ordering: ClassVar = ["source", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "name"], name="one_row_per_machine_of_a_scheduler"),
            models.CheckConstraint(condition=Q(state__in=FACTS), name="scheduler_machine_state_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.name} is {self.state}"


class SchedulerWish(models.Model):
    """What the scheduler should do with one machine, written with the change of state and sent after it.

    `written` is the reason that we wrote or are about to write, word for word: by it our own drain is known again. It
    is saved before anything is sent, so that a worker that dies in between leaves no drain that nobody owns.
    """

    class Want(models.TextChoices):
        DRAIN = "drain"
        RESUME = "resume"

    class Status(models.TextChoices):
        WAITING = "waiting"
        DONE = "done"
        THEIRS = "theirs", "Somebody else has the say"

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="scheduler_wish")
    want = models.CharField(max_length=6, choices=Want.choices)
    status = models.CharField(max_length=7, choices=Status.choices, default=Status.WAITING)
    reason = models.CharField(max_length=300, blank=True)
    written = models.CharField(max_length=200, blank=True)
    version = models.PositiveIntegerField(default=0, help_text="Grows with every new desired state.")
    wished_at = models.DateTimeField(db_default=Now())
    by = models.CharField(max_length=150, blank=True, help_text="A person, or the part of the service that wanted it.")
    tries = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField(db_default=Now())
    error = models.CharField(max_length=500, blank=True, help_text="Why it is not done yet, or what stands in its way.")
    done_at = models.DateTimeField(null=True, blank=True)
    idle_since = models.DateTimeField(
        null=True, blank=True, help_text="First check that found no job, since the last one."
    )
    follow = models.JSONField(default=dict, blank=True, help_text="What a person wants done once it is drained.")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(want__in=["drain", "resume"]), name="scheduler_wish_is_known"),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "done", "theirs"]), name="scheduler_wish_status_is_known"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["next_try_at"], name="scheduler_wish_due", condition=Q(status="waiting")),
        ]

    def __str__(self) -> str:
        return f"{self.want} {self.machine_id}: {self.status}"


class SchedulerChange(models.Model):
    """A machine was drained, resumed, went down or came back at the scheduler; `ours` when we did it."""

    class Kind(models.TextChoices):
        DRAINED = "drained"
        RESUMED = "resumed"
        DOWN = "down"
        UP = "up"

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="scheduler_changes")
    at = models.DateTimeField(db_default=Now())
    kind = models.CharField(max_length=7, choices=Kind.choices)
    ours = models.BooleanField()
    reason = models.CharField(max_length=300, blank=True)
    by = models.CharField(max_length=100, blank=True, help_text="As the scheduler says; empty when it does not.")

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(kind__in=["drained", "resumed", "down", "up"]), name="scheduler_change_is_known"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["machine", "-at"], name="scheduler_of_machine")]


class SchedulerJob(models.Model):
    """A run of a job on machines of ours, as the scheduler listed it; deleted after a year.

    Whose it is is given out by `health.schedulers.people` alone. A job that is started again has a row for each run.
    One whose end nobody saw ends `unknown` when that was noticed.
    """

    source = models.ForeignKey(SchedulerSource, on_delete=models.CASCADE, related_name="jobs")
    job_id = models.CharField(max_length=40)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=20, help_text="The scheduler's word, or unknown.")
    exit_status = models.PositiveSmallIntegerField(null=True)
    signal = models.PositiveSmallIntegerField(null=True)
    why = models.CharField(max_length=60, blank=True)
    partition = models.CharField(max_length=60, blank=True)
    account = models.CharField(max_length=60, blank=True)
    machine_count = models.PositiveIntegerField(help_text="Of all its machines, also those that are not ours.")
    machine_ids = ArrayField(models.BigIntegerField(), help_text="Ours among them.")
    label = models.CharField(max_length=60, blank=True, help_text="As people call it: 88213_4; empty: as its id.")
    component = models.PositiveIntegerField(null=True, help_text="Of the heterogeneous job that is the label.")
    restarts = models.PositiveIntegerField(default=0, help_text="How often it was put back in the queue.")
    gpus = models.PositiveIntegerField(null=True, help_text="Null: the scheduler does not say.")
    name = models.CharField(max_length=120, blank=True)
    user = models.CharField(max_length=64, blank=True)
    qos = models.CharField(max_length=60, blank=True)
    reservation = models.CharField(max_length=120, blank=True)
    submitted_at = models.DateTimeField(null=True)
    time_limit_s = models.PositiveBigIntegerField(null=True, help_text="Null: none, or the scheduler does not say.")
    steps = models.JSONField(default=no_steps, help_text="Calls of srun, as the accounting tells them; the last 100.")
    containers = ArrayField(
        models.CharField(max_length=12),
        default=no_containers,
        db_default=[],
        help_text="Begins of the ids of its containers, where the scheduler knows them.",
    )

    class Meta:
        ordering: ClassVar = ["-started_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "job_id", "started_at"], name="scheduler_job_once"),
            models.CheckConstraint(condition=Q(machine_count__gte=1), name="scheduler_job_has_machines"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["source", "ended_at"], name="scheduler_job_ended"),
            GinIndex(fields=["machine_ids"], name="scheduler_job_machines"),
        ]

    def __str__(self) -> str:
        return f"job {self.job_id}: {self.state}"


class WaitingJob(models.Model):
    """A job that waits, as of the scheduler's last answer; the row goes when it starts, or is taken back."""

    source = models.ForeignKey(SchedulerSource, on_delete=models.CASCADE, related_name="waiting")
    job_id = models.CharField(max_length=40)
    label = models.CharField(max_length=60, help_text="As people call it: 88213_4.")
    component = models.PositiveIntegerField(null=True, help_text="Of the heterogeneous job that is the label.")
    name = models.CharField(max_length=120, blank=True)
    user = models.CharField(max_length=64, blank=True)
    account = models.CharField(max_length=60, blank=True)
    partition = models.CharField(max_length=120, blank=True, help_text="More than one where it may start in any.")
    qos = models.CharField(max_length=60, blank=True)
    reservation = models.CharField(max_length=120, blank=True)
    priority = models.PositiveBigIntegerField(null=True)
    why = models.CharField(max_length=120, blank=True, help_text="The scheduler's word for why it waits.")
    machine_count = models.PositiveIntegerField(null=True, help_text="The least that it takes.")
    gpus = models.PositiveIntegerField(null=True)
    submitted_at = models.DateTimeField(null=True)
    expected_at = models.DateTimeField(null=True, help_text="When the scheduler means to start it.")
    time_limit_s = models.PositiveBigIntegerField(null=True)

    class Meta:
        ordering: ClassVar = ["source", models.F("priority").desc(nulls_last=True), "submitted_at", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "job_id", "label"], name="waiting_job_once"),
        ]

    def __str__(self) -> str:
        return f"job {self.label} waits"


class SchedulerPartition(models.Model):
    """A partition of the scheduler with its machines, as of its last answer."""

    source = models.ForeignKey(SchedulerSource, on_delete=models.CASCADE, related_name="partitions")
    name = models.CharField(max_length=60)
    state = models.CharField(max_length=20, blank=True, help_text="The scheduler's word; empty: it does not say.")
    default = models.BooleanField(default=False)
    max_time_s = models.PositiveBigIntegerField(null=True)
    priority_tier = models.PositiveIntegerField(null=True)
    machine_count = models.PositiveIntegerField(help_text="Of all its machines, also those that are not ours.")
    machine_ids = ArrayField(models.BigIntegerField(), help_text="Ours among them.")

    class Meta:
        ordering: ClassVar = ["source", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "name"], name="partition_once"),
        ]

    def __str__(self) -> str:
        return f"partition {self.name}"


class SchedulerReservation(models.Model):
    """A reservation of the scheduler, present or to come, as of its last answer."""

    source = models.ForeignKey(SchedulerSource, on_delete=models.CASCADE, related_name="reservations")
    name = models.CharField(max_length=120)
    holders = models.CharField(max_length=300, blank=True, help_text="Users or accounts.")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, help_text="Null: without an end.")
    machine_count = models.PositiveIntegerField()
    machine_ids = ArrayField(models.BigIntegerField())

    class Meta:
        ordering: ClassVar = ["source", "starts_at", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "name"], name="scheduler_reservation_once"),
        ]

    def __str__(self) -> str:
        return f"reservation {self.name}"
