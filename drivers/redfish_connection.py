"""The connection to a BMC over Redfish, its certificate pinned by fingerprint: requests, answers and their errors.

BMC certificates are self-signed, so the SHA-256 of the certificate itself is what is trusted. Without a pin the client
first looks at the certificate, takes it as the pin of this session (`fingerprint`, for the caller to record) and only
then sends the password; with a pin, another certificate is an error before anything is sent.

Every request carries the password (Basic), which DSP0266 asks of every BMC; where one has that switched off, which it
says with its 401, a session is opened for this connection and closed with it.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Self
from urllib.parse import urlsplit

import aiohttp
from aiohttp import FormData

from drivers.gate import Gate, path_of, resolved, socket_factory
from drivers.kept import LIVES_S, watched

SERVICE_ROOT = "/redfish/v1/"
_LICENCE = re.compile(rb"licen[cs]e", re.I)
"""By vendor: LicenseKeyRequired, "license … is not installed", "Not licensed to perform this request"."""
ANSWER_CAP_BYTES = 4 * 1024 * 1024
CHUNK_BYTES = 256 * 1024


class RedfishError(Exception):
    """The BMC gave no usable answer."""


class RedfishUnreachable(RedfishError):
    """No connection, no TLS, or no answer in time."""


class RedfishTimedOut(RedfishUnreachable):
    """It took the connection, or nothing refused it, and no answer came in time."""


class RedfishAuthError(RedfishError):
    """The BMC refused the user name or password."""


class BasicSwitchedOff(RedfishAuthError):
    """The BMC takes no password with a request, only the token of a session."""


class PasswordChangeRequired(RedfishAuthError):
    """The password is right, and opens nothing but its account until it is changed (DSP0266, 13.3.7.2).

    `account`: the path of the account, where the BMC tells it.
    """

    def __init__(self, what: str, raw: str) -> None:
        super().__init__(f"{what}: the BMC wants its password changed first")
        found = re.search(r"/redfish/v1/[\w./-]*Accounts/[\w-]+", raw)
        self.account = found[0] if found else ""


class CertificateChanged(RedfishError):
    """The BMC presents another certificate than the pinned one."""

    def __init__(self, pinned: bytes, presented: bytes) -> None:
        super().__init__(f"the BMC's certificate changed: known is {pinned.hex()}, presented was {presented.hex()}")
        self.pinned, self.presented = pinned, presented


class RedfishUnlicensed(RedfishError):
    """The BMC can do it and is not licensed to: the password is not what is wrong."""


class RedfishStatus(RedfishError):
    """The BMC answered with an HTTP error."""

    def __init__(self, method: str, path: str, status: int, text: str) -> None:
        super().__init__(f"{method} {path} answered {status}: {text[:300]}")
        self.status = status


async def certificate_fingerprint(host: str, port: int, timeout_s: float, gate: Gate | None = None) -> bytes:
    """SHA-256 of the certificate a server presents. Raises RedfishUnreachable."""
    try:
        async with asyncio.timeout(timeout_s):
            _, where = await resolved(host, port, gate)
            _, writer = await asyncio.open_connection(where[0], port, ssl=_any_certificate(), server_hostname=host)
    except (OSError, TimeoutError) as error:
        raise _unreachable(f"{host}:{port}", error) from error
    try:
        certificate: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return hashlib.sha256(certificate).digest()
    finally:
        writer.transport.abort()


def _any_certificate() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _unreachable(what: str, error: BaseException) -> RedfishUnreachable:
    if isinstance(error, TimeoutError):
        return RedfishTimedOut(f"{what}: no answer in time")
    return RedfishUnreachable(f"{what}: {str(error) or type(error).__name__}")


class RedfishConnection:
    """One BMC. Use as an async context manager. Every method raises RedfishError's family, nothing else.

    Without a user name nobody signs in: the service root is readable so (DSP0266, 13.3.2), and nothing else.

    `timeout_s` bounds each request; `gate` decides about the address of every connection. `refused` says why this
    login, which the BMC refused before, is not sent: opening raises RedfishAuthError with it, and nothing is connected.
    A BMC that serves several systems is told apart by `system_path`. With `open` and `close` in the place of `async
    with`, and `keep`, one client serves many rounds of questions.
    """

    def __init__(
        self,
        base_url: str,
        username: str,
        password: str,
        pinned: bytes | None = None,
        timeout_s: float = 10,
        *,
        system_path: str | None = None,
        poll_s: float = 1.0,
        gate: Gate | None = None,
        keep: bool = False,
        refused: str = "",
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.gate = gate
        self.keep = keep
        self.refused = refused
        self.pinned = pinned
        self.fingerprint: bytes | None = pinned
        self.let_in = False
        """Whether it answered a request that needs the password: only then it is known to be a BMC of ours."""
        self.received_bytes = 0
        """Of all answers so far."""
        self.date = ""
        """Its own time as it told with the last answer (HTTP's `Date`); empty where it tells none."""
        self.timeout_s = timeout_s
        self.poll_s = poll_s
        self._login = {"UserName": username, "Password": password}
        basic = base64.b64encode(f"{username}:{password}".encode()).decode()
        self._rights = {"Authorization": f"Basic {basic}"} if username else {}
        self._opened: str | None = None
        self._system_path = self._given_path = system_path
        self._session: aiohttp.ClientSession | None = None
        self._resumed = False

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def open(self) -> None:
        if self.refused:
            raise RedfishAuthError(self.refused)
        parts = urlsplit(self.base_url)
        secure = parts.scheme == "https"
        if secure and self.fingerprint is None:
            self.fingerprint = await certificate_fingerprint(
                parts.hostname or "", parts.port or 443, self.timeout_s, self.gate
            )
        trust: aiohttp.Fingerprint | bool = aiohttp.Fingerprint(self.fingerprint or b"") if secure else True
        self._session = aiohttp.ClientSession(
            connector=self._connector(trust),
            timeout=aiohttp.ClientTimeout(total=self.timeout_s),
            headers={"Accept": "application/json", "OData-Version": "4.0"},
            trust_env=False,
        )

    def _connector(self, trust: aiohttp.Fingerprint | bool) -> aiohttp.TCPConnector:
        checked = socket_factory(self.gate)
        if not self.keep:
            return aiohttp.TCPConnector(ssl=trust, limit=2, socket_factory=checked)

        def made(found: Any) -> socket.socket:
            if self._resumed:  # the old connection is gone, and with it what we know of whom it led to
                self._resumed = False
                self._forget()
            return watched(checked(found) if checked else socket.socket(*found[:3]))

        return aiohttp.TCPConnector(ssl=trust, limit=2, socket_factory=made, keepalive_timeout=LIVES_S)

    def _forget(self) -> None:
        """What was learned of the BMC is asked again."""

    @property
    def is_open(self) -> bool:
        return self._session is not None and not self._session.closed

    @property
    def may_be_kept(self) -> bool:
        """Whether it is open and holds nothing that a BMC has few of, as a session is."""
        return self.keep and self._opened is None and self.is_open

    def resume(self) -> None:
        """The next round of questions begins."""
        self._resumed = True

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def close(self) -> None:
        if self._session is None:
            return
        try:
            if self._opened is not None:
                await self._ask("DELETE", self._opened)
        except RedfishError:
            pass  # it ends by itself after its time
        finally:
            await self._session.close()

    # ---- requests ----

    async def _request(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[dict[str, Any], str | None]:
        """The JSON object of the answer (empty for 204) and its ETag."""
        answer, told = await self._answered(method, path, body, headers)
        return answer, told.get("ETag") or answer.get("@odata.etag")

    async def _answered(
        self, method: str, path: str, body: Mapping[str, Any] | FormData | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[dict[str, Any], Mapping[str, str]]:  # fmt: skip
        """The same with the headers of the answer."""
        try:
            return await self._ask(method, path, body, headers)
        except BasicSwitchedOff:
            if self._opened is not None or not self._login["UserName"]:
                raise
        await self._open_session()
        return await self._ask(method, path, body, headers)

    async def _open_session(self) -> None:
        """Log in, so that what follows carries a token. Raises RedfishAuthError."""
        self._rights = {}
        root = await self.get(SERVICE_ROOT)
        path = link(mapping(root, "Links"), "Sessions") or f"{SERVICE_ROOT}SessionService/Sessions"
        async with self._answer("POST", path, self._login) as response:
            self._decode("POST", path, response, await response.read())
            token, place = response.headers.get("X-Auth-Token"), response.headers.get("Location")
        if not token:
            raise RedfishAuthError(f"POST {path}: the BMC gave no token for its session")
        self._rights = {"X-Auth-Token": token}
        self._opened = urlsplit(place).path if place else ""

    @asynccontextmanager
    async def _answer(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | FormData | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """One request; what goes wrong on the way is an error of this module."""
        if self._session is None:
            raise RuntimeError("RedfishClient is used outside its `async with`")
        sent = {**self._rights, **(headers or {})}
        what: dict[str, Any] = {"data" if isinstance(body, FormData) else "json": body}
        try:
            async with self._session.request(
                method, self.base_url + path_of(path), headers=sent, allow_redirects=False, **what
            ) as response:
                yield response
        except aiohttp.ServerFingerprintMismatch as error:
            raise CertificateChanged(error.expected, error.got) from error
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            raise _unreachable(f"{method} {path}", error) from error

    async def _ask(
        self, method: str, path: str, body: Mapping[str, Any] | FormData | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[dict[str, Any], Mapping[str, str]]:  # fmt: skip
        async with self._answer(method, path, body, headers) as response:
            raw = await response.content.read(ANSWER_CAP_BYTES + 1)
            while len(raw) <= ANSWER_CAP_BYTES and (more := await response.content.read(ANSWER_CAP_BYTES)):
                raw += more
            self.received_bytes += len(raw)
            answer = self._decode(method, path, response, raw)
            told = response.headers
            self.date = told.get("Date", "")
        self.let_in = self.let_in or path != SERVICE_ROOT  # the root is readable without a password
        return answer, told

    @staticmethod
    def _decode(method: str, path: str, response: aiohttp.ClientResponse, raw: bytes) -> dict[str, Any]:
        if response.status == 401 and "basic" not in response.headers.get("WWW-Authenticate", "basic").lower():
            raise BasicSwitchedOff(f"{method} {path}: the BMC takes no password with a request")
        if method != "GET" and response.status >= 400 and _LICENCE.search(raw):
            raise RedfishUnlicensed(f"{method} {path}: the BMC has no licence for it")
        if response.status == 403 and b"PasswordChangeRequired" in raw:
            raise PasswordChangeRequired(f"{method} {path}", raw.decode(errors="replace"))
        if response.status in (401, 403):
            raise RedfishAuthError(f"{method} {path}: the BMC refused the user name or password")
        if response.status >= 300:
            raise RedfishStatus(method, path, response.status, raw.decode(errors="replace"))
        if len(raw) > ANSWER_CAP_BYTES:
            raise RedfishError(f"{method} {path}: the answer is larger than {ANSWER_CAP_BYTES} bytes")
        if not raw.strip():
            return {}
        try:
            answer = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise RedfishError(f"{method} {path}: the answer is not JSON") from error
        if not isinstance(answer, dict):
            raise RedfishError(f"{method} {path}: the answer is not a JSON object")
        return answer

    async def get(self, path: str) -> dict[str, Any]:
        """One resource. Raises RedfishStatus for HTTP errors."""
        answer, _ = await self._request("GET", path)
        return answer

    async def get_or_none(self, path: str | None) -> dict[str, Any] | None:
        """One resource, or None where the BMC has none; being unreachable or locked out still raises."""
        if path is None:
            return None
        try:
            return await self.get(path)
        except RedfishStatus as error:
            if error.status in (404, 405, 500, 501):
                return None
            raise

    async def order(self, path: str, body: Mapping[str, Any] | FormData) -> tuple[dict[str, Any], str]:
        """POST an action that is done later: its answer, and the path of the task in `Location`; empty without one."""
        answer, told = await self._answered("POST", path, body)
        return answer, urlsplit(told.get("Location", "")).path

    async def get_with_place(self, path: str) -> tuple[dict[str, Any], str]:
        """One resource, and the path in `Location` of the answer; empty without one. Raises RedfishStatus."""
        answer, told = await self._answered("GET", path)
        return answer, urlsplit(told.get("Location", "")).path

    async def download(self, path: str, most_bytes: int) -> bytes:
        """What is not JSON, whole. Raises RedfishError for more than `most_bytes`, and what the others raise."""
        async with self._answer("GET", path) as response:
            if response.status >= 300:
                self._decode("GET", path, response, await response.content.read(2000))
            raw = await response.content.read(most_bytes + 1)
            while len(raw) <= most_bytes and (more := await response.content.read(CHUNK_BYTES)):
                raw += more
        if len(raw) > most_bytes:
            raise RedfishError(f"GET {path}: the answer is larger than {most_bytes} bytes")
        return raw

    async def patch(self, path: str, body: Mapping[str, Any]) -> None:
        """Change a resource, with its ETag when it has one; one more try when it changed meanwhile."""
        for attempt in (1, 2):
            _, etag = await self._request("GET", path)
            try:
                await self._request("PATCH", path, body, {"If-Match": etag} if etag else None)
                return
            except RedfishStatus as error:
                if error.status != 412 or attempt == 2:
                    raise


def mapping(resource: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The object a resource has under this name; an empty one where it has none or something else."""
    value = resource.get(name)
    return value if isinstance(value, Mapping) else {}


def members(collection: Mapping[str, Any]) -> list[str]:
    """The paths of a collection's members; what is not a link is left out."""
    listed = collection.get("Members")
    return [path for each in listed if (path := link({"m": each}, "m"))] if isinstance(listed, list) else []


def link(resource: Mapping[str, Any], name: str) -> str | None:
    """The path a resource points to under this name, or None."""
    value = resource.get(name)
    path = value.get("@odata.id") if isinstance(value, Mapping) else None
    return path if isinstance(path, str) else None


def first_link(resource: Mapping[str, Any], name: str) -> str | None:
    """The first path of `Links.NAME`, or None."""
    links = resource.get("Links")
    paths = links.get(name) if isinstance(links, Mapping) else None
    return link({"first": paths[0]}, "first") if isinstance(paths, list) and paths else None
