"""Training runs name the image of their containers. A column with a default of the database: at once."""

from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [("runs", "0004_pushed_logs")]

    operations = [
        AtOnce(
            operations=[
                migrations.AddField(
                    "trainingrun",
                    "image",
                    models.CharField(
                        blank=True,
                        db_default="",
                        help_text="Of its containers, as the launcher names it.",
                        max_length=330,
                    ),
                )
            ]
        )
    ]
