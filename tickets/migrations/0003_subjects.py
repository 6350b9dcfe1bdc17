"""A ticket may be about a switch or a cable. Under a second for 100,000 tickets, which all are about machines so far."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# Checks put off until the commit would keep the table from being altered further.
FORWARD = """
SET CONSTRAINTS ALL IMMEDIATE;
SELECT set_config('rackside.actor', 'migration', true);
UPDATE tickets_ticket SET device_id = machine_id;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0005_audit_rows_as_text"),
        ("health", "0002_time_series"),
        ("inventory", "0013_rows_and_ports_belong"),
        ("tickets", "0002_attachments"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="ticket",
            name="cable",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="tickets",
                to="inventory.cable",
            ),
        ),
        migrations.AddField(
            model_name="ticket",
            name="device",
            field=models.ForeignKey(
                blank=True,
                help_text="Where one stands: the machine or switch itself, or one end of the cable.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="tickets",
                to="inventory.device",
            ),
        ),
        migrations.AddField(
            model_name="ticket",
            name="subject",
            field=models.CharField(
                choices=[("machine", "machine"), ("switch", "switch"), ("cable", "cable"), ("place", "place")],
                default="machine",
                max_length=7,
            ),
        ),
        migrations.AddField(
            model_name="ticket",
            name="subject_name",
            field=models.CharField(blank=True, default="", help_text="Of a subject without a record.", max_length=120),
        ),
        migrations.AlterField(
            model_name="ticket",
            name="machine",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="tickets",
                to="inventory.machine",
            ),
        ),
        migrations.RunSQL(FORWARD, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(fields=["device", "-number"], name="ticket_of_device"),
        ),
        migrations.AddConstraint(
            model_name="ticket",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("cable__isnull", True),
                        ("device__isnull", False),
                        ("machine__isnull", False),
                        ("subject", "machine"),
                        ("subject_name", ""),
                        ("device_id", models.F("machine_id")),
                    ),
                    models.Q(
                        ("cable__isnull", True),
                        ("device__isnull", False),
                        ("machine__isnull", True),
                        ("subject", "switch"),
                        ("subject_name", ""),
                    ),
                    models.Q(
                        ("cable__isnull", False), ("machine__isnull", True), ("subject", "cable"), ("subject_name", "")
                    ),
                    models.Q(
                        ("cable__isnull", True),
                        ("device__isnull", True),
                        ("machine__isnull", True),
                        ("subject", "place"),
                        models.Q(("subject_name", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="ticket_is_about_one_thing",
            ),
        ),
    ]
