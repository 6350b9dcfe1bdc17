"""What Django cannot say of these tables."""

# The rows of the audit log repeat the names of columns: LZ4 packs them faster than PostgreSQL's own method. A server built
# without LZ4 keeps its own.
COMPRESSION = """
DO $$ BEGIN
    ALTER TABLE core_auditentry ALTER COLUMN rows SET COMPRESSION lz4, ALTER COLUMN about SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$
"""
