"""Frames of the hub as server-sent events. Pure."""

from __future__ import annotations

from typing import Any

import orjson

HEARTBEAT = ": heartbeat\n\n"
RETRY_MS = 3000


def block(event: str, data: Any, cursor: str = "") -> str:
    """One event; JSON has no line breaks, so one `data` line holds it."""
    name = f"event: {event}\n" if event else ""
    mark = f"id: {cursor}\n" if cursor else ""
    return f"{name}{mark}data: {orjson.dumps(data).decode()}\n\n"


def hello(cursor: str) -> str:
    """First of all: where the stream begins, so that a client has a cursor before anything happens."""
    return f"retry: {RETRY_MS}\n{block('hello', {'cursor': cursor}, cursor)}"


def reset(cursor: str) -> str:
    """Something was missed: read the lists again, then go on from here."""
    return block("reset", {"cursor": cursor}, cursor)


def events(happened: list[dict[str, Any]], cursor: str) -> str:
    """The cursor stands behind the last of them: a client that is cut off in between gets them again, and knows repeats
    by their id."""
    last = len(happened) - 1
    return "".join(block("", event, cursor if n == last else "") for n, event in enumerate(happened))
