"""Django's ASGI handler with a request on one thread from its first signal to its last.

Django sends a request between its event loop and a thread a dozen times (each signal, each middleware that looks at
the view, the view itself, the end), and makes a new thread and a new database wrapper for each request. No view of ours
is asynchronous, so all of it runs in one go on a thread that is kept for the next request; only a streamed answer goes
back and forth, and its pieces come from the thread that made it.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Awaitable, Callable, MutableMapping
from typing import IO, Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.http import FileResponse, HttpResponseBase
from django.urls import set_script_prefix

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

KEPT_THREADS = 16
"""Idle ones; a few more than the pool has connections to the database. A rush makes more, and they end after it."""


class OneThreadHandler(ASGIHandler):
    """The whole chain of middlewares and the view as one synchronous call."""

    def __init__(self) -> None:
        self.load_middleware(is_async=False)
        self._idle: list[concurrent.futures.ThreadPoolExecutor] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"no HTTP connection but {scope['type']}")
        thread = self._idle.pop() if self._idle else concurrent.futures.ThreadPoolExecutor(1, "request")
        finished = False
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self.handle(scope, receive, send)
            finished = True
        finally:
            # One that was left in the middle may still be at work.
            if finished and len(self._idle) < KEPT_THREADS:
                self._idle.append(thread)
            else:
                thread.shutdown(wait=False)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        response = await sync_to_async(self.answer)(scope, body)
        if not response.streaming:
            await self.send_response(response, send)
            return
        try:
            await self.stream(response, receive, send)
        finally:
            await sync_to_async(response.close)()
            body.close()

    def answer(self, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        """The finished answer; what a streamed one needs stays open."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, refusal = self.create_request(scope, body)
        response: Any = refusal if request is None else self.get_response(request)
        response._handler_class = self.__class__
        if isinstance(response, FileResponse):
            response.block_size = self.chunk_size
        if not response.streaming:
            response.close()  # its bytes remain; the connection to the database is free again
            body.close()
        return response

    async def stream(self, response: HttpResponseBase, receive: Receive, send: Send) -> None:
        """Send piece by piece until the end, or until the client has gone."""
        sending = asyncio.create_task(self.send_response(response, send))
        leaving = asyncio.create_task(self.listen_for_disconnect(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            sent = sending.done()
            for task in (sending, leaving):
                task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
        if sent:
            sending.result()
