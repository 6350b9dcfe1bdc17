"""Remediation over real SSH and real Redfish in the virtual hall, with the tickets that wait for it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from health.models import Fault, Incident, RemediationAction, SiteAutomation
from health.remediation.services import actions, automation
from health.remediation.services.steps import step
from health.services import request_sweep
from health.tests import factories as make
from health.tests.hall import RunningHall, look_until_decided, run_shards, running_hall
from health.tests.real import twins
from inventory.models import Machine
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def by_hand(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.CONFIRM_DELAY_S = 0
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


def sweep(ids: list[int]) -> None:
    (asked,) = request_sweep(ids, "manual", actor="test")
    run_shards(asked)


def fleet() -> list[Machine]:
    machines = [twin.machine for twin in twins(3)]
    SiteAutomation.objects.update_or_create(
        site_id=machines[0].device.site_id, defaults={"power_off_s": 0, "power_spacing_s": 0, "cause_machines": 100}
    )
    return machines


def break_one(hall: RunningHall, machines: list[Machine], fault: str, slot: str = "", **params: Any) -> Machine:
    sick = machines[1]
    sweep([machine.pk for machine in machines])
    hall.do(lambda h: h.inject(h.machines[sick.device.name], fault, slot=slot, params=params))
    for _ in range(10):  # one to see it, one to confirm it, others when a look missed it
        sweep([sick.pk])
        if Fault.objects.filter(led_by=None, status="confirmed").exists():
            return sick
    raise AssertionError(list(Fault.objects.values_list("slot", "status")))


def turn_on(*remedies: str) -> None:
    from health.checks import catalogue

    for check in catalogue():
        for remedy in remedies:
            automation.set_switch(check.id, remedy, site_id=None, mode="on", reason="trusted", actor="ada")


def act(machine: Machine, within_s: float = 60) -> RemediationAction:
    """One step of automation to its end: granted, sent, seen and verified."""
    action_id = step(machine.pk)
    assert action_id is not None, Incident.objects.values_list("refused_by", flat=True)
    actions.carry_out(action_id, RemediationAction.objects.get(pk=action_id).lease_owner)
    until = time.monotonic() + within_s
    while (row := RemediationAction.objects.get(pk=action_id)).finished_at is None:
        assert time.monotonic() < until, (row.state, row.result)
        RemediationAction.objects.filter(pk=action_id).update(lease_until=row.sent_at)
        actions.carry_out(action_id)
    if row.verification_id is not None:
        look_until_decided(row.verification_id)
        row.refresh_from_db()
    return row


def names_of(hall: RunningHall, machine: Machine) -> list[str]:
    return hall.do(lambda h: [fault.name for fault in h.machines[machine.device.name].state.faults])


@pytest.mark.slow
def test_a_gpu_that_a_reset_cures_comes_back_without_a_ticket(tmp_path: Path) -> None:
    machines = fleet()
    with running_hall("ams1", tmp_path) as hall:
        turn_on("reset_gpu")
        sick = break_one(hall, machines, "gpu_ecc", "GPU 5")
        assert make.health(sick).state == "drained" and not Ticket.objects.exists(), "the ticket waits"
        action = act(sick)
        assert (action.remedy, action.state, action.verified) == ("reset_gpu", "confirmed", True), action.result
        assert not names_of(hall, sick)
    assert make.health(sick).state == "ready" and not Ticket.objects.exists()
    assert Incident.objects.get().closed_at is not None


def test_in_dry_run_nothing_is_touched_and_a_ticket_opens_that_says_what_would_be_done(tmp_path: Path) -> None:
    machines = fleet()
    with running_hall("ams1", tmp_path) as hall:
        sick = break_one(hall, machines, "gpu_ecc", "GPU 5")
        before = hall.do(lambda h: h.machines[sick.device.name].state.boot_id)
        assert step(sick.pk) is None and not RemediationAction.objects.exists()
        assert names_of(hall, sick) == ["gpu_ecc"]
        assert hall.do(lambda h: h.machines[sick.device.name].state.boot_id) == before
    ticket = Ticket.objects.get()
    assert "dry run for it: Reset the GPU" in ticket.changes.get(actor="automation").text


@pytest.mark.slow
def test_what_only_a_power_cycle_cures_is_climbed_to_by_real_reboot_and_real_power(tmp_path: Path) -> None:
    machines = fleet()
    with running_hall("ams1", tmp_path) as hall:
        turn_on("reset_gpu", "reboot", "power_cycle")
        sick = break_one(hall, machines, "gpu_off_bus", "GPU 5", cure="power_cycle")
        first = act(sick)
        assert (first.remedy, first.state, first.verified) == ("reboot", "confirmed", False), first.result
        second = act(sick)
        assert (second.remedy, second.state, second.verified) == ("power_cycle", "confirmed", True), second.result
        assert second.boot_id_before != hall.do(lambda h: h.machines[sick.device.name].state.boot_id)
    assert not Fault.objects.exclude(status="cleared").exists() and not Ticket.objects.exists()
    assert Incident.objects.get().closed_at is not None


@pytest.mark.slow
def test_what_no_remedy_cures_ends_with_a_ticket_that_says_what_was_tried(tmp_path: Path) -> None:
    machines = fleet()
    with running_hall("ams1", tmp_path) as hall:
        turn_on("reboot", "power_cycle", "reset_gpu")
        sick = break_one(hall, machines, "gpu_off_bus", "GPU 5")
        SiteAutomation.objects.update(remediations_7d=1)
        assert act(sick).verified is False
        assert not Ticket.objects.exists()
        assert step(sick.pk) is None
    assert make.health(sick).state == "triage"
    said = Ticket.objects.get(part="GPU 5").changes.get(actor="automation").text
    assert "leaves it to people" in said and "Reboot: It did not help" in said


@pytest.mark.slow
def test_nobody_is_thrown_off_a_machine(tmp_path: Path) -> None:
    machines = fleet()
    with running_hall("ams1", tmp_path) as hall:
        turn_on("reset_gpu")
        sick = break_one(hall, machines, "gpu_ecc", "GPU 5")
        hall.do(lambda h: h.inject(h.machines[sick.device.name], "somebody_logged_in"))
        action = act(sick)
        assert (action.state, action.refused_by) == ("cancelled", "logins")
        assert "gpu_ecc" in names_of(hall, sick)
