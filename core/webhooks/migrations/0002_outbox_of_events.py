"""Domain events go to the outbox of the webhooks in their own transaction, where some hook could hear them."""

from django.db import migrations

FUNCTION = """
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
"""
BACK = "DROP TRIGGER webhook_outbox ON live_event; DROP FUNCTION core_webhook_events();"


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_initial"), ("live", "0001_initial")]
    operations = [migrations.RunSQL(FUNCTION, BACK)]
