"""From the event to the receiver: signed, tried again, given up, replayed; one bad receiver delays no other."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from core.models import Site
from core.webhooks import dispatch, services
from core.webhooks.fan_out import MOST_BODY_BYTES, fan_out
from core.webhooks.models import Delivery, OutboxRow, Webhook
from core.webhooks.tests.conftest import Receiver
from core.work.rules import Standing
from live.models import Event

pytestmark = pytest.mark.django_db
Hook = Callable[..., Webhook]
Happens = Callable[..., Any]


def make_due() -> None:
    Delivery.objects.filter(status="pending").update(next_at=timezone.now() - timedelta(seconds=1))


def test_an_event_reaches_the_receiver_signed_by_the_published_scheme(
    hook: Hook, happens: Happens, receiver: Receiver
) -> None:
    made = hook(events=["ticket.*"])
    event = happens("ticket.changed", key="REP-1")
    assert dispatch.run() == 1
    (request,) = receiver.heard
    told = json.loads(request.body)
    assert told["type"] == "ticket.changed" and told["timestamp"] == event.at.isoformat()
    assert told["data"] == {
        "site": "north", "id": event.pk, "subject": "machine:1", "actor": "tina", "details": {"key": "REP-1"},
    }  # fmt: skip
    # written out here as the specification has it, not with our own function
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
    key = base64.b64decode(made.plain.removeprefix("whsec_"))  # type: ignore[attr-defined]
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert request.headers["webhook-signature"] == expected
    assert abs(int(request.headers["webhook-timestamp"]) - time.time()) < 10
    row = Delivery.objects.get()
    assert (row.status, row.attempts, row.response_status, row.response_excerpt) == ("delivered", 1, 200, "thanks")
    assert row.duration_ms is not None and row.message == request.headers["webhook-id"]


def test_a_new_secret_and_the_old_one_both_sign_for_a_day(hook: Hook, happens: Happens, receiver: Receiver) -> None:
    made = hook()
    services.new_secret(made)
    happens()
    dispatch.run()
    assert len(receiver.heard[0].headers["webhook-signature"].split()) == 2
    Webhook.objects.update(previous_until=timezone.now())
    happens()
    dispatch.run()
    assert len(receiver.heard[1].headers["webhook-signature"].split()) == 1


def test_a_hook_hears_its_site_and_its_events_only(
    hook: Hook, happens: Happens, receiver: Receiver, sites: tuple[Site, Site]
) -> None:
    hook("/north", site=sites[0])
    hook("/tickets", events=["ticket.changed", "fault.*"])
    hook("/off", active=False)
    happens("ticket.changed", sites[1])
    happens("fault.cleared", sites[1])
    happens("machine.changed", sites[0])
    dispatch.run()
    assert sorted(receiver.paths()) == ["/north", "/tickets", "/tickets"]


def test_without_a_hook_that_could_hear_it_nothing_is_written(
    hook: Hook, happens: Happens, sites: tuple[Site, Site]
) -> None:
    happens()
    hook(site=sites[1])
    happens(site=sites[0])
    assert not OutboxRow.objects.exists()


def test_a_failing_receiver_is_tried_again_later_and_later_and_hears_it_when_it_recovers(
    hook: Hook, happens: Happens, receiver: Receiver
) -> None:
    hook()
    happens()
    receiver.broken = True
    waits = []
    for attempt in (1, 2, 3):
        before = timezone.now()
        assert dispatch.run() == 1
        row = Delivery.objects.get()
        assert (row.status, row.attempts, row.error) == ("pending", attempt, "answered 500")
        waits.append((row.next_at - before).total_seconds())
        assert dispatch.run() == 0  # not before its time
        make_due()
    assert 7 < waits[0] < 13 < 23 < waits[1] < 37 < 71 < waits[2] < 110
    receiver.broken = False
    dispatch.run()
    assert Delivery.objects.get().status == "delivered"
    assert len({request.headers["webhook-id"] for request in receiver.heard}) == 1


def test_waiting_grows_to_hours_with_jitter_and_a_receiver_may_ask_for_more() -> None:
    policy, now = dispatch.WORK.policy, timezone.now()
    assert policy.retry.after_s(30) <= 1.2 * policy.retry.longest_s
    assert len({policy.retry.after_s(5) for _ in range(20)}) > 10
    assert policy.put_back(Standing(1), now, at_least_s=500).due_at == now + timedelta(seconds=500)


def test_the_receivers_own_wish_when_to_try_again_is_kept(hook: Hook, happens: Happens) -> None:
    hook("/busy")
    happens()
    dispatch.run()
    assert Delivery.objects.get().next_at > timezone.now() + timedelta(minutes=59)


def test_after_the_last_attempt_it_is_dead_and_a_replay_brings_it(
    hook: Hook, happens: Happens, receiver: Receiver
) -> None:
    made = hook()
    happens()
    fan_out()
    receiver.broken = True
    Delivery.objects.update(attempts=(dispatch.WORK.most or 0) - 1)
    dispatch.run()
    assert Delivery.objects.get().status == "dead"
    assert dispatch.run() == 0
    receiver.broken = False
    assert services.replay(services.chosen(made, status="dead", since=None, until=None)) == 1
    dispatch.run()
    row = Delivery.objects.get()
    assert (row.status, row.attempts) == ("delivered", 1)
    assert len({request.headers["webhook-id"] for request in receiver.heard}) == 1


def test_a_span_of_time_can_be_replayed(hook: Hook, happens: Happens, receiver: Receiver) -> None:
    made = hook()
    happens(n=1)
    happens(n=2)
    dispatch.run()
    first = Delivery.objects.order_by("id")[0]
    Delivery.objects.filter(pk=first.pk).update(created_at=timezone.now() - timedelta(hours=5))
    since, until = timezone.now() - timedelta(hours=6), timezone.now() - timedelta(hours=4)
    assert services.replay(services.chosen(made, status="", since=since, until=until)) == 1
    dispatch.run()
    assert receiver.heard[-1].headers["webhook-id"] == first.message and len(receiver.heard) == 3


def test_a_redirect_is_a_failure_and_is_not_followed(hook: Hook, happens: Happens, receiver: Receiver) -> None:
    hook("/redirect")
    happens()
    dispatch.run()
    row = Delivery.objects.get()
    assert row.status == "pending" and row.response_status == 302 and "redirects are not followed" in row.error
    assert receiver.paths() == ["/redirect"]


def test_a_receiver_that_is_gone_is_told_nothing_more(hook: Hook, happens: Happens) -> None:
    made = hook("/gone")
    happens()
    dispatch.run()
    made.refresh_from_db()
    assert not made.active and "410" in made.inactive_reason
    assert Delivery.objects.get().status == "dead"


def test_a_port_where_nobody_listens_is_a_failure_in_words(hook: Hook, happens: Happens) -> None:
    hook(url="http://127.0.0.1:1/")
    happens()
    dispatch.run()
    assert "refused" in Delivery.objects.get().error or "connect" in Delivery.objects.get().error.lower()


@pytest.mark.slow
def test_a_hanging_receiver_runs_into_its_limit_and_delays_no_other(
    hook: Hook, happens: Happens, receiver: Receiver
) -> None:
    hook("/hang", timeout_s=2)
    hook("/ok")
    for number in range(12):
        happens(n=number)
    began = time.monotonic()
    finished: list[float] = []
    record = dispatch.record

    def recording(letter: Any, outcome: Any) -> None:
        record(letter, outcome)
        if outcome.ok:
            finished.append(time.monotonic() - began)

    dispatch.record = recording  # type: ignore[assignment]
    try:
        dispatch.run(budget_s=0.5)
    finally:
        dispatch.record = record
    assert len(finished) == 12 and max(finished) < 1.8, "the good receiver waited for the hanging one"
    late = Delivery.objects.filter(webhook__url=receiver.url("/hang"), attempts=1)
    assert late.exists() and set(late.values_list("error", flat=True)) == {"no answer within 2 s"}


@pytest.mark.slow
def test_one_receiver_gets_only_a_few_requests_at_once(hook: Hook, happens: Happens, receiver: Receiver) -> None:
    hook("/hang", timeout_s=1)
    for number in range(3 * dispatch.AT_ONCE_PER_HOOK):
        happens(n=number)
    dispatch.run(budget_s=1.5)
    # requests that we gave up still hold a thread of the receiver for their three seconds
    at_once = Delivery.objects.exclude(tried_at=None).count()
    assert at_once and receiver.most_at_once <= 3 * dispatch.AT_ONCE_PER_HOOK
    first_second = list(receiver.heard[: dispatch.AT_ONCE_PER_HOOK])
    assert len(first_second) == dispatch.AT_ONCE_PER_HOOK


def test_an_answer_is_kept_to_its_first_thousand_letters(hook: Hook, happens: Happens) -> None:
    hook("/chatty")
    happens()
    dispatch.run()
    row = Delivery.objects.get()
    assert row.status == "delivered" and row.response_excerpt == "x" * 1000


def test_a_message_that_would_be_too_large_says_so(hook: Hook, happens: Happens, receiver: Receiver) -> None:
    hook()
    happens(text="x" * (MOST_BODY_BYTES + 1))
    dispatch.run()
    told = json.loads(receiver.heard[0].body)["data"]
    assert told["truncated"] is True and "details" not in told and told["subject"] == "machine:1"


def test_a_secret_nobody_can_read_any_more_switches_the_hook_off(hook: Hook, happens: Happens, settings: Any) -> None:
    from cryptography.fernet import Fernet

    made = hook()
    happens()
    settings.CREDENTIAL_KEYS = [Fernet.generate_key().decode()]
    dispatch.run()
    made.refresh_from_db()
    assert not made.active and "key that is gone" in made.inactive_reason


def test_the_secret_is_unreadable_in_the_database_and_survives_a_change_of_keys(hook: Hook, settings: Any) -> None:
    from cryptography.fernet import Fernet

    from core.services import rotate_credentials

    made = hook()
    assert b"whsec" not in bytes(made.secret)
    old, new = settings.CREDENTIAL_KEYS[0], Fernet.generate_key().decode()
    settings.CREDENTIAL_KEYS = [new, old]
    rotate_credentials()
    settings.CREDENTIAL_KEYS = [new]
    assert Webhook.objects.get().secrets() == [made.plain]  # type: ignore[attr-defined]


def test_what_arrived_is_forgotten_after_a_week_and_what_died_after_a_month(hook: Hook) -> None:
    made = hook()
    for status, days in (("delivered", 6), ("delivered", 8), ("dead", 29), ("dead", 31), ("pending", 99)):
        row = Delivery.objects.create(webhook=made, event="ping", body="{}", status=status)
        Delivery.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(days=days))
    assert services.prune() == 2 and Delivery.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_an_event_that_commits_late_is_not_missed(hook: Hook, happens: Happens, receiver: Receiver) -> None:
    """The first transaction takes its id before the second and commits after it was fanned out."""
    hook()
    inserted, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        try:
            with transaction.atomic():
                happens(n="first")
                inserted.set()
                assert go_on.wait(20)
        finally:
            connection.close()

    thread = threading.Thread(target=slow)
    thread.start()
    assert inserted.wait(20)
    happens(n="second")
    assert dispatch.run() == 1
    go_on.set()
    thread.join(20)
    assert dispatch.run() == 1
    heard = [json.loads(request.body)["data"]["details"]["n"] for request in receiver.heard]
    assert heard == ["second", "first"]
    assert list(Event.objects.order_by("id").values_list("data__n", flat=True)) == ["first", "second"]


@pytest.mark.django_db(transaction=True)
def test_a_change_that_is_rolled_back_tells_nobody(hook: Hook, happens: Happens) -> None:
    hook()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        happens()
        raise ZeroDivisionError
    assert not OutboxRow.objects.exists() and dispatch.run() == 0


@pytest.mark.django_db(transaction=True)
def test_two_dispatchers_send_nothing_twice(hook: Hook, happens: Happens, receiver: Receiver) -> None:
    hook()
    for number in range(20):
        happens(n=number)

    def send() -> None:
        try:
            dispatch.run()
        finally:
            connection.close()

    threads = [threading.Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    dispatch.run()
    assert len(receiver.heard) == 20 == len({request.headers["webhook-id"] for request in receiver.heard})
    assert not Delivery.objects.exclude(status="delivered").exists()


def test_the_verification_that_the_page_for_receivers_shows_works(
    hook: Hook, happens: Happens, receiver: Receiver
) -> None:
    page = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text()
    shown: dict[str, Any] = {}
    exec(page.split("```python\n")[1].split("```")[0], shown)
    made = hook()
    happens()
    dispatch.run()
    (request,) = receiver.heard
    assert shown["verified"](made.plain, request.headers, request.body)  # type: ignore[attr-defined]
    assert not shown["verified"](made.plain, request.headers, request.body + b" ")  # type: ignore[attr-defined]
    stale = {**request.headers, "webhook-timestamp": "1700000000"}
    assert not shown["verified"](made.plain, stale, request.body)  # type: ignore[attr-defined]
