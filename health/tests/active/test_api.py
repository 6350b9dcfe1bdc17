"""Routes of active checks: shapes, roles, other sites, refusals."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, Site
from health.diagnostics import services
from health.models import ActiveMachine, ActiveRun, ActiveStep, ActiveWindow, MachineHealth
from health.tests import factories as make
from health.tests.test_api import signed_in
from inventory.models import Machine

pytestmark = pytest.mark.django_db
RUNS, WINDOWS = "/api/health/active-runs/", "/api/health/active-windows/"
JSON = "application/json"


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def machines(db: Any) -> list[Machine]:
    found = make.make_machines(4)
    MachineHealth.objects.update(state="drained")
    return found


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(path, body, content_type=JSON)


def test_the_catalogue_tells_what_each_active_check_takes_and_by_what_it_judges(machines: list[Machine]) -> None:
    rows = {row["id"]: row for row in signed_in(Role.VIEWER).get("/api/health/active-checks/").json()["results"]}
    assert set(rows) == {"diagnostic", "stress", "copies", "all_reduce", "training", "pairs", "groups"}
    assert rows["pairs"]["limits"]["ib_write_bw_both_ways_fail_gbps"] == 720
    assert rows["pairs"]["limits"]["ib_write_lat_p99_fail_us"] == 4.2
    assert rows["diagnostic"]["options"] == [{"name": "level", "usual": 2, "least": 1, "most": 4}]
    assert all(row["needs_idle"] and row["minutes"] > 0 and row["what"] for row in rows.values())


def test_an_operator_starts_a_run_and_a_viewer_sees_it(machines: list[Machine]) -> None:
    asked = post(signed_in(), RUNS, kind="stress", machines=[m.pk for m in machines[:2]], reason="after the move")
    assert asked.status_code == 201, asked.content
    run = asked.json()
    assert (run["kind"], run["state"], run["by"], run["machines"]) == ("stress", "waiting", "olga", 2)
    assert run["options"] == {"seconds": 300} and run["progress"] == {"done": 0, "total": 0, "stage": "not begun"}
    viewer = signed_in(Role.VIEWER, name="vera")
    detail = viewer.get(f"{RUNS}{run['id']}/").json()
    assert detail["machine_names"] == [m.device.name for m in machines[:2]] and detail["left_out"] == []
    assert viewer.get(RUNS, {"state": "waiting", "machine": machines[0].pk}).json()["count"] == 1
    assert viewer.get(RUNS, {"machine": machines[3].pk}).json()["count"] == 0
    refused = post(viewer, RUNS, kind="stress", machines=[machines[2].pk])
    assert refused.status_code == 403 and post(viewer, f"{RUNS}{run['id']}/cancel/").status_code == 403


def test_a_plan_says_whom_it_would_use_and_whom_not_and_writes_nothing(machines: list[Machine]) -> None:
    MachineHealth.objects.filter(pk=machines[1].pk).update(state="ready", allocation="unknown")
    MachineHealth.objects.filter(pk=machines[2].pk).update(state="ready", allocation="idle")
    plan = post(signed_in(), f"{RUNS}plan/", kind="groups", all_idle=True, site=machines[0].device.site_id).json()
    used = {row["name"]: row["taken_out"] for row in plan["machines"]}
    assert used == {machines[n].device.name: n == 2 for n in (0, 2, 3)}
    assert plan["left_out"] == [
        {"machine_id": machines[1].pk, "name": machines[1].device.name,
         "reason": "it is in service and not known to be idle"}
    ]  # fmt: skip
    assert plan["rounds"] == 4 and not ActiveRun.objects.exists()


@pytest.mark.parametrize(
    ("state", "allocation", "words"),
    [("ready", "allocated", "a job runs on it"), ("ready", "unknown", "not known to be idle"),
     ("drained", "allocated", "a job runs on it"), ("provisioning", "idle", "it is provisioning"),
     ("draining", "idle", "it is draining")],
)  # fmt: skip
def test_a_machine_that_may_run_something_is_refused(
    machines: list[Machine], state: str, allocation: str, words: str
) -> None:
    MachineHealth.objects.filter(pk=machines[0].pk).update(state=state, allocation=allocation)
    refused = post(signed_in(), RUNS, kind="stress", machines=[machines[0].pk])
    assert refused.status_code == 409 and words in refused.json()["error"]["message"]
    assert not ActiveRun.objects.exists()


def test_one_run_at_a_time_has_a_machine(machines: list[Machine]) -> None:
    first = post(signed_in(), RUNS, kind="stress", machines=[machines[0].pk]).json()
    again = post(signed_in(), RUNS, kind="copies", machines=[machines[0].pk])
    assert again.status_code == 409 and f"active run {first['id']} has it" in again.json()["error"]["message"]
    assert post(signed_in(), f"{RUNS}{first['id']}/cancel/").json()["cancelled_by"] == "olga"
    services.advance(first["id"])
    assert not ActiveMachine.objects.filter(released_at=None).exists()
    assert post(signed_in(), RUNS, kind="copies", machines=[machines[0].pk]).status_code == 201


@pytest.mark.parametrize(
    "body",
    [{"kind": "stress", "machines": [1], "options": {"seconds": 1}}, {"kind": "stress", "options": {"speed": 1}},
     {"kind": "diagnostic", "options": {"level": 5}}, {"kind": "burn_in", "options": {"kinds": ["pairs"]}},
     {"kind": "pairs", "options": {"latency": 1}}, {"kind": "burn_in", "options": {"kinds": [{}]}}],
)  # fmt: skip
def test_wrong_options_are_refused_with_words(machines: list[Machine], body: dict[str, Any]) -> None:
    refused = post(signed_in(), RUNS, **body | {"machines": [machines[0].pk]})
    assert refused.status_code == 409 and refused.json()["error"]["message"] and not ActiveRun.objects.exists()


def test_without_machines_or_with_unknown_ones_it_is_refused(machines: list[Machine]) -> None:
    client = signed_in()
    for body in ({}, {"machines": [99_999_999]}, {"pool": 99_999_999}, {"all_idle": True}, {"kind": "sleep"}):
        assert post(client, RUNS, **{"kind": "stress"} | body).status_code == 400
    pair = [machines[0].pk, machines[1].pk]
    assert post(client, RUNS, kind="stress", pairs=[pair]).status_code == 409
    assert post(client, RUNS, kind="pairs", pairs=[pair, pair]).status_code == 409
    assert post(client, RUNS, kind="pairs", machines=[pair[0]]).status_code == 409


def test_another_site_is_as_if_it_were_not_there(machines: list[Machine]) -> None:
    (other,) = make.make_machines(1, site="fra1")
    MachineHealth.objects.update(state="drained")
    here = Site.objects.get(slug="ams1")
    run = services.create(other.device.site_id, "stress", [other.pk], by="otto")
    ActiveStep.objects.create(run=run, round=1, number=1, kind="stress", machine_ids=[other.pk])
    window = ActiveWindow.objects.create(
        site=other.device.site, weekday=0, starts="01:00", ends="02:00", kinds=["stress"], created_by="otto"
    )
    local = signed_in(Role.OPERATOR, site=here, name="lola")
    assert local.get(RUNS).json()["count"] == 0 and local.get(WINDOWS).json()["count"] == 0
    for path in (f"{RUNS}{run.pk}/", f"{RUNS}{run.pk}/results/", f"{WINDOWS}{window.pk}/"):
        assert local.get(path).status_code == 404
    assert post(local, f"{RUNS}{run.pk}/cancel/").status_code == 404
    assert local.delete(f"{WINDOWS}{window.pk}/").status_code == 404
    there = post(local, RUNS, kind="copies", machines=[other.pk])
    nowhere = post(local, RUNS, kind="copies", machines=[99_999_999])
    assert there.status_code == nowhere.status_code == 400
    assert post(local, f"{RUNS}plan/", kind="copies", all_idle=True, site=other.device.site_id).status_code == 400
    new = {"site": other.device.site_id, "weekday": 1, "from": "01:00", "to": "02:00"}
    assert post(local, WINDOWS, **new).status_code == 400


FINDING = {
    "check": "gpu.stress", "part": "GPU 3", "part_text": "GPU 3", "verdict": "fail", "message": "slow", "action": "",
    "fault_class": "", "value": None,
}  # fmt: skip


def test_results_tell_each_test_with_its_findings_and_names(machines: list[Machine]) -> None:
    run = services.create(machines[0].device.site_id, "stress", [machines[0].pk], by="olga")
    ActiveStep.objects.create(
        run=run, round=1, number=1, kind="stress", machine_ids=[machines[0].pk], status="done", verdict="fail",
        attempts=1, message="GPU 3: slow", findings=[FINDING],
        finished_at=timezone.now(),
    )  # fmt: skip
    (row,) = signed_in(Role.VIEWER).get(f"{RUNS}{run.pk}/results/").json()["results"]
    assert row["machines"] == [machines[0].device.name] and row["findings"][0]["part"] == "GPU 3"
    listed = signed_in(Role.VIEWER).get(RUNS).json()["results"][0]
    assert listed["result"] == {"pass": 0, "fail": 1, "unknown": 0} and listed["results_count"] == 1


def test_a_list_of_runs_takes_as_many_statements_for_five_as_for_one(
    machines: list[Machine], django_assert_max_num_queries: Any
) -> None:
    client = signed_in(Role.VIEWER)
    client.get(RUNS)
    for machine in machines:
        services.create(machine.device.site_id, "stress", [machine.pk], by="olga")
    with django_assert_max_num_queries(6):
        assert client.get(RUNS).json()["count"] == 4


def test_windows_are_made_changed_and_removed_by_operators(machines: list[Machine]) -> None:
    client = signed_in()
    body = {"site": machines[0].device.site_id, "weekday": 6, "from": "22:00", "to": "04:00", "kinds": ["copies"]}
    made = post(client, WINDOWS, **body)
    assert made.status_code == 201, made.content
    window = made.json()
    assert (window["from"], window["to"], window["enabled"], window["created_by"]) == (
        "22:00:00",
        "04:00:00",
        True,
        "olga",
    )
    path = f"{WINDOWS}{window['id']}/"
    assert client.patch(path, {"enabled": False}, content_type=JSON).json()["enabled"] is False
    assert client.patch(path, {"to": "22:00"}, content_type=JSON).status_code == 400
    wrongs: list[dict[str, Any]] = [
        {"weekday": 7},
        {"kinds": ["pairs"]},
        {"kinds": []},
        {"kinds": ["copies", "copies"]},
    ]
    for wrong in wrongs:
        assert post(client, WINDOWS, **body | wrong).status_code == 400
    assert post(signed_in(Role.VIEWER, name="vera"), WINDOWS, **body).status_code == 403
    assert client.delete(path).status_code == 204 and not ActiveWindow.objects.exists()
