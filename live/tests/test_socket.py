"""The dashboard's socket: who may listen, and that a reconnect misses nothing."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.db import transaction
from django.test import Client

from config.asgi import application
from core.models import Site
from core.services import ensure_user
from live import events, relay, stream

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
