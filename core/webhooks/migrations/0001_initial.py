import core.webhooks.models
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from core.work.at_once import AtOnce
from core.webhooks.migrations import _sql


class Migration(migrations.Migration):
    initial = True

    # What a database of the version before has applied: with all of it, there is nothing left to do here.
    replaces = [
        ("webhooks", "0002_outbox_of_events"),
        ("webhooks", "0003_outbox_of_changes"),
    ]

    dependencies = [
        ("live", "0001_initial"),
        ("core", "0001_initial"),
    ]

    operations = [
        AtOnce(
            [
                migrations.CreateModel(
                    name="OutboxRow",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "source",
                            models.CharField(help_text="event: live_event; change: core_auditentry.", max_length=8),
                        ),
                        ("source_id", models.BigIntegerField()),
                    ],
                    options={
                        "db_table": "core_webhook_outbox",
                    },
                ),
                migrations.CreateModel(
                    name="Webhook",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=100)),
                        ("url", models.CharField(max_length=2000)),
                        (
                            "events",
                            models.JSONField(
                                default=list, help_text="Names or patterns, such as ticket.changed, racks.*, *"
                            ),
                        ),
                        ("active", models.BooleanField(default=True)),
                        (
                            "inactive_reason",
                            models.CharField(blank=True, help_text="Why Rackside switched it off.", max_length=200),
                        ),
                        ("timeout_s", models.PositiveSmallIntegerField(default=10)),
                        ("secret", models.BinaryField()),
                        ("previous_secret", models.BinaryField(null=True)),
                        ("previous_until", models.DateTimeField(editable=False, null=True)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("created_by", models.CharField(blank=True, max_length=150)),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                help_text="Empty: every site.",
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="webhooks",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "db_table": "core_webhook",
                        "ordering": ["name", "id"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("site", "name"), name="webhook_name_in_site", nulls_distinct=False
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("timeout_s__range", (1, 30))), name="webhook_timeout_is_sane"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Delivery",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "message",
                            models.CharField(default=core.webhooks.models.message_id, max_length=40, unique=True),
                        ),
                        ("event", models.CharField(help_text="The event it reports, such as ticket.changed.", max_length=100)),
                        ("body", models.TextField(help_text="The bytes that are signed.")),
                        (
                            "status",
                            models.CharField(
                                choices=[("pending", "Pending"), ("delivered", "Delivered"), ("dead", "Dead")],
                                default="pending",
                                max_length=10,
                            ),
                        ),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        (
                            "next_at",
                            models.DateTimeField(
                                default=django.utils.timezone.now, help_text="When it is tried next, while pending."
                            ),
                        ),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("tried_at", models.DateTimeField(null=True)),
                        ("response_status", models.PositiveSmallIntegerField(null=True)),
                        ("response_excerpt", models.CharField(blank=True, max_length=1000)),
                        (
                            "error",
                            models.CharField(blank=True, help_text="Why the last attempt failed.", max_length=300),
                        ),
                        ("duration_ms", models.PositiveIntegerField(null=True)),
                        (
                            "webhook",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="deliveries",
                                to="webhooks.webhook",
                            ),
                        ),
                    ],
                    options={
                        "db_table": "core_webhook_delivery",
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status", "pending")),
                                fields=["webhook", "next_at"],
                                name="delivery_due",
                            ),
                            models.Index(fields=["webhook", "-id"], name="delivery_of_hook"),
                            models.Index(fields=["created_at"], name="delivery_age"),
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["pending", "delivered", "dead"])),
                                name="delivery_status_is_known",
                            )
                        ],
                    },
                ),
            ]
        ),
        migrations.RunSQL(_sql.OUTBOX),
    ]
