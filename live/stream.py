"""The stream of published events, one per site, in Valkey.

A cursor is `EPOCH:ID`: the epoch changes when the store was wiped, the id is the stream's own. Whoever holds a cursor
can ask for everything after it, or learns that he must fetch a fresh snapshot (`resume` returns None).
"""

from __future__ import annotations

import secrets
from functools import cache
from typing import Any

import orjson
from django.conf import settings
from redis import Redis
from redis.asyncio import Redis as AsyncRedis

MAX_EVENTS = 20_000
EPOCH_KEY = "live:epoch"


def key(site_id: int) -> str:
    return f"live:{site_id}"


# redis-py types its answers for every protocol at once. Ours are always bytes, so the clients are Any here.
def connect() -> Any:
    return Redis.from_url(settings.REDIS_URL, socket_timeout=10)


def connect_async() -> Any:
    """A client whose reads may block for several seconds: its own default would give up in the middle of one."""
    return AsyncRedis.from_url(settings.REDIS_URL, socket_timeout=30)


@cache
def shared() -> Any:
    """The process's own client; its pool is safe to share between threads."""
    return connect()


def epoch(client: Any) -> str:
    """The current epoch, made when the store is empty."""
    value = client.get(EPOCH_KEY)
    if value is None:
        client.set(EPOCH_KEY, secrets.token_hex(6), nx=True)
        value = client.get(EPOCH_KEY)
    return bytes(value).decode()


def parse_id(value: str) -> tuple[int, int]:
    """`1700-3` to (1700, 3). Raises ValueError on anything else."""
    milliseconds, _, number = value.partition("-")
    return int(milliseconds), int(number)


def head(site_id: int) -> str:
    """The cursor of now. Read it before the snapshot it goes with: then no change can fall between the two."""
    client = shared()
    pipe = client.pipeline(transaction=False)
    pipe.get(EPOCH_KEY)
    pipe.xrevrange(key(site_id), count=1)
    known, last = pipe.execute()
    current = bytes(known).decode() if known else epoch(client)
    return f"{current}:{last[0][0].decode() if last else '0-0'}"


def pack(event: dict[str, Any]) -> dict[bytes, bytes]:
    return {b"event": orjson.dumps(event)}


def unpack(fields: dict[bytes, bytes]) -> dict[str, Any]:
    event: dict[str, Any] = orjson.loads(fields[b"event"])
    return event


async def resume(client: Any, site_id: int, cursor: str) -> tuple[str, list[dict[str, Any]]] | None:
    """Events after a cursor and the cursor behind them; None when some were trimmed or the store was wiped."""
    known_epoch, _, last_id = cursor.partition(":")
    current = await client.get(EPOCH_KEY)
    try:
        wanted = parse_id(last_id)
    except ValueError:
        return None
    if current is None or current.decode() != known_epoch:
        return None
    name = key(site_id)
    entries = await client.xrange(name, min=f"({last_id}")
    newest = await client.xrevrange(name, count=1)
    if newest and parse_id(newest[0][0].decode()) < wanted:
        return None  # the store lost its last second in a crash
    if not newest and wanted > (0, 0):
        return None
    if entries and wanted > (0, 0) and not await client.xrange(name, min=last_id, max=last_id):
        return None  # trimmed past the cursor
    if wanted == (0, 0) and newest:
        info = await client.xinfo_stream(name)
        if info["entries-added"] != info["length"]:
            return None
    behind = entries[-1][0].decode() if entries else last_id
    return f"{known_epoch}:{behind}", [unpack(fields) for _, fields in entries]
