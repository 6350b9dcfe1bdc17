"""What Django cannot say of these tables: partitions, made ahead by `facility.history.tables`."""

_ROLLED = """
CREATE TABLE facility_{name} (
    meter_id bigint NOT NULL,
    at timestamptz NOT NULL,
    layout_id bigint NOT NULL,
    covered smallint[] NOT NULL,
    mean real[] NOT NULL,
    low real[] NOT NULL,
    high real[] NOT NULL,
    PRIMARY KEY (meter_id, at, layout_id)
) PARTITION BY RANGE (at);
CREATE TABLE facility_{name}_default PARTITION OF facility_{name} DEFAULT;
"""
TABLES = (
    """
CREATE TABLE facility_reading (
    meter_id bigint NOT NULL,
    at timestamptz NOT NULL,
    layout_id bigint NOT NULL,
    covered_s integer NOT NULL,
    vals real[] NOT NULL,
    PRIMARY KEY (meter_id, at)
) PARTITION BY RANGE (at);
CREATE TABLE facility_reading_default PARTITION OF facility_reading DEFAULT;
"""
    + "".join(_ROLLED.format(name=name) for name in ("minute", "quarter", "day"))
    + """
-- Up to when each table is made from the one before it.
CREATE TABLE facility_rolledup (name varchar(20) PRIMARY KEY, until timestamptz NOT NULL);

-- Every reading updates these rows; room in each page lets PostgreSQL do it in place.
ALTER TABLE facility_meterstate SET (fillfactor = 60);
ALTER TABLE facility_meter SET (fillfactor = 80);
"""
)
