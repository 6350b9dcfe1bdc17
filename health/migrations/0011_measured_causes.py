"""Feeds and cooling units that fail by their meters as the cause of an incident; which pools go down first. Columns with a default: at once."""

import django.contrib.postgres.fields
from django.db import migrations, models
from django.db.models import Q

from core.work.at_once import AtOnce

CAUSES = [
    ("", "None"), ("rack", "Rack"), ("row", "Row"), ("room", "Room"), ("switch", "Switch"),
    ("management", "Management switch"), ("feed", "Feed"), ("cooling", "Cooling unit"),
    ("rollout", "New version of software"), ("site", "No known common cause"),
]  # fmt: skip


class Migration(migrations.Migration):
    dependencies = [("health", "0010_container_images")]

    operations = [
        AtOnce(
            operations=[
                migrations.RemoveConstraint(model_name="incident", name="incident_cause_fits_its_kind"),
                migrations.AddField(
                    model_name="incident",
                    name="behind",
                    field=django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        blank=True,
                        db_default=[],
                        default=list,
                        help_text="Machines that hang on what meters say fails.",
                        size=None,
                    ),
                ),
                migrations.AddField(
                    model_name="incident",
                    name="cause_stands",
                    field=models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Meters say that its feed or cooling unit fails: it is not over before they stop.",
                    ),
                ),
                migrations.AddField(
                    model_name="fault",
                    name="cause_due",
                    field=models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Its feed may be dead: its ticket waits until its meters say whether it is.",
                    ),
                ),
                migrations.AddField(
                    model_name="pool",
                    name="priority",
                    field=models.PositiveSmallIntegerField(
                        db_default=0,
                        default=0,
                        help_text="Where power or cooling fails, machines of pools with a lower one are shut down first.",
                    ),
                ),
                migrations.AlterField(
                    model_name="incident",
                    name="cause_kind",
                    field=models.CharField(blank=True, choices=CAUSES, default="", max_length=10),
                ),
                migrations.AddConstraint(
                    model_name="incident",
                    constraint=models.CheckConstraint(
                        condition=Q(kind="machine", machine__isnull=False, cause_kind="")
                        | Q(
                            kind="shared",
                            machine__isnull=True,
                            cause_kind__in=[name for name, _ in CAUSES if name],
                        ),
                        name="incident_cause_fits_its_kind",
                    ),
                ),
            ]
        )
    ]
