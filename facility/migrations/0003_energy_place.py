"""Rack and pool of a day's energy. Columns that may be null: at once, and nothing is moved."""

from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [("facility", "0002_acting")]

    operations = [
        AtOnce(
            operations=[
                migrations.AddField(
                    model_name="energyday",
                    name="rack_id",
                    field=models.BigIntegerField(
                        help_text="Null: none was known then; where it stands today counts.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="energyday",
                    name="pool_id",
                    field=models.BigIntegerField(
                        help_text="Null: none was known then; the one of today counts.", null=True
                    ),
                ),
            ]
        )
    ]
