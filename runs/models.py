"""Training runs, their ranks with the machines they run on, and their steps in packed pieces."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from core.audit.fields import JsonText
from core.models import Credential, Role, Site
from health.external.models import ReportSource
from health.models import Fault
from health.schedulers.models import SchedulerJob
from inventory.models import Machine


def by_report() -> list[str]:
    return ["report"]


class TrainingRun(models.Model):
    """One attempt of a training run, as its launcher reported it, or as it was found.

    `key` is what the launcher calls it (a job id, torchelastic's run id); with `attempt` and `repeat` it names the row
    at its site, so a requeued job, an elastic restart or a job id that is used again is a row of its own.
    """

    class FoundBy(models.TextChoices):
        REPORT = "report"
        SCHEDULER = "scheduler"
        PROCESSES = "processes"

    class State(models.TextChoices):
        STARTING = "starting"
        RUNNING = "running"
        SLOW = "slow"
        HUNG = "hung"
        UNKNOWN = "unknown", "unknown: no report"
        FAILED = "failed"
        ENDED = "ended", "ended from outside"
        COMPLETED = "completed"

    class StepsFrom(models.TextChoices):
        REPORT = "report"
        PROMETHEUS = "prometheus"

    UNSEEN: ClassVar = "unseen"

    LIVE: ClassVar = (State.STARTING, State.RUNNING, State.SLOW, State.HUNG, State.UNKNOWN)

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="training_runs")
    source = models.ForeignKey(ReportSource, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    key = models.CharField(max_length=120)
    attempt = models.PositiveIntegerField(default=0)
    repeat = models.PositiveIntegerField(default=0, help_text="How often this key and attempt were there before.")
    found_by = ArrayField(models.CharField(max_length=10, choices=FoundBy.choices), default=by_report)
    scheduler_job = models.ForeignKey(
        SchedulerJob, on_delete=models.SET_NULL, null=True, blank=True, related_name="training_runs"
    )
    rendezvous = models.CharField(max_length=200, blank=True, help_text="Where its ranks met, of their variables.")
    ranks_digest = models.CharField(max_length=32, blank=True, help_text="Of the processes that were seen last.")
    processes_seen_at = models.DateTimeField(null=True, blank=True)
    name = models.CharField(max_length=120, blank=True)
    user = models.CharField(max_length=64, blank=True)
    job = models.CharField(max_length=64, blank=True, help_text="The scheduler's id, such as 88213 or 88213_4.")
    launcher = models.CharField(max_length=32, blank=True)
    world_size = models.PositiveIntegerField(default=0)
    logs = models.CharField(max_length=500, blank=True, help_text="Where its logs are: a pattern of paths.")
    image = models.CharField(
        max_length=330, blank=True, db_default="", help_text="Of its containers, as the launcher names it."
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.STARTING)
    since = models.DateTimeField(db_default=Now(), help_text="When it came into this state.")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_as = models.CharField(
        max_length=20, blank=True, db_default="",
        help_text="The scheduler's word by which it ended, or `unseen`: nobody said how. Empty: its ranks said so.",
    )  # fmt: skip
    last_report_at = models.DateTimeField()
    lead_rank = models.PositiveIntegerField(null=True, blank=True, help_text="Whose steps make the curve.")
    steps = models.PositiveBigIntegerField(default=0)
    last_step = models.BigIntegerField(null=True, blank=True)
    last_step_at = models.DateTimeField(null=True, blank=True)
    steps_from = models.CharField(
        max_length=10, choices=StepsFrom.choices, blank=True, db_default="",
        help_text="Who tells its steps; what a launcher reports is never mixed with what was read elsewhere.",
    )  # fmt: skip
    metrics_at = models.DateTimeField(
        null=True, blank=True, help_text="The newest moment of which Prometheus knew its step."
    )
    metrics_to = models.DateTimeField(null=True, blank=True, help_text="Up to when Prometheus was read.")
    metrics_message = models.CharField(
        max_length=300,
        blank=True,
        db_default="",
        help_text="What Prometheus did not tell of it the last time, and why.",
    )
    baseline_s = models.FloatField(null=True, blank=True, help_text="A step at the run's own best pace.")
    recent_s = models.FloatField(null=True, blank=True, help_text="The median of its last steps.")
    checkpoint_step = models.BigIntegerField(null=True, blank=True, help_text="Of its last checkpoint, where told.")
    checkpoint_at = models.DateTimeField(null=True, blank=True)
    fault = models.ForeignKey(
        Fault, on_delete=models.SET_NULL, null=True, blank=True, related_name="+",
        help_text="What the verdict became or joined on the machine it names.",
    )  # fmt: skip
    expected_step_s = models.FloatField(null=True, blank=True, help_text="A step as it should be, as it was reported.")
    parameters = models.FloatField(null=True, blank=True, help_text="Of the model.")
    flops_per_token = models.FloatField(null=True, blank=True, help_text="Of the model, forward and backward.")
    settings = JsonText(default=dict, blank=True, help_text="What was reported of variables and versions.")
    verdict = JsonText(null=True, blank=True)
    evaluated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-started_at", "-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "key", "attempt", "repeat"], name="training_run_key"),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True) | Q(ended_at__gte=F("started_at")), name="training_run_ends_later"
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=False, state__in=["failed", "ended", "completed"])
                | Q(ended_at__isnull=True, state__in=["starting", "running", "slow", "hung", "unknown"]),
                name="training_run_live_or_ended",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["site", "-started_at"], name="training_run_by_time"),
            models.Index(fields=["site", "job"], name="training_run_job"),
            models.Index(fields=["last_report_at"], condition=Q(ended_at__isnull=True), name="training_run_live"),
        ]

    def __str__(self) -> str:
        return f"{self.name or self.key} · attempt {self.attempt}"


class RunRank(models.Model):
    """A process of a run. Two ranks may share a GPU, and a rank may have none."""

    run = models.ForeignKey(TrainingRun, on_delete=models.CASCADE, related_name="ranks")
    rank = models.PositiveIntegerField()
    machine = models.ForeignKey(Machine, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    machine_name = models.CharField(max_length=64, help_text="As the reporter calls it.")
    local_rank = models.PositiveIntegerField(default=0)
    slot = models.CharField(max_length=60, blank=True, help_text="The slot of its GPU; empty: not known.")
    serial = models.CharField(
        max_length=100, blank=True, db_default="", help_text="Of the GPU, when its process was seen."
    )
    slice = models.CharField(
        max_length=80, blank=True, db_default="", help_text="MIG slice; empty: a whole GPU, or not known."
    )
    pid = models.PositiveBigIntegerField(null=True, blank=True, help_text="Null: its process was not seen.")
    container = models.CharField(max_length=80, blank=True, db_default="")
    others = models.JSONField(
        default=list,
        db_default=models.Value([], models.JSONField()),
        blank=True,
        help_text="Further processes that call themselves this rank.",
    )
    gone_at = models.DateTimeField(null=True, blank=True, help_text="Its process was no longer there.")
    step = models.BigIntegerField(null=True, blank=True)
    step_at = models.DateTimeField(null=True, blank=True)
    step_s = models.FloatField(null=True, blank=True)
    compute_s = models.FloatField(null=True, blank=True, help_text="Of a step, without waiting for others.")
    wait_s = models.FloatField(null=True, blank=True, help_text="Of a step, waiting in collectives.")
    best_compute_s = models.FloatField(null=True, blank=True, help_text="The least that was reported.")
    clock_mhz = models.FloatField(null=True, blank=True, help_text="Of its GPU, as last reported.")
    power_w = models.FloatField(null=True, blank=True)
    temperature_c = models.FloatField(null=True, blank=True)
    error = models.TextField(blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["run", "rank"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "rank"], name="run_rank_key")]
        indexes: ClassVar = [models.Index(fields=["machine", "run"], name="run_rank_machine")]

    def __str__(self) -> str:
        return f"rank {self.rank}"


class StepPiece(models.Model):
    """Up to a thousand steps of a run, packed (`runs.pace.packed`), with the figures that a long curve needs."""

    run = models.ForeignKey(TrainingRun, on_delete=models.CASCADE, related_name="pieces")
    number = models.PositiveIntegerField()
    count = models.PositiveIntegerField()
    first_step = models.BigIntegerField()
    last_step = models.BigIntegerField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    median_s = models.FloatField()
    least_s = models.FloatField()
    most_s = models.FloatField()
    loss = models.FloatField(null=True, blank=True)
    tokens = models.BigIntegerField(default=0)
    packed = models.BinaryField()

    class Meta:
        ordering: ClassVar = ["run", "number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "number"], name="step_piece_key")]
        indexes: ClassVar = [models.Index(fields=["run", "ended_at"], name="step_piece_by_time")]

    def __str__(self) -> str:
        return f"steps {self.first_step} to {self.last_step}"


class HandOver(models.Model):
    """A machine that left a run and the one that came for it, as a person decided. Names stay when machines go."""

    run = models.ForeignKey(TrainingRun, on_delete=models.CASCADE, related_name="hand_overs")
    at = models.DateTimeField(db_default=Now())
    by = models.CharField(max_length=150)
    left = models.ForeignKey(Machine, on_delete=models.SET_NULL, null=True, related_name="+")
    left_name = models.CharField(max_length=64)
    came = models.ForeignKey(Machine, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    came_name = models.CharField(max_length=64, blank=True, help_text="Empty: the run goes on with fewer machines.")
    taken_out = models.BooleanField(default=False, help_text="It was taken out of service with it.")
    reason = models.CharField(max_length=300)

    class Meta:
        ordering: ClassVar = ["run", "at", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "left_name"], name="hand_over_once"),
        ]

    def __str__(self) -> str:
        return f"{self.left_name} replaced by {self.came_name or 'none'}"


# ---- evidence of its machines ----
class EvidenceSettings(models.Model):
    """What a site lets be collected of its runs, and where it lies."""

    site = models.OneToOneField(Site, on_delete=models.CASCADE, primary_key=True, related_name="evidence_settings")
    logs = models.TextField(blank=True, help_text="Patterns of paths, one a line, such as /logs/{job}/rank_{rank}.log.")
    dumps = models.CharField(max_length=500, blank=True, help_text="Pattern of flight-recorder dumps, with {rank}.")
    hangs = models.BooleanField(default=True, help_text="Collect by itself when a run hangs.")
    native_stacks = models.BooleanField(
        default=False, help_text="Stacks of native code too; each process is stopped for a moment."
    )
    log_role = models.CharField(
        max_length=16, choices=Role.choices, default=Role.OPERATOR, help_text="Who may read lines of logs, at least."
    )

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(log_role__in=Role.values), name="evidence_log_role_is_known")
        ]

    def __str__(self) -> str:
        return f"evidence of runs at {self.site_id}"


class Collection(models.Model):
    """Evidence fetched from the machines of a run, once; or all that its job pushed."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    class Reason(models.TextChoices):
        ASKED = "asked", "asked for by a person"
        HANG = "hang", "the run hangs"
        PUSHED = "pushed", "sent by its job"

    OPEN: ClassVar = (Status.QUEUED, Status.RUNNING)

    run = models.ForeignKey(TrainingRun, on_delete=models.CASCADE, related_name="collections")
    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="+")
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    reason = models.CharField(max_length=8, choices=Reason.choices, default=Reason.ASKED)
    requested_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    message = models.CharField(max_length=300, blank=True)
    summary = JsonText(null=True, blank=True, help_text="What all machines said, in short.")

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["run"],
                condition=Q(status__in=["queued", "running"]) & ~Q(reason="pushed"),
                name="one_open_collection_per_run",
            ),
            models.UniqueConstraint(
                fields=["run"], condition=Q(reason="pushed"), name="one_collection_of_pushed_logs_per_run"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["queued", "running", "done", "failed"]), name="collection_status_is_known"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["due_at"], condition=Q(status__in=["queued", "running"]), name="collection_open_by_due"
            )
        ]

    def __str__(self) -> str:
        return f"collection {self.pk} of run {self.run_id}"


