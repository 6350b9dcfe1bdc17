"""Entries of the audit log go to the outbox of the webhooks in the transaction of the change."""

from django.db import migrations

FUNCTION = """
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
BACK = "DROP TRIGGER webhook_outbox ON core_auditentry; DROP FUNCTION core_webhook_changes();"


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0002_outbox_of_events"), ("core", "0003_audit_log")]
    operations = [migrations.RunSQL(FUNCTION, BACK)]
