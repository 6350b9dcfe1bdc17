"""Loading the reference fleet into an empty database, loading it again, and finding things in it."""

from __future__ import annotations

import statistics
import time

from django.db import connection

from benchmarks.report import Context, Row
from core.models import Site
from inventory.fleet.load import Report, load
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.models import Cable, Component, Port
from inventory.search import search

TARGET_LOAD_S = 20
TARGET_SEARCH_MS = 50


def run(context: Context) -> list[Row]:
    path = context.folder / "fleet.yaml"
    path.write_text(fleet_file(context.machines))
    fresh = not Site.objects.exists()
    first, first_s = _timed_load(context)
    again, again_s = _timed_load(context)
    rows = {name: len(table.created) + table.unchanged for name, table in again.diff.tables.items()}
    size = f"{rows['machines']} machines, {rows['ports']} ports, {rows['cables']} cables, {rows['parts']} parts"
    spent = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in first.seconds.items())
    found = _searches()
    typed = ", ".join(f"{name} {ms:.0f}" for name, ms in found.items())
    return [
        Row("fleet: first load" if fresh else "fleet: load over what was there", f"{first_s:.1f} s",
            f"{size}; {spent}; target {TARGET_LOAD_S} s for 511 machines"),
        Row("fleet: second load", f"{again_s:.1f} s", "changed" if again.changed else "nothing changed"),
        Row("fleet: search, slowest of its kinds", f"{max(found.values()):.1f} ms",
            f"median of 5; {typed}; target {TARGET_SEARCH_MS} ms"),
    ]  # fmt: skip


def _timed_load(context: Context) -> tuple[Report, float]:
    began = time.perf_counter()
    (report,) = load(context.folder / "fleet.yaml")
    return report, time.perf_counter() - began


def _searches() -> dict[str, float]:
    """Median milliseconds by what is typed."""
    gpu = Component.objects.filter(kind="gpu").order_by("id")[0]
    port = Port.objects.exclude(guid="").order_by("id")[0]
    cable = Cable.objects.order_by("-id")[0]
    typed = {
        "name": "hgx-a0",
        "serial": gpu.serial,
        "UUID": gpu.attributes["uuid"][:12],
        "GUID": port.guid,
        "maker's GUID prefix": port.guid[2:10],
        "label": cable.label,
        "two letters": "a1",
    }
    took: dict[str, float] = {}
    for name, query in typed.items():
        times = []
        for _ in range(5):
            began = time.perf_counter()
            search(query, None)
            times.append((time.perf_counter() - began) * 1000)
        took[name] = statistics.median(times)
    connection.close()
    return took
