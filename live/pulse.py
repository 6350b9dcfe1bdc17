"""Signs of life of long-running processes, kept in the store of the feed: who was heard when.

Saying so costs one command every few seconds and never fails the caller: a process works on when the store is away.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, datetime

from redis.exceptions import RedisError

from live import stream

EVERY_S = 10.0
KEPT_S = 7 * 86_400
_said: dict[str, float] = {}


def key(name: str) -> str:
    return f"pulse:{name}"


def say(name: str) -> None:
    """Note that this process is alive, every few seconds at most."""
    now = time.monotonic()
    if now - _said.get(name, -EVERY_S) < EVERY_S:
        return
    _said[name] = now
    try:
        stream.shared().set(key(name), repr(time.time()), ex=KEPT_S)
    except (RedisError, OSError):
        return


def heard(names: Iterable[str]) -> dict[str, datetime | None]:
    """When each was last heard; None: not in the last week, or since the store began anew. Raises RedisError."""
    wanted = list(names)
    values = stream.shared().mget([key(name) for name in wanted]) if wanted else []
    told = [float(value) if value else None for value in values]  # type: ignore[union-attr]
    return {
        name: datetime.fromtimestamp(value, UTC) if value is not None else None
        for name, value in zip(wanted, told, strict=True)
    }
