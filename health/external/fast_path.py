"""The fast path of reports: `POST /api/health/reports/` of a source that has nothing special to ask.

A fleet whose machines report by themselves sends hundreds of small requests a second, and what Django does around each
costs more than the report; of a batch of 2,000 results it is half. Here those are taken whose answer is a plain yes:
JSON of moderate size, a token of a source, no parameter. All others, and all that is refused, go the full path
(`health.external.api`): it alone knows how to say no.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from functools import lru_cache
from io import BytesIO
from typing import Any
from uuid import uuid4

import orjson
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse, JsonResponse
from django.http.request import split_domain_port, validate_host
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.security import SecurityMiddleware
from django.urls import reverse
from structlog.contextvars import bound_contextvars

from core.errors import error_body
from core.middleware import ContentSecurityPolicyMiddleware
from health.external.api import KEYWORDS, ReportsView, answer_of
from health.external.services.batch_writer import BatchWriter, Full, Request
from health.external.services.sources import TOKEN_PREFIX

LARGEST_BYTES = 1024 * 1024
"""About 9,000 results. What is larger is read from the disk, and by itself."""
RETRY_AFTER_S = 1
KNOWN = frozenset({
    b"host", b"authorization", b"content-type", b"content-length", b"accept", b"accept-encoding", b"accept-language",
    b"user-agent", b"connection", b"cache-control", b"pragma", b"via", b"x-request-id", b"traceparent", b"tracestate",
    b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"x-forwarded-port", b"x-real-ip", b"forwarded",
})  # fmt: skip
"""Headers that ask for nothing more; with another one (a key, a cookie, an encoding) the full path answers."""
JSON = (b"application/json", b"application/json; charset=utf-8", b"application/json;charset=utf-8")
ANY_ANSWER = (b"", b"*/*", b"application/json", b"application/json, */*", b"application/json, text/plain, */*")
Headers = dict[bytes, bytes]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class FastPath:
    """ASGI around the application."""

    def __init__(self, app: Any, writer: BatchWriter | None = None) -> None:
        self.app, self.writer = app, writer or BatchWriter()
        self.path = reverse("reports")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != self.path or scope["method"] != "POST" or scope["query_string"]:
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        token = token_of(headers) if is_plain(headers, len(scope["headers"])) else None
        if token is None:
            await self.app(scope, receive, send)
            return
        messages = await whole(receive)
        if messages[-1]["type"] == "http.disconnect":
            return  # it left before it had said everything
        body = b"".join(message.get("body", b"") for message in messages)
        try:
            taken = await self.writer.take(Request(token, body))
        except Full:
            await self.turn_away(scope, headers, send)
            return
        if taken is None:
            await self.app(scope, again(messages, receive), send)
        else:
            await answer(scope, headers, send, 200, answer_of(taken), str(uuid4()))

    async def turn_away(self, scope: Scope, headers: Headers, send: Send) -> None:
        with bound_contextvars(request_id=str(uuid4())):
            said = error_body("unavailable", "More reports wait than are written in time. Send this one again.")
        more = [(b"retry-after", b"%d" % RETRY_AFTER_S)]
        await answer(scope, headers, send, 503, said, said["error"]["request_id"], more)


def is_plain(headers: Headers, count: int) -> bool:
    """Whether the headers ask for nothing but to take a body of JSON of moderate, told length. Pure."""
    length = headers.get(b"content-length", b"")
    return (
        len(headers) == count
        and headers.keys() <= KNOWN
        and headers.get(b"content-type", b"").lower() in JSON
        and headers.get(b"accept", b"").lower() in ANY_ANSWER
        and length.isdigit()
        and int(length[:19]) <= LARGEST_BYTES
        and is_our_name(headers.get(b"host", b""))
    )


def token_of(headers: Headers) -> str | None:
    """The token of a source; None for anything else."""
    keyword, _, plain = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    return plain.strip() if keyword.lower() in KEYWORDS and plain.startswith(TOKEN_PREFIX) else None


@lru_cache(maxsize=64)
def is_our_name(host: bytes) -> bool:
    """Whether the service answers to this name. Kept: few are ever used."""
    domain, _ = split_domain_port(host.decode("latin-1"))
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


async def whole(receive: Receive) -> list[MutableMapping[str, Any]]:
    """The messages of a body to its end, or until the client left."""
    messages = [await receive()]
    while messages[-1].get("more_body"):
        messages.append(await receive())
    return messages


def again(messages: Sequence[MutableMapping[str, Any]], receive: Receive) -> Receive:
    """What receives these messages once more, and then what follows them."""
    waiting = iter(messages)

    async def receive_again() -> MutableMapping[str, Any]:
        message = next(waiting, None)
        return await receive() if message is None else message

    return receive_again


async def answer(
    scope: Scope,
    headers: Headers,
    send: Send,
    status: int,
    said: Any,
    request_id: str,
    more: Iterable[tuple[bytes, bytes]] = (),
) -> None:
    body = orjson.dumps(said)
    own = [(b"content-length", b"%d" % len(body)), (b"x-request-id", request_id.encode()), *more]
    lines = [*standing_headers(is_secure(scope, headers)), *own]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})


def is_secure(scope: Scope, headers: Headers) -> bool:
    """Also behind a proxy that is trusted; what others claim is gone by now (`config.proxies`)."""
    forwarded = headers.get(b"x-forwarded-proto")
    if forwarded is not None and settings.SECURE_PROXY_SSL_HEADER is not None:
        return forwarded == b"https"
    return bool(scope.get("scheme") == "https")


@lru_cache(maxsize=2)
def standing_headers(secure: bool) -> list[tuple[bytes, bytes]]:
    """What every answer of this route carries: the same middlewares say it as on the full path."""

    def route(_: Any) -> HttpResponse:
        return JsonResponse({}, headers={"Allow": ", ".join(ReportsView().allowed_methods), "Vary": "Cookie"})

    scope = {"type": "http", "method": "POST", "path": reverse("reports"), "headers": [], "query_string": b""}
    request = ASGIRequest({**scope, "scheme": "https" if secure else "http"}, BytesIO())
    chain: Any = SecurityMiddleware(XFrameOptionsMiddleware(ContentSecurityPolicyMiddleware(route)))
    return [(name.lower().encode(), value.encode()) for name, value in chain(request).headers.items()]
