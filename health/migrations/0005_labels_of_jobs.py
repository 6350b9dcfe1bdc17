"""How jobs are called, how often they were queued again, their GPUs. Columns with a default: at once."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("health", "0004_public_names")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="schedulerjob",
            name="component",
            field=models.PositiveIntegerField(help_text="Of the heterogeneous job that is the label.", null=True),
        ),
        migrations.AddField(
            model_name="schedulerjob",
            name="gpus",
            field=models.PositiveIntegerField(help_text="Null: the scheduler does not say.", null=True),
        ),
        migrations.AddField(
            model_name="schedulerjob",
            name="label",
            field=models.CharField(
                blank=True, help_text="As people call it: 88213_4; empty: as its id.", max_length=60
            ),
        ),
        migrations.AddField(
            model_name="schedulerjob",
            name="restarts",
            field=models.PositiveIntegerField(default=0, help_text="How often it was put back in the queue."),
        ),
    ]
