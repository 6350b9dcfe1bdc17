"""Measured values of the last month: each machine as it was measured first, by the hours of the day and with noise.

They are made from the first check of every machine, so that they have its layout and its usual values; of a machine
that has not been checked yet there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from math import cos, pi
from random import Random
from typing import Any

from django.db import connection

from config.past.tables import copy
from health.monitoring import samples
from health.monitoring.models.verdicts import Layout
from health.monitoring.services import partitions

DAYS = 29
EVERY = timedelta(hours=6)
SHAPES = 6
"""Different noises for each hour of the day and layout: packing one takes longer than writing ten."""
SWING, NOISE = 0.06, 0.02
WARMEST_HOUR = 15
FIRST = """
SELECT DISTINCT ON (sample.machine_id) sample.machine_id, sample.layout_id, sample.verdicts
FROM health_sample sample JOIN inventory_device device ON device.id = sample.machine_id
WHERE device.site_id = %s AND sample.heard AND sample.fail = 0 AND sample.unknown = 0
ORDER BY sample.machine_id, sample.at
"""
COLUMNS = ("machine_id", "at", "sweep_id", "layout_id", "heard", "worst", "fail", "unknown", "warn", "verdicts")
MEASURED = ("temperature", "thermal", "power", "fan", "inlet")
"""Values of checks with such a word in their name follow the day; all others stay as they were."""


def load(site: int, *, now: datetime, seed: int = 1) -> int:
    """Write the samples of a site up to the first real one; returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(FIRST, [site])
        first = cursor.fetchall()
    if not first:
        return 0
    for back in range(0, DAYS + 8, 7):
        partitions.maintain(now - timedelta(days=back))
    layouts = {row.pk: row.entries for row in Layout.objects.filter(pk__in={layout for _, layout, _ in first})}
    return copy("health_sample", COLUMNS, _rows(first, layouts, now, Random(seed)))


def _rows(
    first: Sequence[tuple[int, int, Any]], layouts: Mapping[int, Sequence[Sequence[str]]], now: datetime, dice: Random
) -> Iterator[tuple[Any, ...]]:
    times = [now - timedelta(hours=1) - n * EVERY for n in range(int(timedelta(days=DAYS) / EVERY))]
    shapes: dict[tuple[int, int], list[bytes]] = {}
    for machine, layout, packed in first:
        entries = layouts[layout]
        for at in times:
            kept = shapes.setdefault((layout, at.hour), [])
            if len(kept) < SHAPES:
                kept.append(varied(bytes(packed), entries, at.hour, dice))
            yield machine, at, None, layout, True, 0, 0, 0, 0, dice.choice(kept)


def varied(packed: bytes, entries: Sequence[Sequence[str]], hour: int, dice: Random) -> bytes:
    """A look with the same verdicts, whose temperatures and draws are those of this hour of the day. Pure."""
    count = len(entries)
    day = 1 + SWING * cos((hour - WARMEST_HOUR) / 24 * 2 * pi)
    values = [
        round(value * (day + NOISE * (2 * dice.random() - 1)), 1)
        if value and any(word in check for word in MEASURED)
        else value
        for (check, _), value in zip(entries, samples.values(packed, count), strict=True)
    ]
    return samples.pack(samples.codes(packed, count), values)
