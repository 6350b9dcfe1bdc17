"""How a source answers, as the workers see it: one request, bounded in time and bytes, no redirect followed."""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from aiohttp.connector import Connection

from drivers.gate import Gate, socket_factory
from drivers.https import trust_of
from provisioning.mirrors.usage import problem_of

TOTAL_S = 10.0
MOST_BYTES = 64 * 1024
SLOW_MS = 2_000
PATHS = {"registry": "/v2/", "cache": "/v2/", "pypi": "/simple/"}
"""What is asked for of a kind where the address does not name it already: the root of its API (OCI distribution
specification, end-1; PEP 503). Of the others the address itself."""


@dataclass(frozen=True, slots=True)
class Answered:
    """`problem` is empty when it answered as a source does; `ms` to the first bytes, None without an answer."""

    problem: str = ""
    ms: int | None = None
    version: str = ""
    certificate_until: datetime | None = None


class _Response(aiohttp.ClientResponse):
    """Remembers the certificate: a short answer has given its connection back before anybody can ask for it."""

    certificate: Mapping[str, Any] | None = None

    async def start(self, connection: Connection) -> _Response:
        if connection.transport is not None:
            self.certificate = connection.transport.get_extra_info("peercert")
        await super().start(connection)
        return self


def asked_url(kind: str, url: str) -> str:
    base, path = url.rstrip("/"), PATHS.get(kind, "")
    return base + path if path and not f"{base}/".endswith(path) else f"{base}/" if path or kind == "apt" else url


def _said(error: Exception) -> str:
    """A connection that was not made in the system's words: aiohttp adds its own, with tuples and a word on TLS."""
    own = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else None
    if isinstance(error, aiohttp.ClientConnectorError) and own is not None and "Connect call failed" in str(own):
        return f"no connection to {error.host}:{error.port}: {os.strerror(own.errno or 0).lower()}"
    return str(error) or type(error).__name__


async def ask(kind: str, url: str, *, authorities: str = "", gate: Gate | None = None) -> Answered:
    """Never raises for the source."""
    trust = trust_of(authorities) if urlsplit(url).scheme == "https" else None
    timeout = aiohttp.ClientTimeout(total=TOTAL_S)
    connector = aiohttp.TCPConnector(ssl=trust or True, socket_factory=socket_factory(gate))
    started = time.monotonic()
    try:
        async with (
            aiohttp.ClientSession(
                connector=connector, timeout=timeout, trust_env=False, response_class=_Response
            ) as session,
            session.get(asked_url(kind, url), allow_redirects=False) as response,
        ):
            ms = round((time.monotonic() - started) * 1000)
            until = _certificate_until(response)
            await response.content.read(MOST_BYTES)
            return Answered(problem_of(response.status), ms, _version(response), until)
    except TimeoutError:
        return Answered(f"no answer within {TOTAL_S:g} s")
    except (aiohttp.ClientError, OSError, ssl.SSLError, ValueError) as error:
        return Answered(_said(error))


def _version(response: aiohttp.ClientResponse) -> str:
    """As it says itself; a proxy in front may have taken that away."""
    told = [response.headers.get(name, "") for name in ("Server", "Docker-Distribution-Api-Version")]
    return " ".join(each for each in told if each)[:100]


def _certificate_until(response: aiohttp.ClientResponse) -> datetime | None:
    told = response.certificate if isinstance(response, _Response) else None
    if not told or "notAfter" not in told:
        return None
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(told["notAfter"]), UTC)
