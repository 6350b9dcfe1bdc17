"""Names are compared at the end of a statement, so that racks, cables or ports may trade names in one write; a lane of
a plug may end in one port live and in another one in each change set; a PDU hangs on a feed of its own site.

The unique indexes are built anew: about a second for the reference fleet.
"""

from typing import ClassVar

from django.db import migrations, models

NAMES = (
    ("room", ("site", "name"), "room_name_in_site", {}),
    ("row", ("room", "name"), "row_name_in_room", {}),
    ("aisle", ("room", "name"), "aisle_name_in_room", {}),
    ("rack", ("room", "name"), "rack_name_in_room", {}),
    ("device", ("parent", "bay"), "one_device_per_bay", {}),
    ("port", ("device", "name"), "port_name_in_device", {}),
    ("passthrough", ("rear", "position"), "one_front_port_per_position", {}),
    ("cable", ("site", "label"), "cable_label_in_site", {}),
    ("changeset", ("site", "name"), "change_set_name_in_site", {}),
    ("powerpanel", ("site", "name"), "power_panel_name_in_site", {}),
    ("powerfeed", ("site", "name"), "power_feed_name_in_site", {}),
    ("storageplace", ("site", "name"), "storage_place_name_in_site", {}),
    ("contact", ("site", "name"), "contact_name_in_site", {"nulls_distinct": False}),
)
FEEDS = """
CREATE FUNCTION inventory_pdu_is_at_the_site_of_its_feed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM inventory_powerfeed f, inventory_device d
               WHERE f.id = NEW.feed_id AND d.id = NEW.device_id AND f.site_id <> d.site_id) THEN
        RAISE EXCEPTION 'a PDU hangs on a feed of its own site'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'pdu_feed_is_of_its_site';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION inventory_feed_is_at_the_site_of_its_pdus() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM inventory_pdu p JOIN inventory_device d ON d.id = p.device_id
               WHERE p.feed_id = NEW.id AND d.site_id <> NEW.site_id) THEN
        RAISE EXCEPTION 'PDUs of its site hang on this feed'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'pdu_feed_is_of_its_site';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER pdu_feed_is_of_its_site BEFORE INSERT OR UPDATE OF feed_id, device_id ON inventory_pdu
    FOR EACH ROW WHEN (NEW.feed_id IS NOT NULL) EXECUTE FUNCTION inventory_pdu_is_at_the_site_of_its_feed();
CREATE TRIGGER pdu_feed_is_of_its_site BEFORE UPDATE OF site_id ON inventory_powerfeed
    FOR EACH ROW EXECUTE FUNCTION inventory_feed_is_at_the_site_of_its_pdus();
"""
NO_FEEDS = """
DROP FUNCTION inventory_pdu_is_at_the_site_of_its_feed() CASCADE;
DROP FUNCTION inventory_feed_is_at_the_site_of_its_pdus() CASCADE;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("inventory", "0011_search_starts")]
    operations: ClassVar = [
        *(migrations.RemoveConstraint(model, name) for model, _, name, _ in NAMES),
        migrations.RemoveConstraint("strandend", "one_port_per_lane"),
        *(
            migrations.AddConstraint(
                model,
                models.UniqueConstraint(fields=list(fields), name=name, deferrable=models.Deferrable.IMMEDIATE, **more),
            )
            for model, fields, name, more in NAMES
        ),
        migrations.AddConstraint(
            "strandend",
            models.UniqueConstraint(
                fields=["connector", "lane", "change_set"], name="one_port_per_lane", nulls_distinct=False
            ),
        ),
        migrations.RunSQL(FEEDS, NO_FEEDS),
    ]
