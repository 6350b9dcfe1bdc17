"""Past jobs and steps from a scheduler's accounting. Columns with a default: at once."""

from django.db import migrations, models

import health.schedulers.models
from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [("health", "0005_jobs_and_processes")]

    operations = [
        AtOnce(
            operations=[
                migrations.AddField(
                    model_name="schedulersource",
                    name="history_read_to",
                    field=models.DateTimeField(
                        blank=True, editable=False, help_text="Until when the accounting was read.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="schedulersource",
                    name="history_tried_at",
                    field=models.DateTimeField(blank=True, editable=False, null=True),
                ),
                migrations.AddField(
                    model_name="schedulersource",
                    name="history_message",
                    field=models.CharField(
                        blank=True, editable=False, help_text="Why the accounting was not read.", max_length=500
                    ),
                ),
                migrations.AddField(
                    model_name="schedulerjob",
                    name="steps",
                    field=models.JSONField(
                        default=health.schedulers.models.no_steps,
                        help_text="Calls of srun, as the accounting tells them; the last 100.",
                    ),
                ),
            ]
        )
    ]
