"""The feed as server-sent events, over a real server: rights, cursors, heartbeats, and clients that do not read."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from config import http_protocol
from config.asgi import application
from core.feed import api, frames
from core.models import ApiToken, RoleGrant, Site
from core.services import ensure_user, make_token
from live import events, hub, relay, stream
from tests.test_slow_readers import serving

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site() -> Site:
    made = Site.objects.create(slug="north", name="North")
    stream.shared().delete(stream.key(made.pk))
    return made


@pytest.fixture
def server() -> Iterator[int]:
    with serving(application) as port:
        yield port


def token(site: Site, name: str = "vera", **more: Any) -> str:
    user, _ = ensure_user(name, role="viewer", site=site)
    return make_token(user, **more)[1]


def publish(site: Site, *numbers: int) -> None:
    for number in numbers:
        with transaction.atomic():
            events.emit("test.happened", site_id=site.pk, subject="machine:1", data={"n": number})
    relay.publish_batch()


class Listener:
    """A client: sends one request, takes apart what comes."""

    def __init__(self, port: int, query: str, secret: str, *more: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        lines = [f"GET /api/events/stream/?{query} HTTP/1.1", "Host: localhost", "Accept: text/event-stream",
                 f"Authorization: Token {secret}", *more, "", ""]  # fmt: skip
        self.socket.sendall("\r\n".join(lines).encode())
        self.text = ""

    def read(self, *, until: str, within_s: float = 10) -> str:
        end = time.monotonic() + within_s
        while until not in self.text:
            self.socket.settimeout(max(0.05, end - time.monotonic()))
            part = self.socket.recv(65536)
            assert part, f"the stream ended after {self.text!r}"
            self.text += part.decode()
        return self.text

    def numbers(self) -> list[int]:
        """Of the events that came."""
        data = [json.loads(line[6:]) for line in self.text.splitlines() if line.startswith("data: ")]
        return [each["data"]["n"] for each in data if "data" in each]

    def cursor(self) -> str:
        return [line[4:] for line in self.text.splitlines() if line.startswith("id: ")][-1]

    def ended(self, within_s: float = 10) -> bool:
        self.socket.settimeout(within_s)
        try:
            while part := self.socket.recv(65536):
                self.text += part.decode()
        except TimeoutError:
            return False
        except OSError:
            return True
        return True


@contextmanager
def listening(port: int, query: str, secret: str, *more: str) -> Iterator[Listener]:
    one = Listener(port, query, secret, *more)
    try:
        yield one
    finally:
        one.socket.close()


def test_events_come_as_they_happen_and_a_cursor_goes_on_where_it_ended(site: Site, server: int) -> None:
    secret = token(site)
    with listening(server, f"site={site.pk}", secret) as one:
        assert "text/event-stream" in one.read(until="event: hello")
        publish(site, 1)
        one.read(until='"n":1')
        cursor = one.cursor()
    publish(site, 2, 3)
    with listening(server, f"site={site.pk}&after={cursor}", secret) as again:
        again.read(until='"n":3')
        assert again.numbers() == [2, 3]
    with listening(server, f"site={site.pk}", secret, f"Last-Event-ID: {cursor}") as browser:
        browser.read(until='"n":3')
        assert browser.numbers() == [2, 3]


def test_a_cursor_of_another_time_says_reset(site: Site, server: int) -> None:
    with listening(server, f"site={site.pk}&after=gone:1-1", token(site)) as one:
        one.read(until="event: reset")


@pytest.mark.slow
def test_it_is_silent_for_no_longer_than_a_heartbeat(site: Site, server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "HEARTBEAT_S", 0.1)
    with listening(server, f"site={site.pk}", token(site)) as one:
        one.read(until=": heartbeat")


@pytest.mark.parametrize(("query", "status"), [("site={other}", "403"), ("", "400"), ("site=x", "400")])
def test_who_may_not_see_the_site_hears_nothing(site: Site, server: int, query: str, status: str) -> None:
    other = Site.objects.create(slug="south", name="South")
    with listening(server, query.format(other=other.pk), token(site)) as one:
        assert one.read(until="\r\n\r\n").startswith(f"HTTP/1.1 {status}")
    with listening(server, f"site={site.pk}", "nonsense") as stranger:
        assert stranger.read(until="\r\n\r\n").startswith("HTTP/1.1 401")


@pytest.mark.parametrize("how", ["role", *(pytest.param(each, marks=pytest.mark.slow) for each in ("token", "expiry"))])
def test_a_role_or_a_token_that_ends_ends_the_stream(
    site: Site, server: int, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(api, "RIGHTS_S", 0.1)
    with listening(server, f"site={site.pk}", token(site)) as one:
        one.read(until="event: hello")
        if how == "role":
            RoleGrant.objects.all().delete()
        elif how == "token":
            ApiToken.objects.all().delete()
        else:
            ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
        assert one.ended()


def test_a_client_that_does_not_read_is_dropped_and_others_go_on(
    site: Site, server: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "READ_S", 0.5)
    monkeypatch.setattr(hub, "QUEUE_FRAMES", 5)
    monkeypatch.setattr(frames, "block", lambda event, data, cursor="": f"data: {'x' * 2_000_000}\n\n")
    secret = token(site)
    with listening(server, f"site={site.pk}", secret):
        deadline = time.monotonic() + 30
        n = 0
        while api._open and time.monotonic() < deadline:
            publish(site, n)
            n += 1
            time.sleep(0.2)
        assert not api._open, "its place is free again"
    monkeypatch.undo()
    with listening(server, f"site={site.pk}", secret) as other:
        other.read(until="event: hello")


def test_more_streams_than_a_process_bears_are_refused(
    site: Site, server: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "MOST_STREAMS", 1)
    secret = token(site)
    with listening(server, f"site={site.pk}", secret) as first:
        first.read(until="event: hello")
        with listening(server, f"site={site.pk}", secret) as second:
            assert second.read(until="\r\n\r\n").startswith("HTTP/1.1 429")
