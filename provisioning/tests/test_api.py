"""API of provisioning: shape, rights by role and site, a fixed number of queries."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from access.tests.fleet import make_credentials, make_site
from core.models import Role
from core.services import ensure_user
from provisioning import metrics, services
from provisioning.models import RunMachine
from provisioning.steps import INSTALL
from provisioning.tests.world import OUR_KEY, Pump, bare, start_run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _quiet(pump: Pump) -> None:
    make_credentials(OUR_KEY)


def sign_in(client: Client, role: Role, site: str | None = None) -> None:
    user, _ = ensure_user(f"{role}-{site}", role=role, site=make_site(site) if site else None)
    client.force_login(user)


def test_an_operator_starts_looks_at_and_cancels_a_run(client: Client) -> None:
    machines = [bare(f"gpu-{number:03}") for number in range(3)]
    sign_in(client, Role.OPERATOR, "north")
    body = {"machines": [machine.pk for machine in machines], "name": "row 3", "limit": 2}
    answer = client.post("/api/provisioning/runs/", body, content_type="application/json")
    assert answer.status_code == 201
    run = answer.json()
    services.fill()

    shown = client.get(f"/api/provisioning/runs/{run['id']}/").json()
    assert (shown["name"], shown["limit"], shown["status"]) == ("row 3", 2, "running")
    assert shown["totals"] == {"waiting": 1, "running": 2, "done": 0, "failed": 0, "cancelled": 0}
    first = shown["machines"][0]
    assert first["machine"] == {"id": machines[0].pk, "name": "gpu-000"}
    assert [step["name"] for step in shown["way"]] == list(INSTALL.steps)
    assert (first["step"], first["attempt"], first["failure_class"], first["ticket"]) == ("identity", 1, None, None)
    machine = client.get(f"/api/provisioning/runs/{run['id']}/machines/{first['id']}/").json()
    assert [step["name"] for step in machine["steps"]] == list(INSTALL.steps)
    assert machine["steps"][0]["status"] == "running" and machine["evidence"] == []

    log = client.get(f"/api/provisioning/runs/{run['id']}/machines/{first['id']}/log/").json()["lines"]
    assert [line["n"] for line in log] == [1, 2]
    after = client.get(f"/api/provisioning/runs/{run['id']}/machines/{first['id']}/log/?after=1").json()["lines"]
    assert [line["n"] for line in after] == [2]

    one = client.post(f"/api/provisioning/runs/{run['id']}/machines/{first['id']}/cancel/")
    assert one.json()["status"] == "cancelled"
    again = client.post(f"/api/provisioning/runs/{run['id']}/machines/{first['id']}/cancel/")
    assert again.status_code == 409 and again.json()["error"]["code"] == "conflict"
    retried = client.post(f"/api/provisioning/runs/{run['id']}/machines/{first['id']}/retry/")
    assert retried.json()["status"] == "waiting"
    assert client.post(f"/api/provisioning/runs/{run['id']}/cancel/").json()["status"] == "cancelled"


def test_a_refused_run_names_the_machine_and_the_reason(client: Client) -> None:
    sign_in(client, Role.OPERATOR)
    body = {"machines": [bare("gpu-001", "ready").pk]}
    answer = client.post("/api/provisioning/runs/", body, content_type="application/json")
    assert answer.status_code == 400
    assert "gpu-001: a machine that is ready" in str(answer.json()["error"]["fields"]["machines"])


def test_viewers_and_people_of_another_site_start_and_see_nothing(client: Client) -> None:
    machine = bare("gpu-001")
    run = start_run(machine)
    row = run.machines.get()
    body = {"machines": [machine.pk]}
    for role, site, expected in ((Role.TECHNICIAN, "north", 200), (Role.OPERATOR, "south", 404)):
        sign_in(client, role, site)
        assert client.get(f"/api/provisioning/runs/{run.pk}/").status_code == expected
        assert client.get(f"/api/provisioning/runs/{run.pk}/machines/{row.pk}/log/").status_code == expected
        assert client.get(f"/api/provisioning/runs/{run.pk}/machines/{row.pk}/").status_code == expected
        assert client.post("/api/provisioning/runs/", body, content_type="application/json").status_code == 403
        for path in ("cancel", f"machines/{row.pk}/cancel", f"machines/{row.pk}/retry"):
            assert client.post(f"/api/provisioning/runs/{run.pk}/{path}/").status_code in (403, 404)
    assert RunMachine.objects.get().status == "waiting"


def test_lists_and_details_take_a_fixed_number_of_queries(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    sign_in(client, Role.VIEWER)
    start_run(*[bare(f"gpu-{number:03}") for number in range(20)])
    run = start_run(*[bare(f"gpu-{number:03}") for number in range(20, 60)])
    client.get("/api/provisioning/runs/")
    with django_assert_num_queries(6):
        assert client.get("/api/provisioning/runs/").json()["results"][0]["totals"]["waiting"] == 40
    with django_assert_num_queries(8):
        assert len(client.get(f"/api/provisioning/runs/{run.pk}/").json()["machines"]) == 40


def test_the_history_tells_of_a_run_without_a_name(client: Client) -> None:
    sign_in(client, Role.ADMIN)
    body = {"machines": [bare("gpu-001").pk]}
    run = client.post("/api/provisioning/runs/", body, content_type="application/json").json()
    assert run["name"] == ""
    changes = client.get("/api/history/").json()["results"]
    assert f"#{run['id']} gpu-001" in {entry["name"] for change in changes for entry in change["entries"]}


def test_metrics_count_runs_and_machines() -> None:
    start_run(bare("gpu-001"), bare("gpu-002"))
    values = {(sample.name, *sample.labels.values()): sample.value for m in metrics.collect() for sample in m.samples}
    assert values["rackside_runs", "waiting"] == 1
    assert values["rackside_run_machines", "waiting", ""] == 2
