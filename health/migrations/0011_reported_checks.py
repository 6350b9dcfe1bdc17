"""The checks that a source has reported so far, for the catalogue."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("health", "0010_active")]

    operations = [
        migrations.AddField(
            model_name="reportsource",
            name="known",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=39),
                blank=True,
                default=list,
                editable=False,
                help_text="Checks it reported so far, the first few hundred.",
                size=None,
            ),
        ),
    ]
