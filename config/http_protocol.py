"""uvicorn's HTTP, with time limits for slow clients: `--http config.http_protocol:TimedProtocol`.

uvicorn waits for ever for the rest of a header or a body, so that a few hundred connections that send a byte now and
then hold all it has (slowloris). Here a header must be complete HEADER_S after its first byte, or after the connection
was made, and a body must not pause for BODY_IDLE_S, nor arrive slower than LEAST_BYTES_S in the long run.

Nor does it give up a client that does not read its answer, while a streamed answer holds a connection to the database:
when what waits to be sent does not become less within READ_S, the connection is dropped.
"""

from __future__ import annotations

import asyncio
import os

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_S = float(os.environ.get("RACKSIDE_HEADER_TIMEOUT_S", "10"))
BODY_IDLE_S = float(os.environ.get("RACKSIDE_BODY_TIMEOUT_S", "30"))
READ_S = float(os.environ.get("RACKSIDE_READ_TIMEOUT_S", "60"))
LEAST_BYTES_S = 1024
"""Bytes a second, once a body took longer than BODY_IDLE_S: a byte every 29 s is a client that only holds the place."""
ANSWER = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s"
)
BODY = (
    b'{"error":{"code":"request_timeout","message":"The request did not arrive in time.","fields":{},"request_id":""}}'
)


class TimedProtocol(HttpToolsProtocol):
    """One connection; `_deadline` is what it must send in time, `_unread` until when it must take what it asked for."""

    _deadline: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _in_header = False
    _body_began = 0.0
    _body_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect(HEADER_S)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect(None)
        self._reads()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reads()
        self._unread = self.loop.call_later(READ_S, self.transport.abort)

    def resume_writing(self) -> None:
        self._reads()
        super().resume_writing()

    def _reads(self) -> None:
        """The client takes what is sent, or is gone."""
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_header = True
        self._expect(HEADER_S)

    def on_headers_complete(self) -> None:
        self._in_header = False
        self._body_began, self._body_bytes = self.loop.time(), 0
        self._expect(BODY_IDLE_S)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        self._expect(BODY_IDLE_S)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._expect(None)
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        self._expect(None)
        self._reads()
        super().handle_websocket_upgrade()

    def _expect(self, seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if seconds is None:
            return
        if not self._in_header and self._body_bytes:  # however often a byte comes
            earned = BODY_IDLE_S + self._body_bytes / LEAST_BYTES_S
            seconds = max(0.0, min(seconds, self._body_began + earned - self.loop.time()))
        self._deadline = self.loop.call_later(seconds, self._too_late)

    def _too_late(self) -> None:
        """End the connection, with an answer where the client is owed one. What we do not read is not its fault."""
        self._deadline = None
        if self.transport.is_closing():
            return
        if not self._in_header and self.flow.read_paused:
            self._body_began = self.loop.time()
            self._expect(BODY_IDLE_S)
            return
        if self._is_owed_an_answer():
            self.transport.write(ANSWER % (len(BODY), BODY))
        self.transport.close()

    def _is_owed_an_answer(self) -> bool:
        """Not in the middle of one, nor a second one where the application answered before the body was in."""
        if self.cycle is None or self.cycle.response_complete:
            return self._in_header
        return not self.cycle.response_started
