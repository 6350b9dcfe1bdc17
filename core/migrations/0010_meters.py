"""Credentials may be for meters of power and cooling."""

from django.db import migrations, models

from core.work.at_once import AtOnce

PURPOSES = [
    ("ssh", "SSH"),
    ("bmc", "BMCs"),
    ("slurm", "slurmrestd"),
    ("kubernetes", "Kubernetes"),
    ("ufm", "UFM"),
    ("switch", "switches (eAPI, NVUE)"),
    ("netbox", "NetBox"),
    ("prometheus", "Prometheus"),
    ("maas", "MAAS"),
    ("ironic", "Ironic"),
    ("registry", "registries of container images"),
    ("vendor", "vendors' service desks"),
    ("meter", "meters of power and cooling"),
]


class Migration(migrations.Migration):
    dependencies = [("core", "0009_tablets")]

    operations = [
        AtOnce(
            operations=[
                migrations.AlterField(
                    model_name="credential",
                    name="purpose",
                    field=models.CharField(
                        blank=True,
                        choices=PURPOSES,
                        help_text="The kind of service it opens; without one it is not used.",
                        max_length=10,
                    ),
                ),
                migrations.RemoveConstraint(model_name="credential", name="credential_purpose_is_known"),
            ]
        ),
        migrations.AddConstraint(
            model_name="credential",
            constraint=models.CheckConstraint(
                condition=models.Q(("purpose__in", ["", *(value for value, _ in PURPOSES)])),
                name="credential_purpose_is_known",
            ),
        ),
    ]
