"""What was found without a report, evidence of machines, hand-overs, what a run costs and how it should go."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import core.audit.fields
import runs.models
from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0001_initial"),
        ("health", "0005_jobs_and_processes"),
        ("inventory", "0001_initial"),
        ("runs", "0001_initial"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.RemoveConstraint(
                    model_name="trainingrun",
                    name="training_run_key",
                ),
                migrations.AddField(
                    model_name="runrank",
                    name="best_compute_s",
                    field=models.FloatField(blank=True, help_text="The least that was reported.", null=True),
                ),
                migrations.AddField(
                    model_name="runrank",
                    name="clock_mhz",
                    field=models.FloatField(blank=True, help_text="Of its GPU, as last reported.", null=True),
                ),
                migrations.AddField(
                    model_name="runrank",
                    name="container",
                    field=models.CharField(blank=True, db_default="", max_length=80),
                ),
                migrations.AddField(
                    model_name="runrank",
                    name="gone_at",
                    field=models.DateTimeField(blank=True, help_text="Its process was no longer there.", null=True),
                ),
                migrations.AddField(
                    model_name="runrank",
                    name="others",
                    field=models.JSONField(
                        blank=True,
                        db_default=models.Value([], models.JSONField()),
                        default=list,
                        help_text="Further processes that call themselves this rank.",
                    ),
                ),
                migrations.AddField(
                    model_name="runrank",
                    name="pid",
                    field=models.PositiveBigIntegerField(
                        blank=True, help_text="Null: its process was not seen.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="runrank",
                    name="power_w",
                    field=models.FloatField(blank=True, null=True),
                ),
                migrations.AddField(
                    model_name="runrank",
                    name="serial",
                    field=models.CharField(
                        blank=True, db_default="", help_text="Of the GPU, when its process was seen.", max_length=100
                    ),
                ),
                migrations.AddField(
                    model_name="runrank",
                    name="slice",
                    field=models.CharField(
                        blank=True,
                        db_default="",
                        help_text="MIG slice; empty: a whole GPU, or not known.",
                        max_length=80,
                    ),
                ),
                migrations.AddField(
                    model_name="runrank",
                    name="temperature_c",
                    field=models.FloatField(blank=True, null=True),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="checkpoint_at",
                    field=models.DateTimeField(blank=True, null=True),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="checkpoint_step",
                    field=models.BigIntegerField(
                        blank=True, help_text="Of its last checkpoint, where told.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="expected_step_s",
                    field=models.FloatField(
                        blank=True, help_text="A step as it should be, as it was reported.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="fault",
                    field=models.ForeignKey(
                        blank=True,
                        help_text="What the verdict became or joined on the machine it names.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="health.fault",
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="flops_per_token",
                    field=models.FloatField(blank=True, help_text="Of the model, forward and backward.", null=True),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="found_by",
                    field=django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[("report", "Report"), ("scheduler", "Scheduler"), ("processes", "Processes")],
                            max_length=10,
                        ),
                        default=runs.models.by_report,
                        size=None,
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="logs",
                    field=models.CharField(
                        blank=True, help_text="Where its logs are: a pattern of paths.", max_length=500
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="parameters",
                    field=models.FloatField(blank=True, help_text="Of the model.", null=True),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="processes_seen_at",
                    field=models.DateTimeField(blank=True, null=True),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="ranks_digest",
                    field=models.CharField(
                        blank=True, help_text="Of the processes that were seen last.", max_length=32
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="rendezvous",
                    field=models.CharField(
                        blank=True, help_text="Where its ranks met, of their variables.", max_length=200
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="repeat",
                    field=models.PositiveIntegerField(
                        default=0, help_text="How often this key and attempt were there before."
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="scheduler_job",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="training_runs",
                        to="health.schedulerjob",
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="settings",
                    field=core.audit.fields.JsonText(
                        blank=True, default=dict, help_text="What was reported of variables and versions."
                    ),
                ),
                migrations.AddIndex(
                    model_name="trainingrun",
                    index=models.Index(fields=["site", "job"], name="training_run_job"),
                ),
                migrations.AddConstraint(
                    model_name="trainingrun",
                    constraint=models.UniqueConstraint(
                        fields=("site", "key", "attempt", "repeat"), name="training_run_key"
                    ),
                ),
            ],
        ),
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="CollectedMachine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=64)),
                        ("ranks", models.JSONField(default=list, help_text="Global ranks on it.")),
                        ("pids", models.JSONField(default=dict, help_text="Process id to rank.")),
                        (
                            "result",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("ok", "Ok"),
                                    ("partly", "some of it could not be read"),
                                    ("nothing", "nothing was found"),
                                    ("unreachable", "Unreachable"),
                                    ("refused", "Refused"),
                                    ("too_large", "Too Large"),
                                    ("cut", "cut off"),
                                    ("failed", "Failed"),
                                ],
                                default="waiting",
                                max_length=12,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=300)),
                        ("took_s", models.FloatField(blank=True, null=True)),
                        (
                            "clock_ahead_s",
                            models.FloatField(
                                blank=True, help_text="Its clock against ours; null: not known.", null=True
                            ),
                        ),
                        ("answered_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "size",
                            models.PositiveIntegerField(default=0, help_text="Bytes of the evidence, compressed."),
                        ),
                        ("evidence", models.BinaryField(default=b"")),
                        (
                            "machine",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "collection",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="runs.collection",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["collection", "name"],
                        "constraints": [
                            models.UniqueConstraint(fields=("collection", "name"), name="collected_machine_key"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "result__in",
                                        [
                                            "waiting",
                                            "ok",
                                            "partly",
                                            "nothing",
                                            "unreachable",
                                            "refused",
                                            "too_large",
                                            "cut",
                                            "failed",
                                        ],
                                    )
                                ),
                                name="collected_result_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Collection",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("queued", "Queued"),
                                    ("running", "Running"),
                                    ("done", "Done"),
                                    ("failed", "Failed"),
                                ],
                                default="queued",
                                max_length=8,
                            ),
                        ),
                        (
                            "reason",
                            models.CharField(
                                choices=[("asked", "asked for by a person"), ("hang", "the run hangs")],
                                default="asked",
                                max_length=8,
                            ),
                        ),
                        ("requested_by", models.CharField(blank=True, max_length=150)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("due_at", models.DateTimeField(blank=True, null=True)),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("message", models.CharField(blank=True, max_length=300)),
                        (
                            "summary",
                            core.audit.fields.JsonText(
                                blank=True, help_text="What all machines said, in short.", null=True
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="collections",
                                to="runs.trainingrun",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status__in", ["queued", "running"])),
                                fields=["due_at"],
                                name="collection_open_by_due",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("status__in", ["queued", "running"])),
                                fields=("run",),
                                name="one_open_collection_per_run",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["queued", "running", "done", "failed"])),
                                name="collection_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="EvidenceSettings",
                    fields=[
                        (
                            "site",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="evidence_settings",
                                serialize=False,
                                to="core.site",
                            ),
                        ),
                        (
                            "logs",
                            models.TextField(
                                blank=True,
                                help_text="Patterns of paths, one a line, such as /logs/{job}/rank_{rank}.log.",
                            ),
                        ),
                        (
                            "dumps",
                            models.CharField(
                                blank=True, help_text="Pattern of flight-recorder dumps, with {rank}.", max_length=500
                            ),
                        ),
                        ("hangs", models.BooleanField(default=True, help_text="Collect by itself when a run hangs.")),
                        (
                            "native_stacks",
                            models.BooleanField(
                                default=False,
                                help_text="Stacks of native code too; each process is stopped for a moment.",
                            ),
                        ),
                        (
                            "log_role",
                            models.CharField(
                                choices=[
                                    ("viewer", "Viewer"),
                                    ("technician", "Technician"),
                                    ("operator", "Operator"),
                                    ("admin", "Admin"),
                                ],
                                default="operator",
                                help_text="Who may read lines of logs, at least.",
                                max_length=16,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("log_role__in", ["viewer", "technician", "operator", "admin"])),
                                name="evidence_log_role_is_known",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="HandOver",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("by", models.CharField(max_length=150)),
                        ("left_name", models.CharField(max_length=64)),
                        (
                            "came_name",
                            models.CharField(
                                blank=True, help_text="Empty: the run goes on with fewer machines.", max_length=64
                            ),
                        ),
                        (
                            "taken_out",
                            models.BooleanField(default=False, help_text="It was taken out of service with it."),
                        ),
                        ("reason", models.CharField(max_length=300)),
                        (
                            "came",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "left",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="hand_overs",
                                to="runs.trainingrun",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run", "at", "id"],
                        "constraints": [models.UniqueConstraint(fields=("run", "left_name"), name="hand_over_once")],
                    },
                ),
            ],
        ),
    ]
