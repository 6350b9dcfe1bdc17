"""Fans the stream of a site out to the sockets of this process.

One reader per site and process collects events for a short window, serialises the frame once, and puts it into each
socket's bounded queue. A socket that cannot keep up is told to fetch a fresh snapshot instead of growing the queue.
"""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import structlog
from django.utils import timezone

from live import stream

WINDOW_S = 0.1
HEARTBEAT_S = 2.0
"""A socket says something at least so often: a browser that hears nothing for 5 s no longer claims to be live."""
QUEUE_FRAMES = 100
RESET = orjson.dumps({"type": "reset"}).decode()
log = structlog.get_logger(__name__)


def events_frame(cursor: str, events: list[dict[str, Any]]) -> str:
    return orjson.dumps({"type": "events", "cursor": cursor, "events": events}).decode()


def heartbeat_frame(cursor: str) -> str:
    return orjson.dumps({"type": "heartbeat", "cursor": cursor, "at": timezone.now().isoformat()}).decode()


class SiteFeed:
    """Reads one site's stream and feeds the queues of its subscribers."""

    def __init__(self, site_id: int) -> None:
        self.site_id = site_id
        self.queues: set[asyncio.Queue[str]] = set()
        self.cursor = ""
        self.started = asyncio.Event()
        self.tasks = [asyncio.create_task(self.read()), asyncio.create_task(self.beat())]

    def cancel(self) -> None:
        for task in self.tasks:
            task.cancel()

    async def beat(self) -> None:
        """One clock for all sockets of a site: one of its own in each would be a third of what a frame costs there."""
        while self.queues:
            await asyncio.sleep(HEARTBEAT_S)
            frame = heartbeat_frame(self.cursor)
            for queue in self.queues:
                if not queue.full():
                    queue.put_nowait(frame)

    async def read(self) -> None:
        while self.queues:  # so that it ends even where a library below loses the cancellation
            try:
                await self.follow()
            except asyncio.CancelledError:
                raise
            except Exception:
                log.exception("live_feed_interrupted", site=self.site_id)
                for queue in self.queues:
                    replace_with_reset(queue)
                await asyncio.sleep(1.0)

    async def follow(self) -> None:
        client: Any = stream.connect_async()  # its types allow for every protocol and decoding
        try:
            self.cursor = await asyncio.to_thread(stream.head, self.site_id)
            current_epoch, last = self.cursor.split(":")
            self.started.set()
            while self.queues:
                answer = await client.xread({stream.key(self.site_id): last}, block=5000, count=1000)
                if not answer:
                    if (await client.get(stream.EPOCH_KEY) or b"").decode() != current_epoch:
                        raise RuntimeError("the stream's epoch changed")
                    continue
                entries = answer[0][1]
                await asyncio.sleep(WINDOW_S)
                more = await client.xread({stream.key(self.site_id): entries[-1][0]}, count=5000)
                entries = entries + (more[0][1] if more else [])
                last = entries[-1][0].decode()
                self.cursor = f"{current_epoch}:{last}"
                frame = events_frame(self.cursor, [stream.unpack(fields) for _, fields in entries])
                for queue in self.queues:
                    try:
                        queue.put_nowait(frame)
                    except asyncio.QueueFull:
                        replace_with_reset(queue)
        finally:
            await client.aclose()


def replace_with_reset(queue: asyncio.Queue[str]) -> None:
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(RESET)


_feeds: dict[tuple[asyncio.AbstractEventLoop, int], SiteFeed] = {}


async def subscribe(site_id: int) -> tuple[SiteFeed, asyncio.Queue[str]]:
    """A queue that receives every frame of the site from now on. Raises TimeoutError while the stream is silent."""
    name = (asyncio.get_running_loop(), site_id)
    feed = _feeds.get(name)
    if feed is None:
        feed = _feeds[name] = SiteFeed(site_id)
    queue: asyncio.Queue[str] = asyncio.Queue(QUEUE_FRAMES)
    feed.queues.add(queue)
    try:
        async with asyncio.timeout(10):
            await feed.started.wait()
    except BaseException:  # a store that does not answer, or a browser that left meanwhile: nobody would unsubscribe
        unsubscribe(feed, queue)
        raise
    return feed, queue


def unsubscribe(feed: SiteFeed, queue: asyncio.Queue[str]) -> None:
    feed.queues.discard(queue)
    if not feed.queues:
        feed.cancel()
        for name in [name for name, known in _feeds.items() if known is feed]:
            del _feeds[name]
