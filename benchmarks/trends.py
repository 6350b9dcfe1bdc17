"""A year of trends of 5,000 machines: days, all series. The history is written in bulk, the question asked of it."""

from __future__ import annotations

import time
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from benchmarks.report import Context, Row
from benchmarks.server import fresh_database
from health import trends
from health.queries import trends as queries
from health.queries.lemons import lemons

MACHINES = 5000
REPAIRS = 6
"""Of each machine in the year: drained, verified and back, each with a fault."""

FILL = """
WITH site AS (INSERT INTO core_site (slug, name, timezone) VALUES ('big', 'Big', 'UTC') RETURNING id),
model AS (
    INSERT INTO inventory_devicemodel (slug, vendor, name, kind, half_u_height, gpu_count, spec)
    VALUES ('m', 'v', 'm', 'machine', 12, 8, '{}') RETURNING id
)
INSERT INTO inventory_device (site_id, model_id, kind, name, status, serial, asset_tag)
SELECT site.id, model.id, 'machine', 'm-' || n, 'active', '', '' FROM site, model, generate_series(1, %(machines)s) n
"""
MACHINE_ROWS = "INSERT INTO inventory_machine (device_id, role) SELECT id, 'compute' FROM inventory_device"
CHANGES = """
INSERT INTO health_lifecyclechange (machine_id, transition_id, at, actor, reason, evidence)
SELECT machine.machine_id, step.id,
    %(begin)s + (n * 60 + machine.machine_id %% 60) * interval '1 day' + place * interval '1 hour', 'bench', '', '{}'
FROM health_machinehealth machine, generate_series(0, %(repairs)s - 1) n,
    unnest(ARRAY['ready', 'draining', 'drained', 'verifying'], ARRAY['drain', 'drained', 'verify', 'pass'])
        WITH ORDINALITY AS steps (state, event, place)
JOIN health_lifecycletransition step ON step.from_state = steps.state AND step.event = steps.event
ORDER BY 1, 3
"""
FAULTS = """
INSERT INTO health_fault (machine_id, slot, fault_class, precedence, kind, status, checks, signatures, message, action,
    opened_at, seen_at, confirmed_at, announced_at, cleared_at, cleared_by, drain)
SELECT machine_id, 'GPU 1', (ARRAY['gpu.gone', 'gpu.memory', 'hca.link', 'nvme.failing'])[1 + n %% 4], 0, 'level',
    'cleared', '{}', '{}', '', '', at, at, at, at, at + interval '5 hours', 'verified', ''
FROM (
    SELECT machine_id, n, %(begin)s + (n * 60 + machine_id %% 60) * interval '1 day' AS at
    FROM health_machinehealth, generate_series(0, %(repairs)s - 1) n
) each_time
"""
VERIFICATIONS = """
WITH made AS (
    INSERT INTO health_verification (machine_id, owner, actor, status, requested_at, boot_id, at_us, bmc_at_us,
        attempts, next_try_at, deadline_at, finished_at, reason, results)
    SELECT machine_id, 'bench', 'bench', 'passed', opened_at + interval '4 hours', '', -1, -1, 1, opened_at, opened_at,
        opened_at + interval '5 hours', '', '[]'
    FROM health_fault ORDER BY id RETURNING id, machine_id, finished_at
)
INSERT INTO health_verification_faults (verification_id, fault_id)
SELECT made.id, fault.id FROM made
JOIN health_fault fault ON fault.machine_id = made.machine_id AND fault.cleared_at = made.finished_at
"""


def run(context: Context) -> list[Row]:
    from health.services import sync_machines

    now = timezone.now()
    begin = now - timedelta(days=365)
    asked = {"machines": MACHINES, "repairs": REPAIRS, "begin": begin}
    with fresh_database("trends"):
        with connection.cursor() as cursor:
            cursor.execute(FILL, asked)
            cursor.execute(MACHINE_ROWS)
        sync_machines()
        with connection.cursor() as cursor:
            cursor.execute("UPDATE health_lifecyclechange SET at = %s", [begin])
            for statement in (CHANGES, FAULTS, VERIFICATIONS):
                cursor.execute(statement, asked)
            cursor.execute("ANALYZE")
        took = {}
        for word in ("day", "week"):
            cut = trends.buckets(begin, now, word)
            started = time.perf_counter()
            series = queries.all_series(cut, None)
            took[word] = time.perf_counter() - started
        started = time.perf_counter()
        lemons(None, since=now - timedelta(days=30))
        scored = time.perf_counter() - started
    about = f"{MACHINES:,} machines, {MACHINES * REPAIRS:,} repairs, {len(series)} series"
    return [
        Row("trends: a year by days", f"{took['day']:.2f} s", about),
        Row("trends: a year by weeks", f"{took['week']:.2f} s", about),
        Row("trends: lemon scores of all", f"{scored:.2f} s", "30 days"),
    ]
