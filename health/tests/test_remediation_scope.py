"""Automation over REST: exact answers, two sites, and as many queries for many incidents as for few."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Role
from core.services import ensure_user
from health.machines.limits import TABLE
from health.models import Fault, Incident, MachineHealth, RemedySwitch, SiteAutomation
from health.remediation.api import answers
from health.remediation.services import automation
from health.remediation.services.steps import plan_site
from health.tests import factories as make
from health.tests.remediation_world import broken, plan_and_act

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]


def of_site(client: Client, site: Any, role: Role) -> Client:
    """Somebody with this role at one site only."""
    user, _ = ensure_user(f"only-{site.slug}-{role}", role=role, site=site)
    client.force_login(user)
    return client


def as_(client: Client, role: Role) -> Client:
    client.force_login(ensure_user(f"everywhere-{role}", role=role)[0])
    return client


def incidents_on(machines: list[Any]) -> None:
    """A confirmed, announced fault with its incident on each machine, which is drained."""
    now = timezone.now()
    for machine in machines:
        incident = Incident.objects.create(
            site_id=machine.device.site_id, kind="machine", machine=machine, title="x", drained_at=now
        )
        Fault.objects.create(
            machine=machine, slot="GPU 5", fault_class="gpu.memory", precedence=3, kind="level", status="confirmed",
            opened_at=now, seen_at=now, confirmed_at=now, announced_at=now, checks=["gpu.ecc"], message="x",
            incident=incident,
        )  # fmt: skip
    MachineHealth.objects.filter(machine__in=machines).update(state="drained")


PATHS = ("automation/", "plan/", "incidents/?page_size=500", "actions/?page_size=500", "stuck/")


def counted(client: Client, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as told:
        assert client.get(f"/api/health/{path}").status_code == 200
    return len(told)


@pytest.mark.slow
def test_many_incidents_take_as_many_queries_as_one(client: Client, hands: Any, world: Any) -> None:
    machines = make.make_machines(120)
    admin = as_(client, Role.ADMIN)
    incidents_on(machines[:4])  # alike on enough machines to ask how large their pools are
    few = {path: counted(admin, path) for path in PATHS}
    incidents_on(machines[4:])
    assert {path: counted(admin, path) for path in PATHS} == few
    assert len(admin.get("/api/health/plan/").json()["results"]) == 120


def test_a_round_over_many_that_wait_asks_no_question_for_each(hands: Any, world: Any) -> None:
    machines = make.make_machines(60)
    site = machines[0].device.site_id

    def asked() -> int:
        plan_site(site)  # what refuses is written down once
        with CaptureQueriesContext(connection) as told:
            plan_site(site)
        return len(told)

    SiteAutomation.objects.update(patience_s=0)
    incidents_on(machines[:4])
    few = asked()
    incidents_on(machines[4:])
    assert asked() == few


def test_answers_have_the_fields_that_the_document_names(client: Client, hands: Any, world: Any) -> None:
    (machine,) = broken()
    plan_and_act(machine)
    admin = as_(client, Role.ADMIN)
    (row,) = admin.get("/api/health/plan/").json()["results"]
    assert set(row) == set(answers.PlanRowSerializer().fields)
    said = admin.get("/api/health/automation/").json()
    assert set(said) == set(answers.AutomationSerializer().fields)
    assert set(said["limits"]) == set(answers.LimitsAnswerSerializer().fields) == set(TABLE)
    assert set(said["budgets"][0]) == set(answers.BudgetSerializer().fields)
    assert set(said["breaker"]) == set(answers.BreakerSerializer().fields)
    assert set(admin.get("/api/health/remedies/").json()["results"][0]) == set(answers.RemedySerializer().fields)


@pytest.mark.parametrize("path", ["kill/", "release/", "close-breaker/"])
def test_nobody_stops_or_starts_automation_at_another_site(client: Client, path: str) -> None:
    ours, theirs = make.make_machines(1)[0].device.site, make.make_machines(1, site="fra1")[0].device.site
    admin = of_site(client, ours, Role.ADMIN)
    body = {"site": theirs.pk, "reason": "x"}
    assert admin.post(f"/api/health/automation/{path}", body, content_type="application/json").status_code == 400
    assert not SiteAutomation.objects.get(site=theirs).killed
    assert admin.get(f"/api/health/automation/?site={theirs.pk}").status_code == 404
    assert admin.get(f"/api/health/plan/?site={theirs.pk}").status_code == 404


def test_nobody_turns_a_remedy_on_or_off_beyond_his_site(client: Client, hands: Any, world: Any) -> None:
    ours, theirs = make.make_machines(1)[0].device.site, make.make_machines(1, site="fra1")[0].device.site
    for site in (None, theirs.pk):
        automation.set_switch("gpu.ecc", "reboot", site_id=site, mode="on", reason="x", actor="ada")
    admin = of_site(client, ours, Role.ADMIN)
    wanted = {"check": "gpu.ecc", "remedy": "reset_gpu", "mode": "on", "reason": "x"}
    for site in (None, theirs.pk):
        answer = admin.post("/api/health/remedy-switches/", wanted | {"site": site}, content_type="application/json")
        assert answer.status_code in (400, 403), answer.content
    everywhere = RemedySwitch.objects.get(site=None)
    assert [row["id"] for row in admin.get("/api/health/remedy-switches/").json()["results"]] == [everywhere.pk]
    for switch in RemedySwitch.objects.all():
        assert admin.delete(f"/api/health/remedy-switches/{switch.pk}/").status_code in (403, 404)
    assert RemedySwitch.objects.count() == 2


def test_incidents_and_actions_of_another_site_are_not_there(client: Client, hands: Any, world: Any) -> None:
    ours = make.make_machines(1)[0].device.site
    (machine,) = broken(site="fra1")
    action = plan_and_act(machine)
    admin = of_site(client, ours, Role.ADMIN)
    for path in ("incidents/", "actions/"):
        assert admin.get(f"/api/health/{path}").json()["count"] == 0
    reason = {"reason": "x", "outcome": "failed"}
    for path in (f"incidents/{action.incident_id}/close/", f"actions/{action.pk}/resolve/"):
        assert admin.post(f"/api/health/{path}", reason, content_type="application/json").status_code == 404
