"""The rows of the audit log repeat the names of columns: LZ4 packs them faster than PostgreSQL's own method.

A server built without LZ4 keeps its own method. Instant: it holds for rows written from now on.
"""

from typing import ClassVar

from django.db import migrations

FORWARD = """
DO $$ BEGIN
    ALTER TABLE core_auditentry ALTER COLUMN rows SET COMPRESSION lz4, ALTER COLUMN about SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("core", "0003_audit_log")]
    operations: ClassVar = [migrations.RunSQL(FORWARD, migrations.RunSQL.noop)]
