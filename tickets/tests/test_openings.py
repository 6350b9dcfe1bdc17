"""Tickets open by themselves, once, with the evidence at hand, and lose nothing when something goes wrong."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from core.models import User
from core.work import failed_handlers
from health.models import Fault, FaultEvidence
from health.monitoring.faults import event_data
from health.monitoring.services.sweeps import observation_store
from health.services import dismiss_fault
from health.tests import factories as make
from inventory.models import Machine
from live import events
from live.models import Event, HandlerFailure
from tickets import services
from tickets.models import Ticket
from tickets.services import openings
from tickets.services.evidence import FIRST_KEPT, LATEST_KEPT
from tickets.tests.conftest import ago, break_gpu, look_after

pytestmark = pytest.mark.django_db


def fault_of(ticket: Ticket) -> Fault:
    return Fault.objects.get(ticket_links__ticket=ticket, led_by=None)


def test_a_machine_that_an_unknown_class_of_fault_drains_has_no_ticket_that_can_wait(db: None) -> None:
    (machine,) = make.make_machines(automation="on")
    unknown = replace(make.xid(), fault_class="quantum.decay")
    observation_store.record([make.look(machine, unknown, at=ago(60))])
    assert make.health(machine).state == "drained"
    assert Ticket.objects.get().priority == "P2"


def test_the_same_news_twice_opens_nothing_twice(ticket: Ticket) -> None:
    evidence, fault = ticket.evidence.count(), fault_of(ticket)
    data = event_data(fault.pk, fault.machine_id, fault.slot, fault.fault_class)
    for _ in range(3):
        with transaction.atomic():
            events.emit("fault.confirmed", site_id=None, subject="fault:x", data=data, actor="test")
    assert Ticket.objects.count() == 1 and ticket.evidence.count() == evidence
    assert not HandlerFailure.objects.exists()
    ticket.refresh_from_db()
    assert ticket.evidence_count == evidence


def test_the_database_itself_allows_one_open_ticket_per_fault(ticket: Ticket) -> None:
    same = {"site": ticket.site, "machine": ticket.machine, "part": ticket.part, "fault_class": ticket.fault_class}
    with pytest.raises(IntegrityError, match="one_open_ticket_per_fault"), transaction.atomic():
        Ticket.objects.create(title="twice", **same)
    Ticket.objects.create(title="the past", status="closed", closed_at=timezone.now(), **same)


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"status": "lost"}, "ticket_status_is_known"),
        ({"priority": "P9"}, "ticket_priority_is_known"),
        ({"status": "in_work"}, "work_has_an_assignee"),
        ({"status": "closed"}, "closed_ticket_has_its_time"),
    ],
)
def test_the_database_refuses_what_the_workflow_never_makes(ticket: Ticket, change: dict, constraint: str) -> None:
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Ticket.objects.filter(pk=ticket.pk).update(**change)


def test_numbers_only_grow_and_survive_a_rollback(ticket: Ticket, olga: User) -> None:
    machine = ticket.machine
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        lost = Ticket.objects.create(site=ticket.site, machine=machine, part="a", fault_class="b", title="c")
        1 / 0  # noqa: B018
    later = Ticket.objects.create(site=ticket.site, machine=machine, part="a", fault_class="b", title="c")
    assert 2001 <= ticket.number < lost.number < later.number and later.key == f"REP-{later.number}"


@pytest.mark.django_db(transaction=True)
def test_two_workers_with_the_same_news_open_one_ticket() -> None:
    machine = break_gpu()
    fault = Fault.objects.get(machine=machine, led_by=None)
    Ticket.objects.all().delete()
    gate, found = threading.Barrier(2), []

    def work() -> None:
        try:
            gate.wait(5)
            found.append(services.open_ticket_for_fault(fault.pk))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(found) == 2 and found[0].pk == found[1].pk and Ticket.objects.count() == 1
    assert FaultEvidence.objects.count() == Ticket.objects.get().evidence.count()


def test_a_handler_that_fails_loses_no_ticket(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    def broken_steps(*args: object) -> list:
        raise RuntimeError("no steps today")

    with monkeypatch.context() as patched:
        patched.setattr(openings, "steps_for", broken_steps)
        machine = break_gpu()
    assert not Ticket.objects.exists()
    assert make.health(machine).state == "drained", "the fault and the drain stand"
    failure = HandlerFailure.objects.get()
    assert "no steps today" in failure.error
    HandlerFailure.objects.update(next_try_at=timezone.now())
    assert failed_handlers.retry() == 1
    ticket = Ticket.objects.get()
    assert ticket.part == "GPU 5" and make.health(machine).ticket_key == ticket.key


@pytest.mark.slow
def test_news_retried_after_the_fault_is_gone_opens_nothing(ticket: Ticket, olga: User) -> None:
    fault = fault_of(ticket)
    services.close(ticket.number, by=olga, reason="noise")
    assert services.open_ticket_for_fault(fault.pk) is None
    assert Ticket.objects.filter(status="closed").count() == 1


@pytest.mark.slow
def test_evidence_is_capped_but_counted(ticket: Ticket) -> None:
    fault, before = fault_of(ticket), ticket.evidence_count
    first = list(ticket.evidence.values_list("pk", flat=True))
    for batch in range(10):
        FaultEvidence.objects.bulk_create(
            FaultEvidence(
                fault=fault, at=ago(1), check_id="gpu.xid", part="GPU 5", verdict="fail", message=f"{batch}-{number}"
            )
            for number in range(50)
        )
        services.open_ticket_for_fault(fault.pk)
    ticket.refresh_from_db()
    assert ticket.evidence_count == before + 500
    assert ticket.evidence.count() == FIRST_KEPT + LATEST_KEPT
    kept = list(ticket.evidence.values_list("pk", "message"))
    assert [pk for pk, _ in kept[: len(first)]] == first and kept[-1][1] == "9-49"


def test_a_fault_that_clears_in_service_closes_the_ticket_nobody_took(db: None) -> None:
    (machine,) = make.make_machines(automation="dry_run")
    observation_store.record([make.look(machine, make.docker_down(), at=ago(120))])
    observation_store.record([make.look(machine, make.docker_down(), at=ago(90))])
    ticket = Ticket.objects.get()
    observation_store.record([make.look(machine, at=ago(60))])
    ticket.refresh_from_db()
    assert ticket.status == "closed" and "seen to pass again" in ticket.changes.last().text
    assert make.health(machine).ticket_key == ""


@pytest.mark.slow
def test_a_fault_that_clears_while_somebody_works_on_it_is_only_told(tina: User) -> None:
    (machine,) = make.make_machines(automation="dry_run")
    observation_store.record([make.look(machine, make.docker_down(), at=ago(120))])
    observation_store.record([make.look(machine, make.docker_down(), at=ago(90))])
    ticket = services.take(Ticket.objects.get().number, by=tina)
    observation_store.record([make.look(machine, at=ago(60))])
    ticket.refresh_from_db()
    assert ticket.status == "in_work" and "Press Resolve and verify" in ticket.changes.last().text
    services.done_verify(ticket.number, by=tina)
    assert look_after(ticket) == "passed"
    ticket.refresh_from_db()
    assert ticket.status == "closed"


def test_a_fault_dismissed_below_closes_its_ticket(ticket: Ticket) -> None:
    dismiss_fault(fault_of(ticket).pk, reason="known noise", actor="olga")
    ticket.refresh_from_db()
    assert ticket.status == "closed" and "known noise" in ticket.changes.last().text


@pytest.mark.slow
def test_a_ticket_tells_of_the_one_before_it_in_the_same_place(broken: Machine, ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    services.done_verify(ticket.number, by=tina)
    assert look_after(ticket, boot_id="boot-b") == "passed"
    later = timezone.now() + timedelta(seconds=90)
    observation_store.record([make.look(broken, make.xid(at_us=77), boot_id="boot-b", at=later)])
    again = Ticket.objects.exclude(pk=ticket.pk).get()
    assert again.number > ticket.number and ticket.key in again.changes.get(actor="tickets").text


def test_the_ticket_is_announced_in_the_same_transaction(ticket: Ticket) -> None:
    event = Event.objects.filter(kind="ticket.changed").latest("id")
    assert event.site_id == ticket.site_id and event.subject == f"ticket:{ticket.pk}"
    assert {"id", "key", "status", "title", "machine", "machine_name", "assignee", "priority"} <= set(event.data)
    assert event.data["key"] == ticket.key and event.data["machine"] == ticket.machine_id


def test_opening_a_ticket_takes_a_fixed_number_of_queries(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    machines = make.make_machines(2)
    now = ago(60)
    observation_store.record([make.look(machines[0], make.xid(), at=now)])  # fills caches
    Ticket.objects.all().delete()
    fault = Fault.objects.get()
    with django_assert_max_num_queries(55):  # fifteen of them: its cost and the policy of its site, its runbook
        services.open_ticket_for_fault(fault.pk)
