"""Logins at a real registry, by name and password and by a token server, given to a real Docker and containerd: the
password is in no list of processes, in no output, and in no file after the pull."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import bcrypt
import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.x509.oid import NameOID

from drivers.https import SignInRefused
from drivers.registry.client import Manifest, RegistryClient
from drivers.tests.ports import free_ports, listens, until
from health.diagnostics import jobs
from health.tests.container_engines import Engines, running_engines
from provisioning.images import commands, decisions, logins
from provisioning.images.commands import Image, Seat, image_of
from provisioning.images.decisions import Came, Step, Task, came
from provisioning.mirrors.registries import RegistryLogin
from provisioning.waves.policy import MachineState

pytestmark = [pytest.mark.services, pytest.mark.slow]
USER, PASSWORD = "pull$er", "s3cret with 'quotes' $HOME"
HTPASSWD = """\
auth: {{htpasswd: {{realm: here, path: {folder}/htpasswd}}}}
"""
TOKEN = """\
auth:
  token: {{realm: "http://127.0.0.1:{tokens}/token", service: here, issuer: us, rootcertbundle: {folder}/ca.pem}}
"""
BASE = """\
version: 0.1
storage: {{filesystem: {{rootdirectory: {folder}/registry}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""


class TokenServer:
    """Of the distribution specification: an ES256 token with its certificate for whoever signs in."""

    def __init__(self, folder: Path) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tokens")])
        now = datetime.now(UTC)
        made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(self._key.public_key())
        made = (
            made.serial_number(7).not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(hours=1))
        )
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self._certificate = made.sign(self._key, hashes.SHA256())
        (folder / "ca.pem").write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    async def answer(self, request: web.Request) -> web.StreamResponse:
        login = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if request.headers.get("Authorization") != f"Basic {login}":
            return web.Response(status=401)
        access = [_access(scope) for scope in request.query.getall("scope", [])]
        return web.json_response({"token": self._token(access)})

    def _token(self, access: list[dict[str, object]]) -> str:
        der = self._certificate.public_bytes(serialization.Encoding.DER)
        now = int(time.time())
        head = {"typ": "JWT", "alg": "ES256", "x5c": [base64.b64encode(der).decode()]}
        body = {
            "iss": "us", "sub": USER, "aud": "here", "exp": now + 300, "nbf": now - 10, "iat": now, "jti": str(now),
            "access": access,
        }  # fmt: skip
        signed = ".".join(_url64(json.dumps(each).encode()) for each in (head, body))
        r, s = utils.decode_dss_signature(self._key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signed}.{_url64(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def _url64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _access(scope: str) -> dict[str, object]:
    kind, name, actions = scope.split(":")
    return {"type": kind, "name": name, "actions": actions.split(",")}


@contextmanager
def served(server: TokenServer) -> Iterator[int]:
    (port,) = free_ports(1)
    loop = asyncio.new_event_loop()

    async def begin() -> web.AppRunner:
        app = web.Application()
        app.router.add_get("/token", server.answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        return runner

    runner = loop.run_until_complete(begin())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield port
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


@contextmanager
def guarded(folder: Path, kind: str) -> Iterator[str]:
    """A registry over the images of the open one that asks for a login; its host and port."""
    hashed = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(5)).decode()
    (folder / "htpasswd").write_text(f"{USER}:{hashed}\n")
    with served(TokenServer(folder)) as tokens:
        (port,) = free_ports(1)
        text = (BASE + (HTPASSWD if kind == "basic" else TOKEN)).format(folder=folder, port=port, tokens=tokens)
        config = folder / f"{kind}.yml"
        config.write_text(text)
        with (folder / f"{kind}.log").open("wb") as log:
            process = subprocess.Popen(["docker-registry", "serve", str(config)], stdout=log, stderr=log)
        try:
            until(lambda: listens(port), 20, "the registry does not start")
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(10)


def manifest_of(registry: str, password: str = PASSWORD) -> Manifest:
    async def ask() -> Manifest:
        async with RegistryClient(f"http://{registry}", username=USER, password=password) as client:
            await client.check()
            return await client.manifest("team/torch", "25.01")

    return asyncio.run(ask())


class Pulling:
    """The scripts of a placement as they are sent, and what of the password is seen meanwhile."""

    def __init__(self, engines: Engines, image: Image, seat: Seat, login: RegistryLogin) -> None:
        self._engines, self._login = engines, login
        self._task = Task(image, seat, "place", False, "1.2.3", "look", username=login.username)
        self.seen: list[str] = []
        self.shown: list[str] = []

    def gone_through(self) -> Came:
        step: Step | None = "look"
        ends = time.monotonic() + 60
        while step is not None:
            found = self._told(step)
            processes = subprocess.run(["ps", "-ww", "-e", "-o", "args="], capture_output=True, text=True, check=True)
            self.shown.append(processes.stdout)
            goes_on = found.begun or (step == "follow" and found.step is None and found.state is None)
            step = "follow" if goes_on else found.step
            assert time.monotonic() < ends, found
        return found

    def _told(self, step: Step) -> Came:
        task = replace(self._task, step=step)
        told = logins.secret(task.seat.engine, task.image, self._login) if step == "pull" else None
        script = decisions.script_of(task)
        self.seen.append(script)
        said = subprocess.run(
            ["sh", "-c", script], env=self._engines.environment, input=told, capture_output=True, timeout=60,
            stdin=None if told else subprocess.DEVNULL,
        )  # fmt: skip
        text, errors = said.stdout.decode(), said.stderr.decode()
        self.seen += [text, errors]
        return came(task, said.returncode, text, errors)

    def tidied(self) -> None:
        subprocess.run(["sh", "-c", decisions.script_of(replace(self._task, step="stop"))], check=True, timeout=30)


@pytest.mark.parametrize("kind", ["basic", "token"])
def test_skopeo_pulls_with_the_login_as_we_write_it_the_layers_that_our_client_tells(kind: str, tmp_path: Path) -> None:
    pulled, auths = tmp_path / "pulled", tmp_path / "auths.json"
    with running_engines(tmp_path) as engines:
        engines.pushed("team/torch:25.01", b"content" * 1000)
        with guarded(tmp_path, kind) as registry:
            image = image_of(f"{registry}/team/torch:25.01")
            manifest = manifest_of(registry)
            copy = ["skopeo", "copy", "--insecure-policy", "--src-tls-verify=false", f"--authfile={auths}"]
            auths.write_text("{}")
            words = [*copy, f"docker://{image.reference}", f"dir:{pulled}"]
            refused = subprocess.run(words, env=engines.environment, capture_output=True, timeout=60, check=False)
            assert refused.returncode != 0, "not without a login"
            auths.write_bytes(logins.secret("docker", image, RegistryLogin(USER, PASSWORD, ("127.0.0.1",))))
            engines.run(*words)
    raw = (pulled / "manifest.json").read_bytes()
    assert f"sha256:{hashlib.sha256(raw).hexdigest()}" == manifest.digest and manifest.layers
    for digest, size in manifest.layers:
        raw = (pulled / digest.removeprefix("sha256:")).read_bytes()
        assert (hashlib.sha256(raw).hexdigest(), len(raw)) == (digest.removeprefix("sha256:"), size)


@pytest.mark.parametrize("kind", ["basic", "token"])
def test_a_login_is_given_for_the_pull_alone_and_left_nowhere(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = tmp_path / "jobs", tmp_path / "secrets"
    monkeypatch.setattr(decisions, "FOLDER", str(folders[0]))
    monkeypatch.setattr(jobs, "SECRETS", str(folders[1]))
    with running_engines(tmp_path) as engines:
        pushed = engines.pushed("team/torch:25.01", b"content" * 1000)
        engines.run("docker", "image", "rm", pushed)
        with guarded(tmp_path, kind) as registry:
            digest = manifest_of(registry).digest
            with pytest.raises(SignInRefused):
                manifest_of(registry, "wrong")
            image = image_of(f"{registry}/team/torch:25.01", digest)
            for seat in (Seat("docker"), Seat("containerd", "k8s.io")):
                nobody = engines.ask(commands.place(image, seat, "1.2.3"))
                assert nobody.returncode != 0, "the registry asks for a login"
                right, wrong = (RegistryLogin(USER, word, ("127.0.0.1",)) for word in (PASSWORD, "wrong-one"))
                refused = Pulling(engines, image, seat, wrong)
                found = refused.gone_through()
                assert found.state is MachineState.FAILED and "exit status" in found.message, found
                assert not list(folders[1].iterdir()), "it goes with the pull, also with one that fails"
                refused.tidied()
                pulling = Pulling(engines, image, seat, right)
                assert pulling.gone_through() == Came(state=MachineState.OK, identity=digest), pulling.seen
                assert not list(folders[1].iterdir())
                kept = b"".join(file.read_bytes() for file in folders[0].rglob("*") if file.is_file()).decode()
                auth = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
                for text in (*pulling.seen, *pulling.shown, kept):
                    assert PASSWORD not in text and auth not in text and "s3cret" not in text
                pulling.tidied()
                assert not list(folders[0].iterdir())
    assert not (Path(tmp_path) / ".docker").exists()
