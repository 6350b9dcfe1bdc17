"""The counters of the look before the last one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("health", "0006_policy")]

    operations = [
        migrations.AddField(
            model_name="lookcounters",
            name="before_boot_id",
            field=models.CharField(blank=True, default="", help_text="The look before that one.", max_length=36),
        ),
        migrations.AddField(model_name="lookcounters", name="before_at_s", field=models.FloatField(null=True)),
        migrations.AddField(model_name="lookcounters", name="before_packed", field=models.BinaryField(null=True)),
    ]
