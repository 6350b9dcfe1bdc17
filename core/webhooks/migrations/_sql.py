"""Events and entries of the audit log go to the outbox in their own transaction, where some hook could hear them."""

OUTBOX = """
CREATE FUNCTION core_webhook_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO core_webhook_outbox (source, source_id)
    SELECT 'event', n.id FROM fresh n
    WHERE n.site_id IS NOT NULL
      AND EXISTS (SELECT 1 FROM core_webhook h WHERE h.active AND (h.site_id IS NULL OR h.site_id = n.site_id))
    ORDER BY n.id;
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_outbox AFTER INSERT ON live_event REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION core_webhook_events();
CREATE FUNCTION core_webhook_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO core_webhook_outbox (source, source_id)
    SELECT 'change', n.id FROM fresh n
    WHERE n.site_id IS NOT NULL
      AND n.table_name <> 'core_webhook'  -- a webhook does not hear of itself
      AND EXISTS (SELECT 1 FROM core_webhook h WHERE h.active AND (h.site_id IS NULL OR h.site_id = n.site_id))
    ORDER BY n.id;
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_outbox AFTER INSERT ON core_auditentry REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION core_webhook_changes();
"""
