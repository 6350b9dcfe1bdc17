"""Sources of a site: how they answer from outside, which machine uses which, and what is told of one that stops."""

from __future__ import annotations

import asyncio
import socket
import ssl
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from django.test import Client
from django.utils import timezone

from access.tests.fleet import make_machine, make_site
from core.models import Role, Site
from core.outgoing.gate import Gate
from core.services import ensure_user
from drivers.tests.certificates import self_signed
from health.diagnostics.services import sessions
from health.models import MachineHealth
from health.tests.hall import running_hall
from health.tests.real import twins
from live.models import Event
from provisioning.mirrors import outside, usage, watch
from provisioning.mirrors.models import MachineSources, Mirror
from provisioning.mirrors.outside import Answered, asked_url

MIRRORS = "/api/provisioning/mirrors/"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


# ---- from outside ----


def asked(handler: Handler, kind: str = "files", context: ssl.SSLContext | None = None, **options: Any) -> Answered:
    async def run() -> Answered:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", handler)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
        port = runner.addresses[0][1]
        try:
            scheme = "https" if context else "http"
            return await outside.ask(kind, f"{scheme}://127.0.0.1:{port}/x", **options)
        finally:
            await runner.cleanup()

    return asyncio.run(run())


def fixed(status: int, **headers: str) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, headers=headers, text="x" * 100_000)

    return answer


@pytest.mark.parametrize(
    ("kind", "url", "asks"),
    [
        ("apt", "http://m.example/ubuntu", "http://m.example/ubuntu/"),
        ("pypi", "http://m.example/root/pypi", "http://m.example/root/pypi/simple/"),
        ("pypi", "http://m.example/simple", "http://m.example/simple/"),
        ("registry", "https://r.example", "https://r.example/v2/"),
        ("peers", "http://p.example:65001/healthy", "http://p.example:65001/healthy"),
    ],
)  # fmt: skip
def test_each_kind_is_asked_for_the_root_of_what_it_serves(kind: str, url: str, asks: str) -> None:
    assert asked_url(kind, url) == asks


@pytest.mark.parametrize(
    ("status", "problem"),
    [(200, ""), (302, ""), (401, ""), (403, ""), (404, "it answers 404"), (503, "it answers 503")],
)
def test_a_status_is_an_answer_or_a_problem(status: int, problem: str) -> None:
    found = asked(fixed(status, Server="nginx/1.24"))
    assert (found.problem, found.version) == (problem, "nginx/1.24") and found.ms is not None


