"""What people, other workers and time do to an action between its plan and its end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.utils import timezone

from access.models import Endpoint
from health.machines.calls import Report
from health.models import Fault, Incident, MachineHealth, RemediationAction, SiteAutomation
from health.monitoring.services.sweeps import observation_store
from health.remediation.executors import Answer
from health.remediation.services import actions, automation, incidents, views
from health.remediation.services.clock import REST_S, Clocks
from health.remediation.services.steps import plan_site, step
from health.services import dismiss_fault
from health.tests import factories as make
from health.tests.remediation_world import ago, broken, events, look_after, memory_fault, plan_and_act
from inventory.models import Device, Machine

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]


def granted(machine: Machine) -> RemediationAction:
    with make.trusted_checks():
        action_id = step(machine.pk)
    assert action_id is not None
    return RemediationAction.objects.get(pk=action_id)


# ---- between grant and call ----


@pytest.mark.slow
@pytest.mark.parametrize("what", ["incident", "switch", "fault", "person"])
def test_what_people_decide_after_the_grant_stops_the_call(hands: Any, world: Any, what: str) -> None:
    (machine,) = broken()
    action = granted(machine)
    incident = Incident.objects.get()
    if what == "incident":
        incidents.close_by_person(incident.pk, by="olga", reason="I do it")
    elif what == "switch":
        automation.set_switch("gpu.ecc", "reset_gpu", site_id=None, mode="dry_run", reason="wait", actor="olga")
    elif what == "fault":
        dismiss_fault(Fault.objects.get(led_by=None).pk, reason="known", actor="olga")
    else:
        Incident.objects.update(needs_person_at=timezone.now())
    assert actions.carry_out(action.pk, action.lease_owner) == "cancelled"
    assert not hands["reset_gpu"].sent and make.health(machine).state == "drained"


def test_a_machine_that_became_part_of_a_mass_failure_after_the_grant_is_left_alone(hands: Any, world: Any) -> None:
    (machine,) = broken()
    action = granted(machine)
    shared = Incident.objects.create(
        site=machine.device.site, kind="shared", cause_kind="rack", cause="R00", fault_class="machine.unreachable"
    )
    shared.members.create(machine=machine)
    assert actions.carry_out(action.pk, action.lease_owner) == "cancelled"
    action.refresh_from_db()
    assert action.refused_by == "common_cause" and not hands["reset_gpu"].sent


def test_a_look_that_grew_old_behind_a_lock_is_not_acted_on(hands: Any, world: Any) -> None:
    (machine,) = broken()
    action = granted(machine)
    with patch("health.remediation.services.actions.LOOK_IS_FRESH", timedelta(0)):
        assert actions.carry_out(action.pk, action.lease_owner) == "cancelled"
    assert not hands["reset_gpu"].sent and "too old" in RemediationAction.objects.get().refused_reason


# ---- sending again ----


@pytest.mark.parametrize(
    ("change", "guard"),
    [({"jobs": 3}, "jobs"), ({"logins": 1}, "logins"), ({"jobs": None}, "scheduler"), ("kill", "kill_switch")],
)
def test_nothing_is_sent_again_once_jobs_run_or_people_said_stop(
    hands: Any, world: Any, change: Any, guard: str
) -> None:
    with patch("health.remediation.types.Switches.on", return_value=True):
        machines = make.make_machines(4)
        with make.trusted_checks():
            observation_store.record([make.look(machine, at=ago(100)) for machine in machines])
            observation_store.record([make.look(machines[0], make.docker_down(), at=ago(90))])
            observation_store.record([make.look(machines[0], make.docker_down(), at=ago(60))])
        hands["restart_service"].answer = RuntimeError("lost")
        action = plan_and_act(machines[0])
        if change == "kill":
            SiteAutomation.objects.update(
                killed=True, killed_by="olga", killed_reason="smoke", killed_at=timezone.now()
            )
        else:
            world.update(change)
        RemediationAction.objects.update(lease_until=ago(1))
        assert actions.carry_out(action.pk) == "wait"
    row = RemediationAction.objects.get()
    assert (row.state, row.refused_by, len(hands["restart_service"].sent)) == ("sent", guard, 1)
    RemediationAction.objects.update(lease_until=ago(1), deadline=ago(1))
    assert actions.carry_out(action.pk) == "failed"


# ---- marks on the machine ----


@pytest.mark.slow
def test_a_mark_that_proves_that_nothing_began_lets_it_be_tried_anew(hands: Any, world: Any) -> None:
    (machine,) = broken()
    hands["reset_gpu"].answer = RuntimeError("the worker dies")
    action = plan_and_act(machine)
    hands["reset_gpu"].mark = Report.REFUSED
    RemediationAction.objects.update(lease_until=ago(1))
    assert actions.carry_out(action.pk) == "failed"
    RemediationAction.objects.update(finished_at=ago(400))
    again = granted(machine)
    assert (again.remedy, again.attempt) == ("reset_gpu", 2) and again.key != action.key


def test_a_mark_that_proves_that_it_ended_well_is_verified(hands: Any, world: Any) -> None:
    (machine,) = broken()
    hands["reset_gpu"].answer = RuntimeError("the worker dies")
    action = plan_and_act(machine)
    hands["reset_gpu"].mark = Report.DONE
    RemediationAction.objects.update(lease_until=ago(1))
    assert actions.carry_out(action.pk) == "confirmed"
    assert look_after(RemediationAction.objects.get()) == "passed" and make.health(machine).state == "ready"


@pytest.mark.slow
def test_an_executor_that_cannot_look_for_its_mark_keeps_no_action_open(hands: Any, world: Any) -> None:
    (machine,) = broken()
    hands["reset_gpu"].answer = RuntimeError("the worker dies")
    action = plan_and_act(machine)
    hands["reset_gpu"].mark = RuntimeError("no way")
    RemediationAction.objects.update(lease_until=ago(1), deadline=ago(1))
    assert actions.carry_out(action.pk) == "ambiguous"


# ---- people ----


@pytest.mark.slow
def test_what_a_person_says_never_began_takes_no_rung(hands: Any, world: Any) -> None:
    (machine,) = broken()
    hands["reset_gpu"].answer = RuntimeError("lost")
    action = plan_and_act(machine)
    RemediationAction.objects.update(lease_until=ago(1), deadline=ago(1))
    actions.carry_out(action.pk)
    row = actions.resolve(action.pk, outcome="cancelled", reason="the log shows no reset", actor="olga")
    assert (row.state, row.report) == ("failed", "refused")
    assert not views.action_view(RemediationAction.objects.get()).used


def test_who_ends_an_incident_that_waited_for_automation_gets_its_ticket(hands: Any, world: Any) -> None:
    broken()
    incidents.close_by_person(Incident.objects.get().pk, by="olga", reason="I take it")
    (called,) = events("remediation.needs_person")
    assert "olga" in called.data["reason"]


# ---- machines that nobody else can take up ----


def remediating(machine: Machine, hands: Any) -> RemediationAction:
    hands["reset_gpu"].answer = Answer(Report.FAILED, "the driver said no")
    action = plan_and_act(machine)
    assert (action.state, make.health(machine).state) == ("failed", "remediating")
    return action


def test_a_machine_under_remedy_goes_to_triage_when_people_are_called(hands: Any, world: Any) -> None:
    (machine,) = broken()
    remediating(machine, hands)
    automation.call_for_all(machine.device.site_id, "olga stopped automation")
    assert automation.give_back(machine.device.site_id) == 1
    assert make.health(machine).state == "triage"
    assert automation.give_back(machine.device.site_id) == 0


@pytest.mark.slow
def test_a_machine_under_remedy_with_nothing_wrong_is_verified(hands: Any, world: Any) -> None:
    (machine,) = broken()
    remediating(machine, hands)
    dismiss_fault(Fault.objects.get(led_by=None).pk, reason="known", actor="olga")
    assert automation.give_back(machine.device.site_id) == 1
    assert make.health(machine).state == "verifying"


@pytest.mark.slow
def test_a_machine_under_remedy_that_automation_goes_on_with_is_kept(hands: Any, world: Any) -> None:
    (machine,) = broken()
    remediating(machine, hands)
    assert automation.give_back(machine.device.site_id) == 0 and make.health(machine).state == "remediating"


def test_a_machine_under_remedy_whose_next_step_is_a_dry_run_is_left_to_people_in_time(hands: Any, world: Any) -> None:
    (machine,) = broken(on=("reset_gpu",))
    remediating(machine, hands)
    Incident.objects.update(automation_first=False, opened_at=ago(3600))
    with make.trusted_checks():
        plan_site(machine.device.site_id)
    assert make.health(machine).state == "triage"


# ---- what it is done to ----


def test_a_reset_is_for_all_the_gpus_that_need_one(hands: Any, world: Any) -> None:
    (machine,) = broken(1, memory_fault(5), memory_fault(2), make.docker_down())
    for hand in hands.values():
        hand.target = lambda job: {"pci": job.params["pci"]} if job.params["pci"] else None
    with patch("health.remediation.types.Switches.on", return_value=True):
        action = granted(machine)
    assert action.remedy == "reset_gpu" and len(action.params["pci"].split(",")) == 2
    assert action.fault is not None and action.fault.fault_class == "gpu.memory"


# ---- power that is shared ----


def test_no_power_cycle_where_another_machine_hangs_on_the_same_bmc_or_shelf(hands: Any, world: Any) -> None:
    (machine,) = broken(1, make.Finding("gpu.ecc", "GPU 5", "fail", "x", "", "gpu.pcie", 2), on=("power_cycle",))

    def view() -> bool | None:
        return views.machine_views([machine.pk], timezone.now())[machine.pk].shares_power

    other = Machine.objects.exclude(pk=machine.pk).first()
    assert other is not None and view() is False
    address = Machine.objects.get(pk=machine.pk).bmc_ip
    Endpoint.objects.create(machine=other, kind="redfish", address=address)
    assert view() is True
    Endpoint.objects.update(port=8443)
    assert view() is False, "another port is another BMC"
    Endpoint.objects.update(port=None)
    MachineHealth.objects.filter(pk=other.pk).update(state="retired")
    assert view() is False, "one that is retired is not cut off"
    Machine.objects.filter(pk=machine.pk).update(bmc_ip=None)
    assert view() is None
    Machine.objects.filter(pk=machine.pk).update(bmc_ip=address)
    Device.objects.filter(pk=machine.pk).update(bay="3")
    assert view() is None, "a bay of nobody knows what"
    MachineHealth.objects.filter(pk=other.pk).update(state="ready")
    shelf = Device.objects.create(
        site=machine.device.site, model=machine.device.model, kind="shelf", name="shelf-1", status="active"
    )
    Device.objects.filter(pk=machine.pk).update(parent=shelf, bay="1")
    Device.objects.filter(pk=other.pk).update(parent=shelf, bay="2")
    assert view() is True
    with make.trusted_checks():
        assert step(machine.pk) is None
    assert Incident.objects.get().needs_person_at is not None and not RemediationAction.objects.exists()


# ---- clocks ----


def test_a_clock_that_jumps_is_noticed_though_both_read_it() -> None:
    at = {"wall": 1000.0, "steady": 50.0}
    clocks = Clocks(lambda: at["wall"], lambda: at["steady"])
    at.update(wall=1010.0, steady=60.0)
    assert clocks.jumped() == 0
    at.update(wall=8210.0, steady=60.0)
    assert clocks.jumped() == 7200
    at.update(wall=8215.0, steady=65.0)
    assert clocks.jumped() == 7200, "the rates counted over an hour are still wrong"
    at.update(wall=8215.0 + REST_S, steady=65.0 + REST_S)
    assert clocks.jumped() == 0


def test_looks_from_the_future_are_a_jump_back() -> None:
    assert views.clock_step_s(timezone.now() + timedelta(hours=2)) < -7000
    assert abs(views.clock_step_s(timezone.now() - timedelta(hours=2))) < 60


# ---- counting ----


def test_a_machine_of_which_something_is_not_known_does_not_hold_up_its_pool(hands: Any, world: Any) -> None:
    make.make_machines(4)
    with patch("health.remediation.services.views.causes_of", return_value={}):
        (machine,) = broken(1, of=1, on=())
    assert make.health(machine).state == "ready"
    assert Fault.objects.get(led_by=None).drain == "stopped", "not over the cap, which would end the pool's turn"
