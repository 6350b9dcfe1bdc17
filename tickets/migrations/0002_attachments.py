"""Attachments of tickets. An empty table: no time at all."""

from typing import ClassVar

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("inventory", "0006_notes_and_returns"),
        ("tickets", "0001_initial"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="Attachment",
            fields=[
                (
                    "id",
                    models.BigIntegerField(
                        db_default=models.Func(models.Value("inventory_attachment_number"), function="nextval"),
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("filename", models.CharField(max_length=120)),
                ("content_type", models.CharField(max_length=40)),
                ("size", models.PositiveBigIntegerField(help_text="Bytes, as kept.")),
                ("sha256", models.CharField(db_index=True, max_length=64)),
                ("width", models.PositiveIntegerField(blank=True, null=True)),
                ("height", models.PositiveIntegerField(blank=True, null=True)),
                ("has_thumbnail", models.BooleanField(default=False)),
                ("caption", models.CharField(blank=True, max_length=500)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("created_by", models.CharField(max_length=150)),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="attachments", to="tickets.ticket"
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "abstract": False,
            },
        ),
    ]
