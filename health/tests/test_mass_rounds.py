"""Rounds of mass failures: one that fails stops no other, nothing is left without an incident, and lifted is lifted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from core.instance import state as instance
from core.work.alone import alone
from health.checks.levels import Rung
from health.machines.services.changes import changing
from health.models import Fault, Incident, MachineHealth, SchedulerSource, SiteAutomation
from health.monitoring.services import fault_responses
from health.monitoring.tasks import confirm_due
from health.remediation.planner import Planned
from health.remediation.services import automation, drains, plans, steps
from health.remediation.services.causes import mass
from health.remediation.services.steps import plan_site
from health.remediation.tasks import remediate
from health.remediation.types import Proposal, Step
from health.schedulers.services import readings
from health.tests import factories as make
from health.tests.remediation_world import ago, events, memory_fault
from health.tests.test_mass_failures import fail, hall, lose_contact, members, pass_again, shared, site_of
from inventory.models import Machine

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]


def open_mass(machines: Sequence[Machine], kind: str, cause: str, **more: Any) -> Incident:
    """An open incident of machines that lost contact, with the faults that they have."""
    values = {"fault_class": "machine.unreachable", "suspect_until": timezone.now() + timedelta(hours=1)} | more
    incident = Incident.objects.create(
        site_id=site_of(machines), kind="shared", cause_kind=kind, cause=cause, title=cause, **values
    )
    for machine in machines:
        incident.members.create(machine=machine)
    Fault.objects.filter(machine__in=machines, led_by=None).update(incident=incident)
    Incident.objects.filter(kind="machine", machine__in=machines, closed_at=None).update(
        closed_at=timezone.now(), closed_by="test"
    )
    return incident


# ---- one incident swallows another ----


@pytest.mark.slow
def test_the_older_incident_takes_over_the_cause_of_the_one_that_it_swallows() -> None:
    machines = hall(24, suspicious_share=1.0)
    older = open_mass([machines[0], machines[8]], "switch", "leaf-1")
    younger = open_mass(machines[9:11], "rack", "R02")
    lose_contact([machines[0], *machines[8:12]])
    mass.look(site_of(machines))
    (left,) = shared()
    assert (left.pk, left.cause_kind, left.cause) == (older.pk, "rack", "R02")
    assert members(left) == {machines[0].pk, *(machine.pk for machine in machines[8:12])}
    younger.refresh_from_db()
    assert younger.close_reason.startswith(f"part of incident {older.pk}: ")


@pytest.mark.slow
def test_a_fault_of_a_swallowed_incident_that_is_no_part_of_the_other_stands_alone_with_its_ticket() -> None:
    machines = hall(24, suspicious_share=1.0)
    fail(machines[13:14], heard=False)
    open_mass([machines[0], machines[8]], "switch", "leaf-1")
    open_mass([*machines[9:11], machines[13]], "rack", "R02")
    lose_contact([machines[0], *machines[8:12]])
    mass.look(site_of(machines))
    fault = Fault.objects.get(machine=machines[13], led_by=None)
    assert fault.incident is not None and (fault.incident.kind, fault.incident.closed_at) == ("machine", None)
    assert fault.pk in {event.data["fault"] for event in events("fault.seen_again")}


def test_a_machine_out_of_use_keeps_an_incident_of_its_own_when_the_others_pass() -> None:
    machines = hall(16, automation="dry_run")
    fail(machines[4:7], heard=False)
    mass.look(site_of(machines))
    (incident,) = shared()
    MachineHealth.objects.filter(pk=machines[4].pk).update(state="provisioning")
    pass_again(machines[5:7])
    mass.look(site_of(machines))
    assert not shared()
    fault = Fault.objects.exclude(status="cleared").get(led_by=None)
    assert fault.incident is not None and (fault.incident.machine, fault.incident.closed_at) == (machines[4], None)
    assert fault.incident_id != incident.pk


# ---- lifted, expired ----


@pytest.mark.slow
@pytest.mark.parametrize("how", ["lifted", pytest.param("expired", marks=pytest.mark.slow)])
def test_a_lifted_or_expired_incident_of_a_rack_does_not_grow_and_the_next_machine_is_drained(how: str) -> None:
    machines = hall(16, suspicious_share=1.0)
    fail(machines[:3], memory_fault())
    mass.look(site_of(machines))
    (incident,) = shared()
    before = members(incident)
    Fault.objects.update(confirmed_at=ago(3600))
    if how == "lifted":
        mass.lift(incident.pk, by="olga", reason="really broken")
    else:
        Incident.objects.update(suspect_until=ago(1))
    fail(machines[3:4], memory_fault(2), seconds_ago=50)
    assert make.health(machines[3]).state == "drained"
    mass.look(site_of(machines))
    assert members(incident) == before
    assert Fault.objects.get(machine=machines[3]).incident.kind == "machine"


@pytest.mark.slow
def test_a_lifted_incident_does_not_grow_by_a_mass_failure_of_the_same_cause_either() -> None:
    machines = hall(16, suspicious_share=1.0)
    lifted = open_mass(machines[:1], "rack", "R00", suspect_until=None, lifted_by="olga")
    lose_contact(machines[:1])
    fail(machines[1:4], heard=False)
    mass.look(site_of(machines))
    assert shared() == [lifted] and members(lifted) == {machines[0].pk}
    assert Incident.objects.filter(kind="machine", closed_at=None).count() == 3


# ---- what waits for a round ----


@pytest.mark.slow
def test_a_paused_instance_finds_mass_failures_and_lets_waiting_tickets_open() -> None:
    machines = hall(24, suspicious_share=1.0)
    instance.pause("a copy", actor="anna")
    fail(machines[:3], heard=False)
    fail(machines[4:24:8], memory_fault(), seconds_ago=60)
    waiting = Incident.objects.filter(cause_due=True, closed_at=None)
    assert waiting.exists()
    remediate()
    assert [incident.cause for incident in shared()] == ["R00"]
    assert not waiting.exists() and {make.health(machine).state for machine in machines} == {"ready"}


def test_only_a_round_lets_a_ticket_go_that_waits_for_it() -> None:
    machines = hall(8)
    fail(machines[:1], memory_fault())
    Incident.objects.update(cause_due=True)
    with changing(machines[0].pk, actor="test") as change:
        plans.settle_first(change)
    assert Incident.objects.get().cause_due
    mass.look(site_of(machines))
    assert not Incident.objects.get().cause_due


# ---- one machine, kind or step that fails ----


class Broken:
    """A function that fails for the first thing that it is called with, and remembers the others."""

    def __init__(self, answer: Any = None, about: Callable[..., Any] = lambda *args, **_: args[0]) -> None:
        self.first: Any = None
        self.others: list[Any] = []
        self.answer, self.about = answer, about

    def __call__(self, *args: Any, **named: Any) -> Any:
        what = self.about(*args, **named)
        if self.first in (None, what):
            self.first = what
            raise RuntimeError("this one is broken")
        self.others.append(what)
        return self.answer


@pytest.mark.slow
def test_one_kind_of_trouble_that_fails_stops_no_other_and_waiting_tickets_open(monkeypatch: Any) -> None:
    machines = hall(16)
    fail(machines[:1], memory_fault())
    fail(machines[1:2], make.gone())
    Incident.objects.update(cause_due=True)
    broken = Broken(about=lambda *args: args[1])
    monkeypatch.setattr(mass, "_follow_kind", broken)
    mass.look(site_of(machines))
    assert len(broken.others) == 1 and not Incident.objects.filter(cause_due=True).exists()


def test_waiting_tickets_open_when_the_causes_of_a_site_cannot_be_read(monkeypatch: Any) -> None:
    machines = hall(8)
    fail(machines[:1], memory_fault())
    Incident.objects.update(cause_due=True)
    monkeypatch.setattr(mass.alike, "failing", Broken())
    with pytest.raises(RuntimeError):
        mass.look(site_of(machines))
    assert not Incident.objects.filter(cause_due=True).exists()
    fault = Fault.objects.get(machine=machines[0], led_by=None)
    assert fault.pk in {event.data["fault"] for event in events("fault.seen_again")}


@pytest.mark.slow
def test_one_machine_whose_ticket_cannot_be_let_go_stops_no_other(monkeypatch: Any) -> None:
    machines = hall(8)
    fail(machines[:1], memory_fault())
    fail(machines[4:5], make.gone())
    Incident.objects.update(cause_due=True)
    broken = Broken(about=lambda change, _: change.machine_id)
    monkeypatch.setattr(mass, "_release_one", broken)
    mass.look(site_of(machines))
    assert broken.others == [machines[4].pk]


@pytest.mark.slow
def test_one_machine_whose_step_fails_stops_neither_the_others_nor_what_is_told(monkeypatch: Any) -> None:
    machines = hall(8)
    fail(machines[:1], memory_fault())
    fail(machines[4:5], make.gone())
    _, views, held = plans.preview(site_of(machines))
    step = Proposal(machines[0].pk, 1, Step.DRAIN, Rung.NOTE, "x")
    planned = [Planned(machine.pk, step, None) for machine in (machines[0], machines[4])]
    monkeypatch.setattr(steps, "preview", lambda _: (planned, views, held))
    told: list[str] = []
    broken = Broken()
    monkeypatch.setattr(steps, "step", broken)
    monkeypatch.setattr(steps, "_keep_refusals", lambda *_: told.append("refusals"))
    monkeypatch.setattr(steps, "_lose_patience", lambda *_: told.append("patience"))
    assert plan_site(site_of(machines)) == 1
    assert broken.others == [machines[4].pk] and told == ["refusals", "patience"]


def test_one_machine_that_cannot_be_given_back_stops_neither_the_others_nor_the_round(monkeypatch: Any) -> None:
    machines = hall(4)
    MachineHealth.objects.filter(pk__in=machines[:2]).update(state="remediating")
    broken, looked = Broken(True), Broken(about=lambda *_: None)
    looked.first = "none is broken"
    monkeypatch.setattr(automation, "_give_back", broken)
    monkeypatch.setattr(mass, "look", looked)
    automation.round_of(site_of(machines))
    assert broken.others == [machines[1].pk] and looked.others == [None]


@pytest.mark.slow
def test_one_machine_whose_response_cannot_be_followed_stops_no_other(monkeypatch: Any) -> None:
    machines = hall(8, suspicious_share=1.0)
    fail([machines[0], machines[4]], memory_fault())
    broken = Broken()
    monkeypatch.setattr(fault_responses, "_follow_one", broken)
    fault_responses.follow("gpu.memory", None)
    assert broken.others == [machines[4].pk]


def test_one_machine_whose_drain_cannot_be_looked_at_or_completed_stops_no_other(monkeypatch: Any) -> None:
    machines = hall(4)
    MachineHealth.objects.filter(pk__in=machines[:3]).update(state="draining")
    source = SchedulerSource.objects.create(site_id=site_of(machines), kind="slurm")
    looked, completed = Broken(True, about=lambda _, machine_id, *__: machine_id), Broken(True)
    monkeypatch.setattr(readings, "_is_idle", looked)
    monkeypatch.setattr(readings, "_complete", completed)
    assert readings.complete_drains(source, timezone.now()) == 1
    assert looked.others == [machines[1].pk, machines[2].pk] and completed.others == [machines[2].pk]


def test_what_no_single_machine_does_ends_the_loop() -> None:
    with pytest.raises(OperationalError), alone("x"):
        raise OperationalError("the database is away")


# ---- drains that wait ----


def refused_a_while_ago(*places: int) -> list[Machine]:
    machines = hall(16, suspicious_share=1.0, drains_10min=0)
    waiting = [machines[place] for place in places]
    for machine in waiting:
        fail([machine], memory_fault())
    assert Fault.objects.filter(drain="stopped", led_by=None).count() == len(waiting)
    Incident.objects.update(refused_at=ago(60))
    return waiting


@pytest.mark.slow
def test_machines_that_are_refused_for_good_do_not_starve_those_behind_them(monkeypatch: Any) -> None:
    waiting = refused_a_while_ago(0, 4, 8)
    asked: list[int] = []
    ask = drains.take_out_if_allowed
    monkeypatch.setattr(drains, "take_out_if_allowed", lambda change: asked.append(change.machine_id) or ask(change))
    for _ in range(4):
        drains.drain_waiting(limit=1)
    assert sorted(asked) == [machine.pk for machine in waiting], "each once, and then they rest"
    Incident.objects.update(refused_at=ago(31))
    SiteAutomation.objects.update(drains_10min=1000)
    assert drains.drain_waiting() == 3


def test_one_machine_that_cannot_be_drained_stops_no_other(monkeypatch: Any) -> None:
    refused_a_while_ago(0, 4)
    broken = Broken("drained", about=lambda change: change.machine_id)
    monkeypatch.setattr(drains, "take_out_if_allowed", broken)
    assert drains.drain_waiting() == 1


def test_a_machine_of_an_open_mass_failure_is_not_asked_for_whatever_else_it_has(monkeypatch: Any) -> None:
    (machine,) = refused_a_while_ago(0)
    open_mass([machine], "rack", "R00")
    Fault.objects.update(incident=None)
    monkeypatch.setattr(drains, "take_out_if_allowed", lambda _: pytest.fail("it was asked"))
    assert drains.drain_waiting() == 0


def test_a_step_that_fails_keeps_none_of_those_after_it(monkeypatch: Any) -> None:
    called: list[str] = []
    monkeypatch.setattr("health.monitoring.services.sweeps.sweep_runs.confirm_due", Broken(about=lambda: "sweeping"))
    monkeypatch.setattr(
        "health.monitoring.services.verifications.end_due_maintenance", Broken(about=lambda: "maintenance")
    )
    monkeypatch.setattr(
        "health.monitoring.services.recoveries.verify_what_answers_again", lambda: called.append("answering")
    )
    confirm_due()
    assert called == ["answering"]
