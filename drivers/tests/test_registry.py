"""The registry driver against Debian's docker-registry, and against a token server and hostile answers."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import encode_basic_auth, web

from drivers.https import ApplianceError, NotJson, SignInRefused, Unreachable
from drivers.registry.client import INDEXES, MANIFESTS, Manifest, NoSuchImage, RegistryClient
from drivers.tests.ports import free_ports, listens, until

CONFIG = """\
version: 0.1
storage: {{filesystem: {{rootdirectory: {folder}/registry}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""


def digest_of(raw: bytes) -> str:
    return f"sha256:{hashlib.sha256(raw).hexdigest()}"


class Registry:
    """A real one that images are pushed to over its own API."""

    def __init__(self, url: str) -> None:
        self.url = url

    def _send(self, method: str, url: str, body: bytes = b"", kind: str = "application/octet-stream") -> Any:
        request = urllib.request.Request(url, method=method, data=body or None, headers={"Content-Type": kind})
        return urllib.request.urlopen(request, timeout=10)

    def blob(self, repository: str, raw: bytes) -> dict[str, Any]:
        place = self._send("POST", f"{self.url}/v2/{repository}/blobs/uploads/").headers["Location"]
        self._send("PUT", f"{place}{'&' if '?' in place else '?'}digest={digest_of(raw)}", raw)
        return {"digest": digest_of(raw), "size": len(raw)}

    def image(self, repository: str, tag: str, content: bytes) -> tuple[str, int]:
        """Digest of the manifest and what one pulls."""
        config = self.blob(repository, json.dumps({"architecture": "amd64", "os": "linux", "of": tag}).encode())
        layer = self.blob(repository, content)
        document = {
            "schemaVersion": 2, "mediaType": MANIFESTS[0],
            "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **config},
            "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar", **layer}],
        }  # fmt: skip
        return self.manifest(repository, tag, document), config["size"] + layer["size"]

    def manifest(self, repository: str, tag: str, document: dict[str, Any]) -> str:
        raw = json.dumps(document).encode()
        self._send("PUT", f"{self.url}/v2/{repository}/manifests/{tag}", raw, document["mediaType"])
        return digest_of(raw)


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    folder = tmp_path_factory.mktemp("registry")
    (port,) = free_ports(1)
    (folder / "config.yml").write_text(CONFIG.format(folder=folder, port=port))
    with (folder / "log").open("wb") as log:
        words = ["docker-registry", "serve", str(folder / "config.yml")]
        process = subprocess.Popen(words, stdout=log, stderr=log)
    try:
        until(lambda: listens(port), 20, "the registry does not start")
        yield Registry(f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait(10)


def asked(url: str, ask: Callable[[RegistryClient], Awaitable[Any]], **options: Any) -> Any:
    async def run() -> Any:
        async with RegistryClient(url, timeout_s=3, total_s=5, **options) as client:
            return await ask(client)

    return asyncio.run(run())


def test_a_tag_of_a_real_registry_means_a_digest_and_a_size(registry: Registry) -> None:
    digest, size = registry.image("team/torch", "25.01", b"first" * 100)
    layers = ((digest_of(b"first" * 100), 500),)
    found = asked(registry.url, lambda client: client.manifest("team/torch", "25.01"))
    assert found == Manifest(digest, size, layers=layers)
    again, _ = registry.image("team/torch", "25.01", b"second" * 100)
    assert asked(registry.url, lambda client: client.manifest("team/torch", "25.01")).digest == again != digest
    assert asked(registry.url, lambda client: client.manifest("team/torch", digest)).size_bytes == size
    for name, tag in (("team/torch", "25.02"), ("team/none", "25.01"), ("Team", "x"), ("team/torch", "../x")):
        with pytest.raises(NoSuchImage):
            asked(registry.url, lambda client, n=name, t=tag: client.manifest(n, t))


def test_of_a_list_the_digest_is_its_own_and_the_size_that_of_the_platform(registry: Registry) -> None:
    digest, size = registry.image("team/many", "amd64", b"x" * 1000)
    entry = {"mediaType": MANIFESTS[0], "digest": digest, "size": 400}
    both = [
        {**entry, "platform": {"os": "linux", "architecture": "amd64"}},
        {**entry, "platform": {"os": "unknown", "architecture": "unknown"}},
    ]
    own = registry.manifest("team/many", "all", {"schemaVersion": 2, "mediaType": INDEXES[0], "manifests": both})
    found = asked(registry.url, lambda client: client.manifest("team/many", "all"))
    assert found == Manifest(own, size, ("linux/amd64",), ((digest_of(b"x" * 1000), 1000),))
    other = asked(registry.url, lambda client: client.manifest("team/many", "all", platform="linux/arm64"))
    assert other.size_bytes is None


# ---- answers that Debian's registry does not give ----


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def served(handler: Handler, ask: Callable[[RegistryClient], Awaitable[Any]], **options: Any) -> Any:
    async def run() -> Any:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", handler)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        try:
            async with RegistryClient(f"http://{host}:{port}", timeout_s=2, total_s=3, **options) as client:
                return await ask(client)
        finally:
            await runner.cleanup()

    return asyncio.run(run())


def with_tokens(realm_host: str = "127.0.0.1") -> tuple[Handler, list[str]]:
    """A registry with a token server at its own address or under another name; what logins the latter was shown."""
    logins: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/token":
            logins.append(request.headers.get("Authorization", ""))
            assert request.query["scope"] == "repository:team/torch:pull" and request.query["service"] == "us"
            return web.json_response({"token": "good"})
        if request.headers.get("Authorization") != "Bearer good":
            realm = f"http://{realm_host}:{urlsplit(str(request.url)).port}/token"
            asks = f'Bearer realm="{realm}",service="us",scope="repository:team/torch:pull"'
            return web.Response(status=401, headers={"WWW-Authenticate": asks})
        return web.json_response({"schemaVersion": 2, "layers": [{"digest": "sha256:1", "size": 5}]})

    return answer, logins


def test_a_token_is_fetched_with_the_login_and_used() -> None:
    handler, logins = with_tokens()
    found = served(handler, lambda client: client.manifest("team/torch", "25.01"), username="olga", password="secret")
    assert found.layers == (("sha256:1", 5),) and logins == [encode_basic_auth("olga", "secret")]


def test_a_login_goes_to_another_host_that_a_registry_names_only_where_that_is_allowed() -> None:
    def manifest(client: RegistryClient) -> Awaitable[Manifest]:
        return client.manifest("team/torch", "25.01")

    handler, logins = with_tokens("localhost")
    assert served(handler, manifest, username="olga", password="secret").size_bytes == 5 and logins == [""]
    served(handler, manifest, username="olga", password="secret", token_hosts=["localhost"])
    assert logins[1:] == [encode_basic_auth("olga", "secret")]


def test_what_no_registry_says_is_an_error_with_its_reason() -> None:
    def fixed(status: int, text: str, **headers: str) -> Handler:
        async def answer(request: web.Request) -> web.StreamResponse:
            return web.Response(status=status, text=text, headers={k.replace("_", "-"): v for k, v in headers.items()})

        return answer

    other = "sha256:" + "0" * 64
    bad: list[tuple[Handler, type[ApplianceError], str]] = [
        (fixed(200, "<html>"), NotJson, "the manifest that came is sha256:"),
        (fixed(200, '{"layers": []}'), NotJson, "the manifest that came is sha256:"),
        (fixed(401, ""), SignInRefused, "asks for a login"),
        (fixed(401, "", WWW_Authenticate='Bearer realm="file:///etc/passwd"'), SignInRefused, "asks for a login"),
        (fixed(307, "", Location="http://169.254.169.254/"), ApplianceError, "307"),
        (fixed(200, "x" * (5 << 20)), NotJson, "larger"),
    ]
    for handler, kind, words in bad:
        with pytest.raises(kind, match=words):
            served(handler, lambda client: client.manifest("team/torch", other))
    with pytest.raises(NotJson, match="not JSON"):
        served(fixed(200, "<html>"), lambda client: client.manifest("team/torch", "25.01"))


def test_a_registry_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    with pytest.raises(Unreachable):
        asked(f"http://127.0.0.1:{port}", lambda client: client.check())
