"""Domain events: how news travels up from the rooms below, and out to the browsers.

`emit` writes the event in the caller's transaction and runs the handlers registered by the rooms above in that same
transaction, each in a savepoint. A handler does no I/O; one that raises loses only its own work and is retried.
The caller holds a lock on the subject's row, which keeps the events of one subject in order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import structlog
from django.db import connection, transaction
from django.utils import timezone

from live.models import Event, HandlerFailure

Handler = Callable[[Event], None]
log = structlog.get_logger(__name__)
_handlers: dict[str, list[Handler]] = defaultdict(list)

NOTIFY_CHANNEL = "rackside_events"


def on(kind: str) -> Callable[[Handler], Handler]:
    """Register a handler for a kind of event; done once, at start-up, by the listening room."""

    def register(handler: Handler) -> Handler:
        if handler not in _handlers[kind]:
            _handlers[kind].append(handler)
        return handler

    return register


def handler_name(handler: Handler) -> str:
    return f"{handler.__module__}.{handler.__qualname__}"


def emit(kind: str, *, site_id: int | None, subject: str, data: dict[str, Any], actor: str = "") -> Event:
    """Record an event and run its handlers. Must be called inside a transaction with the subject locked."""
    if not connection.in_atomic_block:
        raise RuntimeError(f"event {kind} emitted outside a transaction")
    event = Event.objects.create(kind=kind, site_id=site_id, subject=subject, data=data, actor=actor)
    with connection.cursor() as cursor:  # wakes the relay at commit; PostgreSQL folds repeats of one transaction
        cursor.execute(f"NOTIFY {NOTIFY_CHANNEL}")
    for handler in _handlers[kind]:
        run_handler(handler, event)
    return event


def run_handler(handler: Handler, event: Event) -> bool:
    """Run one handler in a savepoint; on failure keep a row for the reaper. Returns whether it succeeded."""
    name = handler_name(handler)
    try:
        with transaction.atomic():
            handler(event)
    except Exception as error:
        log.exception("event_handler_failed", kind=event.kind, subject=event.subject, handler=name)
        failure, created = HandlerFailure.objects.get_or_create(
            event=event,
            handler=name,
            defaults={"error": repr(error)[:2000], "next_try_at": timezone.now() + timedelta(seconds=15)},
        )
        if not created:
            failure.attempts += 1
            failure.error = repr(error)[:2000]
            failure.next_try_at = timezone.now() + timedelta(seconds=min(3600, 15 * 2**failure.attempts))
            failure.save()
        return False
    return True


def retry_failures(limit: int = 100) -> int:
    """Run handlers that failed and are due again; returns how many succeeded now."""
    succeeded = 0
    by_name = {handler_name(handler): handler for handlers in _handlers.values() for handler in handlers}
    waiting = HandlerFailure.objects.filter(resolved_at=None, next_try_at__lte=timezone.now(), handler__in=by_name)
    due = waiting.order_by("id")[:limit]
    for pk in list(due.values_list("pk", flat=True)):
        with transaction.atomic():
            failure = (
                HandlerFailure.objects.select_for_update(skip_locked=True)
                .select_related("event")
                .filter(pk=pk, resolved_at=None)
                .first()
            )
            if failure is None:
                continue
            if run_handler(by_name[failure.handler], failure.event):
                HandlerFailure.objects.filter(pk=pk).update(resolved_at=timezone.now())
                succeeded += 1
    return succeeded
