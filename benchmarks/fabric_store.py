"""A look at the fabric of the reference fleet: import of what the tools print, diagnosis, storing; again unchanged."""

from __future__ import annotations

import time
from unittest import mock

from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.report import Context, Row
from benchmarks.sweep import ensure_fleet
from fabric.discovery.services import discoveries
from fabric.discovery.services.readers import Part
from fabric.models import Discovery, FabricLink, FabricSource, Finding
from fabric.planned import planned
from fabric.tests.hall import made_of, parts
from fabric.tests.made_faults import inject
from fabric.wiring.queries.overview import matrix, overview

TARGET_FIRST_S, TARGET_AGAIN_S = 10, 3
FAULTS = ("swap", "cycle", "wrong_port", "chain", "missing", "dead_machine", "slow_link", "factory_names") * 5


def run(context: Context) -> list[Row]:
    site = ensure_fleet(context)
    FabricSource.objects.filter(site=site, name="bench").delete()
    source = FabricSource.objects.create(site=site, name="bench", kind="file", guard_percent=50)
    fabric = made_of(planned(site.pk, "infiniband").plan)
    for kind in FAULTS:
        inject(fabric, kind)
    outputs = parts(fabric)
    first_s, first, _ = _look(source, outputs)
    again_s, again, statements = _look(source, outputs)
    links, kinds = FabricLink.objects.filter(source=source).count(), Finding.objects.filter(source=source).count()
    pages = []
    for name, page in (("overview", overview), ("matrix", matrix)):
        began = time.perf_counter()
        page([site.pk])
        pages.append(Row(f"fabric: {name}", f"{(time.perf_counter() - began) * 1000:.0f} ms", f"{links} links"))
    read = f"{sum(len(part.text) for part in outputs) / 1e6:.1f} MB of three tools"
    rows = [
        Row("fabric: first discovery run, imported, diagnosed and stored", f"{first_s:.1f} s",
            f"{links} links, {kinds} findings, {read}, {first.status}; target {TARGET_FIRST_S} s"),
        Row("fabric: the same discovery run again", f"{again_s:.1f} s",
            f"{again.counts.get('links_changed')} links changed, {statements} statements; target {TARGET_AGAIN_S} s"),
        *pages,
    ]  # fmt: skip
    source.delete()
    connection.close()
    return rows


def _look(source: FabricSource, outputs: list[Part]) -> tuple[float, Discovery, int]:
    """Seconds from the upload to the end, in this process."""
    with mock.patch("celery.app.task.Task.apply_async"), CaptureQueriesContext(connection) as told:
        began = time.perf_counter()
        discovery = discoveries.upload(source, outputs, by="bench")
        done = discoveries.run(discovery.pk)
        spent = time.perf_counter() - began
    assert done is not None
    return spent, done, len(told)
