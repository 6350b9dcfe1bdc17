import core.jobs.models
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("core", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AtOnce(
            [
                migrations.CreateModel(
                    name="Job",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("kind", models.CharField(help_text="What is done, such as import.", max_length=30)),
                        (
                            "role_limit",
                            models.CharField(
                                choices=[
                                    ("viewer", "Viewer"),
                                    ("technician", "Technician"),
                                    ("operator", "Operator"),
                                    ("admin", "Admin"),
                                ],
                                default="admin",
                                help_text="Ceiling of the token it was asked with.",
                                max_length=16,
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("queued", "queued"),
                                    ("running", "running"),
                                    ("done", "done"),
                                    ("refused", "refused"),
                                    ("failed", "failed"),
                                ],
                                default="queued",
                                max_length=8,
                            ),
                        ),
                        ("options", models.JSONField(default=dict)),
                        ("progress", models.JSONField(default=core.jobs.models.no_progress)),
                        ("result", models.JSONField(default=dict)),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "heard_at",
                            models.DateTimeField(
                                blank=True, help_text="Last heartbeat of the worker.", null=True
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="core.site",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="jobs",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status__in", ["queued", "running"])),
                                fields=["status"],
                                name="job_open",
                            ),
                            models.Index(fields=["created_at"], name="job_created"),
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ("queued", "running", "done", "refused", "failed"))),
                                name="job_status_is_known",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="JobFile",
                    fields=[
                        (
                            "job",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="file",
                                serialize=False,
                                to="core_jobs.job",
                            ),
                        ),
                        ("name", models.CharField(max_length=200)),
                        ("content", models.BinaryField()),
                    ],
                ),
            ]
        ),
    ]
