"""What Django cannot say of these tables: composite foreign keys, and promises that several tables keep together."""

# Django has no composite foreign keys. A device taller than its rack is refused, also when the rack is made lower later;
# a rack's row is in the rack's room, an address's port on its device, a pass-through inside its panel.
PLACES = """
ALTER TABLE inventory_placement
    ADD CONSTRAINT placement_knows_its_racks_height
        FOREIGN KEY (rack_id, rack_height_u) REFERENCES inventory_rack (id, height_u)
        ON UPDATE CASCADE DEFERRABLE INITIALLY IMMEDIATE,
    ADD CONSTRAINT device_fits_its_rack
        CHECK (half_units IS NULL OR (lower(half_units) >= 1 AND upper(half_units) <= 2 * rack_height_u + 1));
ALTER TABLE inventory_rack
    ADD CONSTRAINT row_is_in_its_racks_room FOREIGN KEY (row_id, room_id) REFERENCES inventory_row (id, room_id)
        DEFERRABLE INITIALLY IMMEDIATE;
ALTER TABLE inventory_ipaddress
    ADD CONSTRAINT port_is_on_its_device FOREIGN KEY (port_id, device_id)
        REFERENCES inventory_port (id, device_id) DEFERRABLE INITIALLY IMMEDIATE;
ALTER TABLE inventory_passthrough
    ADD CONSTRAINT front_port_is_on_the_panel FOREIGN KEY (front_id, device_id) REFERENCES inventory_port (id, device_id),
    ADD CONSTRAINT rear_port_is_on_the_panel FOREIGN KEY (rear_id, device_id) REFERENCES inventory_port (id, device_id);
"""

# An address belongs to one device of a site. A machine's own two addresses and the additional ones are kept in two tables;
# statement-level triggers mirror both into `inventory_addressclaim`, whose unique constraint refuses a duplicate.
ADDRESSES = """
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
"""

# An installation takes its part from the shelf; the shelf does not take a part that is installed. The lock on the part
# makes one of two writers at the same moment see what the other did.
PARTS = """
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

# A PDU hangs on a feed of its own site.
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
