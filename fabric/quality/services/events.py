"""Events of UFM: every one kept once, bursts of one device made one incident, incidents closed when they are over."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import structlog
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from drivers.https import ApplianceError
from fabric.discovery.models.seen import SeenNode
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services.readers import SourceUnreadable
from fabric.discovery.services.ufm import client_of
from fabric.formats.ufm_events import UfmEvent, alarms_without_event, read_events
from fabric.quality import bursts
from fabric.quality import events as kinds
from fabric.quality.models.events import FabricEvent, Incident
from live.events import emit

log = structlog.get_logger(__name__)
MOST_TEXT = 4000


class IncidentOver(Exception):
    """The incident is closed already."""


# ---- reading ----


def zone_of(source: FabricSource) -> tzinfo:
    """UFM tells its local time without saying which it is: the source's option `timezone`, else UTC."""
    try:
        return ZoneInfo(str(source.options.get("timezone") or "UTC"))
    except (ZoneInfoNotFoundError, ValueError):
        log.warning("timezone_not_known", source=source.pk)
        return UTC


def fetch_all() -> dict[int, int]:
    """Read the events of every enabled UFM; new events by source. What one cannot read, the others do not suffer."""
    found = {}
    sources = FabricSource.objects.filter(enabled=True, kind=FabricSource.Kind.UFM).select_related("credential")
    for source in sources:
        try:
            found[source.pk] = fetch(source)
        except SourceUnreadable as error:
            log.warning("fabric_events_not_read", source=source.pk, error=str(error))
    return found


def fetch(source: FabricSource) -> int:
    """Read the events and alarms of a UFM and store the new ones; returns how many. Raises SourceUnreadable."""
    ufm = client_of(source)  # it asks the database, which must not be done from inside a coroutine

    async def ask() -> list[UfmEvent]:
        async with ufm as client:
            events = read_events(await client.events(), zone_of(source))
            return events + alarms_without_event(await client.alarms(), events, zone_of(source))

    try:
        told = asyncio.run(ask())
    except ApplianceError as error:
        raise SourceUnreadable(f"UFM: {error}") from error
    return store(source.pk, told)


# ---- storing ----


def number_of(event: UfmEvent) -> str:
    """UFM's number begins anew when UFM is set up again, so the time belongs to it; an alarm is what it is about."""
    if event.standing:
        return f"alarm-{event.type}-{event.guid}-{event.port or ''}-{event.id}"[:40]
    return f"{event.id}-{event.at.timestamp():.0f}" if event.at is not None else f"{event.id}-"


@transaction.atomic
def store(source_id: int, told: Iterable[UfmEvent]) -> int:
    """Keep events that are new and put them into incidents; returns how many were new. Safe to run twice."""
    source = FabricSource.objects.select_for_update().get(pk=source_id)
    by_number = {number_of(event): event for event in told}
    known = set(FabricEvent.objects.filter(source=source, number__in=by_number).values_list("number", flat=True))
    new = {number: event for number, event in by_number.items() if number not in known}
    if not new:
        return 0
    now = timezone.now()
    plain = [_plain(number, event, now) for number, event in new.items()]
    names = _names(source, {event.guid for event in plain})
    incidents = _incidents(source, bursts.group(plain), names)
    FabricEvent.objects.bulk_create(
        _row(source, event, incidents.get(event.id), new[event.id].at is not None, new[event.id].text)
        for event in plain
    )
    _refresh(source, {incident.pk: incident for incident in incidents.values()}.values())
    return len(new)


def _plain(number: str, event: UfmEvent, now: datetime) -> kinds.FabricEvent:
    code = int(event.type) if event.type.isascii() and event.type.isdecimal() and len(event.type) < 10 else 0
    return kinds.FabricEvent(
        number, event.at or now, code, event.name, event.severity, event.guid, event.port, event.object_name, event.text
    )


def _row(
    source: FabricSource, event: kinds.FabricEvent, incident: Incident | None, told: bool, text: str
) -> FabricEvent:
    kind = kinds.kind_of(event)
    return FabricEvent(
        site_id=source.site_id, source=source, number=event.id, at=event.at, at_is_reported=told, code=event.code,
        name=(event.name or kind.name)[:200], severity=kind.severity.value, group=kind.group,
        never_dropped=kind.keep is kinds.Keep.ALWAYS, guid=event.guid, port=event.port,
        device_name=event.device[:120], text=text.replace("\0", "�")[:MOST_TEXT], incident=incident,
    )  # fmt: skip


def _names(source: FabricSource, guids: set[str]) -> dict[str, tuple[str, int | None]]:
    """Name and device of the nodes that events are about."""
    rows = SeenNode.objects.filter(source=source, guid__in=guids, during__endswith=None)
    return {guid: (name or said, device) for guid, name, said, device in rows.values_list(
        "guid", "name", "description", "device_id")}  # fmt: skip


