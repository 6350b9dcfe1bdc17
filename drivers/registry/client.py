"""A registry of container images over its HTTP API: what a tag means, and its layers. Nothing is written there.

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
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from drivers.gate import Gate, path_of
from drivers.https import ApplianceError, BadStatus, HttpsSession, NotJson, Raw, SignInRefused

INDEXES = ("application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json")
MANIFESTS = ("application/vnd.oci.image.manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json")
MOST_BYTES = 4 << 20
"""The specification has a manifest be 4 MiB at most."""
REPOSITORY = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*")
REFERENCE = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}|sha256:[0-9a-f]{64}")
_PAIR = re.compile(r'(\w+)="([^"]*)"')


class NoSuchImage(ApplianceError):
    """The registry has no repository, tag or digest of this name."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a name means. `digest` is what is pulled by, also where it is a list of `platforms` (linux/amd64, ..).

    `size_bytes` is what one machine pulls (configuration and compressed layers), None where no image of its platform
    is listed. `layers`: each layer's digest and compressed size, as far as they are told.
    """

    digest: str
    size_bytes: int | None
    platforms: tuple[str, ...] = ()
    layers: tuple[tuple[str, int], ...] = ()


class RegistryClient:
    """One registry. Use as an async context manager. Every method raises ApplianceError's family, nothing else.

    `timeout_s` bounds the wait for each piece of an answer, `total_s` one whole request; `gate` decides about the
    address of every connection, those to a token server included. A login goes to the registry's own host and to
    `token_hosts`, and to no other that a registry names.
    """

    def __init__(
        self,
        url: str,
        *,
        username: str = "",
        password: str = "",
        token_hosts: Collection[str] = (),
        trust: ssl.SSLContext | None = None,
        gate: Gate | None = None,
        timeout_s: float = 8,
        total_s: float = 20,
    ) -> None:
        self._url = url.rstrip("/")
        self._login = "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode() if username else ""
        self._login_hosts = {urlsplit(url).hostname, *token_hosts}
        self._authorization = ""
        trust = trust or ssl.create_default_context()
        self._https = HttpsSession(
            url, trust=trust, gate=gate, timeout_s=timeout_s, total_s=total_s, most_bytes=MOST_BYTES
        )

    async def __aenter__(self) -> Self:
        await self._https.__aenter__()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._https.__aexit__(*exc_info)

    async def check(self) -> None:
        """Whether it is a registry and lets us read."""
        await self._get("/v2/")

    async def manifest(self, repository: str, reference: str, *, platform: str = "linux/amd64") -> Manifest:
        """What a tag or digest means now. Raises NoSuchImage."""
        digest, document = await self._document(repository, reference)
        if "manifests" not in document:
            return Manifest(digest, _size(document), layers=_layers(document))
        listed = {_platform(entry): entry for entry in _entries(document, "manifests")}
        mine = listed.get(platform)
        platforms = tuple(sorted(name for name in listed if name))
        if mine is None:
            return Manifest(digest, None, platforms)
        _, own = await self._document(repository, str(mine.get("digest")))
        return Manifest(digest, _size(own), platforms, _layers(own))

    async def _document(self, repository: str, reference: str) -> tuple[str, Mapping[str, Any]]:
        if not REFERENCE.fullmatch(reference):
            raise NoSuchImage(f"{reference[:80]!r} is neither a tag nor a digest")
        path = f"/v2/{_repository(repository)}/manifests/{reference}"
        raw = await self._get(path, accept=", ".join((*INDEXES, *MANIFESTS)))
        digest = f"sha256:{hashlib.sha256(raw).hexdigest()}"
        if reference.startswith("sha256:") and digest != reference:
            raise NotJson(f"{path}: the manifest that came is {digest}")
        document = _object(path, raw)
        if "layers" not in document and "manifests" not in document:
            raise NotJson(f"{path}: a manifest of a kind that is not read (schema {document.get('schemaVersion')})")
        return digest, document

    # ---- requests ----

    async def _get(self, path: str, *, accept: str = "application/json") -> bytes:
        """One that is asked for a login or a token gives it, and asks again with it."""
        answer = await self._ask(path, accept)
        if answer.status == 401:
            self._authorization = await self._authorized(answer.headers.get("WWW-Authenticate", ""))
            answer = await self._ask(path, accept)
        if answer.status in (401, 403):
            raise SignInRefused(f"GET {path}: the registry asks for another login ({answer.status})")
        if answer.status == 404:
            raise NoSuchImage(f"GET {path}: the registry has none of this name")
        if answer.status >= 300:
            raise BadStatus("GET", path, answer.status, answer.body.decode(errors="replace"))
        return answer.body

    async def _ask(self, path: str, accept: str) -> Raw:
        headers = {"Accept": accept, **({"Authorization": self._authorization} if self._authorization else {})}
        return await self._https.fetch(self._url + path_of(path), headers=headers)

    async def _authorized(self, challenge: str) -> str:
        """What to send from now on: the login itself, or a token of the server that the challenge names."""
        scheme, _, rest = challenge.partition(" ")
        if scheme.lower() == "basic" and self._login:
            return self._login
        asked = dict(_PAIR.findall(rest))
        realm = asked.pop("realm", "")
        if scheme.lower() != "bearer" or urlsplit(realm).scheme not in ("http", "https"):
            raise SignInRefused("the registry asks for a login")
        host = urlsplit(realm).hostname
        login = {"Authorization": self._login} if self._login and host in self._login_hosts else {}
        wanted = {name: asked[name] for name in ("service", "scope") if name in asked}
        answer = await self._https.fetch(realm, params=wanted, headers=login)
        told = _object("the token server", answer.body) if answer.status == 200 else {}
        token = told.get("token") or told.get("access_token")
        if not isinstance(token, str):
            why = "" if login or not self._login else ", which the login is not for"
            raise SignInRefused(f"the token server {host}{why} gave no token ({answer.status})")
        return f"Bearer {token}"


def _repository(name: str) -> str:
    if len(name) > 255 or not REPOSITORY.fullmatch(name):
        raise NoSuchImage(f"{name[:80]!r} is no name of a repository")
    return name


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


def _layers(document: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    told = [(layer.get("digest"), layer.get("size")) for layer in _entries(document, "layers")]
    return tuple((digest, size) for digest, size in told if isinstance(digest, str) and isinstance(size, int))
