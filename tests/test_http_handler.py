"""A request of the web process: one thread from its first signal to its last, and that thread again for the next."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import path
from pytest_django.fixtures import Settings

from config.http_handler import OneThreadHandler
from core.http.streams import streamed

SCOPE = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": [(b"host", b"localhost")]}
seen: list[tuple[str, int]] = []


def note(what: str) -> None:
    seen.append((what, threading.get_ident()))


def plain(request: HttpRequest) -> HttpResponse:
    note("view")
    return HttpResponse(b"said")


def pieces() -> Iterator[bytes]:
    for number in range(3):
        note("piece")
        yield b"%d" % number * 70_000


def in_pieces(request: HttpRequest) -> StreamingHttpResponse:
    note("view")
    return streamed(pieces(), "text/plain", "all.txt")


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a fault of a view")


urlpatterns = [path("", plain), path("stream", in_pieces), path("broken", broken)]


class Middleware:
    """As ours are: synchronous, one of them with a look at the view."""

    def __init__(self, get_response: Any) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        note("middleware")
        answer: HttpResponse = self.get_response(request)
        return answer

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        note("process_view")


@pytest.fixture
def handler(settings: Settings) -> Iterator[OneThreadHandler]:
    settings.ROOT_URLCONF, settings.MIDDLEWARE = __name__, [f"{__name__}.Middleware"]
    seen.clear()

    def started(**_: object) -> None:
        note("started")

    def finished(**_: object) -> None:
        note("finished")

    request_started.connect(started)
    request_finished.connect(finished)
    yield OneThreadHandler()
    request_started.disconnect(started)
    request_finished.disconnect(finished)


async def ask(handler: OneThreadHandler, **more: Any) -> tuple[int, bytes]:
    """Status and body."""
    sent: list[dict[str, Any]] = []
    asked = iter([{"type": "http.request"}])

    async def receive() -> Any:
        if message := next(asked, None):
            return message
        await asyncio.Event().wait()  # the client stays

    async def send(message: Any) -> None:
        sent.append(message)

    await handler({**SCOPE, **more}, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def test_everything_of_a_request_happens_on_one_thread(handler: OneThreadHandler) -> None:
    assert asyncio.run(ask(handler)) == (200, b"said")
    assert [what for what, _ in seen] == ["started", "middleware", "process_view", "view", "finished"]
    (thread,) = {thread for _, thread in seen}
    assert thread != threading.get_ident(), "the event loop goes on meanwhile"


def test_the_next_request_takes_the_same_thread(handler: OneThreadHandler) -> None:
    async def twice() -> None:
        await ask(handler)
        await ask(handler)

    asyncio.run(twice())
    assert len(seen) == 10 and len({thread for _, thread in seen}) == 1


def test_requests_at_the_same_time_have_threads_of_their_own(handler: OneThreadHandler) -> None:
    async def together() -> None:
        await asyncio.gather(ask(handler), ask(handler), ask(handler))

    asyncio.run(together())
    assert [what for what, _ in seen].count("finished") == 3 and len({thread for _, thread in seen}) == 3


def test_a_streamed_answer_is_made_on_the_thread_of_its_view_and_finishes_after_its_last_piece(
    handler: OneThreadHandler,
) -> None:
    status, body = asyncio.run(ask(handler, path="/stream"))
    assert status == 200 and body == b"0" * 70_000 + b"1" * 70_000 + b"2" * 70_000
    assert [what for what, _ in seen][-4:] == ["piece", "piece", "piece", "finished"]
    assert len({thread for _, thread in seen}) == 1


def test_a_view_that_raises_is_answered_and_its_thread_serves_on(handler: OneThreadHandler) -> None:
    statuses: list[int] = []

    async def both() -> None:
        statuses.append((await ask(handler, path="/broken"))[0])
        statuses.append((await ask(handler))[0])

    asyncio.run(both())
    assert statuses == [500, 200]


def test_a_client_that_leaves_ends_the_stream(handler: OneThreadHandler) -> None:
    async def leaving() -> None:
        messages = iter([{"type": "http.request"}, {"type": "http.disconnect"}])

        async def receive() -> Any:
            return next(messages)

        async def send(message: Any) -> None:
            if message.get("body"):
                await asyncio.Event().wait()  # nobody reads

        await handler({**SCOPE, "path": "/stream"}, receive, send)

    asyncio.run(asyncio.wait_for(leaving(), 10))
    assert seen[-1][0] == "finished"
