"""What happens when a feed dies, for every feed of the fleet; a rack's power; every rail against its leaf."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from django.db import connection

from benchmarks.report import Context, Row
from benchmarks.sweep import ensure_fleet
from inventory.models import Rack
from inventory.power import answers
from inventory.power.failures import fail
from inventory.power.queries import rack_graph, site_graph
from inventory.queries.rails import rail_report

TIMES = 5
TARGET_MS = 300


def run(context: Context) -> list[Row]:
    site = ensure_fleet(context)
    rack = Rack.objects.filter(room__site=site).order_by("name")[0]
    graph = site_graph(site.pk)

    def every_feed() -> None:
        fresh = site_graph(site.pk)
        for feed in fresh.feeds:
            fail(fresh, frozenset({feed}))
        for dead in {fresh.failing_with(feed) for feed in fresh.feeds}:
            fail(fresh, dead)

    rows = [
        Row(
            "power: every feed and side failed once, median",
            f"{_median_ms(every_feed):.0f} ms",
            f"{len(graph.feeds)} feeds, {len(graph.devices)} devices, reading included; target {TARGET_MS} ms",
        ),
        Row(
            "power: one rack, median",
            f"{_median_ms(lambda: answers.rack_power(rack_graph(site.pk, rack.pk), rack)):.0f} ms",
            rack.name,
        ),
        Row(
            "rails: every rail against its leaf, median",
            f"{_median_ms(lambda: rail_report(site.pk)):.0f} ms",
            f"{rail_report(site.pk)['checked']} ports, through panels and breakouts",
        ),
    ]
    connection.close()
    return rows


def _median_ms(work: Callable[[], Any]) -> float:
    times = []
    for _ in range(TIMES):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)
