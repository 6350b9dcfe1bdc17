"""A part that is installed lies in no storage place, however either was written; where a stay ended is written down.

An installation takes its part from the shelf; the shelf does not take a part that is installed. The lock on the part
makes one of two writers at the same moment see what the other did. The reference fleet has about 34,000 installations;
nothing of them changes.
"""

from typing import ClassVar

from django.db import migrations, models

FORWARD = """
CREATE FUNCTION inventory_take_from_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM inventory_component c
    WHERE c.id IN (SELECT component_id FROM new_rows WHERE upper_inf(during)) ORDER BY c.id FOR NO KEY UPDATE;
    UPDATE inventory_component c SET storage_id = NULL
    WHERE c.storage_id IS NOT NULL AND c.id IN (SELECT component_id FROM new_rows WHERE upper_inf(during));
    RETURN NULL;
END $$;

CREATE FUNCTION inventory_refuse_to_store_installed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM inventory_installation i WHERE i.component_id = NEW.id AND upper_inf(i.during)) THEN
        RAISE EXCEPTION 'component % is installed', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'installed_part_lies_nowhere';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER take_from_storage_on_insert AFTER INSERT ON inventory_installation REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION inventory_take_from_storage();
CREATE TRIGGER take_from_storage_on_update AFTER UPDATE ON inventory_installation REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION inventory_take_from_storage();
CREATE TRIGGER refuse_to_store_installed BEFORE UPDATE ON inventory_component
    FOR EACH ROW WHEN (NEW.storage_id IS NOT NULL AND NEW.storage_id IS DISTINCT FROM OLD.storage_id)
    EXECUTE FUNCTION inventory_refuse_to_store_installed();
"""
BACKWARD = """
DROP TRIGGER refuse_to_store_installed ON inventory_component;
DROP TRIGGER take_from_storage_on_insert ON inventory_installation;
DROP TRIGGER take_from_storage_on_update ON inventory_installation;
DROP FUNCTION inventory_refuse_to_store_installed();
DROP FUNCTION inventory_take_from_storage();
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("inventory", "0006_notes_and_returns")]
    operations: ClassVar = [
        migrations.AddField(
            model_name="installation",
            name="place",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Where the device stood when it was taken out.",
                max_length=300,
            ),
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
