"""Differences of BMCs in words for the check bmc.profile; whether a found BMC's parts differ. Columns: at once."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("provisioning", "0005_any_engine_at_once")]

    operations = [
        migrations.AddField(
            model_name="bmcreading",
            name="differences",
            field=models.JSONField(default=list, help_text="The first of both as sentences, for the check."),
        ),
        migrations.AddField(
            model_name="discoveredbmc",
            name="parts_differ",
            field=models.CharField(
                blank=True, default="", help_text="In which parts it differed when it was read.", max_length=500
            ),
        ),
    ]
