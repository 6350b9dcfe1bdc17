"""A PDU hangs on a feed of its site instead of naming one in a text; what a device last drew.

Every text becomes a feed of the PDU's site, whose side is the text: the same PDUs fail together as before.
"""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

# The constraints are checked at once: a table with checks still to come cannot be altered afterwards.
FORWARD = """
INSERT INTO inventory_powerfeed (site_id, name, side, phases, derating_percent)
SELECT DISTINCT d.site_id, p.feed_text, p.feed_text, 3, 80
FROM inventory_pdu p JOIN inventory_device d ON d.id = p.device_id WHERE p.feed_text <> ''
ON CONFLICT (site_id, name) DO NOTHING;
UPDATE inventory_pdu p SET feed_id = f.id FROM inventory_device d, inventory_powerfeed f
WHERE d.id = p.device_id AND f.site_id = d.site_id AND f.name = p.feed_text;
SET CONSTRAINTS ALL IMMEDIATE;
"""
BACKWARD = """
UPDATE inventory_pdu p SET feed_text = left(f.name, 10) FROM inventory_powerfeed f WHERE f.id = p.feed_id;
SET CONSTRAINTS ALL IMMEDIATE;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("inventory", "0004_addresses_and_panels")]
    operations: ClassVar = [
        migrations.RenameField("pdu", "feed", "feed_text"),
        migrations.AlterField("pdu", "feed_text", models.CharField(max_length=10, blank=True, default="")),
        migrations.AddField(
            "pdu",
            "feed",
            models.ForeignKey(
                to="inventory.powerfeed",
                on_delete=django.db.models.deletion.PROTECT,
                null=True,
                blank=True,
                related_name="pdus",
                help_text="Empty: nobody has written down what it hangs on.",
            ),
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
        migrations.RemoveField("pdu", "feed_text"),
        migrations.CreateModel(
            name="PowerReading",
            fields=[
                (
                    "device",
                    models.OneToOneField(
                        to="inventory.device",
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        related_name="power_reading",
                    ),
                ),
                ("watts", models.PositiveIntegerField()),
                ("at", models.DateTimeField(help_text="When it was read; an old reading is as good as none.")),
            ],
        ),
    ]