def test_a_certificate_says_until_when_it_is_good_and_one_that_nobody_signed_is_a_problem(tmp_path: Path) -> None:
    pem = self_signed(tmp_path / "server.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    certificate = x509.load_pem_x509_certificate(pem.read_bytes())
    authorities = certificate.public_bytes(serialization.Encoding.PEM).decode()
    until = asked(fixed(200), context=context, authorities=authorities).certificate_until
    assert until == certificate.not_valid_after_utc
    assert "certificate" in asked(fixed(200), context=context).problem


def test_a_source_that_nobody_listens_for_is_told_in_the_words_of_the_system() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = asyncio.run(outside.ask("file", f"http://127.0.0.1:{port}/"))
    assert told.problem == f"no connection to 127.0.0.1:{port}: connection refused" and told.ms is None


def test_a_source_that_is_silent_or_forbidden_is_a_problem_and_never_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(0.5)
        return web.Response()

    monkeypatch.setattr(outside, "TOTAL_S", 0.2)
    assert asked(silent).problem == "no answer within 0.2 s"
    assert "address of this machine itself" in asked(fixed(200), gate=Gate(local=False)).problem


@pytest.mark.parametrize(
    ("answered", "failures", "before", "state"),
    [
        (Answered(ms=30), 0, "unknown", "good"), (Answered(ms=3000), 0, "good", "slow"),
        (Answered("no answer"), 1, "good", "good"), (Answered("no answer"), 1, "unknown", "unknown"),
        (Answered("no answer"), 2, "good", "failed"), (Answered(ms=30), 0, "failed", "good"),
    ],
)  # fmt: skip
def test_one_lost_answer_changes_nothing(answered: Answered, failures: int, before: str, state: str) -> None:
    assert watch.state_of(answered, failures, before) == state


# ---- from a machine ----

SAID = """\
== rackside-sources apt
### file
# deb http://old.example/ubuntu jammy main
deb [arch=amd64 signed-by=/x] http://mirror.example/ubuntu jammy main
deb-src http://mirror.example/ubuntu jammy main
### file
Types: deb
URIs: https://esm.example/apps https://esm2.example/apps
Suites: noble

Enabled: no
URIs: https://off.example/
== rackside-sources pip
### file
[global]
index-url = https://olga:secret@pypi.example/simple
== rackside-sources docker
### file
{"registry-mirrors": ["https://cache.example"]}
== rackside-sources containerd
### file
server = "https://registry-1.docker.io"
[host."http://row-b.example:5000"]
  capabilities = ["pull", "resolve"]
== rackside-sources reached
1 200 0.012
2 000 5.001
3 503 0.004
== rackside-sources end
"""


def test_what_a_machine_tells_is_read_with_comments_and_what_is_turned_off_left_out() -> None:
    told = usage.read(SAID)
    assert told.urls == (
        ("apt", "http://mirror.example/ubuntu"), ("apt", "https://esm.example/apps"),
        ("apt", "https://esm2.example/apps"), ("pip", "https://olga:secret@pypi.example/simple"),
        ("docker", "https://cache.example"), ("containerd", "http://row-b.example:5000"),
        ("containerd", "https://registry-1.docker.io"),
    )  # fmt: skip
    assert {pk: (each.answers, each.ms, each.text) for pk, each in told.reached.items()} == {
        1: (True, 12, ""), 2: (False, None, "no answer"), 3: (False, 4, "it answers 503"),
    }  # fmt: skip
    kept = usage.without_login(told.urls)
    assert {"tool": "pip", "url": "https://pypi.example/simple"} in kept and "secret" not in str(kept)


@pytest.mark.slow
def test_the_script_is_one_of_a_real_shell_and_asks_all_sources_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "daemon.json").write_text('{"registry-mirrors": ["https://cache.example"]}')  # no line break at its end
    monkeypatch.setattr(usage, "FILES", {"docker": f"{tmp_path}/*.json", "containerd": f"{tmp_path}/none/*"})
    monkeypatch.setattr(usage, "REQUEST_S", 2)
    with socket.create_server(("127.0.0.1", 0), backlog=32) as mute:  # it takes connections and never answers
        port = mute.getsockname()[1]
        dead = {number: f"http://127.0.0.1:{port}/it's/{number}" for number in range(1, 20)}
        said = subprocess.run(["sh", "-c", usage.script(dead)], capture_output=True, text=True, timeout=15)
    told = usage.read(said.stdout)
    assert {pk: each.text for pk, each in told.reached.items()} == dict.fromkeys(dead, "no answer"), said.stderr
    assert told.urls == (("docker", "https://cache.example"),)


@pytest.mark.parametrize("text", ["", "sudo: a password is required", SAID.partition("== rackside-sources end")[0]])
def test_an_answer_that_is_not_whole_tells_nothing(text: str) -> None:
    with pytest.raises(usage.Untold):
        usage.read(text)


@pytest.mark.parametrize("file", ["{", "[]", '{"registry-mirrors": 5}'])
def test_a_broken_file_of_docker_costs_that_file_alone(file: str) -> None:
    told = usage.read(SAID.replace('{"registry-mirrors": ["https://cache.example"]}', file))
    assert ("pip", "https://olga:secret@pypi.example/simple") in told.urls


@pytest.mark.parametrize(
    ("url", "source", "same"),
    [
        ("http://mirror.example/ubuntu/dists", "https://mirror.example/ubuntu/", True),
        ("http://mirror.example/ubuntu-ports", "https://mirror.example/ubuntu", False),
        ("http://u:p@mirror.example/ubuntu", "http://mirror.example/ubuntu", True),
        ("http://mirror.example:8080/ubuntu", "http://mirror.example/ubuntu", False), ("http://[", "http://x", False),
    ],
)  # fmt: skip
def test_a_machine_uses_a_source_whose_address_it_names(url: str, source: str, same: bool) -> None:
    assert usage.uses([url], source) is same


# ---- kept ----


def client(role: Role, site: Site | None = None) -> Client:
    found = Client()
    found.force_login(ensure_user(f"{role}{site}", role=role, site=site)[0])
    return found


def taken(mirror: Mirror) -> Mirror:
    Mirror.objects.filter(pk=mirror.pk).update(asked_at=None, lease_until=None)
    found = watch.WORK.take(mirror.pk)
    assert found is not None
    return found


