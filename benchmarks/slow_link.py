"""A TCP relay that is as slow as a phone in a cold aisle: so many bits a second, and so long for each way."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

CHUNK = 2_000
"""Bytes at a time: 40 ms at 400 kbit/s, so that a large file keeps no small one waiting for long."""


class _Way:
    """One direction of the whole link: all connections share its rate."""

    def __init__(self, bits_per_s: float, delay_s: float) -> None:
        self.bytes_per_s, self.delay_s = bits_per_s / 8, delay_s
        self.free_at = 0.0

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Until the sender closes. What is sent is under way meanwhile: a delay is no limit to the rate."""
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(maxsize=64)
        arriving = asyncio.create_task(self._arrive(under_way, writer))
        try:
            while data := await reader.read(CHUNK):
                self.free_at = max(self.free_at, time.monotonic()) + len(data) / self.bytes_per_s
                await under_way.put((self.free_at + self.delay_s, data))
                await asyncio.sleep(max(0.0, self.free_at - time.monotonic()))
        except OSError:
            pass
        await under_way.put((0.0, b""))
        await arriving

    @staticmethod
    async def _arrive(under_way: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
        while (item := await under_way.get())[1]:
            await asyncio.sleep(max(0.0, item[0] - time.monotonic()))
            if not writer.is_closing():
                writer.write(item[1])
        writer.close()


@contextmanager
def slow_link(port: int, *, bits_per_s: float, round_trip_s: float) -> Iterator[int]:
    """A port that leads to `port` of this machine over such a link. A connection takes a round trip to open."""
    down, up = _Way(bits_per_s, round_trip_s / 2), _Way(bits_per_s, round_trip_s / 2)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.CancelledError):  # at the end; the server would report it
            await asyncio.sleep(round_trip_s)
            there, back = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(up.carry(reader, back), down.carry(there, writer))

    loop = asyncio.new_event_loop()  # of a thread of its own: the caller's may have one that runs
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    starting = asyncio.run_coroutine_threadsafe(asyncio.start_server(connected, "127.0.0.1", 0), loop)
    try:
        yield int(starting.result(10).sockets[0].getsockname()[1])
    finally:
        asyncio.run_coroutine_threadsafe(_end_all(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


async def _end_all() -> None:
    """Connections that are still open, and what is under way in them."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
