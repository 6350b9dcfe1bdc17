"""Many machines that fail alike have one ticket, which is worked on, verified and closed like any other."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from core.models import User
from health.models import Fault, Incident, MachineHealth, Pool, SiteAutomation, Verification
from health.monitoring.services import verifications
from health.monitoring.services.sweeps import observation_store
from health.remediation.models import SHARED_CAUSES
from health.remediation.services import automation, incidents
from health.remediation.services.causes import mass
from health.tests import factories as make
from health.tests.test_mass_rounds import Broken
from inventory.models import Machine
from inventory.services import Refused
from live.models import HandlerFailure
from tickets import services, texts
from tickets.desk import services as desk
from tickets.models import Ticket, TicketChange
from tickets.services import incidents as tickets_of
from tickets.tests.conftest import ago

pytestmark = pytest.mark.django_db


@pytest.fixture
def lost(settings: Any, django_capture_on_commit_callbacks: Any) -> list[Machine]:
    """Three of the four machines of a rack that do not answer any more; a pool that drains nothing by itself."""
    settings.CONFIRM_DELAY_S = 15
    machines = make.make_machines(16, automation="dry_run")
    SiteAutomation.objects.update(cause_machines=2)
    observation_store.record([make.look(machine, at=ago(200)) for machine in machines])
    with django_capture_on_commit_callbacks(execute=True):
        for at in (ago(90), ago(60)):
            observation_store.record([make.look(machine, heard=False, at=at) for machine in machines[4:7]])
        automation.round_of(machines[0].device.site_id)
    return machines[4:7]


def test_every_kind_of_cause_has_its_first_step() -> None:
    assert sorted(texts.INCIDENT_STEPS) == sorted(SHARED_CAUSES)


def one() -> Ticket:
    return Ticket.objects.get(source="incident", status__in=["open", "in_work", "verifying"])


def pass_again(machines: list[Machine]) -> None:
    observation_store.record([make.look(machine, at=timezone.now()) for machine in machines])
    automation.round_of(machines[0].device.site_id)


def test_machines_that_fail_alike_have_one_ticket_that_names_them_all(lost: list[Machine]) -> None:
    ticket = one()
    names = ", ".join(machine.device.name for machine in lost)
    assert ticket.title == "3 machines lost contact: rack R01" and ticket.priority == "P1"
    assert f"R01: {names}" in ticket.summary and "75% of the machines of rack R01" in ticket.summary
    assert (ticket.subject, ticket.subject_name) == ("place", "R01")
    assert [step.kind for step in ticket.steps.all()] == ["check", "check", "verify"]
    assert set(ticket.fault_links.values_list("fault__machine", flat=True)) == {machine.pk for machine in lost}
    assert ticket.evidence_count >= 3 and not HandlerFailure.objects.exists()


@pytest.mark.slow
def test_tickets_that_opened_before_anybody_knew_are_closed_as_part_of_it(lost: list[Machine]) -> None:
    before = Ticket.objects.filter(source="fault")
    assert before.count() == 2, "from the third machine on no ticket of its own opened"
    assert set(before.values_list("status", flat=True)) == {"closed"}
    closed = before.first()
    assert closed is not None and closed.changes.last().text.startswith(f"Part of {one().key}")
    assert {make.health(machine).ticket_key for machine in lost} == {one().key}


@pytest.mark.slow
def test_another_fault_of_such_a_machine_has_its_own_ticket(lost: list[Machine]) -> None:
    observation_store.record([make.look(lost[0], make.gone(), at=ago(40))])
    observation_store.record([make.look(lost[0], make.gone(), at=ago(20))])
    assert Ticket.objects.get(source="fault", status="open").fault_class == "gpu.gone"


@pytest.mark.slow
def test_a_machine_of_it_gets_a_ticket_of_its_own_that_the_incident_leaves_alone(
    lost: list[Machine], olga: User, django_capture_on_commit_callbacks: Any
) -> None:
    ticket = one()
    assert ticket.queue == "hands"  # a rack
    new = desk.split_machine(ticket.number, by=olga, machine=lost[0].pk, reason="its BMC is dead too")
    (fault,) = Fault.objects.filter(machine=lost[0], led_by=None)
    with django_capture_on_commit_callbacks(execute=True):
        tickets_of.follow_incident(ticket.incident_id or 0)
    new.refresh_from_db()
    assert (new.status, new.machine, new.split_from) == ("open", lost[0], ticket)
    assert list(new.fault_links.values_list("fault_id", flat=True)) == [fault.pk]
    assert not ticket.fault_links.filter(fault=fault).exists() and ticket.fault_links.count() == 2
    with pytest.raises(Refused, match="not about this machine"):
        desk.split_machine(ticket.number, by=olga, machine=lost[0].pk - 1, reason="x")


@pytest.mark.slow
def test_the_next_machine_that_fails_alike_comes_onto_the_ticket(lost: list[Machine]) -> None:
    fourth = Machine.objects.get(pk=lost[-1].pk + 1)
    observation_store.record([make.look(fourth, heard=False, at=ago(40))])
    observation_store.record([make.look(fourth, heard=False, at=ago(20))])
    automation.round_of(fourth.device.site_id)
    ticket = one()
    assert ticket.title == "4 machines lost contact: rack R01" and fourth.device.name in ticket.summary
    assert ticket.changes.filter(text=f"Now: {ticket.title}").exists()
    assert not Ticket.objects.filter(machine=fourth).exists()


@pytest.mark.slow
def test_a_machine_that_passes_again_shows_the_ticket_no_more_while_the_others_do(
    lost: list[Machine], django_assert_num_queries: Any
) -> None:
    ticket = one()
    pass_again(lost[:1])
    tickets_of.settle_all()
    assert [make.health(machine).ticket_key for machine in lost] == ["", ticket.key, ticket.key]
    with django_assert_num_queries(3):  # the ticket, tickets of their own, machines that show something else
        tickets_of.settle(ticket.number)


def test_one_ticket_machine_or_incident_that_goes_wrong_keeps_none_of_the_others(
    lost: list[Machine], monkeypatch: Any
) -> None:
    number = one().number
    MachineHealth.objects.update(ticket_key="")
    shown = Broken()
    monkeypatch.setattr(tickets_of, "settle_machine", shown)
    tickets_of.settle(number)
    assert shown.others == [machine.pk for machine in lost[1:]]
    Ticket.objects.filter(source="fault").update(status="open", closed_at=None)
    TicketChange.objects.filter(ticket__source="fault").update(data={})
    ended = Broken()
    monkeypatch.setattr(tickets_of, "_end_own", ended)
    tickets_of.settle(number)
    assert len(ended.others) == 1
    Ticket.objects.filter(source="fault").update(source="incident")
    settled = Broken()
    monkeypatch.setattr(tickets_of, "settle", settled)
    tickets_of.settle_all()
    assert len(settled.others) == 2


@pytest.mark.django_db(transaction=True)
def test_its_machines_show_it_as_soon_as_it_is_committed() -> None:
    (machine,) = make.make_machines()
    incident = Incident.objects.create(
        site_id=machine.device.site_id, kind="shared", cause_kind="rack", cause="R00", title="lost",
        fault_class="machine.unreachable",
    )  # fmt: skip
    incident.members.create(machine=machine)
    with transaction.atomic():
        ticket = tickets_of.follow_incident(incident.pk)
    assert ticket is not None and make.health(machine).ticket_key == ticket.key


@pytest.mark.slow
def test_it_closes_when_all_its_machines_pass_again(lost: list[Machine]) -> None:
    ticket = one()
    pass_again(lost[:2])
    ticket.refresh_from_db()
    assert ticket.status == "open" and "2 of 3 pass again" in ticket.summary
    pass_again(lost[2:])
    ticket.refresh_from_db()
    assert ticket.status == "closed" and "all 3 machines pass again" in ticket.changes.last().text


@pytest.mark.slow
def test_done_looks_again_at_every_machine_and_closes_it_when_all_pass(lost: list[Machine], tina: User) -> None:
    ticket = one()
    services.take(ticket.number, by=tina)
    services.done_verify(ticket.number, by=tina, note="the PDU was off")
    ticket.refresh_from_db()
    assert ticket.status == "verifying" and ticket.comments.get().text == "the PDU was off"
    assert mass.verify(ticket.incident_id or 0, actor="tina") == 3
    for asked in Verification.objects.all():
        Verification.objects.update(next_try_at=ago(1), requested_at=ago(5))
        claimed = verifications.WORK.take(asked.pk)
        assert claimed is not None
        assert verifications.decide(claimed, make.look(asked.machine_id, at=timezone.now())) == "passed"
    automation.round_of(ticket.site_id)
    ticket.refresh_from_db()
    assert ticket.status == "closed" and ticket.changes.last().text.startswith("Verification passed: all 3 machines")
    assert not Fault.objects.exclude(status="cleared").exists()
    assert {make.health(machine).state for machine in lost} == {"ready"}


@pytest.mark.slow
def test_done_too_early_comes_back_with_who_still_fails(lost: list[Machine], tina: User) -> None:
    ticket = one()
    services.take(ticket.number, by=tina)
    services.done_verify(ticket.number, by=tina)
    pass_again(lost[:2])
    Incident.objects.update(verify_by=ago(1))
    automation.round_of(ticket.site_id)
    ticket.refresh_from_db()
    assert ticket.status == "in_work" and ticket.assignee == tina
    assert ticket.changes.last().text == f"Verification failed: 1 of its machines still fail: {lost[2].device.name}"


@pytest.mark.slow
def test_work_that_ended_after_the_machines_recovered_closes_at_once(lost: list[Machine], tina: User) -> None:
    ticket = one()
    services.take(ticket.number, by=tina)
    pass_again(lost)
    ticket.refresh_from_db()
    assert ticket.status == "in_work" and "Press Resolve and verify" in ticket.changes.last().text
    services.done_verify(ticket.number, by=tina)
    ticket.refresh_from_db()
    assert ticket.status == "closed"


@pytest.mark.slow
def test_closing_it_without_proof_ends_the_incident_and_its_faults(lost: list[Machine], olga: User) -> None:
    ticket = one()
    services.close(ticket.number, by=olga, reason="a drill")
    incident = Incident.objects.get(pk=ticket.incident_id)
    assert incident.closed_at is not None and "a drill" in incident.close_reason
    assert not Fault.objects.exclude(status="cleared").exists()
    ticket.refresh_from_db()
    assert ticket.status == "closed" and not HandlerFailure.objects.exists()


@pytest.mark.slow
def test_an_incident_that_a_person_ends_leaves_each_machine_its_own_ticket(lost: list[Machine]) -> None:
    ticket = one()
    incidents.close_by_person(ticket.incident_id or 0, by="ada", reason="three unrelated faults")
    ticket.refresh_from_db()
    assert ticket.status == "closed"
    open_now = Ticket.objects.filter(source="fault", status="open")
    assert set(open_now.values_list("machine_id", flat=True)) == {machine.pk for machine in lost}
    assert not HandlerFailure.objects.exists()


@pytest.mark.slow  # as for incidents, which tickets follow
def test_unlike_faults_behind_one_rack_are_tickets_of_their_own(settings: Any) -> None:
    settings.CONFIRM_DELAY_S = 15
    machines = make.make_machines(4)
    SiteAutomation.objects.update(cause_machines=2)
    Pool.objects.update(automation="dry_run")
    for machine, finding in zip(machines, (make.gone(), make.nvlink(), make.docker_down()), strict=False):
        observation_store.record([make.look(machine, finding, at=ago(90))])
        observation_store.record([make.look(machine, finding, at=ago(60))])
    automation.round_of(machines[0].device.site_id)
    assert set(Ticket.objects.values_list("source", "status")) == {("fault", "open")} and Ticket.objects.count() == 3


@pytest.mark.slow
def test_what_only_failed_at_the_same_time_gets_its_tickets_after_one_round(settings: Any) -> None:
    settings.CONFIRM_DELAY_S = 15
    machines = make.make_machines(64, automation="dry_run")
    SiteAutomation.objects.update(cause_machines=2, suspicious_share=1.0)
    observation_store.record([make.look(machine, at=ago(200)) for machine in machines])
    for machine in machines[::16]:
        observation_store.record([make.look(machine, heard=False, at=ago(90))])
        observation_store.record([make.look(machine, heard=False, at=ago(60))])
    assert Ticket.objects.count() == 2, "two others fail alike: it may be one incident"
    automation.round_of(machines[0].device.site_id)
    assert set(Ticket.objects.values_list("source", "status")) == {("fault", "open")} and Ticket.objects.count() == 4
