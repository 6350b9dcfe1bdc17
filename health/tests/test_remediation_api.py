"""Automation over REST: who may stop it, who may turn it on, and what the plan shows."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from core.models import Role
from core.services import ensure_user
from health.models import Incident, RemedySwitch, SiteAutomation
from health.tests import factories as make
from health.tests.conftest import Hand
from health.tests.remediation_world import broken

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]


def as_(client: Client, role: Role) -> Client:
    user, _ = ensure_user(f"a-{role}", role=role)
    client.force_login(user)
    return client


def post(client: Client, path: str, body: dict[str, Any], method: str = "post") -> Any:
    return getattr(client, method)(f"/api/health/{path}", body, content_type="application/json")


def test_an_operator_stops_automation_and_an_administrator_lets_it_go_on(
    client: Client, hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    (machine,) = broken()
    site = machine.device.site_id
    operator = as_(client, Role.OPERATOR)
    assert post(operator, "automation/kill/", {"site": site}).status_code == 400, "a reason is needed"
    answer = post(operator, "automation/kill/", {"site": site, "reason": "smoke"})
    assert answer.status_code == 200 and answer.json()["killed_reason"] == "smoke"
    assert post(operator, "automation/release/", {"site": site, "reason": "x"}).status_code == 403
    assert post(operator, "automation/close-breaker/", {"site": site, "reason": "x"}).status_code == 403
    assert post(operator, "automation/limits/", {"site": site, "power_1h": 1}, "patch").status_code == 403
    admin = as_(client, Role.ADMIN)
    assert post(admin, "automation/release/", {"site": site, "reason": "over"}).json()["killed"] is False
    limits = post(admin, "automation/limits/", {"site": site, "power_1h": 1}, "patch").json()["limits"]
    assert limits["power_1h"] == 1 == SiteAutomation.objects.get().power_1h


def test_the_plan_says_for_each_machine_what_is_next_and_what_stands_in_the_way(
    client: Client, hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    (machine,) = broken(on=())
    (row,) = as_(client, Role.VIEWER).get("/api/health/plan/").json()["results"]
    assert row["machine"]["id"] == machine.pk and (row["remedy"], row["mode"]) == ("reset_gpu", "dry_run")
    assert row["allowed"] is False and row["refused_by"] == "dry_run" and row["next"] == "reboot"


def test_a_remedy_is_turned_on_per_check_and_off_again(client: Client) -> None:
    admin = as_(client, Role.ADMIN)
    wanted = {"check": "gpu.ecc", "remedy": "reset_gpu", "site": None, "mode": "on", "reason": "trusted"}
    made = post(admin, "remedy-switches/", wanted)
    assert made.status_code == 201 and made.json()["by"] == "a-admin"
    assert post(admin, "remedy-switches/", wanted | {"mode": "dry_run"}).json()["id"] == made.json()["id"]
    assert RemedySwitch.objects.get().mode == "dry_run"
    assert post(admin, "remedy-switches/", wanted | {"check": "gpu.nothing"}).json()["error"]["fields"]["check"]
    assert post(admin, "remedy-switches/", wanted | {"remedy": "pray"}).json()["error"]["fields"]["remedy"]
    assert admin.delete(f"/api/health/remedy-switches/{made.json()['id']}/").status_code == 204


def test_an_incident_shows_its_faults_and_is_closed_with_a_reason(
    client: Client, hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    (machine,) = broken()
    operator, pk = as_(client, Role.OPERATOR), Incident.objects.get().pk
    shown = operator.get(f"/api/health/incidents/{pk}/").json()
    assert shown["drained"] is True and shown["faults"][0]["slot"] == "GPU 5"
    assert shown["machine"]["name"] == machine.device.name
    assert post(operator, f"incidents/{pk}/close/", {"reason": "handled by hand"}).json()["closed_by"] == "a-operator"
    assert post(operator, f"incidents/{pk}/close/", {"reason": "again"}).status_code == 409


@pytest.mark.parametrize(
    ("kind", "cause", "words"),
    [("rack", "A17", "Rack A17"), ("management", "mgmt-1", "Management switch mgmt-1"),
     ("rollout", "Kernel 6.8.0-49", "New Kernel 6.8.0-49"), ("site", "", "No known common cause")],
)  # fmt: skip
def test_an_incident_says_in_words_what_its_machines_share(client: Client, kind: str, cause: str, words: str) -> None:
    (machine,) = make.make_machines(1)
    site_id = machine.device.site_id
    Incident.objects.create(site_id=site_id, kind="shared", cause_kind=kind, cause=cause, title="lost")
    Incident.objects.create(site_id=site_id, kind="machine", machine=machine, title="its own")
    own, shared = as_(client, Role.VIEWER).get("/api/health/incidents/").json()["results"]
    assert (own["cause_words"], shared["cause_words"]) == ("", words)


def test_allowed_hours_are_kept_and_need_a_length(
    client: Client, hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    (machine,) = broken()
    admin = as_(client, Role.ADMIN)
    hours = {
        "site": machine.device.site_id, "weekdays": 31, "from_time": "22:00", "to_time": "05:00", "levels": [3, 4],
        "reason": "nights",
    }  # fmt: skip
    made = post(admin, "windows/", hours)
    assert made.status_code == 201, made.json()
    assert post(admin, "windows/", hours | {"to_time": "22:00"}).status_code == 400
    assert post(admin, f"windows/{made.json()['id']}/", {"levels": [5]}, "patch").json()["levels"] == [5]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["automation/", "remedies/", "actions/", "stuck/", "windows/", "remedy-switches/"])
def test_everybody_with_a_role_may_look(
    client: Client, path: str, hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    broken()
    assert as_(client, Role.VIEWER).get(f"/api/health/{path}").status_code == 200
