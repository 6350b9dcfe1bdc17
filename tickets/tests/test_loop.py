"""The whole loop in one process: a fault is seen, repaired from a ticket, verified, and the machine is back.

Reports are synthetic; what stores, decides and verifies them is the real thing.
"""

from __future__ import annotations

import pytest
from pytest_django.fixtures import Settings

from core.models import User
from health.models import Fault, Hold, LifecycleChange
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from inventory.models import Installation, Machine
from live.models import Event, HandlerFailure
from tickets import services
from tickets.models import Ticket
from tickets.tests.conftest import OLD_SERIAL, ago, install, look_after

pytestmark = pytest.mark.django_db


def test_a_dead_gpu_is_ticketed_replaced_verified_and_the_machine_returns(settings: Settings, tina: User) -> None:
    settings.CONFIRM_DELAY_S = 15
    (machine,) = make.make_machines()
    install(machine, "GPU 5", OLD_SERIAL)

    # a first look only suspects, a second one confirms
    observation_store.record([make.look(machine, make.gone(), at=ago(120))])
    assert make.health(machine).cell == "suspect" and not Ticket.objects.exists()
    observation_store.record([make.look(machine, make.gone(), make.nvlink(), at=ago(90))])
    ticket = Ticket.objects.get()
    health = make.health(machine)
    assert (health.state, health.cell, health.ticket_key) == ("drained", "failed", ticket.key)
    assert ticket.title == f"Replace SXM 5 (GPU 5) in {machine.device.name}" and ticket.part == "GPU 5"

    # the technician
    services.take(ticket.number, by=tina)
    assert make.health(machine).state == "repair" and make.health(machine).cell == "repair"
    services.record_swap(ticket.number, by=tina, new_serial="1659900000042")
    ticket = services.done_verify(ticket.number, by=tina, note="seated well")
    assert ticket.status == "verifying" and make.health(machine).state == "verifying"

    # the verification
    assert look_after(ticket, boot_id="boot-b") == "passed"
    ticket.refresh_from_db()
    assert ticket.status == "closed" and ticket.closed_at is not None
    health = make.health(machine)
    assert (health.state, health.cell, health.ticket_key) == ("ready", "available", "")
    assert not Hold.objects.filter(lifted_at=None).exists()
    assert not Fault.objects.exclude(status="cleared").exists()

    # what is left behind
    now_in = Installation.objects.get(device=machine.device, slot="GPU 5", during__endswith=None)
    assert now_in.component.serial == "1659900000042" and now_in.ticket == ticket.key
    path = LifecycleChange.objects.filter(machine=machine).order_by("id").values_list("transition__to_state", flat=True)
    assert list(path)[-5:] == ["draining", "drained", "repair", "verifying", "ready"]
    statuses = Event.objects.filter(kind="ticket.changed").order_by("id").values_list("data__status", flat=True)
    assert list(dict.fromkeys(statuses)) == ["open", "in_work", "verifying", "closed"]
    assert not HandlerFailure.objects.exists()


def test_a_repair_that_did_not_help_comes_back_with_what_was_seen(broken: Machine, tina: User, ticket: Ticket) -> None:
    services.take(ticket.number, by=tina)
    services.record_swap(ticket.number, by=tina, new_serial="1659900000042")
    before = ticket.evidence.count()
    services.done_verify(ticket.number, by=tina)
    assert look_after(ticket, make.gone(), boot_id="boot-b") == "failed"
    ticket.refresh_from_db()
    assert ticket.status == "in_work" and ticket.assignee == tina and make.health(broken).state == "repair"
    latest = ticket.evidence.last()
    assert ticket.evidence.count() > before and latest is not None and latest.source == "verification"
    assert latest.message.startswith("Verification failed") and latest.check_id == "gpu.present"
    assert ticket.changes.last().text.startswith("Verification failed: gpu.present of SXM 5 (GPU 5)")
    assert not ticket.steps.filter(kind__in=["swap", "reseat"], done_at__isnull=False).exists(), "to be done again"
    # and once more, with a better module
    services.record_swap(ticket.number, by=tina, new_serial="1659900000043")
    services.done_verify(ticket.number, by=tina)
    assert look_after(ticket, boot_id="boot-c") == "passed"
    ticket.refresh_from_db()
    assert ticket.status == "closed" and make.health(broken).state == "ready" and Ticket.objects.count() == 1


def test_one_dead_gpu_gives_exactly_one_ticket_with_all_its_evidence(broken: Machine, ticket: Ticket) -> None:
    for second in range(6):
        findings = (make.xid(at_us=2_000_000 + second), make.gone(), make.nvlink())
        observation_store.record([make.look(broken, *findings, at=ago(50 - second))])
    assert Ticket.objects.count() == 1
    ticket.refresh_from_db()
    assert set(ticket.evidence.values_list("check_id", flat=True)) == {"gpu.xid", "gpu.present", "nvlink.links"}
    assert ticket.fault_links.count() == Fault.objects.count() == 3


def test_two_faults_on_one_machine_are_two_tickets_and_both_must_be_repaired(broken: Machine, tina: User) -> None:
    observation_store.record([make.look(broken, make.xid(gpu=2, at_us=9000), make.gone(), at=ago(40))])
    first, second = Ticket.objects.order_by("number")
    assert {first.part, second.part} == {"GPU 5", "GPU 2"}
    assert make.health(broken).ticket_key == first.key
    services.take(first.number, by=tina)
    services.take(second.number, by=tina)
    services.done_verify(first.number, by=tina)
    assert look_after(first, boot_id="boot-b") == "passed"
    first.refresh_from_db()
    assert first.status == "closed" and make.health(broken).ticket_key == second.key
    assert make.health(broken).state == "repair", "somebody still works on it"
    services.done_verify(second.number, by=tina)
    assert look_after(second, boot_id="boot-b", after_s=10) == "passed"
    assert make.health(broken).state == "ready" and make.health(broken).ticket_key == ""


def test_beyond_the_cap_a_ticket_opens_and_nothing_is_drained(tina: User) -> None:
    (machine,) = make.make_machines(share=0.0)
    observation_store.record([make.look(machine, make.xid(), make.gone(), at=ago(60))])
    ticket = Ticket.objects.get()
    assert make.health(machine).state == "ready" and make.health(machine).ticket_key == ticket.key
    services.take(ticket.number, by=tina)
    assert make.health(machine).state == "ready", "taking a ticket never takes a machine out of service"
    assert "still in service" in ticket.changes.last().text
    services.done_verify(ticket.number, by=tina)
    assert look_after(ticket, boot_id="boot-b") == "passed"
    ticket.refresh_from_db()
    assert ticket.status == "closed" and make.health(machine).state == "ready"


def test_a_machine_drained_after_its_ticket_was_taken_is_in_repair(tina: User) -> None:
    from health.models import Pool
    from health.remediation.services.drains import drain_waiting

    (machine,) = make.make_machines(share=0.0)
    observation_store.record([make.look(machine, make.xid(), at=ago(60))])
    services.take(Ticket.objects.get().number, by=tina)
    Pool.objects.update(max_unavailable_share=1.0)
    assert drain_waiting() == 1
    assert make.health(machine).state == "repair"
