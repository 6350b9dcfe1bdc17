"""One attempt: a signed POST, its answer cut short, its failure in words."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from core.outgoing.gate import Gate
from core.webhooks import signatures

EXCERPT_BYTES = 1000
LONGEST_RETRY_AFTER_S = 24 * 3600


@dataclass(frozen=True)
class Letter:
    """What one attempt needs, read from the database before: sending touches none."""

    delivery_id: int
    webhook_id: int
    url: str
    message: str
    body: bytes
    secrets: tuple[str, ...] = field(repr=False)
    timeout_s: float
    attempt: int


@dataclass(frozen=True)
class Outcome:
    """What came of an attempt; `status` is None when no answer came."""

    status: int | None
    excerpt: str
    error: str
    duration_ms: int
    retry_after_s: float | None = None

    @property
    def ok(self) -> bool:
        return not self.error


def new_session(gate: Gate) -> aiohttp.ClientSession:
    """A client that connects only to checked addresses, keeps no cookies and believes no proxy variables."""

    def checked_socket(found: Any) -> socket.socket:
        family, kind, protocol, _, where = found
        gate.check(where[0], where[1])
        return socket.socket(family, kind, protocol)

    connector = aiohttp.TCPConnector(use_dns_cache=False, limit=0, force_close=True, socket_factory=checked_socket)
    jar = aiohttp.DummyCookieJar()
    return aiohttp.ClientSession(connector=connector, cookie_jar=jar, trust_env=False, auto_decompress=False)


async def send(session: aiohttp.ClientSession, letter: Letter) -> Outcome:
    """Send one message; never raises for what the receiver does."""
    headers = {
        "user-agent": "Rackside-Webhooks/1",
        **signatures.headers(letter.secrets, letter.message, int(time.time()), letter.body),
    }
    return await post(session, letter.url, letter.body, headers, letter.timeout_s)


async def post(
    session: aiohttp.ClientSession, url: str, body: bytes, headers: Mapping[str, str], timeout_s: float
) -> Outcome:
    """One POST of JSON; never raises for what the receiver does."""
    began = time.monotonic()
    status, excerpt, retry_after = None, "", None
    try:
        timeout = aiohttp.ClientTimeout(total=timeout_s)
        async with session.post(
            url,
            data=body,
            headers={"content-type": "application/json", **headers},
            timeout=timeout,
            allow_redirects=False,
        ) as answer:
            status = answer.status
            retry_after = seconds(answer.headers.get("Retry-After"))
            error = problem(status)
            # The status is what counts; a receiver that is slow to say more has received all the same.
            excerpt = (await answer.content.read(EXCERPT_BYTES)).decode("utf-8", "replace").replace("\0", "")
    except TimeoutError:
        error = "" if status and 200 <= status < 300 else f"no answer within {timeout_s:g} s"
    except (aiohttp.ClientError, OSError, ValueError, ssl.SSLError) as failure:
        error = "" if status and 200 <= status < 300 else in_words(failure)
    return Outcome(status, excerpt, error, round((time.monotonic() - began) * 1000), retry_after)


def problem(status: int) -> str:
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return f"answered {status}: redirects are not followed"
    return f"answered {status}"


def in_words(failure: Exception) -> str:
    inner = getattr(failure, "os_error", None) or failure
    return (str(inner) or type(inner).__name__)[:300]


def seconds(header: str | None) -> float | None:
    """Retry-After in its form as a number; dates and nonsense are None."""
    if header is None or not header.strip().isdecimal():
        return None
    return float(min(int(header), LONGEST_RETRY_AFTER_S))


class Postman:
    """Sends letters at once on a loop of its own thread, so that the caller may use the database meanwhile."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate

    def __enter__(self) -> Postman:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="webhooks", daemon=True)
        self.thread.start()
        self.session = self._wait(self._open())
        return self

    async def _open(self) -> aiohttp.ClientSession:
        return new_session(self.gate)

    def _wait(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def post(self, letter: Letter) -> Any:
        """A `concurrent.futures.Future` of the Outcome."""
        return asyncio.run_coroutine_threadsafe(send(self.session, letter), self.loop)

    def __exit__(self, *_: object) -> None:
        self._wait(self.session.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()
