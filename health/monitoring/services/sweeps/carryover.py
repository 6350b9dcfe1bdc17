"""What one look leaves for the next: read before the machines are asked, stored with what was seen.

`store` runs inside the bulk transaction of `observation_store`, which holds the machines' rows: two looks at a machine
come one after the other, and the older one is not stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson
from django.db import connection

from health.checks import Earlier
from health.monitoring.bmc_logs import NOTHING_READ, LogMemory, from_rows, to_rows
from health.monitoring.facts import merged
from health.monitoring.images.seen import ImagesSeen
from health.monitoring.images.services import store_images
from health.monitoring.models.facts import BmcLogRead, FactChange, GpuProcesses, LookCounters, MachineFacts
from health.monitoring.services.sweeps.clean_text import clean_value
from health.monitoring.services.sweeps.processes import ProcessesSeen

# Growth over a shorter time says little: a look sooner than this compares with the look before the last one.
SHORTEST_S = 60.0
Counters = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Counted:
    """Counters of one look, at which of the machine's own seconds, in which boot."""

    at_s: float
    boot_id: str
    counters: Counters

    def as_earlier(self) -> Earlier:
        return Earlier(self.at_s, self.counters, self.boot_id)


@dataclass(frozen=True)
class Leaving:
    """What this look leaves. None: it tells nothing of that, and what is stored stays."""

    counted: Counted | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    log: LogMemory | None = None
    processes: ProcessesSeen | None = None
    images: ImagesSeen | None = None


LEAVES_NOTHING = Leaving()


@dataclass(frozen=True)
class Left:
    """What earlier looks left of a machine: the counters of the last one and of the one before, and its BMC's logs."""

    last: Counted | None = None
    before: Counted | None = None
    log: LogMemory = NOTHING_READ

    def earlier(self, machine_time: float, *, afresh: bool = False) -> Earlier | None:
        """What to compare with: the last look, or the one before when the last is too short ago.

        `afresh`: only what happened since the last look counts, however short ago that was.
        """
        too_soon = self.last is not None and 0 <= machine_time - self.last.at_s < SHORTEST_S
        chosen = self.before if too_soon and not afresh else self.last
        return chosen.as_earlier() if chosen else None


NOTHING_LEFT = Left()


def read(machine_ids: Sequence[int]) -> dict[int, Left]:
    """What is stored of these machines. Two queries."""
    logs = {
        row.machine_id: LogMemory(row.tried_at, row.read_at, row.error, row.cursors, from_rows(row.entries))
        for row in BmcLogRead.objects.filter(machine_id__in=machine_ids)
    }
    counted = {row.machine_id: _unpacked(row) for row in LookCounters.objects.filter(machine_id__in=machine_ids)}
    found = {}
    for pk in logs.keys() | counted.keys():
        last, before = counted.get(pk) or (None, None)
        found[pk] = Left(last, before, logs.get(pk, NOTHING_READ))
    return found


def _unpacked(row: LookCounters) -> tuple[Counted, Counted | None]:
    last = Counted(row.at_s, row.boot_id, orjson.loads(bytes(row.packed)))
    if row.before_at_s is None or row.before_packed is None:
        return last, None
    return last, Counted(row.before_at_s, row.before_boot_id, orjson.loads(bytes(row.before_packed)))


