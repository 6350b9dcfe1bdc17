"""Remediation with its database: what opens, what is granted, what is sent once, and who is called.

The world is played by a fake executor and a fake look; the rules, the rows and the locks are the real ones.
"""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from health.machines.calls import Report
from health.machines.limits import Limits
from health.machines.services.limits import automation_of
from health.models import (
    Fault,
    Incident,
    LifecycleChange,
    MachineHealth,
    RemediationAction,
    SiteAutomation,
    Verification,
)
from health.monitoring.services.sweeps import observation_store
from health.remediation.executors import Answer, Job, not_sent
from health.remediation.services import actions, automation, drains, incidents, plans, steps, views
from health.remediation.services.causes import alike
from health.remediation.services.steps import step
from health.remediation.types import Cause
from health.services import NotReady, return_to_service
from health.tests import factories as make
from health.tests.conftest import Hand
from health.tests.remediation_world import ago, broken, events, look_after, memory_fault, plan_and_act

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]
LIMITS = Limits()


# ---- the way through ----


def test_a_fault_that_a_reset_cures_brings_the_machine_back_without_anybody(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    (machine,) = broken()
    incident = Incident.objects.get()
    assert make.health(machine).state == "drained" and incident.automation_first and incident.drained_at
    action = plan_and_act(machine)
    assert (action.remedy, action.state, action.rung) == ("reset_gpu", "confirmed", 2)
    assert make.health(machine).state == "verifying" and hands["reset_gpu"].sent == [action.key]
    assert look_after(action) == "passed"
    action.refresh_from_db()
    incident.refresh_from_db()
    assert make.health(machine).state == "ready" and action.verified is True
    assert incident.closed_at is not None and not events("remediation.needs_person")
    path = LifecycleChange.objects.filter(machine=machine).order_by("id").values_list("transition__to_state", flat=True)
    assert list(path)[-5:] == ["draining", "drained", "remediating", "verifying", "ready"]
    assert [e.data["state"] for e in events("action.changed")] == ["granted", "sent", "confirmed"]


def test_what_does_not_help_is_followed_by_the_next_rung_and_at_last_by_a_person(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    (machine,) = broken()
    first = plan_and_act(machine)
    assert look_after(first, memory_fault()) == "failed"
    assert make.health(machine).state == "drained"
    hands["reboot"].answer = Answer(Report.ACCEPTED, "going down")
    second = plan_and_act(machine)
    assert second.remedy == "reboot" and second.state == "sent", "a reboot shows by the boot id"
    world["boot_id"] = "boot-b"
    assert actions.carry_out(second.pk) == "confirmed"
    second.refresh_from_db()
    assert look_after(second, memory_fault(), boot_id="boot-b") == "failed"
    assert step(machine.pk) is None, "a power cycle is not turned on"
    assert Incident.objects.get().refused_by == "dry_run"
    automation.set_switch("gpu.ecc", "power_cycle", site_id=None, mode="on", reason="trusted", actor="ada")
    SiteAutomation.objects.update(remediations_7d=2)
    assert step(machine.pk) is None
    assert make.health(machine).state == "triage"
    (called,) = events("remediation.needs_person")
    assert called.data["fault"] == Fault.objects.get(led_by=None).pk and "lemon" in called.data["reason"]
    assert [t["remedy"] for t in incidents.tried([Incident.objects.get().pk])[Incident.objects.get().pk]] == [
        "reset_gpu",
        "reboot",
    ]


def test_in_dry_run_nothing_is_granted_and_the_plan_says_what_would_be_done(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    (machine,) = broken(on=())
    assert make.health(machine).state == "drained", "the pool's automation is on"
    assert step(machine.pk) is None and not RemediationAction.objects.exists()
    with make.trusted_checks():
        planned, _, _ = plans.preview(machine.device.site_id)
    (row,) = planned
    assert row.proposal is not None and row.proposal.remedy is not None and row.proposal.remedy.name == "reset_gpu"
    assert row.refusal is not None and row.refusal.guard == "dry_run"
    assert not Incident.objects.get().automation_first


# ---- once, and after a crash ----


def test_a_worker_lost_before_sending_leaves_nothing_sent(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    (machine,) = broken()
    with make.trusted_checks():
        action_id = step(machine.pk)
    RemediationAction.objects.update(lease_until=ago(1))
    assert actions.due() == [action_id]
    assert actions.carry_out(action_id or 0) == "cancelled"
    assert not hands["reset_gpu"].sent and RemediationAction.objects.get().sent_at is None


def test_a_reset_whose_worker_was_lost_is_never_sent_again(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    (machine,) = broken()
    hands["reset_gpu"].answer = RuntimeError("the worker dies here")
    action = plan_and_act(machine)
    assert action.state == "sent" and len(hands["reset_gpu"].sent) == 1
    for _ in range(3):
        RemediationAction.objects.update(lease_until=ago(1))
        assert actions.carry_out(action.pk) == "wait"
    RemediationAction.objects.update(lease_until=ago(1), deadline=ago(1))
    assert actions.carry_out(action.pk) == "ambiguous"
    assert len(hands["reset_gpu"].sent) == 1
    assert make.health(machine).state == "triage" and events("remediation.needs_person")


def test_a_service_whose_restart_was_lost_is_restarted_again(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    dead = make.Finding("docker", "docker", "fail", "docker does not answer", "", "docker.down", 3)
    machines = make.make_machines(4)
    with make.trusted_checks(), patch("health.remediation.types.Switches.on", return_value=True):
        observation_store.record([make.look(m, at=ago(100)) for m in machines])
        observation_store.record([make.look(machines[0], dead, at=ago(90))])
        observation_store.record([make.look(machines[0], dead, at=ago(60))])
        hands["restart_service"].answer = RuntimeError("lost")
        action = plan_and_act(machines[0])
        RemediationAction.objects.update(lease_until=ago(1))
        hands["restart_service"].answer = Answer(Report.DONE, "restarted")
        assert actions.carry_out(action.pk) == "confirmed"
    assert len(hands["restart_service"].sent) == 2


def test_two_workers_and_a_message_that_comes_twice_send_once(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    (machine,) = broken()
    action = plan_and_act(machine)
    owner = action.lease_owner
    assert actions.carry_out(action.pk, owner) == "ended"
    assert actions.carry_out(action.pk) == "ended"
    assert len(hands["reset_gpu"].sent) == 1 and Verification.objects.count() == 1


def test_a_machine_has_one_open_action(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    (machine,) = broken()
    with make.trusted_checks():
        first = step(machine.pk)
        assert first is not None and step(machine.pk) is None
    row = RemediationAction.objects.get()
    row.pk, row.key = None, "another"
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)


@pytest.mark.parametrize(
    ("change", "guard"),
    [
        ({"jobs": 2}, "jobs"),
        ({"jobs": None}, "scheduler"),
        ({"logins": 1}, "logins"),
        ({"reservation_by_others": True}, "reservation"),
        ({"drain_is_ours": False}, "foreign_drain"),
        ({"heard": False}, "unreachable"),
    ],
)
def test_what_is_read_right_before_stops_an_intrusive_remedy(
    hands: dict[str, Hand], world: dict[str, Any], change: Any, guard: str
) -> None:
    (machine,) = broken()
    world.update(change)
    action = plan_and_act(machine)
    assert (action.state, action.refused_by) == ("cancelled", guard)
    assert not hands["reset_gpu"].sent and make.health(machine).state == "drained"


def test_a_power_cycle_switches_on_only_after_the_machine_was_off_for_long_enough(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    (machine,) = broken(1, make.Finding("gpu.ecc", "GPU 5", "fail", "x", "", "gpu.pcie", 2), on=("power_cycle",))
    hands["power_cycle"].answer = Answer(Report.ACCEPTED, "off")
    action = plan_and_act(machine)
    world.update(heard=False, power="off")
    RemediationAction.objects.update(lease_until=ago(1))
    assert actions.carry_out(action.pk) == "wait" and not hands["power_cycle"].finished
    SiteAutomation.objects.update(power_off_s=0)
    RemediationAction.objects.update(lease_until=ago(1))
    assert actions.carry_out(action.pk) == "finish" and len(hands["power_cycle"].finished) == 1
    world.update(heard=True, power="on", boot_id="boot-b")
    RemediationAction.objects.update(lease_until=ago(1))
    assert actions.carry_out(action.pk) == "confirmed"
    assert len(hands["power_cycle"].sent) == 1


# ---- kill switch, breaker, causes ----


def test_the_kill_switch_stops_what_was_granted_and_calls_people(
    hands: dict[str, Hand], world: dict[str, Any], django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    (machine,) = broken()
    with make.trusted_checks():
        action_id = step(machine.pk)
    with django_capture_on_commit_callbacks(execute=True):
        automation.kill(machine.device.site_id, reason="strange smell", actor="olga")
    actions.carry_out(action_id or 0, RemediationAction.objects.get().lease_owner)
    row = RemediationAction.objects.get()
    assert (row.state, row.refused_by) == ("cancelled", "kill_switch") and not hands["reset_gpu"].sent
    assert "strange smell" in events("remediation.needs_person")[0].data["reason"]
    assert step(machine.pk) is None
    automation.release(machine.device.site_id, reason="it was lunch", actor="olga")
    assert not SiteAutomation.objects.get().killed


def test_the_last_question_of_automation_asks_the_kill_switch(
    hands: dict[str, Hand], world: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the decision, in the hands of the executor: what is not written by then is not written."""
    (machine,) = broken()

    def send(job: Job) -> Answer:
        assert job.refusal() is None
        automation.kill(machine.device.site_id, reason="strange smell", actor="olga")
        refusal = job.refusal()
        assert refusal is not None and "strange smell" in refusal.reason
        return not_sent(refusal)

    monkeypatch.setattr(hands["reset_gpu"], "send", send)
    action = plan_and_act(machine)
    assert (action.state, action.report, action.refused_by) == ("failed", "refused", "kill_switch")


def test_the_second_half_of_a_power_cycle_waits_for_the_kill_switch(
    hands: dict[str, Hand], world: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine,) = broken(1, make.Finding("gpu.ecc", "GPU 5", "fail", "x", "", "gpu.pcie", 2), on=("power_cycle",))
    hands["power_cycle"].answer = Answer(Report.ACCEPTED, "off")
    action, real = plan_and_act(machine), hands["power_cycle"].finish

    def finish(job: Job) -> Answer:
        refusal = job.refusal()
        return not_sent(refusal) if refusal else real(job)

    monkeypatch.setattr(hands["power_cycle"], "finish", finish)
    world.update(heard=False, power="off")
    SiteAutomation.objects.update(power_off_s=0)
    automation.kill(machine.device.site_id, reason="strange smell", actor="olga")
    for released in (False, True):
        if released:
            automation.release(machine.device.site_id, reason="it was lunch", actor="olga")
        RemediationAction.objects.update(lease_until=ago(1))
        assert actions.carry_out(action.pk) == "finish"
        assert bool(hands["power_cycle"].finished) is released
    assert RemediationAction.objects.get().refused_by == "kill_switch", "what it waited for stays written"


def test_who_looks_for_a_lost_action_makes_a_mark_only_while_the_kill_switch_is_off(
    hands: dict[str, Hand], world: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine,) = broken()
    hands["reset_gpu"].answer = Answer(Report.NONE, "the connection was lost")
    action, said = plan_and_act(machine), []
    monkeypatch.setattr(hands["reset_gpu"], "trace", lambda job, at: said.append(job.refusal()) or Report.NONE)
    automation.kill(machine.device.site_id, reason="strange smell", actor="olga")
    for _ in range(2):
        RemediationAction.objects.update(lease_until=ago(1))
        actions.carry_out(action.pk)
        automation.release(machine.device.site_id, reason="it was lunch", actor="olga")
    assert said[0].guard == "kill_switch" and said[1] is None


def test_a_killed_site_drains_nothing() -> None:
    make.make_machines(4)
    site = SiteAutomation.objects.get().site_id
    automation.kill(site, reason="no", actor="olga")
    (machine,) = broken(of=1, on=())
    assert make.health(machine).state == "ready" and Fault.objects.get(led_by=None).drain == "stopped"


@pytest.mark.slow
def test_the_breaker_opens_on_failed_verifications_and_only_a_person_closes_it(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    machines = broken(3)
    for machine in machines:
        assert look_after(plan_and_act(machine), memory_fault()) == "failed"
    site = machines[0].device.site_id
    assert "verifications" in automation.trip(site)
    assert automation.trip(site) == "" and SiteAutomation.objects.get().breaker_open_at is not None
    with make.trusted_checks():
        assert step(machines[0].pk) is None
    assert events("breaker.changed")[-1].data["open"] is True
    automation.close_breaker(site, reason="bad batch of firmware, replaced", actor="ada")
    assert SiteAutomation.objects.get().breaker_open_at is None
    assert automation.trip(site) == "", "its counts begin anew"


def test_the_breaker_counts_the_machines_drained_within_its_window_and_no_others() -> None:
    machines = broken(3, of=8, on=())
    site_id = machines[0].device.site_id
    assert [make.health(machine).state for machine in machines] == ["drained"] * 3
    SiteAutomation.objects.update(breaker_drained_machines=3, breaker_drained_share=0.1)
    Incident.objects.filter(machine=machines[0]).update(drained_at=ago(25 * 3600))
    assert views.site_view(automation_of(site_id), timezone.now()).drained == 2
    assert automation.trip(site_id) == "", "the first was drained a day ago, though it is still out"
    SiteAutomation.objects.update(breaker_drained_window_s=26 * 3600)
    assert "drained 3 of 8 machines" in automation.trip(site_id)


def counts(site: int) -> dict[Cause, frozenset[int]]:
    now = timezone.now()
    return alike.cause_counts(site, now, LIMITS, alike.failing(site, now, LIMITS))


def test_machines_out_for_more_than_a_day_say_nothing_of_what_they_share(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    machines = broken(2, on=())
    site = machines[0].device.site_id
    rack = Cause("rack", "R00", "gpu.memory: row remap pending")

    def counted(drained_s: float) -> set[int]:
        Fault.objects.update(confirmed_at=ago(drained_s))
        Incident.objects.update(drained_at=ago(drained_s))
        return set(counts(site).get(rack, ()))

    assert counted(60) == counted(3600) == {machine.pk for machine in machines}
    assert counted(LIMITS.cause_out_s + 60) == set()


def test_machines_whose_shared_cause_a_person_has_looked_at_are_counted_no_more(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    machines = broken(2, on=())
    site = machines[0].device.site_id
    Fault.objects.update(confirmed_at=ago(3600))
    Incident.objects.update(drained_at=ago(3600))
    made = Incident.objects.create(
        site_id=site, kind="shared", cause_kind="rack", cause="R00", fault_class="gpu.memory", code="row remap pending",
        title="R00", opened_at=ago(600),
    )  # fmt: skip
    rack = Cause("rack", "R00", "gpu.memory: row remap pending")
    assert counts(site)[rack]
    incidents.close_by_person(made.pk, by="ada", reason="a feed was off")
    assert rack not in counts(site)


def test_no_more_are_drained_in_ten_minutes_than_the_site_allows(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    make.make_machines(4)
    SiteAutomation.objects.update(drains_10min=2)
    machines = broken(4, of=4, on=())
    states = [make.health(machine).state for machine in machines]
    assert states.count("drained") == 2
    assert set(Incident.objects.filter(drained_at=None).values_list("refused_by", flat=True)) == {"drains_10min"}


def test_a_person_who_puts_a_machine_back_ends_the_incident_and_the_same_check_rests(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    (machine,) = broken(on=())
    incidents.overridden(machine.pk, by="olga", reason="needed for a demo")
    incident = Incident.objects.get()
    assert incident.closed_at is not None and incident.overridden_at is not None
    seen = views.machine_views([machine.pk], timezone.now())[machine.pk]
    assert set(seen.undrained) == {"gpu.ecc"}


def test_automation_that_gets_no_leave_calls_a_person_in_time(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    (machine,) = broken()
    site = machine.device.site_id
    SiteAutomation.objects.update(remediations_7d=5, power_1h=0, patience_s=0)
    Incident.objects.update(opened_at=ago(60))
    with patch("health.remediation.services.views.observe_only", return_value=frozenset({"gpu.ecc"})):
        steps.plan_site(site)
    assert "no leave" in events("remediation.needs_person")[0].data["reason"]


def test_a_person_returns_a_machine_against_its_fault_and_it_is_written_down(
    hands: dict[str, Hand], world: dict[str, Any]
) -> None:
    (machine,) = broken()
    with pytest.raises(NotReady):
        return_to_service(machine.pk, reason="needed", actor="olga")
    return_to_service(machine.pk, reason="needed for a demo", actor="olga", override=True)
    assert make.health(machine).state == "ready" and Incident.objects.get().overridden_at is not None
    step = LifecycleChange.objects.filter(machine=machine).first()
    assert step is not None and step.actor == "olga" and any("gpu.memory" in why for why in step.evidence["override"])
    with make.trusted_checks():
        assert drains.drain_waiting() == 0
        observation_store.record([make.look(machine, memory_fault(), at=ago(5))])
    assert make.health(machine).state == "ready", "the same check rests"


def test_a_machine_too_long_in_its_state_is_told_once(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    (machine,) = broken()
    assert automation.mark_stuck() == 0
    MachineHealth.objects.filter(pk=machine.pk).update(state_since=ago(9 * 3600))
    assert automation.mark_stuck() == 1 and automation.mark_stuck() == 0
    (told,) = events("machine.stuck")
    assert told.data["machine"] == machine.pk and told.data["state"] == "drained"
    plan_and_act(machine)
    assert not make.health(machine).stuck, "another state begins anew"


def test_what_nobody_knows_is_decided_by_a_person(hands: dict[str, Hand], world: dict[str, Any]) -> None:
    (machine,) = broken()
    hands["reset_gpu"].answer = RuntimeError("lost")
    action = plan_and_act(machine)
    with pytest.raises(actions.NotAmbiguous):
        actions.resolve(action.pk, outcome="failed", reason="looked", actor="olga")
    RemediationAction.objects.update(lease_until=ago(1), deadline=ago(1))
    actions.carry_out(action.pk)
    actions.resolve(action.pk, outcome="confirmed", reason="the log shows the reset", actor="olga")
    assert make.health(machine).state == "verifying"
    action.refresh_from_db()
    assert look_after(action) == "passed" and make.health(machine).state == "ready"
