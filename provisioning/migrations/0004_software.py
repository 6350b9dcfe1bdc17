"""Software runs. New tables: at once."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0003_kubernetes_credentials"),
        ("inventory", "0001_initial"),
        ("provisioning", "0003_intake"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="SoftwareRun",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "roles",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=40),
                                help_text="In the order in which they are done.",
                                size=None,
                            ),
                        ),
                        ("dry_run", models.BooleanField(default=True)),
                        (
                            "canary",
                            models.PositiveSmallIntegerField(default=1, help_text="So many machines go first, alone."),
                        ),
                        (
                            "limit",
                            models.PositiveIntegerField(default=8, help_text="Machines of a wave after the canary."),
                        ),
                        (
                            "stop_share",
                            models.FloatField(
                                default=0.2, help_text="Share of failed machines, over 0 to 1, that stops the run."
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "waiting"),
                                    ("running", "running"),
                                    ("done", "done"),
                                    ("failed", "failed"),
                                    ("stopped", "stopped"),
                                    ("cancelled", "cancelled"),
                                ],
                                default="waiting",
                                max_length=10,
                            ),
                        ),
                        (
                            "message",
                            models.CharField(
                                blank=True, help_text="Why it stopped, or what it waits for.", max_length=500
                            ),
                        ),
                        ("cancelled_by", models.CharField(blank=True, max_length=150)),
                        (
                            "attempts",
                            models.PositiveSmallIntegerField(
                                default=0, help_text="Times that the role under way was begun."
                            ),
                        ),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("created_by", models.CharField(max_length=150)),
                        (
                            "turn_at",
                            models.DateTimeField(
                                blank=True, help_text="When a worker last did a role of it.", null=True
                            ),
                        ),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="software_runs",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("status__in", ["waiting", "running", "done", "failed", "stopped", "cancelled"])
                                ),
                                name="software_run_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("limit__gte", 1)), name="software_run_limit_is_at_least_one"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("stop_share__gt", 0), ("stop_share__lte", 1)),
                                name="software_run_stop_share_is_a_share",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SoftwareMachine",
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
                                    ("waiting", "waiting"),
                                    ("running", "running"),
                                    ("ok", "ok"),
                                    ("failed", "failed"),
                                    ("unreachable", "unreachable"),
                                    ("refused", "refused"),
                                    ("cancelled", "cancelled"),
                                ],
                                default="waiting",
                                max_length=12,
                            ),
                        ),
                        ("wave", models.PositiveIntegerField(blank=True, null=True)),
                        ("outcomes", models.JSONField(default=dict, help_text="{role: outcome}")),
                        ("message", models.CharField(blank=True, max_length=1000)),
                        ("task_count", models.PositiveIntegerField(default=0)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="software_machines",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="provisioning.softwarerun",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run", "id"],
                        "constraints": [
                            models.UniqueConstraint(fields=("run", "machine"), name="machine_once_in_a_software_run"),
                            models.UniqueConstraint(
                                condition=models.Q(("status__in", ["waiting", "running"])),
                                fields=("machine",),
                                name="machine_in_one_open_software_run",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "status__in",
                                        ["waiting", "running", "ok", "failed", "unreachable", "refused", "cancelled"],
                                    )
                                ),
                                name="software_machine_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SoftwareTask",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("n", models.PositiveIntegerField()),
                        ("at", models.DateTimeField(auto_now_add=True)),
                        ("role", models.CharField(blank=True, max_length=40)),
                        ("task", models.CharField(max_length=200)),
                        (
                            "outcome",
                            models.CharField(
                                choices=[
                                    ("ok", "ok"),
                                    ("changed", "changed"),
                                    ("failed", "failed"),
                                    ("unreachable", "unreachable"),
                                    ("skipped", "skipped"),
                                ],
                                max_length=12,
                            ),
                        ),
                        ("text", models.CharField(blank=True, max_length=1000)),
                        ("duration_s", models.FloatField(blank=True, null=True)),
                        (
                            "run_machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="tasks",
                                to="provisioning.softwaremachine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run_machine", "n"],
                        "constraints": [
                            models.UniqueConstraint(fields=("run_machine", "n"), name="software_task_number"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("outcome__in", ["ok", "changed", "failed", "unreachable", "skipped"])
                                ),
                                name="software_task_outcome_is_known",
                            ),
                        ],
                    },
                ),
            ]
        )
    ]
