"""Samples of ports: packed by node, written in bulk, read back for windows and for history.

A node's row holds its ports one after the other, each as its number and a fixed row of numbers (`COLUMNS`), deflated.
What a port did not tell is not a number. The order of the columns is layout 1; another order is another layout.
"""

from __future__ import annotations

import math
import sys
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import structlog
from django.db import OperationalError, connection
from django.utils import timezone

from fabric.facts import SeenPort
from fabric.quality.counters import COUNTERS, Reading
from fabric.quality.deltas import Totals
from fabric.quality.models.quality import Round
from health.monitoring.services.partitions import Series, day_start, is_made, maintain_series, next_day

log = structlog.get_logger(__name__)

LAYOUT = 1
SERIES = Series("fabric_portsample", day_start, next_day, "%Y%m%d", "port_samples")
LOCK = 7_203
NAMES = tuple(counter.name for counter in COUNTERS)
SENSORS = ("raw_ber", "effective_ber", "symbol_ber", "port_c", "optic_c")
COLUMNS = (
    "port", *NAMES, *(f"total_{name}" for name in NAMES), "since", "saturated", "resets", "quiet", *SENSORS,
)  # fmt: skip
WIDTH = len(COLUMNS)
_COUNTS = slice(1, 1 + len(NAMES))
_TOTALS = slice(1 + len(NAMES), 1 + 2 * len(NAMES))
_REST = 1 + 2 * len(NAMES)
_NONE = math.nan


class Sample(NamedTuple):
    """One reading of one port with the totals up to it."""

    reading: Reading
    totals: Totals


# ---- packing ----


def pack(ports: Iterable[tuple[int, Sample]], alike: dict[tuple[object, ...], list[float]] | None = None) -> bytes:
    """The ports of one node, by number.

    `alike` carries what ports told on to the next node of the same round: most of them tell the same.
    """
    values = array("d")
    alike = {} if alike is None else alike
    for number, (reading, totals) in sorted(ports, key=lambda each: each[0]):
        counters = tuple(map(reading.counters.get, NAMES))
        told = (id(totals), reading.quiet, counters, _sensors(reading))
        but_number = alike.get(told)
        if but_number is None:
            but_number = alike[told] = _but_number(counters, reading, totals)
        values.append(number)
        values.extend(but_number)
    if sys.byteorder == "big":
        values.byteswap()
    return zlib.compress(values.tobytes(), 1)


def _but_number(counters: Sequence[float | None], reading: Reading, totals: Totals) -> list[float]:
    """The columns of a port behind its number."""
    saturated = totals.saturated
    bits = sum(1 << at for at, name in enumerate(NAMES) if name in saturated) if saturated else 0
    told = (
        *counters, *map(totals.counts.get, NAMES),
        totals.since.timestamp(), bits, totals.resets, reading.quiet, *_sensors(reading),
    )  # fmt: skip
    return [_NONE if each is None else each for each in told]


def unpack(packed: bytes, at: datetime, alike: dict[bytes, Sample] | None = None) -> dict[int, Sample]:
    """The ports of one node at one time. Raises ValueError for what is no packed row.

    Ports that tell the same share one sample; `alike` carries those of this time on to the next node.
    """
    values = array("d")
    alike = {} if alike is None else alike
    try:
        told = zlib.decompress(packed)
        values.frombytes(told)
    except zlib.error as error:
        raise ValueError("not a packed sample") from error
    if sys.byteorder == "big":
        values.byteswap()
    if len(values) % WIDTH:
        raise ValueError("not a packed sample")
    found: dict[int, Sample] = {}
    for start in range(0, len(values), WIDTH):
        but_number = told[(start + 1) * values.itemsize : (start + WIDTH) * values.itemsize]
        sample = alike.get(but_number)
        if sample is None:
            sample = alike[but_number] = _sample(values[start : start + WIDTH], at)
        found[int(values[start])] = sample
    return found


def _sensors(reading: Reading) -> tuple[float | None, ...]:
    """In the order of SENSORS."""
    return reading.raw_ber, reading.effective_ber, reading.symbol_ber, reading.port_c, reading.optic_c