class CollectedMachine(models.Model):
    """What came of one machine in a collection."""

    class Result(models.TextChoices):
        WAITING = "waiting"
        OK = "ok"
        PARTLY = "partly", "some of it could not be read"
        NOTHING = "nothing", "nothing was found"
        UNREACHABLE = "unreachable"
        REFUSED = "refused"
        TOO_LARGE = "too_large"
        CUT = "cut", "cut off"
        FAILED = "failed"

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="machines")
    machine = models.ForeignKey(Machine, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    name = models.CharField(max_length=64)
    ranks = models.JSONField(default=list, help_text="Global ranks on it.")
    pids = models.JSONField(default=dict, help_text="Process id to rank.")
    result = models.CharField(max_length=12, choices=Result.choices, default=Result.WAITING)
    message = models.CharField(max_length=300, blank=True)
    took_s = models.FloatField(null=True, blank=True)
    clock_ahead_s = models.FloatField(null=True, blank=True, help_text="Its clock against ours; null: not known.")
    answered_at = models.DateTimeField(null=True, blank=True)
    size = models.PositiveIntegerField(default=0, help_text="Bytes of the evidence, compressed.")
    evidence = models.BinaryField(default=b"")

    class Meta:
        ordering: ClassVar = ["collection", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["collection", "name"], name="collected_machine_key"),
            models.CheckConstraint(
                condition=Q(
                    result__in=[
                        "waiting", "ok", "partly", "nothing", "unreachable", "refused", "too_large", "cut", "failed"
                    ]
                ),
                name="collected_result_is_known",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.name} in collection {self.collection_id}"


# ---- what its launcher does not report ----
def no_queries() -> dict[str, str]:
    return {}


class MetricsSource(models.Model):
    """The Prometheus of a site that is asked for the steps of runs and the readings of their GPUs."""

    class SignIn(models.TextChoices):
        BEARER = "bearer", "bearer token"
        BASIC = "basic", "name and password"

    class State(models.TextChoices):
        NEVER = "never"
        GOOD = "good"
        PARTLY = "partly"
        FAILED = "failed"

    site = models.OneToOneField(Site, on_delete=models.CASCADE, primary_key=True, related_name="metrics_source")
    enabled = models.BooleanField(default=False, help_text="Whether it is read.")
    url = models.CharField(max_length=200, blank=True, help_text="Such as https://prometheus.example:9090.")
    credential = models.ForeignKey(
        Credential,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Its secret is the token, or the password of its user name; without one nobody signs in.",
    )
    sign_in = models.CharField(max_length=6, choices=SignIn.choices, default=SignIn.BEARER)
    authorities = models.TextField(
        blank=True, help_text="Certificates (PEM) of who signed the server's; empty: the system's authorities."
    )
    queries = models.JSONField(default=no_queries, blank=True, help_text="Kind to query, where it is not the default.")
    machine_label = models.CharField(
        max_length=60, default="Hostname", help_text="Label of a GPU's series that names its machine."
    )
    gpu_label = models.CharField(
        max_length=60, default="gpu", help_text="Label with the index of the GPU; pci_bus_id goes before it."
    )
    step_s = models.PositiveIntegerField(default=15, help_text="Between two points: not less than scrapes are apart.")
    state = models.CharField(max_length=6, choices=State.choices, default=State.NEVER)
    message = models.CharField(max_length=500, blank=True)
    tried_at = models.DateTimeField(null=True, blank=True)
    last_good_at = models.DateTimeField(null=True, blank=True)
    gpus_message = models.CharField(max_length=300, blank=True, help_text="What it does not tell of GPUs.")
    gpus_read_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(sign_in__in=["bearer", "basic"]), name="metrics_sign_in_is_known"),
            models.CheckConstraint(
                condition=Q(state__in=["never", "good", "partly", "failed"]), name="metrics_state_is_known"
            ),
            models.CheckConstraint(condition=Q(step_s__gte=1), name="metrics_step_is_some_time"),
            models.CheckConstraint(condition=Q(enabled=False) | ~Q(url=""), name="metrics_enabled_with_url"),
        ]

    def __str__(self) -> str:
        return f"Prometheus of {self.site_id}"


class GpuReading(models.Model):
    """What Prometheus says of the GPU of a rank, as the median of some minutes. Null: not known."""

    run = models.ForeignKey(TrainingRun, on_delete=models.CASCADE, related_name="gpu_readings")
    rank = models.PositiveIntegerField()
    at = models.DateTimeField()
    clock_mhz = models.FloatField(null=True, blank=True)
    power_w = models.FloatField(null=True, blank=True)
    temperature_c = models.FloatField(null=True, blank=True)
    tensor_active = models.FloatField(null=True, blank=True, help_text="Percent of the time.")

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "rank"], name="gpu_reading_key")]

    def __str__(self) -> str:
        return f"GPU of rank {self.rank}"