def _incidents(
    source: FabricSource, found: Sequence[bursts.Burst], names: dict[str, tuple[str, int | None]]
) -> dict[str, Incident]:
    """The incident of each event that belongs to one: an open one that goes on, or a new one."""
    running: dict[str, Incident] = {}
    subjects = {burst.subject for burst in found}
    for incident in Incident.objects.filter(source=source, subject__in=subjects, closed_at=None).order_by("began_at"):
        running[incident.subject] = incident
    of_event: dict[str, Incident] = {}
    for burst in found:
        there = running.get(burst.subject)
        if there is not None and _goes_on(there, burst):
            incident = there
        else:
            if not burst.opens:
                continue
            name, device = names.get(burst.subject, (burst.events[0][0].device or burst.subject, None))
            incident = running[burst.subject] = Incident.objects.create(
                site_id=source.site_id, source=source, subject=burst.subject[:120], device_id=device, name=name[:110],
                title=burst.title(name)[:300], severity=burst.severity.value,
                began_at=burst.began_at, last_at=burst.last_at,
            )  # fmt: skip
        incident.last_at = max(incident.last_at, burst.last_at)
        of_event |= {event.id: incident for event, _ in burst.events}
    return of_event


def _goes_on(incident: Incident, burst: bursts.Burst) -> bool:
    """Whether a burst belongs to an open incident: it follows soon, or something in it has yet to come back."""
    return bool(incident.waits_for) or burst.began_at - incident.last_at <= bursts.GAP


def _refresh(source: FabricSource, incidents: Iterable[Incident]) -> None:
    """What incidents say of all their events, and the news of those that changed. One read and one write for all."""
    touched = list(incidents)
    events: dict[int, list[FabricEvent]] = defaultdict(list)
    for event in FabricEvent.objects.filter(incident__in=touched).order_by("at", "id"):
        events[event.incident_id or 0].append(event)
    for incident in touched:
        rows = [(event, _kind(event)) for event in events[incident.pk]]
        incident.events_count = len(rows)
        incident.began_at, incident.last_at = rows[0][0].at, rows[-1][0].at
        incident.severity = kinds.worst([kind.severity for _, kind in rows]).value
        incident.grave = sorted({kind.name for event, kind in rows if event.never_dropped})
        incident.title = bursts.title(incident.name, [(kind, event.port) for event, kind in rows])[:300]
        waiting = bursts.waits_for([(event.at, event.code, event.port, kind) for event, kind in rows])
        incident.waits_for = sorted(([code, port] for code, port in waiting), key=str)
    Incident.objects.bulk_update(
        touched, ["events_count", "began_at", "last_at", "severity", "grave", "title", "waits_for"]
    )
    for incident in touched:
        tell(incident, "events of the fabric")


def _kind(event: FabricEvent) -> kinds.Kind:
    return kinds.kind_of(
        kinds.FabricEvent(event.number, event.at, event.code, event.name, event.severity, event.guid, event.port)
    )


def tell(incident: Incident, actor: str) -> None:
    """`fabric.incident`: opened, gone on, or closed."""
    emit(
        "fabric.incident",
        site_id=incident.site_id,
        subject=f"incident:{incident.pk}",
        data={
            "id": incident.pk, "source": incident.source_id, "device": incident.device_id, "title": incident.title,
            "severity": incident.severity, "grave": incident.grave, "events": incident.events_count,
            "open": incident.closed_at is None,
        },
        actor=actor,
    )  # fmt: skip


# ---- closing ----


def close_over(now: datetime | None = None) -> int:
    """Close incidents that are quiet and wait for nothing; returns how many."""
    now = now or timezone.now()
    closed = 0
    quiet = Incident.objects.filter(closed_at=None, last_at__lte=now - bursts.QUIET, waits_for=[])
    for pk in list(quiet.values_list("pk", flat=True)):
        with transaction.atomic():
            incident = quiet.select_for_update(skip_locked=True).filter(pk=pk).first()
            if incident is not None:
                _close(incident, "events of the fabric", "quiet since, and everything came back", now)
                closed += 1
    return closed


@transaction.atomic
def close(incident_id: int, *, by: str, reason: str) -> Incident:
    """A person closes an incident. Raises IncidentOver."""
    incident = Incident.objects.select_for_update().get(pk=incident_id)
    if incident.closed_at is not None:
        raise IncidentOver
    _close(incident, by, reason, timezone.now())
    return incident


def _close(incident: Incident, by: str, reason: str, now: datetime) -> None:
    incident.closed_at, incident.closed_by, incident.close_reason = now, by, reason[:300]
    incident.save(update_fields=["closed_at", "closed_by", "close_reason"])
    tell(incident, by)


def prune(now: datetime | None = None) -> int:
    """Forget events and closed incidents after a year; returns how many events."""
    before = (now or timezone.now()) - settings.KEPT["fabric_events"]
    count, _ = FabricEvent.objects.filter(at__lt=before).delete()
    Incident.objects.filter(closed_at__lt=before, events=None).delete()
    return count
