"""Bodies that are too large end before they fill a disk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from config.body_limit import BodyLimit


def ask(pieces: list[bytes], headers: list[tuple[bytes, bytes]]) -> tuple[list[Any], list[bytes]]:
    """What was answered, and what the application read."""
    sent: list[Any] = []
    read: list[bytes] = []
    parts: Iterator[bytes] = iter(pieces)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] == "http.request":
            read.append(message["body"])
            if not message["more_body"]:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                return

    async def receive() -> Any:
        piece = next(parts)
        return {"type": "http.request", "body": piece, "more_body": piece != b"end"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(BodyLimit(application, 10)({"type": "http", "headers": headers}, receive, send))
    return sent, read


def test_a_body_within_the_limit_goes_through() -> None:
    sent, read = ask([b"1234567", b"end"], [(b"content-length", b"10")])
    assert (sent[0]["status"], read) == (200, [b"1234567", b"end"])


@pytest.mark.parametrize("length", [b"11", b"9" * 40])
def test_a_body_that_says_it_is_too_large_is_not_read(length: bytes) -> None:
    sent, read = ask([b"1"], [(b"content-length", length)])
    assert (sent[0]["status"], read) == (413, [])
    assert orjson.loads(sent[1]["body"])["error"]["code"] == "too_large"


def test_a_body_that_does_not_say_its_length_ends_at_the_limit() -> None:
    sent, read = ask([b"123456", b"123456", b"123456", b"end"], [])
    assert (sent[0]["status"], read) == (413, [b"123456"])
