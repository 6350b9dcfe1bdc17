"""What Django cannot say: partitioned history, the fill factor of busy tables, layouts that never change.

`health_sample` has a partition per day and `health_transition` one per month; `health.monitoring.services.partitions` makes them
ahead and drops expired ones. Rows whose partition is missing go to the default partition and are moved later, so a
stopped scheduler loses nothing.
"""

TABLES = """
CREATE TABLE health_sample (
    machine_id bigint NOT NULL,
    at timestamptz NOT NULL,
    sweep_id bigint,
    layout_id bigint NOT NULL,
    heard boolean NOT NULL,
    worst smallint NOT NULL,
    fail smallint NOT NULL,
    unknown smallint NOT NULL,
    warn smallint NOT NULL,
    verdicts bytea NOT NULL,
    vals real[],
    PRIMARY KEY (machine_id, at)
) PARTITION BY RANGE (at);
CREATE TABLE health_sample_default PARTITION OF health_sample DEFAULT;

CREATE TABLE health_transition (
    machine_id bigint NOT NULL,
    at timestamptz NOT NULL,
    check_id varchar(60) NOT NULL,
    part varchar(60) NOT NULL,
    from_verdict varchar(8) NOT NULL,
    to_verdict varchar(8) NOT NULL,
    message text NOT NULL,
    PRIMARY KEY (machine_id, at, check_id, part)
) PARTITION BY RANGE (at);
CREATE TABLE health_transition_default PARTITION OF health_transition DEFAULT;

-- Every sweep updates these rows; room in each page lets PostgreSQL do it in place.
ALTER TABLE health_currentverdict SET (fillfactor = 70);
ALTER TABLE health_machinereport SET (fillfactor = 70);
ALTER TABLE health_machinehealth SET (fillfactor = 70);

CREATE FUNCTION health_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER layout_is_immutable BEFORE UPDATE OR DELETE ON health_layout
    FOR EACH ROW EXECUTE FUNCTION health_refuse_change();
CREATE TRIGGER lifecycle_history_is_append_only BEFORE UPDATE ON health_lifecyclechange
    FOR EACH ROW EXECUTE FUNCTION health_refuse_change();
CREATE TRIGGER transition_is_append_only BEFORE UPDATE ON health_transition
    FOR EACH ROW EXECUTE FUNCTION health_refuse_change();
"""
