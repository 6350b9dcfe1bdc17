"""A port on an adapter serves the rail that the adapter's slot in the device model tells. Under a second for 4,088."""

from typing import ClassVar

from django.db import migrations

FORWARD = """
UPDATE inventory_port port SET rail = told.rail
FROM inventory_device device
JOIN (
    SELECT model.id AS model_id, slot ->> 'name' AS slot, (slot ->> 'rail')::smallint AS rail
    FROM inventory_devicemodel model CROSS JOIN LATERAL jsonb_array_elements(model.spec -> 'slots') slot
    WHERE slot ->> 'rail' IS NOT NULL
) told ON told.model_id = device.model_id
WHERE device.id = port.device_id AND port.slot = told.slot AND port.rail IS NULL;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("inventory", "0008_netbox_imports")]
    operations: ClassVar = [migrations.RunSQL(FORWARD, migrations.RunSQL.noop)]
