"""One link measured anew, because somebody asked: two readings of its two ports some time apart, and what they say.

    measurement = measure(quality, by="tina", owner="ticket:REP-2041", repaired=True)

Both readings are taken by workers; `link.measured` says when it is done. What cannot be read fails with the reason; it
is never taken for good.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from access.services import record_identities
from core.work.kinds import Lease, Work
from core.work.queue import after_commit
from core.work.rules import Backoff
from drivers import shell
from drivers.https import ApplianceError
from drivers.ssh import Limits, run_one
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services.ibdiags import target_of
from fabric.discovery.services.readers import SourceUnreadable
from fabric.discovery.services.ufm import client_of
from fabric.facts import SeenPort
from fabric.formats import perfquery, ufm
from fabric.formats.common import Unreadable
from fabric.formats.ufm import port_of
from fabric.formats.ufm_events import PortReading, read_readings
from fabric.quality.counters import Reading, known_counters
from fabric.quality.deltas import begin, go_on
from fabric.quality.judge import End, judge
from fabric.quality.models.quality import LinkQuality, Measurement
from fabric.quality.rates import rate
from fabric.quality.services.rounds import thresholds_of
from fabric.quality.services.rows import rates_of
from live.events import emit

log = structlog.get_logger(__name__)
SECONDS = 60
READ_TIMEOUT_S = 30.0
_GUID = re.compile(r"[0-9a-f]{16}")


def _give_up(asked: Measurement, reason: str) -> bool:
    return _end(asked, Measurement.Status.FAILED, reason)


WORK = Work(
    name="measurement",
    model=Measurement,
    open=Q(status__in=Measurement.OPEN),
    hold=Lease(120, column="next_try_at"),
    due="next_try_at",
    attempts="attempts",
    most=3,
    retry=Backoff(10, 10),
    reason="message",
    give_up=_give_up,
    task="fabric.quality.tasks.measure_link",
    every_s=30,
)


# ---- asking ----


@transaction.atomic
def measure(
    quality: LinkQuality, *, by: str, owner: str = "", seconds: int = SECONDS, repaired: bool = False
) -> Measurement:
    """Ask for a link to be measured anew; while it is under way, asking again gives the same measurement.

    `before` keeps what is known now. `repaired`: somebody worked on it, so what was counted until now is not held
    against it any more.
    """
    row = LinkQuality.objects.select_for_update().get(pk=quality.pk)
    if repaired:
        row.evaluated_from = timezone.now()
        row.save(update_fields=["evaluated_from"])
    under_way = row.measurements.filter(status__in=Measurement.OPEN, owner=owner).first()
    if under_way is not None:
        return under_way
    before = {
        "state": row.state, "reason": row.reason, "at": row.measured_at.isoformat() if row.measured_at else None,
        "rates": row.rates, "ber": row.ber, "ber_below": row.ber_below, "max_c": row.max_c,
    }  # fmt: skip
    asked = Measurement.objects.create(
        site_id=row.site_id, quality=row, asked_by=by, owner=owner, seconds=max(1, seconds), before=before
    )
    asked.refresh_from_db()
    _enqueue(asked.pk)
    return asked


def _enqueue(pk: int, countdown: float = 0) -> None:
    after_commit("fabric.quality.tasks.measure_link", pk, countdown=countdown)


# ---- doing ----


def step(measurement_id: int, now: datetime | None = None) -> str:
    """Take the next reading of a measurement; returns its status. Safe to run twice and in two workers at once."""
    rows = Measurement.objects.select_related("quality__source__credential", "quality__source__machine")
    asked = WORK.take(measurement_id, rows, now=now)
    if asked is None:
        return ""
    quality = asked.quality
    ends = (SeenPort(quality.a_guid, quality.a_port), SeenPort(quality.b_guid, quality.b_port))
    try:
        readings = read_ports(quality.source, ends)
        missing = [end for end in ends if end not in readings]
        if missing:
            raise SourceUnreadable(f"nothing was reported of 0x{missing[0].guid} port {missing[0].port}")
    except SourceUnreadable as error:
        WORK.fail(asked, str(error))
        return asked.status
    if asked.status == Measurement.Status.QUEUED:
        return _keep_first(asked, [readings[end] for end in ends])
    return _finish(asked, [readings[end] for end in ends])


def _keep_first(asked: Measurement, readings: Sequence[Reading]) -> str:
    with transaction.atomic():
        kept = WORK.finish(
            asked, status=Measurement.Status.FIRST, attempts=0, message="",
            first=[dict(reading.counters) for reading in readings], first_at=readings[0].at,
            next_try_at=readings[0].at + timedelta(seconds=asked.seconds),
        )  # fmt: skip
        if kept:
            _enqueue(asked.pk, countdown=asked.seconds)
    return asked.status


def _finish(asked: Measurement, readings: Sequence[Reading]) -> str:
    """What the time between the two readings says alone."""
    assert asked.first is not None and asked.first_at is not None
    ends = []
    for side, counters, reading in zip("ab", asked.first, readings, strict=True):
        first = Reading(asked.first_at, counters)
        since = rate(begin(first), go_on(begin(first), first, reading))
        ends.append(End(f"end {side}", reading, {"5m": since} if since is not None else {}))
    both = (ends[0], ends[1])
    judgement = judge(asked.quality.gbps, both, readings[0].at, thresholds_of(asked.quality.source))
    asked.state = judgement.state.value
    asked.after = {
        "state": judgement.state.value, "reason": judgement.reason, "at": readings[0].at.isoformat(),
        "rates": rates_of(both), "ber": judgement.ber, "ber_below": judgement.ber_below,
        "max_c": max((r.optic_c for r in readings if r.optic_c is not None), default=None),
    }  # fmt: skip
    _end(asked, Measurement.Status.DONE, "")
    return asked.status


@transaction.atomic
def _end(asked: Measurement, status: Measurement.Status, message: str) -> bool:
    told = {"state": asked.state, "after": asked.after, "message": message[:500]}
    if not WORK.finish(asked, status=status, finished_at=timezone.now(), **told):
        return False
    emit(
        "link.measured",
        site_id=asked.site_id,
        subject=f"link:{asked.quality.source_id}:{asked.quality.key}",
        data={
            "measurement": asked.pk, "owner": asked.owner, "quality": asked.quality_id, "key": asked.quality.key,
            "status": asked.status, "state": asked.state, "message": asked.message,
        },
        actor=asked.asked_by,
    )  # fmt: skip
    return True


# ---- reading two ports ----


def read_ports(source: FabricSource, ends: Sequence[SeenPort]) -> dict[SeenPort, Reading]:
    """Counters of these ports now. Raises SourceUnreadable."""
    if source.kind == FabricSource.Kind.UFM:
        return _from_ufm(source, ends)
    if source.kind == FabricSource.Kind.IBDIAGS:
        return _from_perfquery(source, ends)
    raise SourceUnreadable(f"{source.name} cannot be asked for counters of one port")


def _from_ufm(source: FabricSource, ends: Sequence[SeenPort]) -> dict[SeenPort, Reading]:
    login = client_of(source)  # it asks the database, which must not be done from inside a coroutine

    async def ask() -> Any:
        async with login as client:
            return await client.ports()

    try:
        rows = asyncio.run(ask())
    except ApplianceError as error:
        raise SourceUnreadable(f"UFM: {error}") from error
    wanted = [row for row in rows or () if port_of(row) in ends]
    seen = ufm.read_capture({"ports": wanted})
    at, sensors = timezone.now(), read_readings(wanted)
    found = {}
    for end in ends:
        counters = known_counters(seen.counters.get(end, {}))
        told = sensors.get(end, PortReading())
        if counters:
            ber, heat = told.ber, told.temperature_c
            found[end] = Reading(at, counters, ber.get("raw"), ber.get("effective"), ber.get("symbol"), None, heat)
    return found


def _from_perfquery(source: FabricSource, ends: Sequence[SeenPort]) -> dict[SeenPort, Reading]:
    target, found = target_of(source), {}
    lead = ["sudo", "-n"] if source.options.get("sudo") else []
    for end in ends:
        if not _GUID.fullmatch(end.guid):
            raise SourceUnreadable(f"{end.guid} is no GUID of an InfiniBand device")
        command = [
            *lead,
            "timeout",
            "-k",
            "5",
            f"{READ_TIMEOUT_S:g}",
            "perfquery",
            "-G",
            f"0x{end.guid}",
            str(end.port),
        ]
        result = asyncio.run(run_one(target, shell.line(command), Limits(command_timeout_s=READ_TIMEOUT_S + 10)))
        if target.machine_id is not None:
            record_identities([result], actor=f"fabric source {source.name}")
        if result.failure is not None:
            raise SourceUnreadable(f"{target.name or target.address}: {result.failure}")
        text = result.stdout.decode("utf-8", "replace")
        try:
            seen = perfquery.read(text, end.guid)
        except Unreadable as error:
            raise SourceUnreadable(f"perfquery: {error.problems[0].text}") from error
        counters = known_counters(seen.counters.get(end, {}))
        if counters:
            found[end] = Reading(timezone.now(), counters)
    return found
