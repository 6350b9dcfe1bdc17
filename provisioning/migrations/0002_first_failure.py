"""How the first attempt of a machine in a run failed. A column with a default: at once."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("provisioning", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="runmachine",
            name="first_failure",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The class of its first failure; it stays when a retry mends it.",
                max_length=20,
            ),
        )
    ]
