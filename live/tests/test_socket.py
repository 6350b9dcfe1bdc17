"""The dashboard's socket: who may listen, and that a reconnect misses nothing."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
import structlog
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import transaction
from django.test import Client
from django.utils import timezone

from config.asgi import application
from core.accounts.live_access import may_listen
from core.models import Site, User
from core.services import ensure_user
from live import consumers, events, hub, relay, stream

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


@sync_to_async
def site_and_cookie(role: str | None = "viewer") -> tuple[int, str]:
    site = Site.objects.create(slug="north", name="North")
    other = Site.objects.create(slug="south", name="South")
    stream.shared().delete(stream.key(site.pk))
    user, _ = ensure_user("vera", role=role or "viewer", site=site if role else other)
    client = Client()
    client.force_login(user)
    return site.pk, client.cookies["sessionid"].value


@sync_to_async
def publish(site: int, number: int) -> None:
    with transaction.atomic():
        events.emit("test.happened", site_id=site, subject="machine:1", data={"n": number})
    relay.publish_batch()


class Socket(ApplicationCommunicator):
    """A browser's end of a WebSocket, as far as these tests need it."""

    async def connect(self) -> dict[str, Any]:
        await self.send_input({"type": "websocket.connect"})
        return await self.receive_output(timeout=5)

    async def disconnect(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(timeout=5)


def socket(site: int, cookie: str = "", since: str = "") -> Socket:
    headers = [(b"origin", b"http://localhost"), (b"host", b"localhost"), (b"cookie", f"sessionid={cookie}".encode())]
    scope = {
        "type": "websocket",
        "path": "/ws/live/",
        "query_string": f"site={site}&since={since}".encode(),
        "headers": headers,
        "subprotocols": [],
    }
    return Socket(application, scope)


async def frame(ws: Socket) -> dict[str, Any]:
    message = await ws.receive_output(timeout=5)
    decoded: dict[str, Any] = json.loads(message["text"])
    return decoded


async def test_somebody_not_signed_in_hears_nothing() -> None:
    site, _ = await site_and_cookie()
    ws = socket(site)
    await ws.connect()
    closing = await ws.receive_output(timeout=5)
    assert closing["type"] == "websocket.close" and closing["code"] == 4401


async def test_a_user_of_another_site_hears_nothing() -> None:
    site, cookie = await site_and_cookie(role=None)
    ws = socket(site, cookie)
    await ws.connect()
    closing = await ws.receive_output(timeout=5)
    assert closing["type"] == "websocket.close" and closing["code"] == 4403


async def test_an_event_arrives_within_a_second_and_a_reconnect_catches_up() -> None:
    site, cookie = await site_and_cookie()
    ws = socket(site, cookie)
    assert (await ws.connect())["type"] == "websocket.accept"
    hello = await frame(ws)
    assert hello["type"] == "hello"
    started = asyncio.get_running_loop().time()
    await publish(site, 1)
    heard = await frame(ws)
    assert [event["data"]["n"] for event in heard["events"]] == [1]
    assert asyncio.get_running_loop().time() - started < 1.0
    await ws.disconnect()

    await publish(site, 2)
    again = socket(site, cookie, since=heard["cursor"])
    await again.connect()
    assert (await frame(again))["type"] == "hello"
    missed = await frame(again)
    assert [event["data"]["n"] for event in missed["events"]] == [2]
    await again.disconnect()


async def test_a_cursor_of_a_wiped_store_is_told_to_start_over() -> None:
    site, cookie = await site_and_cookie()
    ws = socket(site, cookie, since="longgone:5-0")
    await ws.connect()
    assert (await frame(ws))["type"] == "hello"
    assert (await frame(ws))["type"] == "reset"
    await ws.disconnect()


async def closing_code(ws: Socket) -> int:
    await ws.connect()
    message = await ws.receive_output(timeout=5)
    assert message["type"] == "websocket.close"
    return int(message["code"])


async def test_a_one_time_password_opens_no_feed() -> None:
    site, cookie = await site_and_cookie()
    await User.objects.aupdate(must_change_password=True)
    assert await closing_code(socket(site, cookie)) == 4401


async def test_who_lacks_the_second_factor_of_their_role_gets_no_feed(settings: Any) -> None:
    site, cookie = await site_and_cookie()
    settings.SECOND_FACTOR_FROM = "viewer"
    assert await closing_code(socket(site, cookie)) == 4403


async def test_a_feed_ends_with_the_password_it_was_opened_under() -> None:
    site, cookie = await site_and_cookie()
    user = await User.objects.aget()
    scope = {"user": user, "session": SessionStore(cookie)}
    assert await may_listen(scope, site) == "yes"
    user.set_password("brand-new-horse-7")
    await user.asave()
    assert await may_listen(scope, site) == "signed_out"


async def test_a_session_that_expired_ends_its_feed() -> None:
    site, cookie = await site_and_cookie()
    scope = {"user": await User.objects.aget(), "session": SessionStore(cookie)}
    await Session.objects.aupdate(expire_date=timezone.now())
    assert await may_listen(scope, site) == "signed_out"


async def test_a_store_that_does_not_answer_leaves_no_reader_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(site_id: int) -> str:
        raise ConnectionError("no store")

    monkeypatch.setattr(stream, "head", silent)
    waiting = asyncio.create_task(hub.subscribe(4711))
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert not [site for _, site in hub._feeds if site == 4711]


async def test_a_feed_that_breaks_closes_its_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    site, cookie = await site_and_cookie()

    async def broken(*_: Any) -> None:
        raise ConnectionError("no database")

    monkeypatch.setattr(consumers.LiveConsumer, "forward", broken)
    ws = socket(site, cookie)
    await ws.connect()
    assert (await frame(ws))["type"] == "hello"
    closing = await ws.receive_output(timeout=5)
    assert closing["type"] == "websocket.close" and closing["code"] == 1011
    await ws.disconnect()


@pytest.mark.slow
async def test_a_client_that_goes_while_it_is_sent_to_is_no_fault_of_the_feed(monkeypatch: pytest.MonkeyPatch) -> None:
    site, cookie = await site_and_cookie()
    ws = socket(site, cookie)
    await ws.connect()
    assert (await frame(ws))["type"] == "hello"
    tried = asyncio.Event()

    async def gone(*_: Any, **__: Any) -> None:
        tried.set()
        raise OSError("gone")

    monkeypatch.setattr(consumers.LiveConsumer, "send", gone)
    with structlog.testing.capture_logs() as logged:
        await asyncio.wait_for(tried.wait(), hub.HEARTBEAT_S + 5)
        assert await ws.receive_nothing(0.2)
    assert "live_socket_broke" not in [line["event"] for line in logged]
    await ws.disconnect()


async def test_a_server_that_lives_says_something_often_enough_to_tell_it_from_a_frozen_one_within_five_seconds() -> (
    None
):
    site, cookie = await site_and_cookie()
    ws = socket(site, cookie)
    await ws.connect()
    await frame(ws)
    began = time.monotonic()
    beats = [await frame(ws) for _ in range(2)]
    assert [beat["type"] for beat in beats] == ["heartbeat"] * 2 and time.monotonic() - began < 5.0
    await ws.disconnect()


@pytest.mark.slow
async def test_a_feed_stays_whole_while_nothing_happens() -> None:
    """A read of the stream blocks for seconds: the client must not give up in the middle and reset every browser."""
    site, cookie = await site_and_cookie()
    ws = socket(site, cookie)
    await ws.connect()
    assert (await frame(ws))["type"] == "hello"
    said = [(await frame(ws))["type"] for _ in range(4)]
    assert said == ["heartbeat"] * 4
    await publish(site, 1)
    assert (await frame(ws))["type"] == "events"
    await ws.disconnect()
