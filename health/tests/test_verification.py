"""A repair is done when a newer look shows it; only then is a machine ready again by itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from health.machines.lifecycle import InvalidTransition
from health.models import CurrentVerdict, Fault, Hold, MachineHealth, Verification
from health.monitoring.services import verifications
from health.monitoring.services.sweeps import observation_store
from health.services import (
    NotReady,
    change_state,
    dismiss_fault,
    lift_hold,
    place_hold,
    request_verification,
    return_to_service,
    start_maintenance,
)
from health.tests import factories as make
from health.tests.factories import Finding
from inventory.models import Machine
from live import events
from live.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def broken(settings: Settings) -> Machine:
    """A machine with a dead GPU in repair: (machine, the moment of the last look)."""
    settings.CONFIRM_DELAY_S = 15
    (machine,) = make.make_machines()
    now = timezone.now() - timedelta(seconds=60)
    observation_store.record([make.look(machine, make.xid(), make.gone(), at=now)])
    assert make.health(machine).state == "drained"
    change_state(machine.pk, "start_repair", reason="took REP-1", actor="tina")
    return machine


def ask(machine: Machine, **more: Any) -> Verification:
    faults = list(Fault.objects.filter(machine=machine, led_by=None).values_list("pk", flat=True))
    return request_verification(machine.pk, fault_ids=faults, owner="ticket:REP-1", actor="tina", **more)


def look_and_decide(verification: Verification, *findings: Finding, after_s: float = 5, **more: Any) -> str:
    claimed = verifications.WORK.take(verification.pk)
    assert claimed is not None
    at = verification.requested_at + timedelta(seconds=after_s)
    return verifications.decide(claimed, make.look(verification.machine_id, *findings, at=at, **more))


def test_a_pass_clears_the_faults_lifts_the_hold_and_returns_the_machine(broken: Machine) -> None:
    verification = ask(broken)
    assert make.health(broken).state == "verifying" and make.health(broken).cell == "repair"
    assert look_and_decide(verification, boot_id="boot-b") == "passed"
    assert not Fault.objects.exclude(status="cleared").exists()
    assert not Hold.objects.filter(lifted_at=None).exists()
    health = make.health(broken)
    assert (health.state, health.cell, health.worst, health.open_faults) == ("ready", "available", "ok", 0)
    verification.refresh_from_db()
    assert verification.status == "passed" and verification.results
    (event,) = Event.objects.filter(kind="verification.finished")
    assert event.data["passed"] is True and event.data["verification"] == verification.pk


def test_a_line_read_before_the_repair_does_not_fail_it_and_is_information_afterwards(broken: Machine) -> None:
    verification = ask(broken)
    assert look_and_decide(verification, make.xid()) == "passed"
    health = make.health(broken)
    assert health.state == "ready" and health.worst == "ok"
    observation_store.record([make.look(broken, make.xid(), at=timezone.now() + timedelta(seconds=60))])
    row = CurrentVerdict.objects.get()
    assert row.verdict == "info" and "before the last verification" in row.message
    assert not Fault.objects.exclude(status="cleared").exists()


def test_the_same_event_again_after_the_press_fails_it(broken: Machine) -> None:
    verification = ask(broken)
    assert look_and_decide(verification, make.xid(at_us=10, code=79), boot_id="boot-b") == "failed"
    assert make.health(broken).state == "repair"
    leader = Fault.objects.get(led_by=None)
    assert leader.status == "confirmed"
    assert leader.evidence.filter(message__startswith="Verification failed").exists()
    assert Event.objects.get(kind="verification.finished").data["passed"] is False
    assert Event.objects.filter(kind="fault.confirmed").count() == 1, "the ticket is the same one"


def test_a_failing_level_of_the_slot_fails_it(broken: Machine) -> None:
    assert look_and_decide(ask(broken), make.nvlink(), boot_id="boot-b") == "failed"
    assert make.health(broken).state == "repair"
    assert Hold.objects.filter(lifted_at=None).exists()


def test_a_look_older_than_the_press_proves_nothing(broken: Machine) -> None:
    verification = ask(broken)
    assert look_and_decide(verification, after_s=-5) == "again"
    verification.refresh_from_db()
    assert verification.status == "waiting" and make.health(broken).state == "verifying"


def test_a_machine_still_booting_is_asked_again_and_fails_in_the_end(broken: Machine) -> None:
    verification = ask(broken)
    assert look_and_decide(verification, heard=False) == "again"
    Verification.objects.filter(pk=verification.pk).update(next_try_at=timezone.now())
    assert verifications.WORK.due_ids() == [verification.pk]
    late = verifications.PATIENCE.total_seconds() + 1
    assert look_and_decide(verification, heard=False, after_s=late) == "failed"
    verification.refresh_from_db()
    assert verification.reason == "the machine was unreachable" and make.health(broken).state == "repair"
    assert not Fault.objects.filter(fault_class="machine.unreachable").exists()


def test_a_check_without_a_result_is_no_pass(broken: Machine) -> None:
    verification = ask(broken)
    unknown = (("nvlink.links", "GPU 5"),)
    assert look_and_decide(verification, boot_id="boot-b", unknown=unknown) == "again"
    Verification.objects.filter(pk=verification.pk).update(next_try_at=timezone.now())
    late = verifications.PATIENCE.total_seconds() + 1
    assert look_and_decide(verification, boot_id="boot-b", unknown=unknown, after_s=late) == "failed"


def test_a_whole_machine_with_a_check_without_a_result_is_no_pass(broken: Machine) -> None:
    """As after a ticket that a person opened: nobody knows which check would show it."""
    Fault.objects.update(status="cleared", cleared_at=timezone.now())
    verification = request_verification(broken.pk, fault_ids=[], owner="ticket:REP-2", actor="tina")
    unknown = (("gpu.ecc", "GPU 0"),)
    assert look_and_decide(verification, boot_id="boot-b", unknown=unknown) == "again"
    Verification.objects.filter(pk=verification.pk).update(next_try_at=timezone.now())
    assert look_and_decide(verification, boot_id="boot-b", after_s=25) == "passed"


def test_what_else_holds_the_machine_keeps_it_drained_until_it_lets_go(broken: Machine) -> None:
    place_hold(broken.pk, owner="person:olga", reason="cable work", actor="olga")
    assert look_and_decide(ask(broken), boot_id="boot-b") == "passed"
    assert make.health(broken).state == "drained"
    lift_hold(broken.pk, owner="person:olga", reason="done", actor="olga")
    assert make.health(broken).state == "ready"


def test_another_failing_check_keeps_it_drained_until_it_passes(broken: Machine) -> None:
    verification = ask(broken)
    assert look_and_decide(verification, make.docker_down(), boot_id="boot-b") == "passed"
    assert make.health(broken).state == "drained"
    later = verification.requested_at + timedelta(seconds=60)
    observation_store.record([make.look(broken, boot_id="boot-b", at=later)])
    assert make.health(broken).state == "ready"


def test_the_room_that_asked_may_lift_its_own_hold_when_it_hears_the_outcome(broken: Machine) -> None:
    place_hold(broken.pk, owner="ticket:REP-1", reason="in repair", actor="tickets")

    def close_ticket(event: Event) -> None:
        lift_hold(broken.pk, owner="ticket:REP-1", reason="verified", actor="tickets")

    handlers = events._handlers["verification.finished"]
    handlers.append(close_ticket)
    try:
        assert look_and_decide(ask(broken), boot_id="boot-b") == "passed"
    finally:
        handlers.remove(close_ticket)
    assert make.health(broken).state == "ready"


def test_two_workers_do_not_decide_the_same_verification_twice(broken: Machine) -> None:
    verification = ask(broken)
    assert verifications.WORK.take(verification.pk) is not None
    assert verifications.WORK.take(verification.pk) is None


def test_a_verification_lost_with_its_worker_is_taken_up_again(broken: Machine) -> None:
    verification = ask(broken)
    verifications.WORK.take(verification.pk)
    assert verifications.WORK.due_ids() == []
    Verification.objects.filter(pk=verification.pk).update(next_try_at=timezone.now())
    assert verifications.WORK.due_ids() == [verification.pk] and verifications.WORK.take(verification.pk) is not None


def test_a_machine_in_service_is_verified_without_leaving_it() -> None:
    (machine,) = make.make_machines(automation="dry_run")
    now = timezone.now() - timedelta(seconds=60)
    observation_store.record([make.look(machine, make.xid(), at=now)])
    verification = ask(machine)
    assert make.health(machine).state == "ready"
    assert look_and_decide(verification) == "passed"
    assert make.health(machine).cell == "available"
    assert Event.objects.filter(kind="notice.changed").last().data["notices"] == []


def test_nobody_returns_a_machine_that_is_held_or_failing(broken: Machine) -> None:
    with pytest.raises(InvalidTransition):
        return_to_service(broken.pk, reason="in a hurry", actor="olga")
    change_state(broken.pk, "release", reason="gave it back", actor="tina")
    with pytest.raises(NotReady, match="held by fault:"):
        return_to_service(broken.pk, reason="in a hurry", actor="olga")
    assert make.health(broken).state == "drained"


def test_a_dismissed_fault_holds_nothing_and_is_written_down(broken: Machine) -> None:
    leader = Fault.objects.get(led_by=None)
    dismiss_fault(leader.pk, reason="known noise", actor="olga")
    leader.refresh_from_db()
    assert leader.status == "cleared" and leader.cleared_by == "dismissed by olga: known noise"
    assert not Hold.objects.filter(lifted_at=None).exists()
    assert Event.objects.filter(kind="fault.cleared").count() == 1


def test_starting_a_repair_of_a_machine_in_service_drains_it_first() -> None:
    (machine,) = make.make_machines(automation="dry_run")
    assert change_state(machine.pk, "start_repair", reason="took REP-2", actor="tina") == "repair"


def test_nothing_new_is_opened_while_hands_are_on_the_machine(broken: Machine) -> None:
    later = timezone.now()
    for seconds in (0, 30, 60):
        at = later + timedelta(seconds=seconds)
        observation_store.record([make.look(broken, heard=False, at=at)])
    assert not Fault.objects.filter(fault_class="machine.unreachable").exists()
    assert make.health(broken).state == "repair"


def test_events_of_a_maintenance_window_are_read_when_it_is_over() -> None:
    (machine,) = make.make_machines()
    now = timezone.now()
    start_maintenance(machine.pk, reason="fans", until=now + timedelta(hours=1), actor="olga")
    observation_store.record([make.look(machine, make.xid(), at=now)])
    assert not Fault.objects.exists()
    with pytest.raises(NotReady, match="1 check failing"):
        return_to_service(machine.pk, reason="done", actor="olga")
    change_state(machine.pk, "escalate", reason="check it", actor="olga")
    observation_store.record([make.look(machine, make.xid(), at=now + timedelta(seconds=30))])
    assert Fault.objects.get().status == "confirmed"


def test_a_maintenance_window_that_is_over_verifies_the_machine() -> None:
    (machine,) = make.make_machines()
    now = timezone.now()
    start_maintenance(machine.pk, reason="fans", until=now - timedelta(seconds=1), actor="olga")
    assert verifications.end_due_maintenance() == 1 and verifications.end_due_maintenance() == 0
    assert look_and_decide(Verification.objects.get()) == "passed"
    health = make.health(machine)
    assert health.state == "ready" and health.maintenance_until is None
    assert not Hold.objects.filter(lifted_at=None).exists()


def test_a_machine_that_fails_after_maintenance_waits_drained_and_gets_its_fault(settings: Settings) -> None:
    settings.CONFIRM_DELAY_S = 15
    (machine,) = make.make_machines()
    now = timezone.now()
    start_maintenance(machine.pk, reason="fans", until=now - timedelta(seconds=1), actor="olga")
    verifications.end_due_maintenance()
    assert look_and_decide(Verification.objects.get(), make.nvlink()) == "failed"
    health = make.health(machine)
    assert health.state == "drained" and health.maintenance_until is None, "nobody works on it yet"
    assert not Hold.objects.filter(owner="maintenance", lifted_at=None).exists()
    for seconds in (30, 60):
        observation_store.record([make.look(machine, make.nvlink(), at=now + timedelta(seconds=seconds))])
    assert Fault.objects.get().status == "confirmed" and Event.objects.filter(kind="fault.confirmed").exists()


@pytest.mark.parametrize("fault_class", ["nvme.failing", "psu.lost", "clock.skew", "gpu.firmware"])
@pytest.mark.parametrize(("state", "outcome"), [("burn_in", "failed"), ("drained", "passed")])
def test_what_a_machine_in_service_may_wait_with_keeps_a_new_one_out(
    state: str, outcome: str, fault_class: str
) -> None:
    (machine,) = make.make_machines()
    MachineHealth.objects.update(state=state)
    verification = request_verification(machine.pk, fault_ids=[], owner="run_machine:1", actor="run:1")
    finding = replace(make.drive_failing(), fault_class=fault_class)
    assert look_and_decide(verification, finding) == outcome
