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
FIRST_RETRY_S = 15


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


def handlers() -> dict[str, Handler]:
    """Every handler by its name."""
    return {handler_name(handler): handler for known in _handlers.values() for handler in known}


def run_handler(handler: Handler, event: Event) -> None:
    """Run one handler; of one that fails a row is kept, by which `core.work.failed_handlers` tries it again."""
    if error := attempt(handler, event):
        later = timezone.now() + timedelta(seconds=FIRST_RETRY_S)
        HandlerFailure.objects.create(event=event, handler=handler_name(handler), error=error, next_try_at=later)


def attempt(handler: Handler, event: Event) -> str:
    """Run one handler in a savepoint; returns its error, empty when it succeeded."""
    try:
        with transaction.atomic():
            handler(event)
    except Exception as error:
        name = handler_name(handler)
        log.exception("event_handler_failed", kind=event.kind, subject=event.subject, handler=name)
        return repr(error)[:2000]
    return ""
