"""Columns of the API say what the field says: reported, evaluated, accepted. Names only: no row is written."""

from typing import ClassVar

from django.db import migrations

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies: ClassVar = [("fabric", "0001_initial")]

    operations: ClassVar = [
        AtOnce(
            [
                migrations.RenameField("fabricevent", old_name="at_is_told", new_name="at_is_reported"),
                migrations.RenameField("linkquality", old_name="judged_from", new_name="evaluated_from"),
                migrations.RenameField("discovery", old_name="believed", new_name="accept_reason"),
            ]
        ),
    ]
