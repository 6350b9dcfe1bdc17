"""The floor map of the whole fleet: server time of `/api/floor/`, from the request to the rendered body.

The requests go through Django's own test client in this process: middleware, session, rights and rendering count, the
network and the browser do not.
"""

from __future__ import annotations

import gzip
import statistics
import time

from django.db import connection
from django.test import Client

from benchmarks.report import Context, Row
from benchmarks.sweep import ensure_fleet
from core.models import Role
from core.services import ensure_user
from health.overview.queries.floor import machine_rows, visible_rooms
from inventory.models import Site

REQUESTS = 60
TARGET_MS = 20


def run(context: Context) -> list[Row]:
    site = ensure_fleet(context)
    user, _ = ensure_user("bench-floor", role=Role.VIEWER)
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    room = visible_rooms(Site.objects.filter(pk=site.pk))[0]
    times, body = [], b""
    for _ in range(REQUESTS):
        began = time.perf_counter()
        answer = client.get(f"/api/floor/?room={room.pk}")
        times.append((time.perf_counter() - began) * 1000)
        assert answer.status_code == 200, answer.content[:300]
        body = answer.content
    began = time.perf_counter()
    rows = machine_rows(room.pk)
    query_ms = (time.perf_counter() - began) * 1000
    connection.close()
    median = statistics.median(times)
    return [
        Row("floor: whole answer, median", f"{median:.1f} ms", f"{len(rows)} machines; target {TARGET_MS} ms"),
        Row("floor: 95th percentile", f"{statistics.quantiles(times, n=20)[-1]:.1f} ms", f"{REQUESTS} requests"),
        Row("floor: of which the machines' query", f"{query_ms:.1f} ms", "one join"),
        Row("floor: size", f"{len(body) / 1000:.0f} kB", f"{len(gzip.compress(body, 1)) / 1000:.0f} kB with gzip -1"),
    ]
