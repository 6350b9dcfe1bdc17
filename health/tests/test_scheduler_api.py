"""The REST of schedulers: who may configure them, what they say, where they differ, and what a machine asks."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Credential, Role, Site
from core.services import ensure_user, set_credential
from health.models import Fault, MachineHealth, SchedulerMachine, SchedulerSource, SchedulerWish
from health.tests.factories import make_machines
from inventory.models import Machine

pytestmark = pytest.mark.django_db
BASE = "/api/health/schedulers/"
HOSTS = ["slurm", "other", "mine", "login-1", "127.0.0.1"]


@pytest.fixture
def machines() -> list[Machine]:
    return make_machines(3)


@pytest.fixture
def source(machines: list[Machine]) -> SchedulerSource:
    return SchedulerSource.objects.create(
        site=Site.objects.get(), url="http://127.0.0.1:1", state="good", last_read_at=timezone.now()
    )


def client(role: Role, name: str = "", site: Site | None = None) -> Client:
    user, _ = ensure_user(name or role.value, role=role, site=site)
    signed_in = Client()
    signed_in.force_login(user)
    return signed_in


def told(source: SchedulerSource, machine: Machine, **changes: Any) -> SchedulerMachine:
    fields = {"state": "idle", "words": "idle", "closed": False, "answers": True, "jobs": 0, "since": timezone.now()}
    name = machine.device.name
    return SchedulerMachine.objects.create(source=source, machine=machine, name=name, **(fields | changes))


def test_an_administrator_configures_a_scheduler_and_its_secret_is_named_only(machines: list[Machine]) -> None:
    set_credential("slurm", kind="password", username="rackside", secret="aaa.bbb.ccc", purpose="slurm", hosts=HOSTS)
    body = {"site": Site.objects.get().pk, "url": "http://slurm:6820", "credential": "slurm", "local": True}
    answer = client(Role.ADMIN).post(BASE, body, content_type="application/json")
    assert answer.status_code == 201, answer.content
    assert answer.json()["credential"] == "slurm" and "aaa.bbb" not in answer.content.decode()
    assert answer.json()["state"] == "never"
    again = client(Role.ADMIN).post(BASE, body, content_type="application/json")
    assert again.status_code == 400 and list(again.json()["error"]["fields"]) == ["site"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"url": "slurm:6820"}, "url"),
        ({"credential": None}, "credential"),
        ({"url": "", "local": False}, "url"),
        ({"ssh_address": "login:port"}, "ssh_address"),
        ({"ssh_address": "login-1"}, "ssh_credential"),
        ({"period_s": 600, "stale_after_s": 60}, "stale_after_s"),
        ({"names": ["gpu"]}, "names"),
        ({"api_version": "latest"}, "api_version"),
    ],
    ids=str,
)
def test_a_scheduler_that_cannot_work_is_refused_with_the_field(
    machines: list[Machine], changes: dict[str, Any], field: str
) -> None:
    set_credential("slurm", kind="password", username="rackside", secret="aaa.bbb.ccc", purpose="slurm", hosts=HOSTS)
    body = {"site": Site.objects.get().pk, "url": "http://slurm:6820", "credential": "slurm", "local": True}
    answer = client(Role.ADMIN).post(BASE, body | changes, content_type="application/json")
    assert answer.status_code == 400 and list(answer.json()["error"]["fields"]) == [field]
    assert not SchedulerSource.objects.exists()


def test_an_administrator_of_one_site_does_not_say_where_a_login_is_sent(source: SchedulerSource) -> None:
    local = client(Role.ADMIN, "local", site=source.site)
    path = f"{BASE}{source.pk}/"
    set_credential("slurm", kind="password", username="rackside", secret="aaa.bbb.ccc", purpose="slurm", hosts=HOSTS)
    body = {"url": "http://mine", "credential": "slurm"}
    assert local.patch(path, body, content_type="application/json").status_code == 403
    assert local.patch(path, {"url": "", "local": True}, content_type="application/json").status_code == 403
    SchedulerSource.objects.update(url="", local=True)
    assert local.patch(path, {"settle_s": 60}, content_type="application/json").status_code == 200
    operator = client(Role.OPERATOR)
    assert operator.patch(path, {"settle_s": 6}, content_type="application/json").status_code == 403


def test_another_address_forgets_what_was_pinned_of_the_old_one(source: SchedulerSource) -> None:
    SchedulerSource.objects.update(certificate="a" * 64, since=7)
    path = f"{BASE}{source.pk}/"
    set_credential("slurm", kind="password", username="rackside", secret="aaa.bbb.ccc", purpose="slurm", hosts=HOSTS)
    body = {"url": "https://other:6820", "credential": "slurm"}
    assert client(Role.ADMIN).patch(path, body, content_type="application/json").status_code == 200
    source.refresh_from_db()
    assert (source.certificate, source.since) == ("", None)


def test_reading_a_scheduler_that_does_not_answer_says_so(source: SchedulerSource) -> None:
    set_credential("slurm", kind="password", username="rackside", secret="aaa.bbb.ccc", purpose="slurm", hosts=HOSTS)
    source.credential_id = Credential.objects.get().pk
    source.save()
    answer = client(Role.OPERATOR).post(f"{BASE}{source.pk}/read/")
    assert answer.status_code == 200
    assert answer.json()["state"] == "stale" and "slurmrestd" in answer.json()["message"]
    SchedulerSource.objects.update(enabled=False)
    assert client(Role.OPERATOR).post(f"{BASE}{source.pk}/read/").status_code == 409


def test_a_row_of_the_scheduler_shows_ours_beside_it_and_the_wish(
    source: SchedulerSource, machines: list[Machine]
) -> None:
    told(source, machines[0], state="drained", closed=True, reason="rackside: x")
    SchedulerWish.objects.create(machine=machines[0], want="drain", status="waiting", error="no answer")
    (row,) = client(Role.VIEWER).get("/api/health/scheduler/machines/").json()["results"]
    assert row["our_name"] == machines[0].device.name and row["our_state"] == "ready"
    assert row["desired_state"]["error"] == "no answer" and row["closed"]


def test_disagreements_are_listed_and_stop_with_a_scheduler_that_is_not_heard(
    source: SchedulerSource, machines: list[Machine]
) -> None:
    told(source, machines[0], state="drained", closed=True, reason="bob", reason_by="bob")
    told(source, machines[1])
    viewer = client(Role.VIEWER)
    path = "/api/health/scheduler/disagreements/"
    rows = viewer.get(path).json()["results"]
    assert [(row["kind"], row["machine"]) for row in rows] == [
        ("drained_without_ticket", machines[0].pk), ("missing_machine", machines[2].pk),
    ]  # fmt: skip
    assert [row["kind"] for row in viewer.get(path, {"kind": "missing_machine"}).json()["results"]] == [
        "missing_machine"
    ]
    assert viewer.get(path, {"site": "999999"}).json()["results"] == []
    assert viewer.get(path, {"site": "x"}).status_code == 400 and viewer.get(path, {"kind": "x"}).status_code == 400
    SchedulerSource.objects.update(state="failed", message="connection refused")
    assert [row["kind"] for row in viewer.get(path).json()["results"]] == ["not_read"]


def test_disagreements_cost_the_same_for_many_machines(source: SchedulerSource, machines: list[Machine]) -> None:
    viewer = client(Role.VIEWER)

    def count() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert viewer.get("/api/health/scheduler/disagreements/").status_code == 200
        return len(caught)

    for machine in machines:
        told(source, machine)
    count()
    few = count()
    for machine in make_machines(9):
        told(source, machine, state="drained", closed=True, reason="bob")
    assert count() == few


def ask(machine: Machine, **params: str) -> str:
    answer = client(Role.VIEWER).get(f"/api/health/scheduler/machines/{machine.device.name}/check/", params)
    assert answer.status_code == 200 and answer["Content-Type"].startswith("text/plain")
    return answer.content.decode()


def test_a_machine_hears_whether_jobs_may_run_on_it(machines: list[Machine]) -> None:
    one = machines[0]
    assert ask(one) == "unknown: unreachable (never)\n"
    MachineHealth.objects.update(reachability="reachable")
    assert ask(one) == "ok\n"
    now = timezone.now()
    Fault.objects.create(machine=one, slot="GPU 5", fault_class="gpu.gone", status="confirmed", message="gone\nnow",
                         precedence=0, kind="level", opened_at=now, seen_at=now)  # fmt: skip
    assert ask(one) == "ok\n", "the cap keeps it in service"
    assert ask(one, strict="1") == "bad: SXM 5 (GPU 5): gone now\n"
    MachineHealth.objects.filter(pk=one.pk).update(state="repair", ticket_key="REP-9")
    assert ask(one) == "bad: repair: REP-9\n"
    MachineHealth.objects.filter(pk=one.pk).update(state="new")
    assert ask(one) == "unknown: new\n"


def test_a_machine_nobody_knows_or_two_sites_have_is_unknown(machines: list[Machine]) -> None:
    answer = client(Role.VIEWER).get("/api/health/scheduler/machines/nothing-here/check/")
    assert answer.content.startswith(b"unknown:")
