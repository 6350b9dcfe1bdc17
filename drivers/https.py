"""JSON over HTTPS to one appliance, its certificate pinned by fingerprint: what UFM, eAPI, NVUE and others share.

Their certificates are self-signed, so the SHA-256 of the certificate itself is what is trusted. Without a pin the
session first looks at the certificate, takes it as its pin (`fingerprint`, for the caller to record) and only then
sends a password; with a pin, another certificate is an error before anything is sent.
"""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

import aiohttp

from drivers.gate import Gate, path_of, socket_factory
from drivers.redfish_connection import RedfishUnreachable, certificate_fingerprint

ANSWER_CAP_BYTES = 512 * 1024 * 1024
"""Ports of a large fabric with all their counters are some 100 MB of JSON."""
CHUNK_BYTES = 1024 * 1024


class ApplianceError(Exception):
    """It gave no usable answer."""


class Unreachable(ApplianceError):
    """No connection, no TLS, or no answer in time."""


class SignInRefused(ApplianceError):
    """It refused the user name, password or token."""


class CertificateChanged(ApplianceError):
    """It presents another certificate than the pinned one."""

    def __init__(self, pinned: bytes, presented: bytes) -> None:
        super().__init__(f"the certificate changed: known is {pinned.hex()}, presented was {presented.hex()}")
        self.pinned, self.presented = pinned, presented


class BadStatus(ApplianceError):
    """It answered with an HTTP error; `body` is the decoded JSON of the answer, if it is some."""

    def __init__(self, method: str, path: str, status: int, text: str) -> None:
        super().__init__(f"{method} {path} answered {status}: {text[:300]}")
        self.status = status
        try:
            self.body: Any = json.loads(text)
        except (ValueError, RecursionError):
            self.body = None


class NotJson(ApplianceError):
    """The answer cannot be read, or breaks off."""


class Later(ApplianceError):
    """It cannot now: it may in a while."""


class NoSuchRecord(ApplianceError):
    """It does not have that (any more)."""


def sorted_out(error: BadStatus) -> ApplianceError:
    """What an error of a service with records means: 409 is another state or a lock, 429 and 503 come and go, 404 and
    410 are records that are not there."""
    if error.status in (409, 429, 503):
        return Later(str(error))
    return NoSuchRecord(str(error)) if error.status in (404, 410) else error


def trust_of(authorities: str) -> ssl.SSLContext:
    """Whom to trust: these certificates (PEM), or the system's authorities. Raises ValueError for what is no
    certificate."""
    try:
        return ssl.create_default_context(cadata=authorities.strip() or None)
    except (ssl.SSLError, TypeError, ValueError) as error:  # TypeError: letters beyond ASCII
        raise ValueError("no certificates in PEM form") from error


@dataclass(frozen=True, slots=True)
class Answer:
    """A good answer: status, the decoded JSON (None for an empty body), the Location header."""

    status: int
    value: Any
    location: str = ""


