import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("health", "0004_public_names"),
        ("inventory", "0001_initial"),
        ("runs", "0002_found"),
    ]

    operations = [
        AtOnce(
            [
                migrations.AddField(
                    model_name="trainingrun",
                    name="checkpoint_at",
                    field=models.DateTimeField(blank=True, null=True),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="checkpoint_step",
                    field=models.BigIntegerField(
                        blank=True, help_text="Of its last checkpoint, where told.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="trainingrun",
                    name="fault",
                    field=models.ForeignKey(
                        blank=True,
                        help_text="What the verdict became or joined on the machine it names.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="health.fault",
                    ),
                ),
                migrations.CreateModel(
                    name="HandOver",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("by", models.CharField(max_length=150)),
                        ("left_name", models.CharField(max_length=64)),
                        (
                            "came_name",
                            models.CharField(
                                blank=True, help_text="Empty: the run goes on with fewer machines.", max_length=64
                            ),
                        ),
                        (
                            "taken_out",
                            models.BooleanField(default=False, help_text="It was taken out of service with it."),
                        ),
                        ("reason", models.CharField(max_length=300)),
                        (
                            "came",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "left",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="hand_overs",
                                to="runs.trainingrun",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run", "at", "id"],
                        "constraints": [models.UniqueConstraint(fields=("run", "left_name"), name="hand_over_once")],
                    },
                ),
            ]
        ),
    ]
