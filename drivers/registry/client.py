"""A registry of container images over its HTTP API: tags, digests and sizes. Nothing is written there.

    async with RegistryClient("https://registry.example") as registry:
        manifest = await registry.manifest("team/torch", "25.01")

The protocol is OCI's distribution specification 1.1; how a registry asks for a token is Docker's token authentication
(`WWW-Authenticate: Bearer realm=..`). What a name means is the digest of the bytes that came, never what a header says.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urljoin, urlsplit

import aiohttp

from drivers.gate import Gate, path_of, socket_factory
from drivers.https import ApplianceError, BadStatus, NotJson, SignInRefused, Unreachable

INDEXES = ("application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json")
MANIFESTS = ("application/vnd.oci.image.manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json")
MOST_BYTES = 4 << 20
"""The specification has a manifest be 4 MiB at most."""
MOST_PAGES = 100
PAGE = 200
REPOSITORY = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*")
REFERENCE = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}|sha256:[0-9a-f]{64}")
_NEXT = re.compile(r'<([^>]+)>\s*;\s*rel="?next"?')
_PAIR = re.compile(r'(\w+)="([^"]*)"')


class NoSuchImage(ApplianceError):
    """The registry has no repository, tag or digest of this name."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a name means. `digest` is what is pulled by, also where it is a list of `platforms` (linux/amd64, ..).

    `size_bytes` is what one machine pulls (configuration and compressed layers), None where no image of its platform
    is listed.
    """

    digest: str
    size_bytes: int | None
    platforms: tuple[str, ...] = ()


class RegistryClient:
    """One registry. Use as an async context manager. Every method raises ApplianceError's family, nothing else.

    `timeout_s` bounds the wait for each piece of an answer, `total_s` one whole request; `gate` decides about the
    address of every connection, those to a token server included. A login goes to the registry's own host alone.
    """

    def __init__(
        self,
        url: str,
        *,
        username: str = "",
        password: str = "",
        trust: ssl.SSLContext | None = None,
        gate: Gate | None = None,
        timeout_s: float = 8,
        total_s: float = 20,
    ) -> None:
        self._url = url.rstrip("/")
        self._login = "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode() if username else ""
        self._authorization = ""
        self._trust, self._gate = trust, gate
        self._timeout = aiohttp.ClientTimeout(total=total_s, sock_connect=timeout_s, sock_read=timeout_s)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        parts = urlsplit(self._url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Unreachable(f"{self._url!r} is not an address such as https://registry.example")
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=self._trust or True, limit=4, socket_factory=socket_factory(self._gate)),
            timeout=self._timeout,
            trust_env=False,
        )
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def check(self) -> None:
        """Whether it is a registry and lets us read."""
        await self._get("/v2/")

    async def repositories(self) -> list[str]:
        """All that it lists; many registries list none to most people."""
        return [name async for name in self._pages(f"/v2/_catalog?n={PAGE}", "repositories")]

    async def tags(self, repository: str) -> list[str]:
        """Raises NoSuchImage."""
        return [name async for name in self._pages(f"/v2/{_repository(repository)}/tags/list?n={PAGE}", "tags")]

    async def manifest(self, repository: str, reference: str, *, platform: str = "linux/amd64") -> Manifest:
        """What a tag or digest means now. Raises NoSuchImage."""
        digest, document = await self._document(repository, reference)
        if "manifests" not in document:
            return Manifest(digest, _size(document))
        listed = {_platform(entry): entry for entry in _entries(document, "manifests")}
        mine = listed.get(platform)
        size = None
        if mine is not None:
            _, own = await self._document(repository, str(mine.get("digest")))
            size = _size(own)
        return Manifest(digest, size, tuple(sorted(name for name in listed if name)))

    async def _document(self, repository: str, reference: str) -> tuple[str, Mapping[str, Any]]:
        if not REFERENCE.fullmatch(reference):
            raise NoSuchImage(f"{reference[:80]!r} is neither a tag nor a digest")
        path = f"/v2/{_repository(repository)}/manifests/{reference}"
        raw, _ = await self._get(path, accept=", ".join((*INDEXES, *MANIFESTS)))
        digest = f"sha256:{hashlib.sha256(raw).hexdigest()}"
        if reference.startswith("sha256:") and digest != reference:
            raise NotJson(f"{path}: the manifest that came is {digest}")
        document = _object(path, raw)
        if "layers" not in document and "manifests" not in document:
            raise NotJson(f"{path}: a manifest of a kind that is not read (schema {document.get('schemaVersion')})")
        return digest, document

    # ---- requests ----

    async def _pages(self, path: str, name: str) -> AsyncIterator[str]:
        for _ in range(MOST_PAGES):
            raw, link = await self._get(path)
            for each in _object(path, raw).get(name) or ():
                yield str(each)
            found = _NEXT.search(link)
            if found is None:
                return
            path = _own_path(self._url, path, found[1])
        raise NotJson(f"{path}: more than {MOST_PAGES} pages")

    async def _get(self, path: str, *, accept: str = "application/json") -> tuple[bytes, str]:
        """Body and `Link` header. One that is asked for a token gets one, and asks again with it."""
        url = self._url + path_of(path)
        status, headers, raw = await self._fetch(url, accept, self._authorization)
        if status == 401:
            self._authorization = await self._authorized(headers.get("WWW-Authenticate", ""))
            status, headers, raw = await self._fetch(url, accept, self._authorization)
        if status in (401, 403):
            raise SignInRefused(f"GET {path}: the registry asks for another login ({status})")
        if status == 404:
            raise NoSuchImage(f"GET {path}: the registry has none of this name")
        if status >= 300:
            raise BadStatus("GET", path, status, raw.decode(errors="replace"))
        return raw, headers.get("Link", "")

    async def _authorized(self, challenge: str) -> str:
        """What to send from now on: the login itself, or a token of the server that the challenge names."""
        scheme, _, rest = challenge.partition(" ")
        if scheme.lower() == "basic" and self._login:
            return self._login
        asked = dict(_PAIR.findall(rest))
        realm = asked.pop("realm", "")
        if scheme.lower() != "bearer" or urlsplit(realm).scheme not in ("http", "https"):
            raise SignInRefused("the registry asks for a login")
        own = urlsplit(realm).hostname == urlsplit(self._url).hostname
        wanted = {name: asked[name] for name in ("service", "scope") if name in asked}
        status, _, raw = await self._fetch(realm, "application/json", self._login if own else "", wanted)
        told = _object("the token server", raw) if status == 200 else {}
        token = told.get("token") or told.get("access_token")
        if not isinstance(token, str):
            raise SignInRefused(f"the token server {urlsplit(realm).hostname} gave no token ({status})")
        return f"Bearer {token}"

    async def _fetch(
        self, url: str, accept: str, authorization: str, params: Mapping[str, str] | None = None
    ) -> tuple[int, Mapping[str, str], bytes]:
        if self._session is None:
            raise RuntimeError("the client is used outside its `async with`")
        headers = {"Accept": accept, **({"Authorization": authorization} if authorization else {})}
        try:
            async with self._session.get(url, params=params, headers=headers, allow_redirects=False) as response:
                raw = await response.content.read(MOST_BYTES + 1)
                while len(raw) <= MOST_BYTES and (more := await response.content.read(MOST_BYTES)):
                    raw += more
                if len(raw) > MOST_BYTES:
                    raise NotJson(f"the answer is larger than {MOST_BYTES} bytes")
                return response.status, response.headers, raw
        except aiohttp.ClientPayloadError as error:
            raise NotJson("the answer breaks off") from error
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            reason = "no answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
            raise Unreachable(reason) from error


def _repository(name: str) -> str:
    if len(name) > 255 or not REPOSITORY.fullmatch(name):
        raise NoSuchImage(f"{name[:80]!r} is no name of a repository")
    return name


def _own_path(url: str, path: str, link: str) -> str:
    """The next page, which is of the same registry. Raises NotJson."""
    base = urlsplit(url)
    found = urlsplit(urljoin(url + path, link))
    if (found.scheme, found.netloc) != (base.scheme, base.netloc) or not found.path.startswith(f"{base.path}/v2/"):
        raise NotJson(f"{path}: the next page is at another place")
    return f"{found.path.removeprefix(base.path)}?{found.query}"


def _object(what: str, raw: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise NotJson(f"{what}: the answer is not JSON") from error
    if not isinstance(found, dict):
        raise NotJson(f"{what}: the answer has another shape")
    return found


def _entries(document: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    found = document.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _platform(entry: Mapping[str, Any]) -> str:
    """`linux/amd64`; empty for what is no image, such as a signature beside one."""
    told = entry.get("platform")
    if not isinstance(told, dict) or told.get("os") in (None, "unknown"):
        return ""
    return f"{told.get('os')}/{told.get('architecture')}"


def _size(document: Mapping[str, Any]) -> int:
    parts = [document.get("config"), *_entries(document, "layers")]
    sizes = [part.get("size") for part in parts if isinstance(part, dict)]
    return sum(size for size in sizes if isinstance(size, int))
