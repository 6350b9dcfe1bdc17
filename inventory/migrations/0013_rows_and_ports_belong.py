"""A rack's row is in the rack's room, and an address's port on its device.

Django has no composite foreign keys, so this is SQL. Takes well under a second on the reference fleet.
"""

from typing import ClassVar

from django.db import migrations, models

FORWARD = """
ALTER TABLE inventory_rack
    ADD CONSTRAINT row_is_in_its_racks_room FOREIGN KEY (row_id, room_id) REFERENCES inventory_row (id, room_id)
        DEFERRABLE INITIALLY IMMEDIATE;
ALTER TABLE inventory_ipaddress
    ADD CONSTRAINT port_is_on_its_device FOREIGN KEY (port_id, device_id)
        REFERENCES inventory_port (id, device_id) DEFERRABLE INITIALLY IMMEDIATE;
"""
BACKWARD = """
ALTER TABLE inventory_rack DROP CONSTRAINT row_is_in_its_racks_room;
ALTER TABLE inventory_ipaddress DROP CONSTRAINT port_is_on_its_device;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("inventory", "0012_records_may_trade_names")]
    operations: ClassVar = [
        migrations.AddConstraint("row", models.UniqueConstraint(fields=["id", "room"], name="row_id_and_room")),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
