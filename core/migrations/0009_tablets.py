"""Tablets that a site shares, and the PINs that open them."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0008_vendors"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="Pin",
                    fields=[
                        (
                            "user",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="pin",
                                serialize=False,
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "secret",
                            models.BinaryField(
                                help_text="Its hash, encrypted: four digits are soon guessed from a hash."
                            ),
                        ),
                        (
                            "misses",
                            models.PositiveSmallIntegerField(
                                default=0, help_text="Wrong ones since the last right one."
                            ),
                        ),
                        ("set_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                ),
                migrations.CreateModel(
                    name="Tablet",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        (
                            "digest",
                            models.CharField(
                                editable=False,
                                help_text="SHA-256 of what its cookie holds.",
                                max_length=64,
                                unique=True,
                            ),
                        ),
                        ("shared_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        (
                            "shared_by",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="tablets", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "name"), name="one_tablet_of_a_name"),
                            models.CheckConstraint(
                                condition=models.Q(("name", ""), _negated=True), name="tablet_has_a_name"
                            ),
                        ],
                    },
                ),
            ]
        )
    ]
