"""The dashboard's WebSocket: `/ws/live/?site=ID&since=CURSOR`.

Who may listen is decided by a function the settings name (`LIVE_ACCESS`), because this room knows nothing of roles.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

import orjson
import structlog
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.utils.module_loading import import_string

from live import hub, stream

NOT_SIGNED_IN = 4401
NO_RIGHTS = 4403
BROKEN = 1011
RIGHTS_S = 15.0
"""How long somebody who signed out or lost a role may go on listening."""
log = structlog.get_logger(__name__)

Access = Callable[[dict[str, Any], int], Awaitable[str]]
"""(connection scope, site id) to "yes", "signed_out" or "forbidden"."""


class LiveConsumer(AsyncWebsocketConsumer):
    feed: hub.SiteFeed | None = None
    queue: asyncio.Queue[str]
    pump: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        await self.accept()  # first, so that a refusal carries a code the browser can read
        query = parse_qs(self.scope["query_string"].decode())
        try:
            self.site_id = int(query["site"][0])
        except (KeyError, ValueError):
            await self.close(code=NO_RIGHTS)
            return
        self.access: Access = import_string(settings.LIVE_ACCESS)
        if not await self.still_allowed():
            return
        self.feed, self.queue = await hub.subscribe(self.site_id)
        # Subscribed before reading what was missed: an event may come twice, never not at all.
        await self.catch_up(query.get("since", [""])[0])
        self.pump = asyncio.create_task(self.forward_or_close())

    async def still_allowed(self) -> bool:
        verdict = await self.access(dict(self.scope), self.site_id)
        if verdict == "yes":
            return True
        await self.close(code=NOT_SIGNED_IN if verdict == "signed_out" else NO_RIGHTS)
        return False

    async def catch_up(self, since: str) -> None:
        assert self.feed is not None
        hello = {"type": "hello", "cursor": self.feed.cursor, "epoch": self.feed.cursor.partition(":")[0]}
        await self.send(orjson.dumps(hello).decode())
        if not since:
            return
        client = stream.connect_async()
        try:
            missed = await stream.resume(client, self.site_id, since)
        finally:
            await client.aclose()
        if missed is None:
            await self.send(hub.RESET)
        elif missed[1]:
            await self.send(hub.events_frame(*missed))

    async def forward_or_close(self) -> None:
        """A feed that broke closes its socket: the browser then comes back instead of waiting at a silent one."""
        try:
            await self.forward()
        except Exception:
            log.exception("live_socket_broke", site=self.site_id)
            await self.close(code=BROKEN)

    async def forward(self) -> None:
        clock = asyncio.get_running_loop().time
        asks_again = clock() + RIGHTS_S
        while True:
            frame = await self.queue.get()
            if clock() >= asks_again:
                if not await self.still_allowed():
                    return
                asks_again = clock() + RIGHTS_S
            try:
                await self.send(frame)
            except OSError:  # ASGI: the client went while we sent; `disconnect` follows
                return

    async def disconnect(self, code: int) -> None:
        if self.pump is not None:
            self.pump.cancel()
        if self.feed is not None:
            hub.unsubscribe(self.feed, self.queue)
