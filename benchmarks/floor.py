"""The floor map of the whole fleet: `/api/floor/` over HTTP, from one web process as it runs in production."""

from __future__ import annotations

import gzip
import os
import time

from django.db import connection

from benchmarks.reads import GOALS_MS
from benchmarks.report import Context, Row
from benchmarks.server import Session, new_token, timed, web_process
from benchmarks.sweep import ensure_fleet
from health.overview.queries.floor import machine_rows, visible_rooms

REQUESTS = 60


def run(context: Context) -> list[Row]:
    site = ensure_fleet(context)
    room = visible_rooms([site.pk])[0]
    path = f"/api/floor/?room={room.id}"
    with web_process(os.environ["RACKSIDE_DATABASE_URL"]) as port:
        session = Session(port, new_token())
        took = timed(lambda _: session.get(path), REQUESTS, warm=8)
        body = session.send("GET", path)
    began = time.perf_counter()
    rows = machine_rows(room.id)
    query_ms = (time.perf_counter() - began) * 1000
    connection.close()
    return [
        Row(
            "floor: whole answer, median",
            f"{took.p50:.1f} ms",
            f"{len(rows)} machines",
            f"{GOALS_MS['floor']} ms or less",
        ),
        Row("floor: 95th percentile", f"{took.p95:.1f} ms", f"{REQUESTS} requests"),
        Row("floor: of which the machines' query", f"{query_ms:.1f} ms", "one join"),
        Row("floor: size", f"{len(body) / 1000:.0f} kB", f"{len(gzip.compress(body, 1)) / 1000:.0f} kB with gzip -1"),
    ]
