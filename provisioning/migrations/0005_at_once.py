"""What a site bears at once, and how long its stages may take. A new table: at once."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0004_maas_credentials"),
        ("provisioning", "0004_pallet_to_service"),
    ]

    operations = [
        migrations.CreateModel(
            name="ProvisioningLimits",
            fields=[
                (
                    "site",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="provisioning_limits",
                        serialize=False,
                        to="core.site",
                    ),
                ),
                (
                    "a_rack",
                    models.PositiveIntegerField(blank=True, help_text="Machines of one rack at once.", null=True),
                ),
                (
                    "a_switch",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="Machines at once whose boot port, or else BMC, is cabled to one switch.",
                        null=True,
                    ),
                ),
                (
                    "a_mirror",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="Machines at once that fetch from the boot server: until they phone home.",
                        null=True,
                    ),
                ),
                (
                    "stages_s",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        help_text="{stage: seconds} where it is not the usual limit.",
                    ),
                ),
            ],
            options={
                "ordering": ["site"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("a_rack", None), ("a_rack__gte", 1), _connector="OR"),
                            models.Q(("a_switch", None), ("a_switch__gte", 1), _connector="OR"),
                            models.Q(("a_mirror", None), ("a_mirror__gte", 1), _connector="OR"),
                        ),
                        name="provisioning_limits_let_one_start",
                    )
                ],
            },
        ),
    ]
