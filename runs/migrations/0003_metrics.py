"""Steps of runs and readings of GPUs from a site's Prometheus; by whose word a run ended."""

import django.db.models.deletion
from django.db import migrations, models

import runs.models
from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0002_credentials_for_prometheus"),
        ("runs", "0002_found_and_collected"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.AddField(
                    model_name="trainingrun",
                    name="ended_as",
                    field=models.CharField(
                        blank=True,
                        db_default="",
                        help_text="The scheduler's word by which it ended, or `unseen`: nobody said how. Empty: its ranks said so.",
                        max_length=20,
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="steps_from",
                    field=models.CharField(
                        blank=True,
                        choices=[("report", "Report"), ("prometheus", "Prometheus")],
                        db_default="",
                        help_text="Who tells its steps; what a launcher reports is never mixed with what was read elsewhere.",
                        max_length=10,
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="metrics_at",
                    field=models.DateTimeField(
                        blank=True, help_text="The newest moment of which Prometheus knew its step.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="metrics_to",
                    field=models.DateTimeField(blank=True, help_text="Up to when Prometheus was read.", null=True),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="metrics_message",
                    field=models.CharField(
                        blank=True,
                        db_default="",
                        help_text="What Prometheus did not tell of it the last time, and why.",
                        max_length=300,
                    ),
                ),
                migrations.CreateModel(
                    name="MetricsSource",
                    fields=[
                        (
                            "site",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="metrics_source",
                                serialize=False,
                                to="core.site",
                            ),
                        ),
                        ("enabled", models.BooleanField(default=False, help_text="Whether it is read.")),
                        (
                            "url",
                            models.CharField(
                                blank=True, help_text="Such as https://prometheus.example:9090.", max_length=200
                            ),
                        ),
                        (
                            "sign_in",
                            models.CharField(
                                choices=[("bearer", "bearer token"), ("basic", "name and password")],
                                default="bearer",
                                max_length=6,
                            ),
                        ),
                        (
                            "authorities",
                            models.TextField(
                                blank=True,
                                help_text="Certificates (PEM) of who signed the server's; empty: the system's authorities.",
                            ),
                        ),
                        (
                            "queries",
                            models.JSONField(
                                blank=True,
                                default=runs.models.no_queries,
                                help_text="Kind to query, where it is not the default.",
                            ),
                        ),
                        (
                            "machine_label",
                            models.CharField(
                                default="Hostname",
                                help_text="Label of a GPU's series that names its machine.",
                                max_length=60,
                            ),
                        ),
                        (
                            "gpu_label",
                            models.CharField(
                                default="gpu",
                                help_text="Label with the index of the GPU; pci_bus_id goes before it.",
                                max_length=60,
                            ),
                        ),
                        (
                            "step_s",
                            models.PositiveIntegerField(
                                default=15, help_text="Between two points: not less than scrapes are apart."
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("never", "Never"),
                                    ("good", "Good"),
                                    ("partly", "Partly"),
                                    ("failed", "Failed"),
                                ],
                                default="never",
                                max_length=6,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("tried_at", models.DateTimeField(blank=True, null=True)),
                        ("last_good_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "gpus_message",
                            models.CharField(blank=True, help_text="What it does not tell of GPUs.", max_length=300),
                        ),
                        ("gpus_read_at", models.DateTimeField(blank=True, editable=False, null=True)),
                        (
                            "credential",
                            models.ForeignKey(
                                blank=True,
                                help_text="Its secret is the token, or the password of its user name; without one nobody signs in.",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="core.credential",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("sign_in__in", ["bearer", "basic"])),
                                name="metrics_sign_in_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ["never", "good", "partly", "failed"])),
                                name="metrics_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("step_s__gte", 1)), name="metrics_step_is_some_time"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("enabled", False), models.Q(("url", ""), _negated=True), _connector="OR"
                                ),
                                name="metrics_enabled_with_url",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="GpuReading",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("rank", models.PositiveIntegerField()),
                        ("at", models.DateTimeField()),
                        ("clock_mhz", models.FloatField(blank=True, null=True)),
                        ("power_w", models.FloatField(blank=True, null=True)),
                        ("temperature_c", models.FloatField(blank=True, null=True)),
                        (
                            "tensor_active",
                            models.FloatField(blank=True, help_text="Percent of the time.", null=True),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="gpu_readings",
                                to="runs.trainingrun",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [models.UniqueConstraint(fields=("run", "rank"), name="gpu_reading_key")],
                    },
                ),
            ],
        ),
    ]