@dataclass(frozen=True, slots=True)
class Raw:
    """An answer as it came, whatever its status."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpsSession:
    """One appliance. Use as an async context manager. Every method raises ApplianceError's family, nothing else.

    `timeout_s` bounds the wait for each piece of an answer, `total_s` one whole request, `most_bytes` an answer; `gate`
    decides about the address of every connection. With `trust` the certificate is verified by its authorities instead
    of pinned.
    """

    def __init__(
        self,
        base_url: str,
        *,
        gate: Gate | None = None,
        headers: Mapping[str, str] | None = None,
        pinned: bytes | None = None,
        timeout_s: float = 10,
        total_s: float = 120,
        trust: ssl.SSLContext | None = None,
        most_bytes: int = ANSWER_CAP_BYTES,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.gate = gate
        self.trust = trust
        self.most_bytes = most_bytes
        self.fingerprint: bytes | None = pinned
        self.headers = dict(headers or {})
        self.timeout_s = timeout_s
        self.total_s = total_s
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        parts = urlsplit(self.base_url)
        secure = parts.scheme == "https"
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Unreachable(f"{self.base_url!r} is not an address such as https://10.0.0.5")
        if secure and self.trust is None and self.fingerprint is None:
            try:
                self.fingerprint = await certificate_fingerprint(
                    parts.hostname, parts.port or 443, self.timeout_s, self.gate
                )
            except RedfishUnreachable as error:
                raise Unreachable(str(error)) from error
        trust: aiohttp.Fingerprint | ssl.SSLContext | bool = True
        if secure:
            trust = self.trust or aiohttp.Fingerprint(self.fingerprint or b"")
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=trust, limit=4, socket_factory=socket_factory(self.gate)),
            timeout=aiohttp.ClientTimeout(
                total=self.total_s, sock_connect=self.timeout_s, sock_read=max(self.timeout_s, self.total_s / 2)
            ),
            cookie_jar=aiohttp.CookieJar(unsafe=True),  # appliances are called by address, and set cookies there
            headers={"Accept": "application/json", **self.headers},
            trust_env=False,
        )
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | Sequence[tuple[str, str]] | None = None,
        body: Any = None,
        form: Mapping[str, str] | Sequence[tuple[str, str]] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request; `headers` are of it alone. Redirects are not followed: the answer to one has its place in
        `location`."""
        try:
            url = self.base_url + path_of(path)
        except ValueError as error:
            raise Unreachable(f"{method} {path}: {error}") from error
        return _decode(method, path, await self._fetch(method, path, url, params, body, form, headers))

    async def fetch(
        self, url: str, *, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Raw:
        """What is at an address, also of another host than its own: a token server, for instance."""
        return await self._fetch("GET", urlsplit(url).path, url, params, None, None, headers)

    async def post(self, url: str, content: bytes, headers: Mapping[str, str]) -> Raw:
        """Send what is no JSON, such as SOAP; the answer as it came."""
        return await self._fetch("POST", urlsplit(url).path, url, None, None, content, headers)

    async def _fetch(
        self, method: str, path: str, url: str, params: Any, body: Any, form: Any, headers: Mapping[str, str] | None
    ) -> Raw:
        if self._session is None:
            raise RuntimeError("the client is used outside its `async with`")
        try:
            async with self._session.request(
                method, url, params=params, json=body, data=form, headers=headers, allow_redirects=False
            ) as response:
                return Raw(response.status, response.headers, await _read(path, response, self.most_bytes))
        except aiohttp.ServerFingerprintMismatch as error:
            raise CertificateChanged(error.expected, error.got) from error
        except aiohttp.ClientPayloadError as error:
            raise NotJson(f"{method} {path}: the answer breaks off") from error
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            reason = "no answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
            raise Unreachable(f"{method} {path}: {reason}") from error

    def cookie(self, name: str) -> str:
        """The value of a cookie that the appliance set; empty when it did not."""
        if self._session is not None:
            for cookie in self._session.cookie_jar:
                if cookie.key == name:
                    return cookie.value
        return ""


async def _read(path: str, response: aiohttp.ClientResponse, most_bytes: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in response.content.iter_chunked(CHUNK_BYTES):
        size += len(chunk)
        if size > most_bytes:
            raise NotJson(f"{path}: the answer is larger than {most_bytes} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


def _decode(method: str, path: str, response: Raw) -> Answer:
    raw = response.body
    if response.status in (401, 403):
        raise SignInRefused(f"{method} {path}: the user name, password or token was refused ({response.status})")
    if response.status >= 400:
        raise BadStatus(method, path, response.status, raw.decode(errors="replace"))
    location = response.headers.get("Location", "")
    if not raw.strip() or 300 <= response.status < 400:
        return Answer(response.status, None, location)
    try:
        return Answer(response.status, json.loads(raw), location)
    except (ValueError, RecursionError) as error:
        raise NotJson(f"{method} {path}: the answer is not JSON, or breaks off") from error


class PasswordClient:
    """A session signed in by name and password with every request. Use as an async context manager.

    Every method of the clients made of it raises ApplianceError's family, nothing else.
    """

    def __init__(
        self,
        base_url: str,
        username: str,
        password: str,
        pinned: bytes | None = None,
        timeout_s: float = 10,
        *,
        gate: Gate | None = None,
    ) -> None:
        login = base64.b64encode(f"{username}:{password}".encode()).decode()
        self._https = HttpsSession(
            base_url,
            headers={"Authorization": f"Basic {login}"},
            pinned=pinned,
            timeout_s=timeout_s,
            total_s=60,
            gate=gate,
        )

    @property
    def fingerprint(self) -> bytes | None:
        """SHA-256 of the certificate that this session trusts."""
        return self._https.fingerprint

    async def __aenter__(self) -> Self:
        await self._https.__aenter__()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._https.__aexit__(*exc_info)


# ---- reading what was answered ----

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reader:
    """Decoded JSON of a service: what cannot be read raises NotJson with the field that is wrong. `who`: whose answers
    these are, for the errors."""

    who: str

    def row(self, value: Any, what: str) -> Row:
        if not isinstance(value, dict):
            raise NotJson(f"{self.who}'s answer has no {what} that can be read")
        return value

    def rows(self, value: Any, what: str) -> list[Row]:
        if not isinstance(value, list):
            raise NotJson(f"{self.who}'s answer has no list of {what}")
        return [self.row(each, what) for each in value]

    def needed(self, row: Row, key: str, kind: type, what: str) -> Any:
        value = row.get(key)
        if not isinstance(value, kind) or isinstance(value, bool) or value == "":
            raise NotJson(f"{self.who}'s answer has a {what} without a readable {key}")
        return value


def text(row: Row, key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def number(row: Row, key: str) -> int:
    """0 for what is none; numbers in text are some."""
    value = row.get(key)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63 else 0
