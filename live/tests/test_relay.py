"""The relay: nothing committed goes unpublished, whatever order transactions end in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import connection, transaction
from django.utils import timezone

from live import events, relay, stream
from live.models import Event

SITE = 77
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def empty_stream() -> Iterator[None]:
    stream.shared().delete(stream.key(SITE))
    yield
    stream.shared().delete(stream.key(SITE))


def emit(number: int, subject: str = "machine:1") -> None:
    events.emit("test.happened", site_id=SITE, subject=subject, data={"n": number})


def published() -> list[dict[str, Any]]:
    return [stream.unpack(fields) for _, fields in stream.shared().xrange(stream.key(SITE))]  # type: ignore[union-attr]


def numbers() -> list[int]:
    return [event["data"]["n"] for event in published()]


def in_thread(work: Any) -> threading.Thread:
    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_long_transaction_delays_nobody_and_its_own_event_is_not_lost() -> None:
    written, release = threading.Event(), threading.Event()

    def slow() -> None:
        with transaction.atomic():
            emit(1, "machine:1")
            written.set()
            release.wait(10)

    thread = in_thread(slow)
    assert written.wait(10)
    with transaction.atomic():
        emit(2, "machine:2")  # a later id, committed first
    relay.publish_batch()
    assert numbers() == [2]
    release.set()
    thread.join()
    relay.publish_batch()
    assert numbers() == [2, 1]


def test_concurrent_writers_lose_no_event_and_keep_the_order_of_each_subject() -> None:
    from core.models import Site

    sites = [Site.objects.create(slug=f"s{n}", name=f"S{n}") for n in range(3)]
    stop = threading.Event()

    def write(offset: int) -> None:
        for n in range(40):
            site = sites[(n + offset) % 3]
            with transaction.atomic():
                locked = Site.objects.select_for_update().get(pk=site.pk)
                locked.timezone = str(int(locked.timezone) + 1 if locked.timezone.isdigit() else 1)
                locked.save()
                emit(int(locked.timezone), f"site:{site.pk}")

    def publish() -> None:
        while not stop.is_set():
            relay.publish_batch()

    publisher = in_thread(publish)
    writers = [in_thread(lambda offset=offset: write(offset)) for offset in range(3)]
    for thread in writers:
        thread.join()
    stop.set()
    publisher.join()
    relay.publish_batch()
    everything = published()
    assert len(everything) == 120
    for site in sites:
        of_site = [event["data"]["n"] for event in everything if event["subject"] == f"site:{site.pk}"]
        assert of_site == sorted(of_site)
    assert relay.lag_seconds() == 0.0


def test_a_cursor_gives_exactly_what_came_after_it() -> None:
    before = stream.head(SITE)
    with transaction.atomic():
        emit(1)
    relay.publish_batch()
    middle = stream.head(SITE)
    with transaction.atomic():
        emit(2)
    relay.publish_batch()

    @async_to_sync
    async def after(cursor: str) -> Any:
        client = stream.connect_async()
        try:
            return await stream.resume(client, SITE, cursor)
        finally:
            await client.aclose()

    assert [event["data"]["n"] for event in after(before)[1]] == [1, 2]
    assert [event["data"]["n"] for event in after(middle)[1]] == [2]
    assert after(stream.head(SITE))[1] == []
    assert after("otherepoch:1-0") is None, "the store was wiped"
    assert after("nonsense") is None
    stream.shared().xtrim(stream.key(SITE), maxlen=1, approximate=False)
    assert after(before) is None, "trimmed past the cursor"
    epoch, _, last = stream.head(SITE).partition(":")
    future = f"{int(last.split('-')[0]) + 1000}-0"
    assert after(f"{epoch}:{future}") is None, "the store lost its last second"


def test_old_events_are_pruned_in_batches_and_unpublished_ones_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "PRUNE_BATCH", 2)
    with transaction.atomic():
        for number in range(7):
            emit(number)
    old = timezone.now() - timedelta(days=91)
    Event.objects.update(at=old)
    Event.objects.filter(data__n__lt=5).update(published_at=old)
    assert relay.prune() == 5
    assert Event.objects.count() == 2
