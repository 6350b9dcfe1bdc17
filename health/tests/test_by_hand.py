"""Remedies that people start by hand: one record, one call, a verification; and what keeps a person from it."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role
from core.services import ensure_user
from health.machines.calls import Report
from health.machines.services.limits import automation_of
from health.models import ActiveMachine, ActiveRun, Incident, LifecycleChange, MachineHealth, RemediationAction
from health.remediation.executors import Answer, host
from health.remediation.services import actions, automation, by_hand
from health.remediation.services.steps import step
from health.tests import factories as make
from health.tests.conftest import Hand
from health.tests.remediation_world import ago, broken, events, look_after, memory_fault
from inventory.models import Machine

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]


def out_of_service(state: str = "drained") -> Machine:
    """A machine with nothing wrong that a person took out."""
    machine = make.make_machines(4)[0]
    MachineHealth.objects.filter(pk=machine.pk).update(state=state, state_since=timezone.now(), boot_id="boot-a")
    return machine


def by_olga(machine: Machine, remedy: str = "reset_gpu", part: str = "") -> RemediationAction:
    row = by_hand.start(machine.pk, remedy, part=part, reason="it hangs", by="olga")
    actions.carry_out(row.pk, row.lease_owner)
    row.refresh_from_db()
    return row


def refusing(machine: Machine, remedy: str = "reset_gpu") -> str:
    with pytest.raises(by_hand.NotNow) as told:
        by_hand.start(machine.pk, remedy, reason="it hangs", by="olga")
    assert not RemediationAction.objects.filter(planned_by="olga").exists()
    return str(told.value.refusal.guard)


def test_a_machine_without_a_fault_is_treated_looked_at_as_a_whole_and_its_own_incident_ends(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    machine = out_of_service()
    action = by_olga(machine)
    assert (action.state, action.planned_by, action.fault) == ("confirmed", "olga", None)
    assert hands["reset_gpu"].sent == [action.key] and make.health(machine).state == "verifying"
    incident = Incident.objects.get()
    assert incident.closed_at is None and "it hangs" in incident.title
    assert look_after(action) == "passed"
    incident.refresh_from_db()
    assert make.health(machine).state == "ready" and incident.closed_by == "olga"
    steps = LifecycleChange.objects.filter(machine=machine).order_by("id").values_list("transition__event", "actor")
    assert ("remediate", "olga") in list(steps)
    assert [e.data["state"] for e in events("action.changed")] == ["granted", "sent", "confirmed"]
    assert events("action.changed")[0].actor == "olga"


def test_budgets_dry_run_breaker_and_kill_switch_bind_automation_and_not_a_person(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    (machine,) = broken(on=())
    site = machine.device.site_id
    automation.set_limits(site, {"remediations_7d": 0, "power_1h": 0}, actor="ada")
    automation.kill(site, reason="wrong", actor="ada")
    row = automation_of(site)
    row.breaker_open_at, row.breaker_reason = timezone.now(), "odd"
    row.save()
    assert step(machine.pk) is None
    action = by_olga(machine, "reboot")
    assert action.state == "sent" and len(hands["reboot"].sent) == 1
    assert action.incident.faults.exists() and action.fault is not None, "it belongs to what is wrong"


@pytest.mark.slow
def test_a_person_s_failures_do_not_open_the_breaker_of_automation(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    for machine in broken(3):
        assert look_after(by_olga(machine), memory_fault()) == "failed"
    assert automation.trip(machine.device.site_id) == ""


@pytest.mark.parametrize(
    ("said", "guard"),
    [
        ({"jobs": 1}, "jobs"),
        ({"jobs": None}, "scheduler"),
        ({"logins": 1}, "logins"),
        ({"reservation_by_others": True}, "reservation"),
        ({"drained": False}, "not_drained"),
        ({"heard": False}, "unreachable"),
    ],
)
def test_nobody_s_work_is_stopped_by_hand_and_nothing_is_sent(
    hands: dict[str, Hand], world: dict[str, Any], said: Any, guard: str
) -> None:
    machine = out_of_service()
    world.update(said)
    action = by_olga(machine)
    assert (action.state, action.refused_by) == ("cancelled", guard) and not hands["reset_gpu"].sent
    assert make.health(machine).state == "drained" and Incident.objects.get().closed_at is not None


def test_a_drain_of_somebody_else_is_no_obstacle_to_a_person(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    machine = out_of_service()
    world["drain_is_ours"] = False
    assert by_olga(machine).state == "confirmed"


def test_what_holds_against_a_person_is_said_at_once_and_nothing_is_written(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    machine = out_of_service("ready")
    assert refusing(machine) == "state"
    MachineHealth.objects.filter(pk=machine.pk).update(state="repair")
    assert refusing(machine) == "state"
    MachineHealth.objects.filter(pk=machine.pk).update(state="drained")
    run = ActiveRun.objects.create(site=machine.device.site, kind="stress", requested_by="tina")
    taken = ActiveMachine.objects.create(run=run, machine=machine)
    assert refusing(machine) == "held", "a test runs on it"
    taken.released_at = timezone.now()
    taken.save()
    Machine.objects.update(bmc_ip=None)
    assert refusing(machine, "power_cycle") == "shared_power"
    assert not Incident.objects.exists()
    by_hand.start(machine.pk, "reboot", reason="it hangs", by="tina")
    assert refusing(machine) == "open_action"


def test_automation_waits_for_a_test_that_runs_on_a_machine(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    (machine,) = broken()
    run = ActiveRun.objects.create(site=machine.device.site, kind="stress", requested_by="tina")
    ActiveMachine.objects.create(run=run, machine=machine)
    with make.trusted_checks():
        assert step(machine.pk) is None
    assert Incident.objects.get().refused_by == "held"


def test_from_triage_it_goes_on_by_hand_and_automation_stays_out(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    (machine,) = broken()
    MachineHealth.objects.filter(pk=machine.pk).update(state="triage")
    action = by_olga(machine)
    assert look_after(action, memory_fault()) == "failed" and make.health(machine).state == "drained"
    with make.trusted_checks():
        assert step(machine.pk) is None
    assert Incident.objects.get().needs_person_reason == "olga took it in hand"


def test_what_had_no_effect_leaves_the_machine_to_people(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    machine = out_of_service()
    hands["reset_gpu"].answer = Answer(Report.FAILED, "the driver said no")
    action = by_olga(machine)
    assert action.state == "failed" and make.health(machine).state == "triage"
    incident = Incident.objects.get()
    assert incident.closed_at is not None and "driver said no" in incident.close_reason


def test_what_nobody_knows_stays_open_until_a_person_says_so(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    machine = out_of_service()
    hands["reboot"].answer = RuntimeError("lost")
    action = by_olga(machine, "reboot")
    RemediationAction.objects.update(lease_until=ago(1), deadline=ago(1))
    assert actions.carry_out(action.pk) == "ambiguous" and Incident.objects.get().closed_at is None
    actions.resolve(action.pk, outcome="failed", reason="looked", actor="tina")
    assert Incident.objects.get().closed_at is not None and make.health(machine).state == "triage"


def test_the_part_is_the_one_named_or_those_of_the_faults(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    hands["reset_gpu"].parts = host.ResetGpu().parts
    hands["reset_gpu"].target = host.ResetGpu().target
    hands["restart_service"].parts = host.RestartService().parts
    machine = out_of_service()
    with pytest.raises(by_hand.UnknownPart, match="GPU 5"):
        by_hand.start(machine.pk, "reset_gpu", reason="x", by="olga")
    with pytest.raises(by_hand.UnknownPart):
        by_hand.start(machine.pk, "reset_gpu", part="GPU 99", reason="x", by="olga")
    with pytest.raises(by_hand.UnknownPart, match="itself"):
        by_hand.start(machine.pk, "reboot", part="GPU 5", reason="x", by="olga")
    assert not RemediationAction.objects.exists() and not Incident.objects.exists()
    named = by_hand.start(machine.pk, "reset_gpu", part="GPU 5", reason="x", by="olga")
    assert set(named.params) == {"pci"} and "," not in named.params["pci"]


def test_without_a_name_it_is_done_to_the_parts_of_its_faults(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    hands["reset_gpu"].parts = host.ResetGpu().parts
    hands["reset_gpu"].target = host.ResetGpu().target
    (machine,) = broken(1, memory_fault(5), memory_fault(2), on=())
    offer = {each.remedy.name: each for each in by_hand.offers(make.health(machine))}["reset_gpu"]
    assert set(offer.suggested) == {"GPU 2", "GPU 5"} and len(offer.parts) == 8 and offer.refusal is None
    row = by_hand.start(machine.pk, "reset_gpu", reason="x", by="olga")
    assert row.params["pci"].count(",") == 1 and row.check_id == "gpu.ecc"


# ---- over REST ----


def as_(client: Client, role: Role, site: Any = None) -> Client:
    client.force_login(ensure_user(f"by-hand-{role}-{site}", role=role, site=site)[0])
    return client


def ask(client: Client, machine: Machine, **more: Any) -> Any:
    key = more.pop("key", "")
    body = {"machine": machine.pk, "remedy": "reboot", "reason": "it hangs"} | more
    headers = {"Idempotency-Key": key} if key else {}
    return client.post("/api/health/actions/", body, content_type="application/json", headers=headers)


def test_an_operator_starts_one_and_nobody_below(client: Client, hands: dict[str, Hand], world: dict[str, Any]) -> None:
    machine = out_of_service()
    for role in (Role.VIEWER, Role.TECHNICIAN):
        assert ask(as_(client, role), machine).status_code == 403
    operator = as_(client, Role.OPERATOR)
    assert ask(operator, machine, reason="").status_code == 400
    assert ask(operator, machine, remedy="reimage").status_code == 400
    assert ask(operator, machine, part="GPU 5").json()["error"]["fields"]["part"]
    made = ask(operator, machine)
    assert made.status_code == 201, made.content
    told = made.json()
    assert (told["state"], told["machine"]["id"]) == ("granted", machine.pk)
    assert told["planned_by"] == "by-hand-operator-None" and told["reason"] == "Reboot: it hangs"
    again = ask(operator, machine)
    assert again.status_code == 409 and "in progress" in again.json()["error"]["message"]


def test_the_same_request_twice_starts_one(client: Client, hands: dict[str, Hand], world: dict[str, Any]) -> None:
    machine, key = out_of_service(), str(uuid4())
    operator = as_(client, Role.OPERATOR)
    first, second = ask(operator, machine, key=key), ask(operator, machine, key=key)
    assert first.status_code == second.status_code == 201 and first.json()["id"] == second.json()["id"]
    assert RemediationAction.objects.count() == 1


def test_nobody_starts_one_beyond_his_site(client: Client, hands: dict[str, Hand], world: dict[str, Any]) -> None:
    ours = make.make_machines(1)[0].device.site
    theirs = make.make_machines(1, site="fra1")[0]
    operator = as_(client, Role.OPERATOR, ours)
    answer = ask(operator, theirs)
    assert answer.status_code == 400 and answer.json()["error"]["fields"]["machine"]
    assert operator.get(f"/api/machines/{theirs.pk}/remedies/").status_code == 404
    ensure_user("by-hand-both", role=Role.VIEWER)
    user, _ = ensure_user("by-hand-both", role=Role.OPERATOR, site=ours)
    client.force_login(user)
    assert ask(client, theirs).status_code == 403
    assert not RemediationAction.objects.exists()


def test_a_machine_s_page_learns_which_may_be_started_and_why_not(
    client: Client, hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    machine = out_of_service("ready")
    viewer = as_(client, Role.VIEWER)
    rows = {row["remedy"]: row for row in viewer.get(f"/api/machines/{machine.pk}/remedies/").json()["results"]}
    assert list(rows) == ["restart_service", "reset_gpu", "reboot", "power_cycle"]
    assert rows["restart_service"]["allowed"] and rows["restart_service"]["refused_by"] is None
    assert not rows["reboot"]["allowed"] and rows["reboot"]["refused_by"] == "state"
    assert (rows["reboot"]["refused_reason"], rows["reboot"]["frees"]) == ("it is ready", "when it is drained")
    assert rows["reboot"]["dark"] and not rows["reset_gpu"]["dark"]
    MachineHealth.objects.filter(pk=machine.pk).update(state="drained")
    assert all(row["allowed"] for row in viewer.get(f"/api/machines/{machine.pk}/remedies/").json()["results"][:3])
