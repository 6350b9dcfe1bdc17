"""What jobs ask for and whose they are, what waits, partitions, reservations; processes on GPUs. Columns with a default: at once."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("health", "0004_public_names"),
        ("inventory", "0001_initial"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.AddField(
                    model_name="schedulerjob",
                    name="component",
                    field=models.PositiveIntegerField(
                        help_text="Of the heterogeneous job that is the label.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="schedulerjob",
                    name="gpus",
                    field=models.PositiveIntegerField(help_text="Null: the scheduler does not say.", null=True),
                ),
                migrations.AddField(
                    model_name="schedulerjob",
                    name="label",
                    field=models.CharField(
                        blank=True, help_text="As people call it: 88213_4; empty: as its id.", max_length=60
                    ),
                ),
                migrations.AddField(
                    model_name="schedulerjob",
                    name="name",
                    field=models.CharField(blank=True, max_length=120),
                ),
                migrations.AddField(
                    model_name="schedulerjob",
                    name="qos",
                    field=models.CharField(blank=True, max_length=60),
                ),
                migrations.AddField(
                    model_name="schedulerjob",
                    name="reservation",
                    field=models.CharField(blank=True, max_length=120),
                ),
                migrations.AddField(
                    model_name="schedulerjob",
                    name="restarts",
                    field=models.PositiveIntegerField(default=0, help_text="How often it was put back in the queue."),
                ),
                migrations.AddField(
                    model_name="schedulerjob",
                    name="submitted_at",
                    field=models.DateTimeField(null=True),
                ),
                migrations.AddField(
                    model_name="schedulerjob",
                    name="time_limit_s",
                    field=models.PositiveBigIntegerField(
                        help_text="Null: none, or the scheduler does not say.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="schedulerjob",
                    name="user",
                    field=models.CharField(blank=True, max_length=64),
                ),
            ],
        ),
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="GpuProcesses",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="gpu_processes",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        ("boot_id", models.CharField(blank=True, max_length=36)),
                        ("booted_at", models.DateTimeField(help_text="The start of the machine by our clock.")),
                        (
                            "trouble",
                            models.CharField(
                                blank=True, help_text="Why it is not known what runs; empty: it is.", max_length=300
                            ),
                        ),
                        (
                            "processes",
                            models.JSONField(
                                default=list,
                                help_text="pid, parent, started_s after the start, user, container, gpus, variables of each.",
                            ),
                        ),
                        ("digest", models.CharField(max_length=32)),
                        ("changed_at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="SchedulerPartition",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        (
                            "state",
                            models.CharField(
                                blank=True, help_text="The scheduler's word; empty: it does not say.", max_length=20
                            ),
                        ),
                        ("default", models.BooleanField(default=False)),
                        ("max_time_s", models.PositiveBigIntegerField(null=True)),
                        ("priority_tier", models.PositiveIntegerField(null=True)),
                        (
                            "machine_count",
                            models.PositiveIntegerField(help_text="Of all its machines, also those that are not ours."),
                        ),
                        (
                            "machine_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.BigIntegerField(), help_text="Ours among them.", size=None
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="partitions",
                                to="health.schedulersource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["source", "name"],
                        "constraints": [models.UniqueConstraint(fields=("source", "name"), name="partition_once")],
                    },
                ),
                migrations.CreateModel(
                    name="SchedulerReservation",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=120)),
                        ("holders", models.CharField(blank=True, help_text="Users or accounts.", max_length=300)),
                        ("starts_at", models.DateTimeField()),
                        ("ends_at", models.DateTimeField(help_text="Null: without an end.", null=True)),
                        ("machine_count", models.PositiveIntegerField()),
                        (
                            "machine_ids",
                            django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="reservations",
                                to="health.schedulersource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["source", "starts_at", "name"],
                        "constraints": [
                            models.UniqueConstraint(fields=("source", "name"), name="scheduler_reservation_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="WaitingJob",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("job_id", models.CharField(max_length=40)),
                        ("label", models.CharField(help_text="As people call it: 88213_4.", max_length=60)),
                        (
                            "component",
                            models.PositiveIntegerField(
                                help_text="Of the heterogeneous job that is the label.", null=True
                            ),
                        ),
                        ("name", models.CharField(blank=True, max_length=120)),
                        ("user", models.CharField(blank=True, max_length=64)),
                        ("account", models.CharField(blank=True, max_length=60)),
                        (
                            "partition",
                            models.CharField(
                                blank=True, help_text="More than one where it may start in any.", max_length=120
                            ),
                        ),
                        ("qos", models.CharField(blank=True, max_length=60)),
                        ("reservation", models.CharField(blank=True, max_length=120)),
                        ("priority", models.PositiveBigIntegerField(null=True)),
                        (
                            "why",
                            models.CharField(
                                blank=True, help_text="The scheduler's word for why it waits.", max_length=120
                            ),
                        ),
                        ("machine_count", models.PositiveIntegerField(help_text="The least that it takes.", null=True)),
                        ("gpus", models.PositiveIntegerField(null=True)),
                        ("submitted_at", models.DateTimeField(null=True)),
                        (
                            "expected_at",
                            models.DateTimeField(help_text="When the scheduler means to start it.", null=True),
                        ),
                        ("time_limit_s", models.PositiveBigIntegerField(null=True)),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="waiting",
                                to="health.schedulersource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": [
                            "source",
                            models.OrderBy(models.F("priority"), descending=True, nulls_last=True),
                            "submitted_at",
                            "id",
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("source", "job_id", "label"), name="waiting_job_once")
                        ],
                    },
                ),
            ],
        ),
    ]
