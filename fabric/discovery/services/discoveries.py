"""A discovery from its request to its end: read, compare, store. One at a time for a source.

What a source does (hang, lie, break off) stays with its own discovery: each runs in a task of its own, under the time
limits of its reader. The capture is committed before anything is made of it, so a worker that dies later is followed
by one that goes on from there.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone

from core.jobs.work import close_old_connections_outside_transactions
from core.work.garbage import no_garbage_collection
from core.work.kinds import Lease, LostLease, Work, before
from core.work.queue import after_commit
from fabric.discovery import hooks
from fabric.discovery.models.sources import Capture, CapturePart, Discovery, FabricSource
from fabric.discovery.services.readers import (
    CaptureParts,
    Look,
    Part,
    SourceUnreadable,
    SourceUntrusted,
    parse,
    read_source,
)
from fabric.discovery.services.states import announce, finish, set_state

log = structlog.get_logger(__name__)
BEAT_S = 2.0
FORGOTTEN_S = 120.0
PRUNE_BATCH = 1000
BROKE = "a fault of the server; its logs have the discovery's number"
STAGES = (Discovery.Status.READING, Discovery.Status.RECONCILING, Discovery.Status.STORING)


class AlreadyRunning(Exception):
    """The source has an open discovery, of which this is the message."""

    def __init__(self, discovery: Discovery) -> None:
        super().__init__(f"discovery {discovery.pk} of this source is in progress")
        self.discovery = discovery


def _begun(discovery: Discovery, now: datetime) -> dict[str, Any]:
    status = Discovery.Status.READING
    return {"status": status, "progress": _progress(status), "started_at": discovery.started_at or now}


def _give_up(discovery: Discovery, reason: str) -> bool:
    return fail(discovery, reason)


def _lost() -> list[int]:
    return reap()


WORK = Work(
    name="discovery",
    model=Discovery,
    open=Q(status__in=Discovery.OPEN),
    hold=Lease(30, column="heard_at", heard=True, token="lease"),
    waiting={"status": Discovery.Status.QUEUED},
    taken=_begun,
    attempts="attempts",
    most=3,
    reason="message",
    lost="the workers that did this died, {} times: its capture, where there is one, is kept",
    give_up=_give_up,
    progress="progress",
    task="fabric.discovery.tasks.discover",
    every_s=15,
    follow=_lost,
)


@transaction.atomic
def start(source: FabricSource, *, by: str, capture: Capture | None = None, accept_reason: str = "") -> Discovery:
    """Queue a look at a source, or with a capture another look at that. Raises AlreadyRunning."""
    FabricSource.objects.select_for_update().get(pk=source.pk)
    under_way = source.discoveries.filter(status__in=Discovery.OPEN).first()
    if under_way is not None:
        raise AlreadyRunning(under_way)
    discovery = Discovery.objects.create(source=source, requested_by=by, capture=capture, accept_reason=accept_reason)
    enqueue(discovery.pk)
    return discovery


def enqueue(discovery_id: int) -> None:
    """Hand a discovery to a worker, once this transaction is there to be seen."""
    after_commit(WORK.task, discovery_id)


@transaction.atomic
def upload(source: FabricSource, parts: Sequence[Part], *, by: str) -> Discovery:
    """Keep files that a person brought as a capture, and queue a look at it. Raises AlreadyRunning."""
    return start(source, by=by, capture=keep(source, parts, by=by))


@transaction.atomic
def keep(source: FabricSource, parts: Sequence[Part], *, by: str = "") -> Capture:
    """Write a capture, compressed. Parts of one name are told apart."""
    capture = Capture.objects.create(source=source, at=timezone.now(), by=by)
    names: dict[str, int] = {}
    rows = []
    for part in parts:
        names[part.name] = names.get(part.name, 0) + 1
        name = part.name if names[part.name] == 1 else f"{part.name[:190]} ({names[part.name]})"
        content = part.text.encode("utf-8", "replace")
        rows.append(
            CapturePart(
                capture=capture, name=name[:200], format=part.format, exit_status=part.exit_status,
                problem=part.problem[:500], size=len(content), content=zlib.compress(content, 6),
            )
        )  # fmt: skip
    CapturePart.objects.bulk_create(rows)
    return capture


def parts_of(capture: Capture) -> list[Part]:
    """The parts of a capture as they were read."""
    rows = capture.parts.order_by("id")
    return [Part(row.name, row.format, row.text, row.exit_status, row.problem) for row in rows]


def run(discovery_id: int) -> Discovery | None:
    """Do a queued discovery; None when somebody else has it. What goes wrong stands in it and in its source."""
    close_old_connections_outside_transactions()
    discovery = claim(discovery_id)
    if discovery is None:
        return None
    try:
        with WORK.heartbeat(discovery, BEAT_S):
            _work(discovery)
    except LostLease:
        log.warning("discovery_taken_over", discovery=discovery.pk)
    except SourceUntrusted as error:
        fail(discovery, str(error), FabricSource.State.UNTRUSTED)
    except SourceUnreadable as error:
        fail(discovery, str(error))
    except Exception:
        log.exception("discovery_failed", discovery=discovery.pk, source=discovery.source_id)
        fail(discovery, BROKE)
    discovery.refresh_from_db()
    return discovery


def _work(discovery: Discovery) -> None:
    source = discovery.source
    if discovery.capture is None:
        found = read_source(source)
        with transaction.atomic():
            discovery.capture = keep(source, found.parts)
            _advance(discovery, Discovery.Status.RECONCILING, capture=discovery.capture)
            _keep_identity(source, found)
    else:
        with transaction.atomic():
            _advance(discovery, Discovery.Status.RECONCILING)
    look = parse(parts_of(discovery.capture))
    try:
        _compare_and_store(discovery, look)
    except IntegrityError:  # a cable or port was deleted while it was compared: the plan is another now
        log.info("discovery_compared_anew", discovery=discovery.pk, source=source.pk)
        _compare_and_store(discovery, look)


@no_garbage_collection()
def _compare_and_store(discovery: Discovery, look: Look) -> None:
    source = discovery.source
    outcome = hooks.comparison().compare(source, look, believed=bool(discovery.accept_reason))
    with transaction.atomic():
        FabricSource.objects.select_for_update().get(pk=source.pk)
        _advance(discovery, Discovery.Status.STORING)
    with transaction.atomic():
        source = FabricSource.objects.select_for_update().get(pk=source.pk)
        WORK.hold_on(discovery)
        hooks.comparison().store(source, discovery, outcome)


@transaction.atomic
def claim(discovery_id: int) -> Discovery | None:
    """Take a queued discovery for this worker."""
    rows = Discovery.objects.select_related("source__credential", "source__plan", "source__site", "capture")
    discovery = WORK.take(discovery_id, rows)
    if discovery is not None:
        FabricSource.objects.filter(pk=discovery.source_id).update(tried_at=discovery.heard_at)
        announce(discovery.source, discovery, "discovery.started")
    return discovery


def _advance(discovery: Discovery, status: Discovery.Status, **more: Any) -> None:
    """Say how far it is, if it is still ours. Raises LostLease."""
    if not WORK.renew(discovery, status=status, progress=_progress(status), **more):
        raise LostLease
    announce(discovery.source, discovery, "discovery.progress")


def _progress(status: str) -> dict[str, Any]:
    stages = [stage.value for stage in STAGES]
    return {"done": stages.index(status), "total": len(stages), "stage": status}


@transaction.atomic
def fail(discovery: Discovery, message: str, state: FabricSource.State = FabricSource.State.FAILED) -> bool:
    """End a discovery of ours that could not be done. Nothing is stored, opened or closed by it."""
    source = FabricSource.objects.select_for_update().get(pk=discovery.source_id)
    row = WORK.mine(discovery).select_for_update().first()
    if row is not None:
        finish(source, row, Discovery.Status.FAILED, state, message)
    return row is not None


def _keep_identity(source: FabricSource, found: CaptureParts) -> None:
    if found.identity and found.identity != source.identity:
        FabricSource.objects.filter(pk=source.pk, identity=source.identity).update(identity=found.identity)


# ---- by the clock ----


def start_due(now: datetime | None = None) -> list[int]:
    """Queue a look at every enabled source whose period is over; returns the discoveries."""
    now = now or timezone.now()
    started = []
    for source in _due(now):
        try:
            started.append(start(source, by="").pk)
        except AlreadyRunning:
            continue
    return started


def _due(now: datetime) -> QuerySet[FabricSource]:
    readable = FabricSource.objects.filter(enabled=True, period_s__gt=0).exclude(kind=FabricSource.Kind.FILE)
    waiting = readable.exclude(discoveries__status__in=Discovery.OPEN)
    return waiting.filter(Q(tried_at=None) | Q(tried_at__lte=before(now, F("period_s"))))


def reap(now: datetime | None = None) -> list[int]:
    """Discoveries whose worker is silent go back to the queue, from the third time on they fail; returns the first.

    One that was queued and never begun (the broker lost it) is queued again.
    """
    now = now or timezone.now()
    again, limit = WORK.reap(now), now - timedelta(seconds=FORGOTTEN_S)
    unheard = Q(heard_at=None, created_at__lt=limit) | Q(heard_at__lt=limit)
    forgotten = Discovery.objects.filter(unheard, **WORK.waiting).exclude(pk__in=again)
    for pk in list(forgotten.values_list("pk", flat=True)):
        Discovery.objects.filter(pk=pk).update(heard_at=now)
        again.append(pk)
    return again


def mark_stale(now: datetime | None = None) -> int:
    """Sources without a good look for too long become stale, once each; returns how many."""
    now = now or timezone.now()
    silent = Q(last_good_at__lt=before(now, F("stale_after_s")))
    count = 0
    for pk in FabricSource.objects.filter(silent, enabled=True, state="ok").values_list("pk", flat=True):
        with transaction.atomic():
            source = FabricSource.objects.select_for_update().filter(silent, pk=pk, state="ok").first()
            if source is not None and source.last_good_at is not None:
                hours = (now - source.last_good_at).total_seconds() / 3600
                set_state(source, FabricSource.State.STALE, f"no good discovery run for {hours:.1f} hours")
                count += 1
    return count


def prune(now: datetime | None = None) -> int:
    """Forget captures older than their source keeps them, what went with them, and old runs; returns how many captures.

    The newest good one of a source stays, and so do those that first or last showed a finding that is not closed.
    """
    now = now or timezone.now()
    needed = Q(pk__in=Capture.objects.filter(discoveries__in=hooks.comparison().still_evidence()).values("pk"))
    good = Discovery.objects.filter(status=Discovery.Status.DONE, capture__isnull=False)
    newest = [pk for _, pk in good.order_by("source").values_list("source").annotate(Max("capture"))]
    old = Capture.objects.filter(at__lt=before(now, F("source__keep_days") * 86_400))
    with transaction.atomic():
        gone = list(old.exclude(needed).exclude(pk__in=newest).values_list("pk", flat=True))
        CapturePart.objects.filter(capture__in=gone).delete()
        Capture.objects.filter(pk__in=gone).delete()
    _prune_runs(now)
    return len(gone)


def _prune_runs(now: datetime) -> None:
    """Forget runs that ended long ago and have no capture any more. A schedule makes 144 a day of each source."""
    old = Discovery.objects.filter(capture=None, finished_at__lt=now - settings.KEPT["discoveries"])
    unneeded = old.exclude(status__in=Discovery.OPEN).exclude(pk__in=hooks.comparison().still_evidence().values("pk"))
    while ids := list(unneeded.order_by("pk").values_list("pk", flat=True)[:PRUNE_BATCH]):
        Discovery.objects.filter(pk__in=ids).delete()
