"""What Django cannot say of these tables."""

# A partition per day, made ahead by `fabric.quality.services.samples`; rows without one wait in the default partition.
SAMPLES = """
CREATE TABLE fabric_portsample (
    source_id bigint NOT NULL,
    guid varchar(64) NOT NULL,
    at timestamptz NOT NULL,
    layout smallint NOT NULL,
    ports bytea NOT NULL,
    PRIMARY KEY (source_id, guid, at)
) PARTITION BY RANGE (at);
CREATE TABLE fabric_portsample_default PARTITION OF fabric_portsample DEFAULT;
"""

# Every round updates these rows; room in each page lets PostgreSQL do it in place.
FILL = "ALTER TABLE fabric_linkquality SET (fillfactor = 70)"
