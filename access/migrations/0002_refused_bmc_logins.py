"""Logins that BMCs refused. A new table: at once."""

import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0001_initial"),
        ("core", "0005_ironic_credentials"),
        ("inventory", "0001_initial"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="BmcRefusal",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="bmc_refusal",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        ("address", models.GenericIPAddressField()),
                        ("times", models.PositiveSmallIntegerField(default=1)),
                        ("refused_at", models.DateTimeField()),
                        (
                            "credential",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="core.credential"
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("times__gte", 1)), name="bmc_refusal_has_happened"
                            )
                        ],
                    },
                ),
            ]
        ),
    ]
