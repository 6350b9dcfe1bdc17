"""A process outlives its services: it waits, and goes on with a fresh connection."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest
from django.db import InterfaceError, OperationalError, connection, transaction
from redis.exceptions import BusyLoadingError
from redis.exceptions import ConnectionError as BrokerAway

from live import outlive, relay
from live.events import emit
from live.models import Event


def lost(state: str | None) -> OperationalError:
    error = OperationalError("the connection is lost")
    error.__cause__ = type("Lost", (psycopg.OperationalError,), {"sqlstate": state})()
    return error


@pytest.mark.parametrize(
    ("error", "away"),
    [
        (lost(None), True),
        (lost("08006"), True),
        (lost("57P01"), True),
        (lost("57P03"), True),
        (lost("55P03"), False),
        (lost("53100"), False),
        (InterfaceError("closed"), True),
        (BrokerAway("refused"), True),
        (BusyLoadingError("loading"), True),
        (ValueError("a mistake"), False),
    ],
)
def test_a_service_that_is_away_is_told_from_a_mistake(error: Exception, away: bool) -> None:
    assert outlive.is_away(error) is away


@pytest.mark.django_db
def test_work_that_failed_is_done_again_until_it_succeeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlive, "FIRST_WAIT_S", 0.001)
    tries: list[int] = []

    def work() -> None:
        tries.append(len(tries))
        if len(tries) < 4:
            raise (lost(None), ValueError("a mistake"), BrokerAway("refused"))[len(tries) - 1]

    signs: list[int] = []
    outlive.outlive(work, threading.Event(), alive=lambda: signs.append(1))
    assert len(tries) == 4 and len(signs) == 3


@pytest.mark.django_db
def test_a_stop_ends_the_waiting() -> None:
    stop = threading.Event()

    def work() -> None:
        stop.set()
        raise lost(None)

    outlive.outlive(work, stop)


@pytest.mark.django_db(transaction=True)
def test_a_relay_whose_connection_is_ended_by_the_server_publishes_what_came_meanwhile() -> None:
    stop = threading.Event()
    thread = threading.Thread(target=run_and_close, args=(stop,))
    thread.start()
    try:
        wait_for("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND granted", relay.LOCK_ID)
        for turn in range(3):
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s",
                    [relay.LOCK_ID],
                )
            with transaction.atomic():
                emit("test.news", site_id=1, subject=f"test:{turn}", data={})
            wait_for("SELECT count(*) FROM live_event WHERE subject = %s AND published_at IS NOT NULL", f"test:{turn}")
        assert thread.is_alive()
    finally:
        stop.set()
        thread.join(10)
    assert not Event.objects.filter(published_at=None).exists()


def run_and_close(stop: threading.Event) -> None:
    try:
        relay.run(stop)
    finally:
        connection.close()


def wait_for(query: str, *values: Any) -> None:
    for _ in range(200):
        with connection.cursor() as cursor:
            cursor.execute(query, values)
            if cursor.fetchone()[0]:
                return
        threading.Event().wait(0.1)
    raise AssertionError(f"waited too long for {query}")
