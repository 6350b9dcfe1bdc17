"""A year of trends of 5,000 machines: days, all series. The history is written in bulk, the question asked of it."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from benchmarks.report import Context, Row
from benchmarks.server import fresh_database
from core.models import Site
from health.insights import trends
from health.insights.queries import trends as queries
from health.insights.queries.lemons import lemons
from health.models import Fault, MachineHealth, Verification
from health.services import sync_machines
from inventory.models import Device, DeviceModel, Machine

MACHINES = 5000
REPAIRS = 6
"""Of each machine in the year: drained, verified and back, each with a fault."""

ADOPTED = """
INSERT INTO health_lifecyclechange (machine_id, transition_id, at, actor, reason, evidence)
SELECT machine_id, step.id, %(begin)s, 'bench', '', '{}' FROM health_machinehealth
JOIN health_lifecycletransition step ON step.from_state = 'new' AND step.event = 'adopt'
"""
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
CLASSES = ("gpu.gone", "gpu.memory", "hca.link", "nvme.failing")


def repair_all(begin: datetime) -> None:
    """A fault of each repair, and the verification that ended it."""
    machines = MachineHealth.objects.values_list("machine_id", flat=True)
    times = [(pk, n, begin + timedelta(days=n * 60 + pk % 60)) for pk in machines for n in range(REPAIRS)]
    faults = Fault.objects.bulk_create(
        Fault(
            machine_id=pk, slot="GPU 1", fault_class=CLASSES[n % 4], precedence=0, kind="level", status="cleared",
            opened_at=at, seen_at=at, confirmed_at=at, announced_at=at, cleared_at=at + timedelta(hours=5),
        )
        for pk, n, at in times
    )  # fmt: skip
    verifications = Verification.objects.bulk_create(
        Verification(
            machine_id=pk, owner="bench", actor="bench", status="passed", requested_at=at + timedelta(hours=4),
            next_try_at=at, deadline_at=at, finished_at=at + timedelta(hours=5),
        )
        for pk, _, at in times
    )  # fmt: skip
    links = Verification.faults.through
    links.objects.bulk_create(
        links(verification_id=verification.pk, fault_id=fault.pk)
        for verification, fault in zip(verifications, faults, strict=True)
    )


def fill() -> None:
    site = Site.objects.create(slug="big", name="Big")
    model = DeviceModel.objects.create(
        slug="m", vendor="v", name="m", kind="machine", half_u_height=12, gpu_count=8, spec={}
    )
    devices = Device.objects.bulk_create(
        Device(site=site, model=model, kind="machine", name=f"m-{n}", status="active") for n in range(MACHINES)
    )
    Machine.objects.bulk_create(Machine(device=device, role="compute") for device in devices)


def run(context: Context) -> list[Row]:
    now = timezone.now()
    begin = now - timedelta(days=365)
    asked: dict[str, Any] = {"repairs": REPAIRS, "begin": begin}
    with fresh_database("trends"):
        fill()
        sync_machines()
        with connection.cursor() as cursor:
            for statement in (ADOPTED, CHANGES):
                cursor.execute(statement, asked)
        repair_all(begin)
        with connection.cursor() as cursor:
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
