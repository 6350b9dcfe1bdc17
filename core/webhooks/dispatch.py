"""Sends what is due: one dispatcher at a time, several requests at once, never more than a few to one receiver.

A receiver that hangs holds only its own places: the others' messages go on while its requests run into their time
limit. A crash between a request and its record sends that message again: receivers see each message at least once.
"""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

import structlog
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db import connection
from django.db.models import Q
from django.utils import timezone

from core.outgoing.permits import open_gate
from core.webhooks.delivery import Letter, Outcome, Postman
from core.webhooks.fan_out import BATCH, fan_out
from core.webhooks.models import Delivery, Webhook
from core.work.kinds import Session, Work
from core.work.rules import Backoff

AT_ONCE_PER_HOOK = 4
BUDGET_S = 15.0
"""After this a run claims nothing more for a receiver that kept it waiting, and ends when nothing is under way."""
GRACE_S = 10.0
"""After this beyond the budget it claims nothing at all: a hook's longest time limit still fits into the task's."""
TURN_S = 0.2
GONE = 410
log = structlog.get_logger(__name__)


def _bury(row: Delivery, reason: str, **told: Any) -> bool:
    return WORK.finish(row, status=Delivery.Status.DEAD, attempts=row.attempts + 1, error=reason[:300], **told)


WORK = Work(
    name="webhook delivery",
    model=Delivery,
    open=Q(status=Delivery.Status.PENDING),
    hold=Session(0x77686F6B, one_for_all=True, token="attempts"),  # one process sends, and knows what is on its way
    due="next_at",
    attempts="attempts",
    most=10,
    retry=Backoff(10, 6 * 3600, factor=3, jitter=0.2),
    reason="error",
    give_up=_bury,
)

DUE = """
    SELECT d.id FROM core_webhook h CROSS JOIN LATERAL (
        SELECT id, next_at FROM core_webhook_delivery
        WHERE webhook_id = h.id AND status = 'pending' AND next_at <= %s ORDER BY next_at, id LIMIT %s) d
    WHERE h.active ORDER BY d.next_at, d.id
"""


def run(budget_s: float = BUDGET_S) -> int:
    """Send everything due until nothing is left or the budget is spent; returns how many attempts were made."""
    with WORK.lock() as mine:
        if not mine:
            return 0
        more = fan_out() == BATCH
        if not due_ids():
            return 0
        with Postman(open_gate(local=settings.WEBHOOK_LOCAL_ADDRESSES)) as postman:
            return Dispatcher(postman, time.monotonic() + budget_s).run(more)


def due_ids() -> list[int]:
    """A few deliveries of each active hook, oldest first: a long queue of one hides no other."""
    with connection.cursor() as cursor:
        cursor.execute(DUE, [timezone.now(), 2 * AT_ONCE_PER_HOOK])
        return [pk for (pk,) in cursor.fetchall()]


class Dispatcher:
    def __init__(self, postman: Postman, deadline: float) -> None:
        self.postman, self.deadline = postman, deadline
        self.under_way: dict[Future[Outcome], Letter] = {}
        self.silent: set[int] = set()
        self.attempts = 0

    def run(self, more: bool = False) -> int:
        while True:
            self.claim()
            if not self.under_way and not more:
                return self.attempts
            done = wait(self.under_way, TURN_S, FIRST_COMPLETED).done if self.under_way else set()
            for future in done:
                letter, outcome = self.under_way.pop(future), future.result()
                if outcome.status is None:
                    self.silent.add(letter.webhook_id)
                record(letter, outcome)
            more = fan_out() > 0

    def claim(self) -> None:
        """Post what is due and has room. Past the deadline only receivers that answer at once get more."""
        over = time.monotonic() - self.deadline
        if over > GRACE_S:
            return
        busy = Counter(letter.webhook_id for letter in self.under_way.values())
        passed_over = self.silent | busy.keys() if over > 0 else set()
        sending = {letter.delivery_id for letter in self.under_way.values()}
        ids = [pk for pk in due_ids() if pk not in sending]
        rows = Delivery.objects.select_related("webhook").in_bulk(ids)
        for row in (rows[pk] for pk in ids if pk in rows):
            if busy[row.webhook_id] >= AT_ONCE_PER_HOOK or row.webhook_id in passed_over:
                continue
            letter = letter_of(row)
            if letter is not None:
                busy[row.webhook_id] += 1
                self.attempts += 1
                self.under_way[self.postman.post(letter)] = letter


def letter_of(row: Delivery) -> Letter | None:
    hook = row.webhook
    try:
        secrets = tuple(hook.secrets())
    except InvalidToken:
        switch_off(hook.pk, "Its secret was encrypted with a key that is gone: make a new secret.")
        return None
    timeout = float(hook.timeout_s)
    return Letter(row.pk, hook.pk, hook.url, row.message, row.body.encode(), secrets, timeout, row.attempts + 1)


def record(letter: Letter, outcome: Outcome) -> None:
    """Write what came of an attempt, unless the delivery was replayed or removed meanwhile."""
    row = Delivery(pk=letter.delivery_id, attempts=letter.attempt - 1)
    told = {
        "tried_at": timezone.now(),
        "response_status": outcome.status,
        "response_excerpt": outcome.excerpt[:1000],
        "duration_ms": outcome.duration_ms,
    }
    if outcome.ok:
        WORK.finish(row, status=Delivery.Status.DELIVERED, attempts=letter.attempt, error="", **told)
    elif outcome.status == GONE:
        _bury(row, outcome.error, **told)
        switch_off(letter.webhook_id, "The receiver answered 410: it wants no more.")
    else:
        WORK.fail(row, outcome.error, at_least_s=outcome.retry_after_s or 0.0, **told)
    if not outcome.ok:
        log.info("webhook_attempt_failed", webhook=letter.webhook_id, attempt=letter.attempt, error=outcome.error)


def switch_off(webhook_id: int, reason: str) -> None:
    Webhook.objects.filter(pk=webhook_id).update(active=False, inactive_reason=reason)
