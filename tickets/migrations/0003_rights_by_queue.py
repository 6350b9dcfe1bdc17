"""Technicians who work on some queues only."""

from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("tickets", "0002_the_desk"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.AddField(
                    model_name="deskpolicy",
                    name="limits",
                    field=models.JSONField(
                        blank=True,
                        default=list,
                        help_text="[{person, queues}]: technicians who work on these queues only.",
                    ),
                ),
            ]
        ),
    ]
