"""Logs that the job of a run pushes: a collection of its own, beside the one that is under way."""

from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0003_kubernetes_credentials"),
        ("runs", "0003_metrics"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.RemoveConstraint(model_name="collection", name="one_open_collection_per_run"),
                migrations.AlterField(
                    model_name="collection",
                    name="reason",
                    field=models.CharField(
                        choices=[
                            ("asked", "asked for by a person"),
                            ("hang", "the run hangs"),
                            ("pushed", "sent by its job"),
                        ],
                        default="asked",
                        max_length=8,
                    ),
                ),
                migrations.AddConstraint(
                    model_name="collection",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(
                            ("status__in", ["queued", "running"]), models.Q(("reason", "pushed"), _negated=True)
                        ),
                        fields=("run",),
                        name="one_open_collection_per_run",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="collection",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("reason", "pushed")),
                        fields=("run",),
                        name="one_collection_of_pushed_logs_per_run",
                    ),
                ),
            ]
        ),
    ]
