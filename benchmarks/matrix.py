"""The catalogue of checks and the matrix of machines by checks, at two sizes of fleet.

The requests go through Django's own test client in this process: middleware, session, rights and rendering count, the
network does not. Told is the processor time of this process; the database's comes on top. One machine in twenty has
something that is not ok, and another system reports five checks of every machine.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from benchmarks.report import Context, Row
from benchmarks.server import fresh_database
from benchmarks.writes import observation
from core.models import Role, Site
from core.services import ensure_user
from health.checks import layout
from health.external.services import intake, sources
from health.models import MachineHealth
from health.monitoring.services import partitions
from health.monitoring.services.sweeps import observation as observing
from health.monitoring.services.sweeps import observation_store
from health.services import sync_machines
from inventory.models import Device, DeviceModel, Machine
from inventory.specs.device_model import DeviceModelSpec

SIZES = (511, 5000)
TIMES = 7
SHARD = 64
MODEL = "dell-xe9680-h100"
TOLD = "processor time; at 511 machines the aim is 100 ms"


def make_machines(count: int) -> list[Device]:
    """Machines of the reference model at one site: seconds instead of the minutes a whole fleet takes."""
    spec = DeviceModelSpec.load(MODEL)
    model = DeviceModel.objects.create(
        slug=MODEL, vendor="Dell", name=MODEL, kind="machine", half_u_height=12, gpu_count=8,
        spec=spec.model_dump(mode="json"),
    )  # fmt: skip
    site = Site.objects.create(slug="big", name="Big")
    devices = Device.objects.bulk_create(
        Device(site=site, model=model, kind="machine", name=f"m-{n:05}", status="active") for n in range(count)
    )
    Machine.objects.bulk_create(Machine(device=device, role="compute") for device in devices)
    sync_machines()
    return devices


def fill(count: int) -> None:
    """Machines, each looked at once and reported once."""
    devices = make_machines(count)
    MachineHealth.objects.update(reachability="reachable")
    places = layout(DeviceModelSpec.load(MODEL))
    for first in range(0, count, SHARD):
        subjects, _ = observing.prepared([device.pk for device in devices[first : first + SHARD]])
        observation_store.record(observation(s, places, n, failing=n % 20 == 0) for n, s in enumerate(subjects))
    source, _ = sources.make_source(devices[0].site, actor="bench", name="nhc")
    at = (timezone.now() - timedelta(seconds=1)).isoformat()
    for first in range(0, count, 1000):
        intake.take(
            source,
            [
                {"machine": device.name, "check": f"check{n}", "verdict": "ok", "at": at}
                for device in devices[first : first + 1000]
                for n in range(5)
            ],
        )


def cpu_ms(client: Client, paths: Sequence[str]) -> float:
    """Processor time of asking for all of these; the median of several times."""
    times = []
    for _ in range(TIMES):
        began = time.process_time()
        for path in paths:
            answer: Any = client.get(f"/api/health/{path}")
            assert answer.status_code == 200
            assert b"".join(answer) if answer.streaming else answer.content
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times)


def run(context: Context) -> list[Row]:
    rows: list[Row] = []
    for size in SIZES:
        with fresh_database(f"matrix_{size}"):
            partitions.ensure()
            fill(size)
            user, _ = ensure_user("bench-matrix", role=Role.VIEWER)
            client = Client(SERVER_NAME="localhost")
            client.force_login(user)

            every = [f"matrix/?page={page}" for page in range(1, -(-size // 100) + 1)]
            asked = {
                "one page of 100 machines": ["matrix/"],
                "all machines, page by page": every,
                "only what is bad": ["matrix/?only=bad"],
                "as a table": ["matrix.csv"],
                "the catalogue with its counts": ["catalogue/"],
            }
            rows += [
                Row(f"matrix, {size:,} machines: {name}", f"{cpu_ms(client, paths):.0f} ms", TOLD)
                for name, paths in asked.items()
            ]
    return rows