def _sample(row: array[float], at: datetime) -> Sample:
    counters = {name: int(value) for name, value in zip(NAMES, row[_COUNTS], strict=True) if value == value}
    totals = {name: int(value) for name, value in zip(NAMES, row[_TOTALS], strict=True) if value == value}
    since, bits, resets, quiet, *sensors = row[_REST:]
    saturated = frozenset(name for place, name in enumerate(NAMES) if int(bits) >> place & 1) if bits else frozenset()
    raw, effective, symbol, port_c, optic_c = (None if value != value else value for value in sensors)
    reading = Reading(at, counters, raw, effective, symbol, port_c, optic_c, quiet=bool(quiet))
    return Sample(reading, Totals(at, datetime.fromtimestamp(since, UTC), totals, saturated, int(resets)))


# ---- the table ----

COPY = "COPY fabric_portsample (source_id, guid, at, layout, ports) FROM STDIN (FORMAT BINARY)"
AT = "SELECT at, guid, ports FROM fabric_portsample WHERE source_id = %s AND at = ANY(%s) AND layout = %s"
OF_NODES = AT + " AND guid = ANY(%s)"
BETWEEN = """
SELECT at, guid, ports FROM fabric_portsample
WHERE source_id = %s AND guid = ANY(%s) AND at >= %s AND at <= %s AND layout = %s ORDER BY at
"""


def write(source_id: int, at: datetime, samples: Mapping[SeenPort, Sample]) -> int:
    """Write one round, in one COPY; returns how many rows. In the caller's transaction, the source's row locked."""
    by_node: dict[str, list[tuple[int, Sample]]] = defaultdict(list)
    alike: dict[tuple[object, ...], list[float]] = {}  # found by identity of the totals, which `samples` keeps alive
    for (guid, number), sample in samples.items():
        by_node[guid].append((number, sample))
    with connection.cursor() as cursor, cursor.copy(COPY) as copy:
        copy.set_types(["int8", "varchar", "timestamptz", "int2", "bytea"])
        for guid, ports in by_node.items():
            copy.write_row((source_id, guid, at, LAYOUT, pack(ports, alike)))
    Round.objects.create(source_id=source_id, at=at, ports=len(samples))
    return len(by_node)


def read_rounds(
    source_id: int, times: Sequence[datetime], guids: Sequence[str] | None = None
) -> dict[datetime, dict[SeenPort, Sample]]:
    """Whole rounds, or what they tell of some nodes. One statement."""
    found: dict[datetime, dict[SeenPort, Sample]] = {at: {} for at in times}
    alike: dict[datetime, dict[bytes, Sample]] = {at: {} for at in times}
    if not times:
        return found
    params: list[Any] = [source_id, list(times), LAYOUT]
    with connection.cursor() as cursor:
        cursor.execute(AT if guids is None else OF_NODES, params if guids is None else [*params, list(guids)])
        for at, guid, packed in cursor.fetchall():
            ports = unpack(bytes(packed), at, alike[at])
            found[at].update({SeenPort(guid, number): sample for number, sample in ports.items()})
    return found


def read_series(
    source_id: int, ends: Sequence[SeenPort], since: datetime, until: datetime
) -> dict[SeenPort, list[Sample]]:
    """The samples of some ports in order of time. One statement."""
    found: dict[SeenPort, list[Sample]] = {end: [] for end in ends}
    guids = sorted({end.guid for end in ends})
    with connection.cursor() as cursor:
        cursor.execute(BETWEEN, [source_id, guids, since, until, LAYOUT])
        for at, guid, packed in cursor.fetchall():
            ports = unpack(bytes(packed), at)
            for end in ends:
                if end.guid == guid and end.port in ports:
                    found[end].append(ports[end.port])
    return found


def newest_round(source_id: int, before: datetime | None = None) -> datetime | None:
    rounds = Round.objects.filter(source_id=source_id)
    if before is not None:
        rounds = rounds.filter(at__lt=before)
    return rounds.order_by("-at").values_list("at", flat=True).first()


# ---- housekeeping ----


def maintain(now: datetime | None = None) -> dict[str, list[str]]:
    """Partitions of the next week, strayed rows into theirs, expired ones dropped with their rounds."""
    now = now or timezone.now()
    done = maintain_series((SERIES,), LOCK, now)
    if done is None:
        return {"made": [], "dropped": []}
    Round.objects.filter(at__lt=day_start(now - SERIES.kept)).delete()
    return done


def ensure() -> bool:
    """Maintain when the partition of tomorrow is missing. One query when it is there."""
    if is_made(SERIES):
        return False
    try:
        maintain()
    except OperationalError as error:  # the default partition takes the rows meanwhile
        log.warning("sample_partitions_not_maintained", error=str(error))
        return False
    return True
