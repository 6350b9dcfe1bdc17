"""One trouble with two tickets, two troubles with one ticket, and the checklist."""

from __future__ import annotations

import pytest

from core.models import User
from health.models import Fault
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from inventory.models import Machine
from inventory.services import Refused
from tickets import services
from tickets.desk import services as desk
from tickets.models import SubTask, Ticket
from tickets.services import TicketConflict
from tickets.tests.conftest import ago, break_gpu

pytestmark = pytest.mark.django_db


def second_fault(machine: Machine) -> Ticket:
    """The ticket of another GPU of the same machine."""
    observation_store.record([make.look(machine, make.xid(gpu=2, at_us=9000), make.gone(), at=ago(40))])
    return Ticket.objects.exclude(part="GPU 5").get()


def test_a_duplicate_goes_into_another_with_faults_evidence_and_watchers(
    broken: Machine, ticket: Ticket, tina: User, olga: User
) -> None:
    double = second_fault(broken)
    faults = set(double.fault_links.values_list("fault_id", flat=True))
    seen = double.evidence.count()
    desk.watch(double.number, by=tina, on=True)
    before = ticket.evidence.count()
    desk.merge(double.number, by=olga, into=ticket.number, reason="same board")
    double.refresh_from_db()
    assert (double.status, double.merged_into) == ("closed", ticket)
    assert faults <= set(ticket.fault_links.values_list("fault_id", flat=True)) and not double.fault_links.exists()
    assert ticket.evidence.count() == before + seen and not double.evidence.exists()
    assert [row.user for row in ticket.watchers.all()] == [tina]
    assert Fault.objects.filter(pk__in=faults).exclude(status="cleared").exists()  # nothing was proven by that


def test_the_merged_fault_is_repaired_under_the_other_ticket(
    broken: Machine, ticket: Ticket, tina: User, olga: User
) -> None:
    double = second_fault(broken)
    desk.merge(double.number, by=olga, into=ticket.number, reason="same board")
    observation_store.record([make.look(broken, make.xid(gpu=2, at_us=9500), make.gone(), at=ago(20))])
    assert Ticket.objects.count() == 2  # seen again: no third one
    services.take(ticket.number, by=tina)
    services.done_verify(ticket.number, by=tina)
    ticket.refresh_from_db()
    assert ticket.verification is not None
    asked = set(ticket.verification.faults.values_list("pk", flat=True))
    assert asked >= set(ticket.fault_links.values_list("fault_id", flat=True))


@pytest.mark.slow
def test_what_the_other_could_not_prove_is_not_merged(broken: Machine, ticket: Ticket, tina: User, olga: User) -> None:
    break_gpu(site="fra1")
    far = Ticket.objects.get(machine__device__site__slug="fra1")
    with pytest.raises(Refused, match="no such ticket"):
        desk.merge(far.number, by=olga, into=ticket.number, reason="x")
    (near,) = make.make_machines()
    observation_store.record([make.look(near, make.xid(), make.gone(), at=ago(30))])
    other = Ticket.objects.get(machine=near)
    with pytest.raises(TicketConflict, match="another machine"):
        desk.merge(other.number, by=olga, into=ticket.number, reason="x")
    with pytest.raises(Refused, match="itself"):
        desk.merge(ticket.number, by=olga, into=ticket.number, reason="x")
    services.take(ticket.number, by=tina)
    with pytest.raises(TicketConflict, match="release it first"):
        desk.merge(ticket.number, by=olga, into=other.number, reason="x")
    assert Ticket.objects.exclude(status="closed").count() == 3


def test_a_merged_ticket_is_not_reopened(broken: Machine, ticket: Ticket, olga: User) -> None:
    double = second_fault(broken)
    desk.merge(double.number, by=olga, into=ticket.number, reason="same board")
    services.close(ticket.number, by=olga, reason="board replaced")
    with pytest.raises(TicketConflict, match=f"merged into {ticket.key}"):
        services.reopen(double.number, by=olga, reason="it is back")


def test_a_fault_gets_a_ticket_of_its_own_and_stays_there(broken: Machine, ticket: Ticket, olga: User) -> None:
    double = second_fault(broken)
    desk.merge(double.number, by=olga, into=ticket.number, reason="same board")
    fault = Fault.objects.get(ticket_links__ticket=ticket, slot="GPU 2", led_by=None)
    new = desk.split_fault(ticket.number, by=olga, fault=fault.pk, reason="two modules after all")
    assert (new.part, new.fault_class, new.split_from) == ("GPU 2", fault.fault_class, ticket)
    assert list(new.fault_links.values_list("fault_id", flat=True)) == [fault.pk]
    assert new.evidence.exists() and new.steps.exists() and new.due_at is not None
    assert not ticket.fault_links.filter(fault=fault).exists()
    observation_store.record([make.look(broken, make.xid(gpu=2, at_us=9900), make.gone(), at=ago(10))])
    assert new.fault_links.count() >= 1 and not ticket.fault_links.filter(fault=fault).exists()


def test_the_last_fault_is_not_split_off(ticket: Ticket, olga: User) -> None:
    (fault,) = Fault.objects.filter(ticket_links__ticket=ticket, led_by=None)
    with pytest.raises(TicketConflict, match="only fault"):
        desk.split_fault(ticket.number, by=olga, fault=fault.pk, reason="x")
    with pytest.raises(Refused, match="No open fault"):
        desk.split_fault(ticket.number, by=olga, fault=10**9, reason="x")
    with pytest.raises(TicketConflict, match="not about several machines"):
        desk.split_machine(ticket.number, by=olga, machine=ticket.machine_id or 0, reason="x")


def test_sub_tasks_are_added_ticked_and_removed(ticket: Ticket, tina: User) -> None:
    desk.add_sub_task(ticket.number, by=tina, text="Order thermal pads", assignee=tina.pk)
    desk.add_sub_task(ticket.number, by=tina, text="Tell the customer")
    desk.change_sub_task(ticket.number, 1, by=tina, done=True)
    done, left = ticket.sub_tasks.all()
    assert (done.done_by, done.assignee, left.done_at) == (tina, tina, None)
    desk.change_sub_task(ticket.number, 1, by=tina, done=False, assignee=None)
    assert (ticket.sub_tasks.get(number=1).done_at, ticket.sub_tasks.get(number=1).assignee) == (None, None)
    desk.remove_sub_task(ticket.number, 1, by=tina)
    assert [row.text for row in ticket.sub_tasks.all()] == ["Tell the customer"]
    with pytest.raises(SubTask.DoesNotExist):
        desk.change_sub_task(ticket.number, 9, by=tina, done=True)
    with pytest.raises(Refused, match="No technician"):
        desk.add_sub_task(ticket.number, by=tina, text="x", assignee=10**9)