UPSERT_COUNTERS = """
INSERT INTO health_lookcounters AS held (machine_id, boot_id, at_s, packed, before_boot_id)
SELECT machine_id, boot_id, at_s, packed, ''
FROM unnest(%s::bigint[], %s::text[], %s::float8[], %s::bytea[]) AS seen (machine_id, boot_id, at_s, packed)
ORDER BY 1
ON CONFLICT (machine_id) DO UPDATE SET boot_id = excluded.boot_id, at_s = excluded.at_s, packed = excluded.packed,
    before_boot_id = held.boot_id, before_at_s = held.at_s, before_packed = held.packed
WHERE excluded.at_s < held.at_s OR excluded.at_s >= held.at_s + %s
"""
UPSERT_FACTS = """
INSERT INTO health_machinefacts (machine_id, facts, changed_at)
SELECT * FROM unnest(%s::bigint[], %s::jsonb[], %s::timestamptz[]) ORDER BY 1
ON CONFLICT (machine_id) DO UPDATE SET facts = excluded.facts, changed_at = excluded.changed_at
"""
UPSERT_PROCESSES = """
INSERT INTO health_gpuprocesses (machine_id, boot_id, booted_at, trouble, processes, digest, changed_at)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::timestamptz[], %s::text[], %s::jsonb[], %s::text[],
    %s::timestamptz[])
ORDER BY 1
ON CONFLICT (machine_id) DO UPDATE SET boot_id = excluded.boot_id, booted_at = excluded.booted_at,
    trouble = excluded.trouble, processes = excluded.processes, digest = excluded.digest,
    changed_at = excluded.changed_at
"""
UPSERT_LOGS = """
INSERT INTO health_bmclogread (machine_id, tried_at, read_at, error, cursors, entries)
SELECT * FROM unnest(%s::bigint[], %s::timestamptz[], %s::timestamptz[], %s::text[], %s::jsonb[], %s::jsonb[])
ORDER BY 1
ON CONFLICT (machine_id) DO UPDATE SET tried_at = excluded.tried_at, read_at = excluded.read_at,
    error = excluded.error, cursors = excluded.cursors, entries = excluded.entries
"""


def store(looks: Sequence[tuple[int, datetime, Leaving]]) -> None:
    """Store what looks left, (machine, when, what), in at most twelve statements."""
    counters = [
        (pk, told.counted.boot_id, told.counted.at_s, orjson.dumps(told.counted.counters))
        for pk, _, told in looks
        if told.counted is not None
    ]
    logs = [(pk, *_log_values(told.log)) for pk, _, told in looks if told.log is not None]
    with connection.cursor() as cursor:
        if counters:
            cursor.execute(UPSERT_COUNTERS, [*_columns(counters), SHORTEST_S])
        if logs:
            cursor.execute(UPSERT_LOGS, _columns(logs))
        _store_facts(cursor, looks)
        _store_processes(cursor, looks)
        store_images(cursor, {pk: (at, left.images) for pk, at, left in looks if left.images is not None})


def _store_facts(cursor: Any, looks: Sequence[tuple[int, datetime, Leaving]]) -> None:
    """Rows are written only where a fact is new or another; the others' would be as they were."""
    told = {pk: (at, clean_value(dict(left.facts))) for pk, at, left in looks if left.facts}
    if not told:
        return
    held = dict(MachineFacts.objects.filter(machine_id__in=told).values_list("machine_id", "facts"))
    rows, changes = [], []
    for pk, (at, facts) in told.items():
        after, changed = merged(held.get(pk, {}), facts)
        if after != held.get(pk):
            rows.append((pk, orjson.dumps(after).decode(), at))
        changes += [FactChange(machine_id=pk, at=at, fact=name, before=old, after=new) for name, old, new in changed]
    if rows:
        cursor.execute(UPSERT_FACTS, _columns(rows))
    if changes:
        FactChange.objects.bulk_create(changes)


def _store_processes(cursor: Any, looks: Sequence[tuple[int, datetime, Leaving]]) -> None:
    """Rows are written only where other processes hold the GPUs than at the last look."""
    told = {pk: (at, left.processes) for pk, at, left in looks if left.processes is not None}
    if not told:
        return
    held = dict(GpuProcesses.objects.filter(machine_id__in=told).values_list("machine_id", "digest"))
    rows = []
    for pk, (at, seen) in told.items():
        if held.get(pk) != seen.digest:
            booted_at = datetime.fromtimestamp(seen.booted_at_s, UTC)
            packed = orjson.dumps(clean_value(list(seen.rows))).decode()
            rows.append((pk, seen.boot_id, booted_at, clean_value(seen.trouble), packed, seen.digest, at))
    if rows:
        cursor.execute(UPSERT_PROCESSES, _columns(rows))


def _log_values(log: LogMemory) -> tuple[Any, ...]:
    cursors, entries = clean_value(dict(log.cursors)), [clean_value(row) for row in to_rows(log.entries)]
    error = clean_value(log.error)
    return log.tried_at, log.read_at, error, orjson.dumps(cursors).decode(), orjson.dumps(entries).decode()


def _columns(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
