"""No request may be larger than the largest that a route takes, whoever sends it.

Django writes a whole body to disk before it looks at who sent it; here it ends where it becomes too large.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import orjson

from core.errors import error_body

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class BodyLimit:
    """ASGI around an application: 413 by the header that tells the length, or when that many bytes have come."""

    def __init__(self, app: Any, most_bytes: int) -> None:
        self.app, self.most_bytes = app, most_bytes

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        told = next((value for name, value in scope.get("headers", ()) if name == b"content-length"), b"0")
        if told.isdigit() and int(told[:19]) > self.most_bytes:
            await self.refuse(send)
            return
        came, started = 0, False

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            return {"type": "http.disconnect"} if came > self.most_bytes else message

        async def noticed(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        await self.app(scope, counted, noticed)
        if came > self.most_bytes and not started:
            await self.refuse(send)

    async def refuse(self, send: Send) -> None:
        text = f"At most {self.most_bytes // 1024 // 1024} MB in a request."
        body = orjson.dumps(error_body("too_large", text))
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": body})
