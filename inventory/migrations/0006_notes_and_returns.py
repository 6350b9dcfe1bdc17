"""Attachments and comments of devices and racks; where removed parts go by default. Empty tables: no time at all."""

from typing import ClassVar

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("inventory", "0005_pdu_feeds"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        # One number for every attachment, whatever table it is in.
        migrations.RunSQL("CREATE SEQUENCE inventory_attachment_number", "DROP SEQUENCE inventory_attachment_number"),
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
            ],
            options={
                "ordering": ["-id"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("edited_at", models.DateTimeField(blank=True, null=True)),
                ("text", models.TextField()),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.AddField(
            model_name="storageplace",
            name="takes_removed",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Parts swapped out at this site go here, unless told otherwise.",
            ),
        ),
        migrations.AddConstraint(
            model_name="storageplace",
            constraint=models.UniqueConstraint(
                condition=models.Q(("takes_removed", True)), fields=("site",), name="one_place_takes_removed_parts"
            ),
        ),
        migrations.AddField(
            model_name="attachment",
            name="device",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="attachments",
                to="inventory.device",
            ),
        ),
        migrations.AddField(
            model_name="attachment",
            name="rack",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="attachments",
                to="inventory.rack",
            ),
        ),
        migrations.AddField(
            model_name="attachment",
            name="site",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="attachments", to="core.site"
            ),
        ),
        migrations.AddField(
            model_name="comment",
            name="author",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="comment",
            name="device",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="comments",
                to="inventory.device",
            ),
        ),
        migrations.AddField(
            model_name="comment",
            name="rack",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="comments",
                to="inventory.rack",
            ),
        ),
        migrations.AddField(
            model_name="comment",
            name="site",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="comments", to="core.site"
            ),
        ),
        migrations.AddConstraint(
            model_name="attachment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("device__isnull", False), ("rack__isnull", True)),
                    models.Q(("device__isnull", True), ("rack__isnull", False)),
                    _connector="OR",
                ),
                name="attachment_has_one_subject",
            ),
        ),
        migrations.AddConstraint(
            model_name="comment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("device__isnull", False), ("rack__isnull", True)),
                    models.Q(("device__isnull", True), ("rack__isnull", False)),
                    _connector="OR",
                ),
                name="comment_has_one_subject",
            ),
        ),
        migrations.AddConstraint(
            model_name="comment",
            constraint=models.CheckConstraint(
                condition=models.Q(("text", ""), _negated=True), name="comment_says_something"
            ),
        ),
    ]
