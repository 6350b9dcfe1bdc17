"""What a run reports of its model and settings, and of its ranks' GPUs. New columns without values: at once."""

from django.db import migrations, models

import core.audit.fields


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0004_collected"),
    ]

    operations = [
        migrations.AddField(
            "trainingrun",
            "expected_step_s",
            models.FloatField(blank=True, help_text="A step as it should be, as it was reported.", null=True),
        ),
        migrations.AddField(
            "trainingrun", "parameters", models.FloatField(blank=True, help_text="Of the model.", null=True)
        ),
        migrations.AddField(
            "trainingrun",
            "flops_per_token",
            models.FloatField(blank=True, help_text="Of the model, forward and backward.", null=True),
        ),
        migrations.AddField(
            "trainingrun",
            "settings",
            core.audit.fields.JsonText(
                blank=True, default=dict, help_text="What was reported of variables and versions."
            ),
        ),
        migrations.AddField(
            "runrank",
            "clock_mhz",
            models.FloatField(blank=True, help_text="Of its GPU, as last reported.", null=True),
        ),
        migrations.AddField(
            "runrank",
            "best_compute_s",
            models.FloatField(blank=True, help_text="The least that was reported.", null=True),
        ),
        migrations.AddField("runrank", "power_w", models.FloatField(blank=True, null=True)),
        migrations.AddField("runrank", "temperature_c", models.FloatField(blank=True, null=True)),
    ]
