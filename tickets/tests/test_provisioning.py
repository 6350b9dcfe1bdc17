"""Machines whose provisioning failed: one ticket each, and the run itself is the proof of the repair."""

from __future__ import annotations

import pytest
from django.db import transaction

from access.tests.fleet import make_credentials
from core.models import User
from health.models import Fault
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from inventory.models import Device, Machine
from live import events
from live.models import Event
from provisioning import services as provisioning
from provisioning.models import RunMachine
from provisioning.services.progress import changing as progressing
from provisioning.steps import Done, Failed, FailureClass, Heard, StepName
from tickets import services
from tickets.models import Ticket
from tickets.services import TicketConflict, openings
from tickets.tests.conftest import ago

pytestmark = pytest.mark.django_db


@pytest.fixture
def bare(db: None) -> Machine:
    make_credentials()
    (machine,) = make.make_machines()
    Machine.objects.filter(pk=machine.pk).update(primary_ip="10.1.0.1", bmc_ip="10.2.0.1")
    Device.objects.filter(pk=machine.pk).update(serial="SN1", status="planned")
    from health.models import MachineHealth

    MachineHealth.objects.filter(pk=machine.pk).update(state="new")
    return machine


@pytest.fixture
def row(bare: Machine) -> RunMachine:
    provisioning.create_run([bare.pk], actor="olga", name="batch")
    row = RunMachine.objects.get()
    start(row)
    return row


def start(row: RunMachine) -> None:
    provisioning.fill()
    row.refresh_from_db()
    assert row.status == "running"


def fail(row: RunMachine, step: StepName = StepName.IDENTITY, failure: FailureClass = FailureClass.NO_BMC) -> None:
    with progressing(row.pk) as progress:
        assert progress.apply(Failed(step, failure), "no answer from 10.2.0.1 within 120 s")


def succeed(row: RunMachine) -> None:
    """Everything the run waits for happens."""
    with progressing(row.pk) as progress:
        for step in (StepName.IDENTITY, StepName.BOOT_OVERRIDE, StepName.POWER_ON):
            assert progress.apply(Done(step), "ok")
        assert progress.apply(Heard(StepName.PHONE_HOME), "ok")
        for step in (StepName.SSH, StepName.CHECKS, StepName.READY):
            assert progress.apply(Done(step), "ok")


def test_a_machine_that_failed_gets_a_ticket_that_says_why(bare: Machine, row: RunMachine) -> None:
    fail(row)
    ticket = Ticket.objects.get()
    assert ticket.title == f"Bring up the BMC of {bare.device.name}" and ticket.source == "provisioning"
    assert "no answer from 10.2.0.1" in ticket.summary
    row.refresh_from_db()
    assert row.ticket == ticket.key and make.health(bare).ticket_key == ticket.key
    evidence = ticket.evidence.get()
    assert evidence.check_id == "provisioning.identity" and "Attempt 1 begins" in evidence.excerpt
    assert ticket.steps.first().kind == "check" and ticket.steps.last().kind == "verify"


def test_another_machine_that_failed_alike_is_said_once_and_told_twice_is_no_news(row: RunMachine) -> None:
    fail(row)
    ticket = Ticket.objects.get()
    RunMachine.objects.update(attempt=2)
    openings._fails_alike(ticket.number, row.pk)
    before = Ticket.objects.get().updated_at, Event.objects.count()
    openings._fails_alike(ticket.number, row.pk)
    assert (Ticket.objects.get().updated_at, Event.objects.count()) == before


def test_the_same_failure_told_twice_is_one(row: RunMachine) -> None:
    fail(row)
    services.open_ticket_for_run_machine(row.pk)
    assert Ticket.objects.get().evidence.count() == 1


def test_done_sends_it_through_the_run_again_and_the_run_closes_the_ticket(
    bare: Machine, row: RunMachine, tina: User
) -> None:
    fail(row)
    ticket = Ticket.objects.get()
    services.take(ticket.number, by=tina)
    assert make.health(bare).state == "repair"
    services.done_verify(ticket.number, by=tina)
    ticket.refresh_from_db()
    row.refresh_from_db()
    assert ticket.status == "verifying" and row.status == "waiting"
    start(row)
    succeed(row)
    ticket.refresh_from_db()
    assert ticket.status == "closed" and "Provisioned by run" in ticket.changes.last().text
    assert make.health(bare).state == "ready" and make.health(bare).ticket_key == ""


def test_failing_again_puts_the_same_ticket_back_to_work(bare: Machine, row: RunMachine, tina: User) -> None:
    fail(row)
    ticket = Ticket.objects.get()
    services.take(ticket.number, by=tina)
    services.done_verify(ticket.number, by=tina)
    start(row)
    fail(row)
    ticket = Ticket.objects.get()
    assert ticket.status == "in_work" and ticket.assignee == tina and ticket.evidence.count() == 2


def test_an_operators_own_retry_that_succeeds_closes_the_ticket_too(bare: Machine, row: RunMachine) -> None:
    fail(row)
    provisioning.retry_machine(row.pk, actor="olga")
    start(row)
    succeed(row)
    assert Ticket.objects.get().status == "closed"


def test_a_run_that_cannot_go_on_says_so_and_changes_nothing(bare: Machine, row: RunMachine, tina: User) -> None:
    from health.models import MachineHealth

    fail(row)
    ticket = Ticket.objects.get()
    services.take(ticket.number, by=tina)
    MachineHealth.objects.filter(pk=bare.pk).update(state="retired")
    with pytest.raises(TicketConflict, match="Provisioning cannot go on"):
        services.done_verify(ticket.number, by=tina)
    ticket.refresh_from_db()
    assert ticket.status == "in_work"


def test_what_is_found_on_it_meanwhile_belongs_to_the_same_ticket(bare: Machine, row: RunMachine) -> None:
    fail(row)
    observation_store.record([make.look(bare, make.xid(), make.gone(), at=ago(30))])
    assert Fault.objects.filter(status="confirmed").exists()
    ticket = Ticket.objects.get()
    assert {"gpu.xid", "gpu.present"} <= set(ticket.evidence.values_list("check_id", flat=True))


def test_giving_it_back_leaves_the_machine_in_triage(bare: Machine, row: RunMachine, tina: User) -> None:
    fail(row)
    ticket = Ticket.objects.get()
    services.take(ticket.number, by=tina)
    services.release(ticket.number, by=tina, reason="no spare cable")
    assert make.health(bare).state == "triage"


def test_news_of_a_machine_that_was_started_again_opens_nothing(row: RunMachine) -> None:
    data = {"run_machine": row.pk}
    with transaction.atomic():
        events.emit("run.machine_failed", site_id=None, subject="run_machine:x", data=data)
    assert not Ticket.objects.exists()
