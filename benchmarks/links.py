"""Link quality: one round of a fabric of the reference size stored and judged, its history read, a burn-in planned."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone

from benchmarks.report import Context, Row
from core.models import Site
from fabric.burn_in.plan import Adapter, plan
from fabric.facts import Seen, SeenLink, SeenPort
from fabric.models import FabricSource
from fabric.quality.counters import Reading
from fabric.quality.paths import Wire
from fabric.quality.services import rounds, samples

LEAVES, SPINES, CORES, RAILS, UNITS = 128, 128, 64, 8, 16
GBPS = 425.0
ROUND_GOAL = "1.5 s or less"
ROUNDS = 3


def fabric() -> tuple[list[SeenLink], list[Adapter]]:
    """511 machines of 8 adapters, 128 leaves, 128 spines in four pods, 64 cores: 12,280 links."""
    used: dict[str, int] = {}
    links: list[SeenLink] = []
    adapters: list[Adapter] = []

    def join(a: str, b: str) -> None:
        ends = []
        for guid in (a, b):
            used[guid] = used.get(guid, 0) + 1
            ends.append(SeenPort(guid, used[guid]))
        links.append(SeenLink(min(ends), max(ends), "4x", "NDR"))

    for machine in range(511):
        for rail in range(RAILS):
            adapter = f"{0xC0000 + machine * RAILS + rail:016x}"
            adapters.append(Adapter(f"m{machine:03}", f"mlx5_{rail}", SeenPort(adapter, 1)))
            join(adapter, f"{0xA0000 + machine // 32 * RAILS + rail:016x}")
    for leaf in range(LEAVES):
        for spine in range(32):
            join(f"{0xA0000 + leaf:016x}", f"{0xB0000 + leaf // 32 * 32 + spine:016x}")
    for spine in range(SPINES):
        for up in range(32):
            join(f"{0xB0000 + spine:016x}", f"{0xD0000 + (spine % 32 * 32 + up) % CORES:016x}")
    return links, adapters


def one_round(source: FabricSource, links: list[SeenLink], at: datetime, errors: int, traffic: int = 0) -> float:
    """Seconds that it took. `traffic`: how often every port has sent and received as many words as none beside it."""
    counters = {"symbol_errors": 0, "link_downed": 0, "receive_errors": 0, "link_recoveries": 0}
    readings = {end: Reading(at, counters, optic_c=61.0) for link in links for end in (link.a, link.b)}
    if traffic:
        for nth, end in enumerate(readings):
            words = traffic * nth * 7919
            own = counters | {"transmit_words": words, "receive_words": 3 * words}
            readings[end] = Reading(at, own, optic_c=50 + nth % 200 / 10)
    for link in links[::500]:
        readings[link.a] = Reading(at, counters | {"symbol_errors": errors}, optic_c=61.0)
    began = time.perf_counter()
    rounds.record(source.pk, Seen(links=links), readings, at)
    return time.perf_counter() - began


def run(context: Context) -> list[Row]:
    site, _ = Site.objects.get_or_create(slug="bench-links", defaults={"name": "Bench"})
    source = FabricSource.objects.create(site=site, name=f"links {time.time()}", kind="file")
    links, adapters = fabric()
    samples.ensure()
    now = timezone.now()
    seconds = [one_round(source, links, now - timedelta(minutes=5 * (ROUNDS - n)), 900 * n) for n in range(ROUNDS)]
    busy = FabricSource.objects.create(site=site, name=f"busy links {time.time()}", kind="file")
    seconds += [
        one_round(busy, links, now - timedelta(minutes=5 * (ROUNDS - n)), 900 * n, traffic=n + 1) for n in range(ROUNDS)
    ]
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(pg_column_size(s.*)) FROM fabric_portsample s WHERE source_id = %s", [source.pk])
        (size,) = cursor.fetchone()
    began = time.perf_counter()
    series = samples.read_series(source.pk, links[0][:2], now - timedelta(days=1), now)
    read_s = time.perf_counter() - began
    began = time.perf_counter()
    made = plan([Wire(link.a, link.b, GBPS) for link in links], adapters)
    planned_s = time.perf_counter() - began
    ports = 2 * len(links)
    return [
        Row("links: first round", f"{seconds[0]:.2f} s",
            f"{ports:,} ports of {len(links):,} links stored and evaluated", ROUND_GOAL),
        Row("links: a later round", f"{min(seconds[1:ROUNDS]):.2f} s", "with totals carried on and three windows",
            ROUND_GOAL),
        Row("links: a round with traffic", f"{min(seconds[ROUNDS + 1:]):.2f} s",
            "every port with its own words sent and received and its own temperature: no two are alike"),
        Row("links: ports a second", f"{ports / min(seconds[1:ROUNDS]):,.0f}", "stored and evaluated"),
        Row("links: size of a round", f"{size / ROUNDS / 1e6:.2f} MB", f"{size / ROUNDS / ports:.0f} bytes a port"),
        Row("links: history of one link", f"{read_s * 1000:.1f} ms", f"{sum(map(len, series.values()))} samples"),
        Row("links: burn-in planned", f"{planned_s:.1f} s",
            f"{len(made.stages)} stages cover {made.covered:,} of {len(links):,} links"),
    ]  # fmt: skip
