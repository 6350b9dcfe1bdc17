"""Logins at registries, how far pulls are, disks erased by Ironic by order, and boot media that are taken out as durable work.

Columns without a default to be written, and a constraint of a small table: at once.
"""

import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0006_e"),
        ("provisioning", "0005_any_engine_at_once"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.AlterField(
                    "ironicserver",
                    "cleaning",
                    models.CharField(
                        choices=[
                            ("as_set", "As Set"),
                            ("always", "Always"),
                            ("never", "Never"),
                            ("metadata", "Metadata"),
                            ("disks", "Disks"),
                        ],
                        default="as_set",
                        help_text="Whether disks are erased before an installation and at a release, or as Ironic and "
                        "its nodes say; `metadata` and `disks` are ordered in each run.",
                        max_length=8,
                    ),
                ),
                migrations.RemoveConstraint("ironicserver", "ironic_clean_is_known"),
                migrations.AddField("bootmedium", "lease_until", models.DateTimeField(blank=True, null=True)),
                migrations.AlterField(
                    "bootmedium",
                    "next_at",
                    models.DateTimeField(blank=True, help_text="When it is tried to be taken out next.", null=True),
                ),
                migrations.AddField(
                    "imageplacement",
                    "layers",
                    models.JSONField(
                        help_text="{digest: compressed bytes}; null: the registry did not say.", null=True
                    ),
                ),
                migrations.AddField(
                    "mirror",
                    "credential",
                    models.ForeignKey(
                        blank=True,
                        help_text="The login at a registry, where it asks for one.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="core.credential",
                    ),
                ),
                migrations.AddField(
                    "mirror",
                    "token_host",
                    models.CharField(
                        blank=True,
                        db_default="",
                        help_text="The host of its token server, where that is another than its own: the login goes "
                        "there as well.",
                        max_length=253,
                    ),
                ),
                migrations.AddField(
                    "placedimage",
                    "pulled_at",
                    models.DateTimeField(blank=True, help_text="When it told that.", null=True),
                ),
                migrations.AddField(
                    "placedimage",
                    "pulled_bytes",
                    models.BigIntegerField(help_text="Of what it fetches; null: its engine does not tell.", null=True),
                ),
                migrations.AddField(
                    "placedimage",
                    "pulled_of_bytes",
                    models.BigIntegerField(help_text="What it fetches, without layers it had before.", null=True),
                ),
            ]
        ),
        migrations.AddConstraint(
            model_name="ironicserver",
            constraint=models.CheckConstraint(
                condition=models.Q(("cleaning__in", ["as_set", "always", "never", "metadata", "disks"])),
                name="ironic_clean_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="mirror",
            constraint=models.CheckConstraint(
                condition=models.Q(("credential", None), ("kind__in", ["registry", "cache"]), _connector="OR"),
                name="mirror_login_is_of_a_registry",
            ),
        ),
    ]
