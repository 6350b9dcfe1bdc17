"""Sends what is due: one dispatcher at a time, several requests at once, never more than a few to one receiver.

A receiver that hangs holds only its own places: the others' messages go on while its requests run into their time
limit. A crash between a request and its record sends that message again: receivers see each message at least once.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from datetime import timedelta

import structlog
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db import connection
from django.utils import timezone

from core.outgoing.permits import open_gate
from core.webhooks.fan_out import BATCH, fan_out
from core.webhooks.models import Delivery, Webhook
from core.webhooks.sending import Letter, Outcome, Postman

LOCK_ID = 0x77686F6B  # "whok"
AT_ONCE_PER_HOOK = 4
BUDGET_S = 15.0
"""After this a run claims nothing more for a receiver that kept it waiting, and ends when nothing is under way."""
GRACE_S = 10.0
"""After this beyond the budget it claims nothing at all: a hook's longest time limit still fits into the task's."""
TURN_S = 0.2
MOST_ATTEMPTS = 10
FIRST_DELAY_S, FACTOR, LONGEST_DELAY_S = 10.0, 3.0, 6 * 3600.0
GONE = 410
log = structlog.get_logger(__name__)

DUE = """
    SELECT d.id FROM core_webhook h CROSS JOIN LATERAL (
        SELECT id, next_at FROM core_webhook_delivery
        WHERE webhook_id = h.id AND status = 'pending' AND next_at <= %s ORDER BY next_at, id LIMIT %s) d
    WHERE h.active ORDER BY d.next_at, d.id
"""


def delay_s(attempts: int, retry_after_s: float | None = None) -> float:
    """Seconds until the next attempt after so many: exponential with a fifth of jitter; a receiver may ask for more."""
    planned = min(LONGEST_DELAY_S, FIRST_DELAY_S * FACTOR ** (attempts - 1)) * random.uniform(0.8, 1.2)
    return max(planned, retry_after_s or 0.0)


@contextmanager
def elected() -> Iterator[bool]:
    """Whether this process is the only one that sends now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_ID])
        mine = bool(cursor.fetchone()[0])
    try:
        yield mine
    finally:
        if mine:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK_ID])


def run(budget_s: float = BUDGET_S) -> int:
    """Send everything due until nothing is left or the budget is spent; returns how many attempts were made."""
    with elected() as mine:
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
    now = timezone.now()
    fields = {
        "attempts": letter.attempt,
        "tried_at": now,
        "response_status": outcome.status,
        "response_excerpt": outcome.excerpt[:1000],
        "error": outcome.error[:300],
        "duration_ms": outcome.duration_ms,
    }
    if outcome.ok:
        fields["status"] = Delivery.Status.DELIVERED
    elif letter.attempt >= MOST_ATTEMPTS or outcome.status == GONE:
        fields["status"] = Delivery.Status.DEAD
    else:
        fields["next_at"] = now + timedelta(seconds=delay_s(letter.attempt, outcome.retry_after_s))
    same = {"pk": letter.delivery_id, "status": Delivery.Status.PENDING, "attempts": letter.attempt - 1}
    Delivery.objects.filter(**same).update(**fields)
    if outcome.status == GONE:
        switch_off(letter.webhook_id, "The receiver answered 410: it wants no more.")
    if not outcome.ok:
        log.info("webhook_attempt_failed", webhook=letter.webhook_id, attempt=letter.attempt, error=outcome.error)


def switch_off(webhook_id: int, reason: str) -> None:
    Webhook.objects.filter(pk=webhook_id).update(active=False, inactive_reason=reason)
