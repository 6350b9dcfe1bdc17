"""Every write of meters: configured by people, and what they told."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import orjson
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from core.errors import Conflict
from facility.facts import Measured
from facility.history import tables
from facility.meters.models import Layout, Meter, MeterState
from facility.readers import settings

Point = tuple[str, str, str]
"""Part, name and quantity."""
MOST_POINTS = 2_000
LONGEST_NAME = 100
ASKED_OTHERWISE = ("address", "kind", "device", "options", "rack", "room")
"""Fields whose change makes another meter of it."""
OWN_OPTIONS = ("algorithm", "context", *settings.Written.model_fields)
"""Options that no reader is told: how SNMP 3 signs, of which context, and what no device can be asked for."""

STORE = """
INSERT INTO facility_meterstate (meter_id, layout_id, at, values, reasons, description, memory)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (meter_id) DO UPDATE SET layout_id = excluded.layout_id, at = excluded.at, values = excluded.values,
    reasons = excluded.reasons, description = excluded.description, memory = excluded.memory
WHERE facility_meterstate.at <= excluded.at
"""


class Told(NamedTuple):
    """What one meter told at one time. `stands_for_s`: the seconds until its next reading is due. `most_points`: more
    of them are refused; None for sums, which have as many as a site has parts."""

    meter_id: int
    at: datetime
    values: Sequence[Measured]
    stands_for_s: int
    description: str = ""
    memory: Mapping[str, Any] = {}
    most_points: int | None = MOST_POINTS


@transaction.atomic
def save(meter: Meter | None, fields: Mapping[str, Any]) -> Meter:
    """Create a meter (None) or change one. Raises Conflict when its site has one of that name, or the device has one.

    What is asked another way is asked at once: what it told before says nothing of it, and an answer that is on its
    way comes too late.
    """
    row = Meter() if meter is None else Meter.objects.select_for_update().get(pk=meter.pk)
    if meter is not None and fields.get("address", row.address) != row.address and "identity" not in fields:
        row.identity = ""
    for name, value in fields.items():
        setattr(row, name, value)
    row.state, row.message, row.tried_at, row.lease_until = Meter.State.NEVER, "", None, None
    try:
        with transaction.atomic():
            row.save()
            if not fields.keys().isdisjoint(ASKED_OTHERWISE):
                MeterState.objects.filter(meter=row).delete()
    except IntegrityError as error:
        taken = "The device has a meter already." if "device" in str(error) else f"There is a meter {row.name} here."
        raise Conflict(taken, "duplicate") from error
    return row


@transaction.atomic
def load(site_id: int, wanted: Sequence[Meter]) -> int:
    """Create those of a site that it does not have by that name, and ask the others where they answer now; returns how
    many were created. Four statements for any number. First reads are spread over a period of each.
    """
    now = timezone.now()
    rows = Meter.objects.select_for_update().filter(site_id=site_id)
    known = {row.name: row for row in rows if row.kind in Meter.ASKED}
    taken = {row.device_id for row in rows if row.device_id is not None}
    new = [each for each in wanted if each.name not in known and each.device_id not in taken]
    for place, each in enumerate(new):
        each.site_id = site_id
        each.tried_at = now - timedelta(seconds=each.period_s * (1 - (place + 1) / len(new)))
    moved = []
    for each in wanted:
        row = known.get(each.name)
        if row is not None and row.address != each.address:
            row.address, row.identity = each.address, ""
            row.state, row.message, row.tried_at, row.lease_until = Meter.State.NEVER, "", None, None
            moved.append(row)
    Meter.objects.bulk_create(new)
    Meter.objects.bulk_update(
        moved, ["address", "identity", "state", "message", "tried_at", "lease_until"], batch_size=500
    )
    MeterState.objects.filter(meter__in=moved).delete()
    return len(new)


@transaction.atomic
def delete(meter: Meter) -> None:
    """Remove a meter with what it told last; its history expires."""
    Meter.objects.filter(pk=meter.pk).delete()


def read_now(meter: Meter) -> None:
    """Make it due at once."""
    Meter.objects.filter(pk=meter.pk).update(tried_at=None)


@transaction.atomic
def store(all_told: Sequence[Told]) -> None:
    """Keep what meters told: as their last values, and in the history. An older reading goes to the history alone.

    Four statements for any number of meters whose layouts were met before.
    """
    points = [_points(told) for told in all_told]
    layouts = _layouts(points)
    readings, states = [], []
    for told, layout in zip(all_told, points, strict=True):
        values = [None if each.value is None else float(each.value) for each in told.values]
        reasons = {str(place): each.reason for place, each in enumerate(told.values) if each.value is None}
        readings.append(tables.Reading(told.meter_id, told.at, layouts[layout], told.stands_for_s, values))
        states.append(
            (
                told.meter_id, layouts[layout], told.at, values, orjson.dumps(reasons).decode(),
                told.description[:300], orjson.dumps(dict(told.memory)).decode(),
            )
        )  # fmt: skip
    with connection.cursor() as cursor:
        cursor.executemany(STORE, states)
    tables.write(readings)


def _points(told: Told) -> tuple[Point, ...]:
    """Names as the database takes them. Raises ValueError for too many."""
    if told.most_points is not None and len(told.values) > told.most_points:
        raise ValueError(f"it tells {len(told.values)} values, and {told.most_points} are read")
    return tuple(
        (str(each.part), each.name.replace("\0", "")[:LONGEST_NAME], str(each.quantity)) for each in told.values
    )


def _layouts(wanted: Iterable[tuple[Point, ...]]) -> dict[tuple[Point, ...], int]:
    """The id of each layout, made where it is new."""
    digests = {points: hashlib.sha256(orjson.dumps(points)).hexdigest() for points in set(wanted)}
    known = dict(Layout.objects.filter(digest__in=digests.values()).values_list("digest", "id"))
    for points, digest in digests.items():
        if digest not in known:
            row, _ = Layout.objects.get_or_create(digest=digest, defaults={"points": [list(each) for each in points]})
            known[digest] = row.pk
    return {points: known[digest] for points, digest in digests.items()}
