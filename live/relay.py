"""Publishes committed events to the browsers' stream, in order per subject, each at least once.

One relay is elected by an advisory lock. It takes unpublished rows by id, adds them to the site's stream, marks them
and commits. A crash between the two repeats events, so each carries its id and browsers ignore repeats. A transaction
that commits late is simply found later: nothing waits for it, and nothing is skipped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from redis.exceptions import RedisError

from live import stream
from live.events import NOTIFY_CHANNEL
from live.models import Event
from live.outlive import outlive

LOCK_ID = 0x7261636B  # "rack": any constant does, it only has to be the same in every relay
BATCH = 500
PRUNE_BATCH = 5000
"""Few enough that a task cut off by its time limit has made progress: each batch is a transaction of its own."""
LOGGED = (
    "fault.confirmed",
    "fault.cleared",
    "ticket.changed",
    "verification.finished",
    "run.changed",
    "sweep.progress",
    "sweep.finished",
    "sweep.period_changed",
)
log = structlog.get_logger(__name__)
CHORE_S = 15.0
_chores: list[Callable[[], object]] = []


def every_few_seconds(chore: Callable[[], object]) -> None:
    """Have the elected relay call this every CHORE_S: for what must go on when neither beat nor workers do."""
    if chore not in _chores:
        _chores.append(chore)


def do_chores() -> None:
    """One after the other; one that fails is logged and does not hold up the feed."""
    for chore in _chores:
        try:
            with transaction.atomic():
                chore()
        except Exception:
            log.exception("chore_failed", chore=chore.__qualname__)


def publish_batch() -> int:
    """Publish up to BATCH events; returns how many."""
    with transaction.atomic():
        events = list(Event.objects.select_for_update().filter(published_at=None).order_by("id")[:BATCH])
        if not events:
            return 0
        client = stream.shared()
        stream.epoch(client)
        pipe = client.pipeline(transaction=False)
        for event in events:
            if event.site_id is None:
                continue  # news between rooms only
            message = {
                "id": event.pk,
                "kind": event.kind,
                "subject": event.subject,
                "at": event.at.isoformat(),
                "data": event.data,
            }
            pipe.xadd(stream.key(event.site_id), stream.pack(message), maxlen=stream.MAX_EVENTS, approximate=True)  # type: ignore[arg-type]
        pipe.execute()
        Event.objects.filter(pk__in=[event.pk for event in events]).update(published_at=timezone.now())
    for event in events:
        if event.kind in LOGGED:
            log.info("event_published", kind=event.kind, subject=event.subject, data=event.data)
    return len(events)


def run(stop: threading.Event, alive: Callable[[], None] = lambda: None) -> None:
    """Publish until told to stop, whatever becomes of the database and the store meanwhile.

    `alive` is called at each turn of the loop, elected, waiting or cut off: the process's sign of life.
    """
    outlive(lambda: _elected_run(stop, alive), stop, alive=alive)


def _elected_run(stop: threading.Event, alive: Callable[[], None]) -> None:
    """Wait for the election, then publish at each notification, and look once a second as well.

    Ends with an error when a service is lost: the lock fell with the connection, so a new election is due.
    """
    while not stop.is_set():
        alive()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_ID])
            if cursor.fetchone()[0]:
                cursor.execute(f"LISTEN {NOTIFY_CHANNEL}")
                break
        stop.wait(1.0)
    log.info("relay_elected")
    due = time.monotonic() + CHORE_S
    while not stop.is_set():
        alive()
        if time.monotonic() >= due:
            do_chores()
            due = time.monotonic() + CHORE_S
        try:
            if publish_batch() == BATCH:
                continue
        except RedisError as error:
            log.warning("relay_cannot_reach_the_stream", error=repr(error))
            stop.wait(1.0)
            continue
        raw = connection.connection
        for _ in raw.notifies(timeout=1.0, stop_after=1):
            pass


def lag_seconds() -> float:
    """Age of the oldest event not yet published; 0 when all are."""
    oldest = Event.objects.filter(published_at=None).order_by("id").values_list("at", flat=True).first()
    return max(0.0, time.time() - oldest.timestamp()) if oldest else 0.0


def prune() -> int:
    """Delete published events that are no longer kept; returns how many."""
    old = Event.objects.filter(published_at__isnull=False, at__lt=timezone.now() - settings.KEPT["live_events"])
    deleted = 0
    while ids := list(old.order_by("at").values_list("pk", flat=True)[:PRUNE_BATCH]):
        deleted += Event.objects.filter(pk__in=ids).delete()[1].get(Event._meta.label, 0)
    return deleted
