"""Handlers of events that raised, tried again later and later until they succeed."""

from __future__ import annotations

from django.db.models import Q
from django.utils import timezone

from core.work.kinds import Transaction, Work
from core.work.rules import Backoff
from live import events
from live.models import HandlerFailure

WORK = Work(
    name="failed handler",
    model=HandlerFailure,
    open=Q(resolved_at=None),
    hold=Transaction(),
    due="next_try_at",
    attempts="attempts",
    retry=Backoff(30, 3600),  # its first failure, written with the event, waits half of that
    reason="error",
)


def retry(limit: int = 100) -> int:
    """Run handlers that failed and are due again; returns how many succeeded now."""
    handlers = events.handlers()
    due = WORK.due_rows(rows=HandlerFailure.objects.filter(handler__in=handlers))
    succeeded = 0
    for pk in list(due.values_list("pk", flat=True)[:limit]):
        with WORK.held(pk) as failure:
            if failure is None:
                continue
            if error := events.attempt(handlers[failure.handler], failure.event):
                WORK.put_back(failure, error)
            else:
                succeeded += WORK.finish(failure, resolved_at=timezone.now())
    return succeeded
