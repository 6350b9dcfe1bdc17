"""Events: written with their cause, heard by other rooms, retried when a room could not keep up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.utils import timezone

from core.models import Site
from core.work import failed_handlers
from live import events
from live.models import Event, HandlerFailure


@pytest.fixture
def handlers() -> Iterator[None]:
    before = {kind: list(known) for kind, known in events._handlers.items()}
    yield
    events._handlers.clear()
    events._handlers.update(before)


def emit(kind: str = "test.happened", subject: str = "machine:1") -> Event:
    with transaction.atomic():
        return events.emit(kind, site_id=1, subject=subject, data={"n": 1})


@pytest.mark.django_db(transaction=True)
def test_an_event_outside_a_transaction_is_refused() -> None:
    with pytest.raises(RuntimeError, match="outside a transaction"):
        events.emit("test.happened", site_id=1, subject="machine:1", data={})


@pytest.mark.django_db(transaction=True)
def test_a_change_that_is_rolled_back_publishes_nothing() -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        events.emit("test.happened", site_id=1, subject="machine:1", data={})
        raise ZeroDivisionError
    assert not Event.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_handler_that_raises_loses_only_its_own_work_and_is_retried(handlers: None) -> None:
    broken = True

    @events.on("test.happened")
    def make_site(event: Event) -> None:
        Site.objects.create(slug="made-by-handler", name="Made")
        if broken:
            raise ValueError("not today")

    emit()
    assert Event.objects.count() == 1, "the event itself stays"
    assert not Site.objects.exists(), "the handler's write is undone"
    assert "not today" in HandlerFailure.objects.get().error

    broken = False
    assert failed_handlers.retry() == 0, "not due yet"
    HandlerFailure.objects.update(next_try_at=timezone.now())
    assert failed_handlers.retry() == 1
    assert Site.objects.count() == 1
    assert HandlerFailure.objects.get().resolved_at is not None
    assert failed_handlers.retry() == 0, "a resolved failure is not run again"
