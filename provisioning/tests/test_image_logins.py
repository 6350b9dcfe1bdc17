"""Logins of registries: what each engine is given for one pull, and a site's registries with theirs over the API."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from django.test import Client

from access.tests.fleet import make_site
from core.models import Credential, Role
from core.outgoing.binding import Refused
from core.services import ensure_user
from health.diagnostics import jobs
from provisioning.images import logins
from provisioning.images.commands import Image, Seat, Unplaceable
from provisioning.mirrors import watch
from provisioning.mirrors.models import Mirror
from provisioning.mirrors.queries import registry_of
from provisioning.mirrors.registries import RegistryLogin, login_of

MIRRORS = "/api/provisioning/mirrors/"
IMAGE = Image("registry.example:5000/team/torch:25.01", f"sha256:{'a' * 64}")
LOGIN = RegistryLogin("olga", "s3cret", ("registry.example", "auth.example"))
ENGINES = {
    "docker": Seat("docker"),
    "containerd": Seat("containerd", "k8s.io"),
    "enroot": Seat("enroot", "/raid/x.sqsh"),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pull_names_the_user_at_most_and_its_secret_goes_with_the_job(engine: str) -> None:
    pull = logins.pull(IMAGE, ENGINES[engine], "1.2.3", "olga")
    script = jobs.start("1.2.3", pull.command, 60, secret=pull.file)
    assert f"cat >/run/rackside-jobs/1.2.3/{pull.file}" in script and "rm -rf /run/rackside-jobs/1.2.3;" in script
    assert "/run/rackside-jobs/1.2.3" in jobs.tidy("1.2.3")
    told = logins.secret(engine, IMAGE, LOGIN)
    assert b"s3cret" in told or base64.b64encode(b"olga:s3cret") in told
    assert logins.pull(IMAGE, ENGINES[engine], "1.2.3").file == "", "without a login nothing is read"


def test_each_engine_is_told_in_its_own_form() -> None:
    docker = json.loads(logins.secret("docker", IMAGE, LOGIN))
    assert docker == {"auths": {"registry.example:5000": {"auth": base64.b64encode(b"olga:s3cret").decode()}}}
    hub = json.loads(logins.secret("docker", Image("docker.io/library/torch:1"), LOGIN))
    assert list(hub["auths"]) == ["https://index.docker.io/v1/"]
    assert logins.secret("containerd", IMAGE, LOGIN) == b"s3cret\n"
    lines = logins.secret("enroot", IMAGE, LOGIN).decode().splitlines()
    assert lines[1] == "machine auth.example login olga password s3cret", "the token server is asked by its own name"


@pytest.mark.parametrize(
    ("engine", "username", "password"),
    [
        ("enroot", "olga", "$(id)"),
        ("enroot", "olga", "two words"),
        ("enroot", "ol ga", "x"),
        ("containerd", "a:b", "x"),
    ],
)
def test_a_login_that_an_engine_would_read_otherwise_is_refused(engine: str, username: str, password: str) -> None:
    with pytest.raises(Unplaceable):
        logins.secret(engine, IMAGE, RegistryLogin(username, password, ("registry.example",)))


# ---- of a site ----


def admin() -> Client:
    found = Client()
    found.force_login(ensure_user("admin", role=Role.ADMIN)[0])
    return found


def saved(**more: Any) -> Any:
    body = {
        "site": make_site().pk, "name": "images", "kind": "registry", "url": "https://registry.example",
        "username": "olga", "password": "s3cret", **more,
    }  # fmt: skip
    return admin().post(MIRRORS, body, "application/json")


@pytest.mark.django_db
def test_a_login_is_kept_encrypted_told_by_nobody_and_goes_to_its_hosts_alone() -> None:
    made = saved(token_host="auth.example")
    assert made.status_code == 201 and b"s3cret" not in made.content, made.content
    assert (made.json()["has_password"], made.json()["signs_in_as"]) == (True, "olga")
    mirror, kept = Mirror.objects.get(), Credential.objects.get()
    assert b"s3cret" not in bytes(kept.secret) and kept.hosts == ["registry.example", "auth.example"]
    assert login_of(mirror) == RegistryLogin("olga", "s3cret", ("registry.example", "auth.example"))
    assert "s3cret" not in repr(login_of(mirror))
    found = registry_of(mirror.site_id, "registry.example")
    assert found is not None and found.credential == kept

    one = f"{MIRRORS}{mirror.pk}/"
    for moved in ({"url": "https://other.example"}, {"token_host": "other.example"}):
        refused = admin().patch(one, moved, "application/json")
        assert refused.status_code == 400 and "Give the password again" in str(refused.json()), moved
    assert admin().patch(one, {"username": "olga"}, "application/json").status_code == 400, "with a password only"
    assert admin().patch(one, {"name": "other"}, "application/json").json()["has_password"]
    Mirror.objects.update(url="https://elsewhere.example")
    with pytest.raises(Refused):
        login_of(Mirror.objects.get())
    Mirror.objects.update(url="https://registry.example")

    forgotten = admin().patch(one, {"username": ""}, "application/json")
    assert not forgotten.json()["has_password"] and not Credential.objects.exists()
    assert admin().patch(one, {"username": "olga", "password": "new"}, "application/json").json()["has_password"]
    no_registry = admin().patch(one, {"username": "", "kind": "apt"}, "application/json")
    assert no_registry.status_code == 200 and not Credential.objects.exists(), "both in one write"
    again = {"kind": "registry", "username": "olga", "password": "new"}
    assert admin().patch(one, again, "application/json").json()["has_password"]
    assert admin().delete(one).status_code == 204 and not Credential.objects.exists(), "it goes with its registry"


@pytest.mark.django_db
@pytest.mark.parametrize("bad", [{"kind": "apt"}, {"username": ""}, {"password": "a\nb"}, {"token_host": "a b"}])
def test_a_login_that_cannot_be_one_is_refused(bad: dict[str, str]) -> None:
    assert saved(**bad).status_code == 400 and not Credential.objects.exists()


class Guarded(BaseHTTPRequestHandler):
    """A registry that takes one login."""

    def do_GET(self) -> None:
        right = self.headers.get("Authorization") == f"Basic {base64.b64encode(b'olga:s3cret').decode()}"
        self.send_response(200 if right else 401)
        self.send_header("WWW-Authenticate", 'Basic realm="here"')
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: Any) -> None:
        """Not to the output of the tests."""


@pytest.fixture
def guarded() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Guarded) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.django_db
@pytest.mark.parametrize(("password", "problem"), [("s3cret", ""), ("wrong", "the registry asks for another login")])
def test_the_watch_says_whether_a_registry_takes_its_login(guarded: str, password: str, problem: str) -> None:
    made = saved(url=guarded, password=password)
    assert made.status_code == 201, made.content
    watch.watch(made.json()["id"])
    mirror = Mirror.objects.get()
    assert (problem in mirror.message) if problem else (mirror.message, mirror.state) == ("", "good")
    assert mirror.failures == bool(problem) and password not in mirror.message
