"""Credentials may be for Prometheus. The table has a few rows."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("core", "0001_initial")]

    operations = [
        migrations.RemoveConstraint("credential", "credential_purpose_is_known"),
        migrations.AlterField(
            "credential",
            "purpose",
            models.CharField(
                blank=True,
                choices=[
                    ("ssh", "SSH"),
                    ("bmc", "BMCs"),
                    ("slurm", "slurmrestd"),
                    ("ufm", "UFM"),
                    ("switch", "switches (eAPI, NVUE)"),
                    ("netbox", "NetBox"),
                    ("prometheus", "Prometheus"),
                ],
                help_text="The kind of service it opens; without one it is not used.",
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            "credential",
            models.CheckConstraint(
                condition=models.Q(
                    ("purpose__in", ["", "ssh", "bmc", "slurm", "ufm", "switch", "netbox", "prometheus"])
                ),
                name="credential_purpose_is_known",
            ),
        ),
    ]
