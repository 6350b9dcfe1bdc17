"""What a day of looks at the fleet takes on disk: the partition of the day, its index and what is stored aside.

A few virtual machines are looked at and judged as ever; looks mixed of what they showed are stored for every machine of
the fleet, sweep after sweep of five minutes, by the statement that a sweep uses. Nothing is said of the few rows that
a changed verdict adds.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from benchmarks.report import Context, Row
from benchmarks.server import fresh_database
from benchmarks.sweep_growth import fill, sweep
from health.models import Sample
from health.monitoring.samples import codes, pack, values
from health.monitoring.services import partitions
from health.monitoring.services.sweeps.observation_store import COPY_SAMPLES
from health.monitoring.services.sweeps.stored import read_layouts

PERIOD_S = 300
SWEEPS = 86_400 // PERIOD_S
JUDGED = 16
FORMS = 500
"""Looks that are made of those."""
GOAL_MB = 40


def forms(chance: random.Random) -> list[tuple[int, bytes]]:
    """Layout and packed looks, each value of them one that a judged machine showed in that place."""
    newest = Sample.objects.order_by("-at", "machine_id").values_list("layout_id", "verdicts")[:JUDGED]
    layout = newest[0][0]
    count = len(read_layouts([layout])[layout])
    said = codes(bytes(newest[0][1]), count)
    places = list(zip(*(values(bytes(look), count) for _, look in newest), strict=True))
    return [(layout, pack(said, [chance.choice(place) for place in places])) for _ in range(FORMS)]


def looks(machines: int, looked: Sequence[tuple[int, bytes]], day: datetime) -> Iterator[tuple[Any, ...]]:
    """The rows of a day, in the order in which sweeps write them."""
    for number in range(SWEEPS):
        began = day + timedelta(seconds=number * PERIOD_S)
        for machine in range(machines):
            layout, packed = looked[(machine * 7 + number) % len(looked)]
            at = began + timedelta(milliseconds=machine * 20)
            yield (machine + 1, at, number + 1, layout, True, 0, 0, 0, 0, packed)


def run(context: Context) -> list[Row]:
    with fresh_database("history"):
        partitions.ensure()
        sweep(*fill(JUDGED))
        looked = forms(random.Random(1))
        day = partitions.day_start(timezone.now()) + timedelta(days=1)
        partition = partitions.SERIES[0].name(day)
        began = time.perf_counter()
        with connection.cursor() as cursor:
            with cursor.copy(COPY_SAMPLES) as copy:
                for row in looks(context.machines, looked, day):
                    copy.write_row(row)
            seconds = time.perf_counter() - began
            cursor.execute(
                f"SELECT count(*), pg_relation_size('{partition}'), pg_indexes_size('{partition}'), "
                f"pg_total_relation_size('{partition}'), avg(octet_length(verdicts)) FROM {partition}"
            )
            count, heap, index, everything, packed = cursor.fetchone()
    parts = f"rows {heap / 1e6:.1f}, index {index / 1e6:.1f} MB; a check {packed:.0f} bytes of {everything / count:.0f}"
    about = f"{count:,} checks of {context.machines} machines, one in {PERIOD_S} s; {parts}"
    return [
        Row("history: a day", f"{everything / 1e6:.1f} MB", about, goal=f"{GOAL_MB} MB or less"),
        Row("history: stored", f"{count / seconds:,.0f} checks a second"),
    ]
