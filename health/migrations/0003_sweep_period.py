"""How often the fleet is swept now, in one row: longer than it was set where sweeps take longer."""

from typing import ClassVar

import django.db.models.functions.datetime
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies: ClassVar = [("health", "0002_reachability")]

    operations: ClassVar = [
        AtOnce(
            [
                migrations.CreateModel(
                    name="SweepPeriod",
                    fields=[
                        ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                        ("set_s", models.FloatField(help_text="Seconds between two sweeps, as they were set.")),
                        ("period_s", models.FloatField(help_text="As they are: longer where sweeps take longer.")),
                        (
                            "takes_s",
                            models.FloatField(
                                help_text="What a sweep takes; unknown before two were measured.", null=True
                            ),
                        ),
                        (
                            "longest_s",
                            models.FloatField(
                                default=0, help_text="The longest of the last sweeps and of those under way."
                            ),
                        ),
                        (
                            "since",
                            models.DateTimeField(
                                db_default=django.db.models.functions.datetime.Now(),
                                help_text="When the period became this one.",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(condition=models.Q(("id", 1)), name="one_sweep_period"),
                            models.CheckConstraint(
                                condition=models.Q(("period_s__gte", models.F("set_s"))),
                                name="sweep_period_only_stretches",
                            ),
                        ],
                    },
                ),
            ]
        )
    ]
