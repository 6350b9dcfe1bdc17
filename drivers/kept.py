"""Connections that stay open from one round of questions to the next, each to one place with one login.

Whoever takes a connection has it alone until it is given back. One that was closed meanwhile, or is older than its
time, is not handed out: the caller then connects anew, as it would have done without this. All of them belong to one
event loop.
"""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

LIVES_S = 3600.0
"""A login proves that the place still lets us in, so none is older than that, and they do not all end at once."""
PROBE_EVERY_S, PROBES = 20, 3
"""The kernel asks an idle peer so often: one that is gone is known before it is asked the next time, and whatever
stands between keeps the connection in mind."""


class Kept(Generic[T]):
    """At most `most` open connections by key; `close` ends one, `is_open` tells whether the peer still has it."""

    def __init__(
        self, most: int, *, is_open: Callable[[T], bool], close: Callable[[T], Awaitable[None] | None]
    ) -> None:
        self.most = most
        self.is_open, self._close = is_open, close
        self._held: dict[Hashable, tuple[T, float]] = {}

    def __len__(self) -> int:
        return len(self._held)

    async def take(self, key: Hashable) -> tuple[T, float] | None:
        """The connection of this key and until when it may be used; None where there is none that may."""
        found = self._held.pop(key, None)
        if found is None:
            return None
        if self.is_open(found[0]) and time.monotonic() < found[1]:
            return found
        await self.close(found[0])
        return None

    async def give(self, key: Hashable, connection: T, until: float | None = None) -> None:
        """Keep it for the next round, a new one (`until` None) for its whole time; close it where there is no room."""
        if until is None:
            until = time.monotonic() + LIVES_S * random.uniform(0.5, 1.0)
        if not self.is_open(connection) or (len(self._held) >= self.most and key not in self._held):
            await self.close(connection)
            return
        older = self._held.pop(key, None)
        self._held[key] = connection, until
        if older is not None:
            await self.close(older[0])

    async def close(self, connection: T) -> None:
        done = self._close(connection)
        if done is not None:
            await done

    async def close_old(self) -> None:
        """Close those that nobody may use any more."""
        now = time.monotonic()
        for key, (connection, until) in list(self._held.items()):
            if until <= now or not self.is_open(connection):
                del self._held[key]
                await self.close(connection)

    async def close_all(self) -> None:
        while self._held:
            await self.close(self._held.popitem()[1][0])


def watched(sock: socket.socket) -> socket.socket:
    """The same socket, whose peer the kernel asks while nobody else does."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", PROBE_EVERY_S), ("TCP_KEEPINTVL", PROBE_EVERY_S), ("TCP_KEEPCNT", PROBES)):
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return sock
