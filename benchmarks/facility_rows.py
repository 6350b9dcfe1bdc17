"""Rows of the history of meters, made of what they told last: as many as a day or a year has, by one statement each."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection

from facility.facts import Measured, Part, Quantity
from facility.history import rollup, tables
from facility.meters import services
from facility.meters.models import Meter
from health.monitoring.services.partitions import maintain_series
from inventory.models import Device

MACHINES_S = 300
VARIANTS = 16
"""Of the values of each meter: no two rows that follow one another are the same, as none are in a hall."""
DAY = timedelta(days=1)

POOL = f"""
CREATE TABLE bench_pool AS
SELECT meter.id AS meter_id, meter.period_s, told.layout_id, variant, (
    SELECT array_agg(value * (0.95 + 0.1 * random()) ORDER BY n)::real[]
    FROM unnest(told.values) WITH ORDINALITY AS each (value, n) WHERE variant >= 0
) AS vals
FROM facility_meter meter JOIN facility_meterstate told ON told.meter_id = meter.id
CROSS JOIN generate_series(0, {VARIANTS - 1}) variant
"""
_FROM = f"""
FROM generate_series(%(begin)s::timestamptz, %(end)s::timestamptz - interval '1 second', %(step)s) at
JOIN bench_pool pool
    ON variant = (extract(epoch FROM at) / extract(epoch FROM %(step)s::interval))::bigint %% {VARIANTS}
"""
READINGS = f"""
INSERT INTO facility_reading (meter_id, at, layout_id, covered_s, vals)
SELECT meter_id, at, layout_id, period_s, vals {_FROM} WHERE extract(epoch FROM at)::bigint %% period_s = 0
ON CONFLICT DO NOTHING
"""
ROLLED = """
INSERT INTO facility_{name} (meter_id, at, layout_id, covered, mean, low, high)
SELECT meter_id, at, layout_id,
    array_fill(extract(epoch FROM %(step)s::interval)::smallint, ARRAY[cardinality(vals)]), vals, vals, vals {source}
WHERE meter_id %% %(each)s = 0
    AND extract(epoch FROM at)::bigint %% greatest(period_s, extract(epoch FROM %(step)s::interval)) = 0
ON CONFLICT DO NOTHING
"""
DAYS = f"""
INSERT INTO facility_day (meter_id, at, layout_id, covered, mean, low, high)
SELECT meter_id, at, layout_id, array_fill(3600::smallint, ARRAY[24 * cardinality(vals)]),
    (SELECT array_agg(value + hour ORDER BY n, hour)
        FROM unnest(vals) WITH ORDINALITY AS each (value, n) CROSS JOIN generate_series(1, 24) hour),
    vals, vals {_FROM}
WHERE meter_id %% %(each)s = 0
ON CONFLICT DO NOTHING
"""


def tell_machines(site_id: int, at: datetime) -> None:
    """Every machine as its BMC and its probe tell it."""
    devices = list(Device.objects.filter(site_id=site_id, machine__isnull=False).values_list("id", "name"))
    Meter.objects.bulk_create(
        Meter(site_id=site_id, name=name, kind=Meter.Kind.MACHINE, device_id=pk, period_s=MACHINES_S, state="ok")
        for pk, name in devices
    )
    meters = Meter.objects.filter(kind=Meter.Kind.MACHINE).values_list("pk", flat=True)
    services.store([services.Told(meter, at, list(machine_values()), MACHINES_S) for meter in meters])


def machine_values() -> Iterable[Measured]:
    yield Measured(Part.MACHINE, "", Quantity.POWER_W, 8_400.0)
    for number in range(1, 7):
        yield Measured(Part.SUPPLY, f"PSU.{number}", Quantity.POWER_W, 1_400.0)
    yield Measured(Part.SENSOR, "inlet", Quantity.TEMPERATURE_C, 22.0)
    yield Measured(Part.SENSOR, "exhaust", Quantity.TEMPERATURE_C, 37.0)
    for number in range(1, 13):
        yield Measured(Part.FAN, f"Fan {number}", Quantity.SPEED_RPM, 9_200.0)
    for number in range(8):
        yield Measured(Part.GPU, f"GPU{number}", Quantity.TEMPERATURE_C, 62.0)
        yield Measured(Part.GPU, f"GPU{number}", Quantity.POWER_W, 610.0)
        yield Measured(Part.GPU, f"GPU{number}", Quantity.POWER_LIMIT_W, 700.0)
    for quantity in (Quantity.SLOWED_HOT, Quantity.SLOWED_CAPPED, Quantity.SLOWED_BRAKED):
        yield Measured(Part.MACHINE, "", quantity, 0.0)


def freshen() -> None:
    """What every meter told last, it tells now."""
    _execute("UPDATE facility_meterstate SET at = now()")


def make_pool() -> None:
    """What the rows are made of: all that is known now."""
    _execute("DROP TABLE IF EXISTS bench_pool")
    _execute(POOL)
    _execute("CREATE INDEX ON bench_pool (variant)")
    _execute("ANALYZE bench_pool")


def fill_readings(begin: datetime, end: datetime) -> int:
    """Readings of every meter at its own period."""
    tables.maintain(begin)
    return _execute(READINGS, begin=begin, end=end, step=timedelta(seconds=10))


def fill(step: rollup.Step, begin: datetime, end: datetime, each: int = 1) -> int:
    """Rows of one table as its step would make them, of every so-manieth meter."""
    (series,) = [found for found in tables.SERIES if found.table == f"facility_{step.name}"]
    at = begin
    while at < end + DAY:
        maintain_series([series], tables.LOCK, at)
        at += DAY
    statement = DAYS if step.name == "day" else ROLLED.format(name=step.name, source=_FROM)
    return _execute(statement, begin=begin, end=end, step=step.width, each=each)


def made_until(now: datetime) -> None:
    """The mark of every step: made up to now."""
    for step in rollup.STEPS:
        mark(step.name, rollup.floored(now, step.width))


def mark(name: str, until: datetime) -> None:
    _execute(
        "INSERT INTO facility_rolledup VALUES (%(name)s, %(until)s) "
        "ON CONFLICT (name) DO UPDATE SET until = excluded.until",
        name=name, until=until,
    )  # fmt: skip


def size(table: str, begin: datetime, end: datetime) -> tuple[int, float, timedelta]:
    """Rows of a time, the bytes that each takes with its part of the index and what is stored aside, and how long the
    time of a partition is."""
    (series,) = [found for found in tables.SERIES if found.table == table]
    start = series.start(begin)
    partition = series.name(start)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*), pg_total_relation_size('{partition}') FROM {partition}")
        all_rows, all_bytes = cursor.fetchone()
        cursor.execute(f"SELECT count(*) FROM {partition} WHERE at >= %s AND at < %s", [begin, end])
        (rows,) = cursor.fetchone()
    return rows, all_bytes / all_rows, series.following(start) - start


def _execute(statement: str, **parameters: Any) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters or None)
        return int(cursor.rowcount)


def day_before(now: datetime) -> datetime:
    return rollup.floored(now, DAY).astimezone(UTC) - DAY
