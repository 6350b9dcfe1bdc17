"""Clients that do not read, and answers before the body is in: uvicorn with our protocol and small applications."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn
from django.core.signals import request_finished
from django.http import HttpRequest, StreamingHttpResponse
from django.urls import path
from pytest_django.fixtures import Settings

from config import http_protocol
from config.http_handler import OneThreadHandler
from core.http.streams import streamed

READ_S = 0.5
SLACK_S = 5.0
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@contextmanager
def serving(app: Callable[..., Any]) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, http=http_protocol.TimedProtocol, lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        running.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            running.join(15)


@pytest.fixture(autouse=True)
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "READ_S", READ_S)
    monkeypatch.setattr(http_protocol, "BODY_IDLE_S", READ_S)


def test_a_client_that_does_not_read_its_answer_is_dropped() -> None:
    gone = threading.Event()

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await receive()
        for _ in range(2_000):  # more than sockets hold
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
        assert (await receive())["type"] == "http.disconnect"
        gone.set()

    with serving(endless) as port, socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(GET)
        assert gone.wait(READ_S + SLACK_S)


@pytest.mark.slow
def test_a_client_that_reads_slowly_gets_all_of_it() -> None:
    pieces = 200

    async def long(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-length", str(pieces * 65536).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for number in range(pieces):
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": number + 1 < pieces})

    with serving(long) as port, socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(GET)
        began, got = time.monotonic(), 0
        while got < pieces * 65536:
            part = client.recv(1_000_000)
            assert part, "dropped"
            got += len(part)
            time.sleep(0.1)
        assert time.monotonic() - began > READ_S


def test_an_answer_given_before_the_body_is_in_is_the_only_one() -> None:
    async def refusing(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 413, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"no"})

    answer = b""
    with serving(refusing) as port, socket.create_connection(("127.0.0.1", port), timeout=SLACK_S) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\nhalf")
        while part := client.recv(4096):
            answer += part
    assert answer.startswith(b"HTTP/1.1 413") and answer.count(b"HTTP/1.1 ") == 1


def rows() -> Iterator[bytes]:
    while True:
        yield b"x" * 65536


def export(request: HttpRequest) -> StreamingHttpResponse:
    return streamed(rows(), "text/plain", "all.txt")


urlpatterns = [path("", export)]


def test_an_export_that_nobody_reads_ends_and_gives_its_connection_back(settings: Settings) -> None:
    """Django closes the connection of a request, or hands it back to the pool, when it sends `request_finished`."""
    settings.ROOT_URLCONF, settings.MIDDLEWARE = __name__, []
    finished = threading.Event()

    def note(**_: object) -> None:
        finished.set()

    request_finished.connect(note)
    try:
        with (
            serving(OneThreadHandler()) as port,
            socket.create_connection(("127.0.0.1", port), timeout=5) as client,
        ):
            client.sendall(GET)
            assert finished.wait(READ_S + SLACK_S)
    finally:
        request_finished.disconnect(note)