@pytest.mark.django_db
def test_an_event_says_when_a_source_stops_answering_and_when_it_answers_again() -> None:
    mirror = Mirror.objects.create(site=make_site(), name="ubuntu", kind="apt", url="http://mirror.example/ubuntu")
    now = timezone.now()
    came = [Answered(ms=9), *[Answered("no answer")] * 3, Answered(ms=8)]
    states = [watch.keep(taken(mirror), answered, now) for answered in came]
    assert states == ["good", "good", "failed", "failed", "good"]
    told = list(Event.objects.filter(kind__startswith="mirror.").order_by("id").values_list("kind", "data__text"))
    assert told == [("mirror.failed", "no answer"), ("mirror.good", "")]
    mirror.refresh_from_db()
    assert [ms for _, ms in mirror.latencies] == [9, None, None, None, 8] and mirror.asked_at == now


@pytest.mark.django_db
def test_machines_of_a_source_are_told_and_one_that_fell_silent_is_not_known() -> None:
    site = make_site()
    mirror = Mirror.objects.create(site=site, name="ubuntu", kind="apt", url="http://mirror.example/ubuntu")
    now = timezone.now()
    urls = [{"tool": "apt", "url": "http://mirror.example/ubuntu"}]
    rows = {"well": ({}, [True, 9, ""]), "cut-off": ({}, [False, None, "no answer"]),
            "silent": ({"message": "no answer on port 22"}, [True, 9, ""])}  # fmt: skip
    for name, (more, reached) in rows.items():
        machine = make_machine(name, site=site)
        MachineSources.objects.create(
            machine=machine, told_at=now, asked_at=now, urls=urls, reached={str(mirror.pk): reached}, **more
        )
    make_machine("never-asked", site=site)
    viewer = client(Role.VIEWER)
    told = viewer.get(f"{MIRRORS}{mirror.pk}/").json()
    assert (told["uses"], told["reaches"], told["not_reached"], told["unknown"]) == (3, 1, 1, 2)
    by_name = {row["name"]: (row["uses"], row["reaches"], row["text"]) for row in told["machines"]}
    assert by_name["cut-off"] == (True, False, "no answer")
    assert by_name["silent"] == (True, None, "no answer on port 22")
    assert by_name["never-asked"] == (False, None, "")
    assert viewer.get(MIRRORS).json()["results"][0]["not_reached"] == 1


@pytest.mark.django_db
def test_a_source_is_kept_by_administrators_of_its_site_and_of_another_address_nothing_is_known() -> None:
    site = make_site()
    body = {"site": site.pk, "name": "ubuntu", "kind": "apt", "url": "http://mirror.example/ubuntu/"}
    assert client(Role.OPERATOR).post(MIRRORS, body, "application/json").status_code == 403
    elsewhere = client(Role.ADMIN, Site.objects.create(slug="lon1", name="London"))
    assert elsewhere.post(MIRRORS, body, "application/json").status_code in (403, 404)
    admin = client(Role.ADMIN)
    made = admin.post(MIRRORS, body, "application/json")
    assert made.status_code == 201 and made.json()["url"] == "http://mirror.example/ubuntu", made.content
    for bad in ({"url": "ftp://x"}, {"url": "http://169.254.169.254/"}, {"url": "http://u:p@x/"}, {"url": ""},
                {"authorities": "x"}, {"kind": "s3"}):  # fmt: skip
        assert admin.post(MIRRORS, {**body, "name": "other", **bad}, "application/json").status_code == 400, bad
    mirror = Mirror.objects.get()
    watch.keep(taken(mirror), Answered(ms=9), timezone.now())
    moved = admin.patch(f"{MIRRORS}{mirror.pk}/", {"url": "http://other.example"}, "application/json")
    assert moved.json()["state"] == "unknown" and moved.json()["latencies"] == []


@pytest.mark.slow
@pytest.mark.django_db
def test_machines_of_the_hall_say_where_they_fetch_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    machines = [twin.machine for twin in twins(3)]
    site = machines[0].device.site
    Mirror.objects.create(site=site, name="ubuntu", kind="apt", url="http://mirror.example/ubuntu")
    with running_hall("ams1", tmp_path) as hall:
        sessions.ask([(machine.pk, "true") for machine in machines])
        MachineHealth.objects.update(state="ready")
        name = machines[0].device.name
        hall.do(lambda h: h.inject(h.machines[name], "mirror_cut_off", params={"host": "mirror.example"}))
        hall.do(lambda h: h.inject(h.machines[machines[2].device.name], "ssh_refuses"))
        assert watch.ask_machines() == 3 and watch.ask_machines() == 0, "each once an hour"
    told = client(Role.VIEWER).get(f"{MIRRORS}{Mirror.objects.get().pk}/").json()
    assert (told["uses"], told["reaches"], told["not_reached"], told["unknown"]) == (2, 1, 1, 1)
