"""A device taller than its rack is refused, also when the rack is made lower later.

Django has no composite foreign keys, so this is SQL: placement (rack, rack_height_u) refers to rack (id, height_u),
and a check compares the highest half unit with it. Takes well under a second on the reference fleet.
"""

from typing import ClassVar

from django.db import migrations

FORWARD = """
ALTER TABLE inventory_placement
    ADD CONSTRAINT placement_knows_its_racks_height
        FOREIGN KEY (rack_id, rack_height_u) REFERENCES inventory_rack (id, height_u)
        ON UPDATE CASCADE DEFERRABLE INITIALLY IMMEDIATE,
    ADD CONSTRAINT device_fits_its_rack
        CHECK (half_units IS NULL OR (lower(half_units) >= 1 AND upper(half_units) <= 2 * rack_height_u + 1));
"""
BACKWARD = """
ALTER TABLE inventory_placement
    DROP CONSTRAINT placement_knows_its_racks_height,
    DROP CONSTRAINT device_fits_its_rack;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("inventory", "0001_initial")]
    operations: ClassVar = [migrations.RunSQL(FORWARD, BACKWARD)]
