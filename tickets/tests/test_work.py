"""What people do with tickets, one after the other and at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, connections
from pytest_django import DjangoAssertNumQueries

from core.models import Role, User
from health.models import Fault, Hold, LifecycleChange
from health.monitoring.services.sweeps import observation_store
from health.services import request_verification
from health.tests import factories as make
from inventory.models import Component, Installation, Machine
from inventory.services import Refused
from live.models import Event
from tickets import services
from tickets.models import Ticket
from tickets.services import NotYours, TicketConflict
from tickets.tests.conftest import OLD_SERIAL, ago, break_gpu, install, look_after, person

pytestmark = pytest.mark.django_db


def at_once(*works: Callable[[], object]) -> list[Any]:
    """Run these in threads that start together; results or exceptions, in order."""
    gate = threading.Barrier(len(works))
    results: list[Any] = [None] * len(works)

    def run(at: int, work: Callable[[], object]) -> None:
        try:
            gate.wait(5)
            results[at] = work()
        except Exception as error:
            results[at] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return results


@pytest.mark.django_db(transaction=True)
def test_of_two_technicians_who_take_the_same_ticket_one_gets_it() -> None:
    break_gpu()
    ticket, people = Ticket.objects.get(), [person("tina"), person("tom")]
    results = at_once(*(lambda by=by: services.take(ticket.number, by=by, version=1) for by in people))
    refused = [result for result in results if isinstance(result, TicketConflict)]
    assert len(refused) == 1 and sum(isinstance(result, Ticket) for result in results) == 1
    ticket.refresh_from_db()
    winner = people[next(at for at, result in enumerate(results) if isinstance(result, Ticket))]
    assert ticket.assignee == winner and ticket.version == 2
    assert ticket.changes.filter(event="take").count() == 1


@pytest.mark.django_db(transaction=True)
def test_without_a_version_the_second_one_still_learns_who_was_first() -> None:
    break_gpu()
    ticket, people = Ticket.objects.get(), [person("tina"), person("tom")]
    results = at_once(*(lambda by=by: services.take(ticket.number, by=by) for by in people))
    (refused,) = [result for result in results if isinstance(result, TicketConflict)]
    assert "was taken by" in refused.reason


@pytest.mark.django_db(transaction=True)
def test_a_sweep_and_a_technician_at_the_same_moment_do_not_block_each_other() -> None:
    """Both lock the machine before the ticket."""
    machine = break_gpu()
    ticket, tina = Ticket.objects.get(), person("tina")

    def sweep() -> None:
        for number in range(5):
            findings = (make.xid(at_us=5_000_000 + number), make.gone(), make.nvlink())
            observation_store.record([make.look(machine, *findings, at=ago(50 - number))])

    def work() -> None:
        services.take(ticket.number, by=tina)
        for number in range(5):
            services.comment(ticket.number, by=tina, text=str(number))

    assert at_once(sweep, work) == [None, None]
    assert ticket.comments.count() == 5 and Ticket.objects.count() == 1


@pytest.mark.slow
def test_taking_ones_own_ticket_again_changes_nothing(ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    events = Event.objects.count()
    assert services.take(ticket.number, by=tina).version == 2 and Event.objects.count() == events


@pytest.mark.slow
def test_a_released_ticket_lets_the_machine_wait_again(broken: Machine, ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    services.release(ticket.number, by=tina, reason="part is not in stock")
    ticket.refresh_from_db()
    assert ticket.status == "open" and ticket.assignee is None
    assert make.health(broken).state == "drained" and Hold.objects.filter(lifted_at=None).count() == 1
    assert ticket.changes.last().text == "Released: part is not in stock"
    services.take(ticket.number, by=tina)
    assert make.health(broken).state == "repair"


@pytest.mark.slow
def test_the_machine_stays_in_repair_while_hands_are_on_another_ticket(broken: Machine, tina: User) -> None:
    observation_store.record([make.look(broken, make.xid(gpu=2, at_us=9000), make.gone(), at=ago(40))])
    first, second = Ticket.objects.order_by("number")
    services.take(first.number, by=tina)
    services.take(second.number, by=tina)
    services.release(first.number, by=tina, reason="one at a time")
    assert make.health(broken).state == "repair"
    services.release(second.number, by=tina, reason="lunch")
    assert make.health(broken).state == "drained"


def test_a_swap_moves_the_part_in_the_inventory_under_the_tickets_name(ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    services.record_swap(ticket.number, by=tina, new_serial="1659900000042", old_serial="")
    swap = ticket.swaps.get()
    assert (swap.old_serial, swap.new_serial, swap.by) == (OLD_SERIAL, "1659900000042", tina)
    old = Installation.objects.get(component__serial=OLD_SERIAL)
    assert old.during.upper is not None
    new = Installation.objects.get(component__serial="1659900000042")
    assert (new.slot, new.ticket, new.by, new.during.upper) == ("GPU 5", ticket.key, "tina", None)
    assert Component.objects.get(serial="1659900000042").part_number == "935-24287-0000"


def test_a_serial_in_use_elsewhere_is_refused_with_where(ticket: Ticket, tina: User) -> None:
    (other,) = make.make_machines()
    install(other, "GPU 0", "1650000000001")
    services.take(ticket.number, by=tina)
    with pytest.raises(Refused, match=f"{other.device.name} GPU 0"):
        services.record_swap(ticket.number, by=tina, new_serial="1650000000001")
    with pytest.raises(Refused, match="before"):
        services.record_swap(ticket.number, by=tina, new_serial=OLD_SERIAL)
    with pytest.raises(Refused, match="before"):
        services.record_swap(ticket.number, by=tina, new_serial="X1", old_serial="x1")
    assert not ticket.swaps.exists() and Installation.objects.filter(during__endswith=None).count() == 2


def test_an_old_part_that_is_not_the_recorded_one_is_written_down(ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    services.record_swap(ticket.number, by=tina, new_serial="NEW1", old_serial="READ-IN-HAND")
    assert ticket.swaps.get().old_serial == "READ-IN-HAND"
    assert f"The inventory had {OLD_SERIAL}" in "".join(ticket.changes.values_list("text", flat=True))


def test_steps_are_ticked_and_unticked_by_who_works(ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    services.tick(ticket.number, 2, by=tina)
    step = ticket.steps.get(number=2)
    assert step.done_at is not None and step.done_by == "Tina"
    services.tick(ticket.number, 2, by=tina, done=False)
    assert ticket.steps.get(number=2).done_at is None
    with pytest.raises(NotYours, match="is with Tina"):
        services.tick(ticket.number, 2, by=person("tom"))
    services.tick(ticket.number, 2, by=person("olga", Role.OPERATOR), operator=True)


def test_closing_without_proof_is_logged_and_lifts_the_hold_but_returns_nothing(
    broken: Machine, ticket: Ticket, tina: User, olga: User
) -> None:
    services.take(ticket.number, by=tina)
    services.close(ticket.number, by=olga, reason="board goes to the vendor")
    ticket.refresh_from_db()
    assert ticket.status == "closed"
    change = ticket.changes.get(event="close")
    assert change.user == olga and change.text == "Closed without verification: board goes to the vendor"
    hold = Hold.objects.get()
    assert hold.lifted_by == "olga" and "board goes to the vendor" in hold.lift_reason
    fault = Fault.objects.get(led_by=None)
    assert fault.status == "cleared" and "board goes to the vendor" in fault.cleared_by
    assert make.health(broken).state == "drained" and make.health(broken).ticket_key == ""


@pytest.mark.slow
def test_closing_while_a_verification_runs_leaves_the_machine_for_a_person(
    broken: Machine, ticket: Ticket, tina: User, olga: User
) -> None:
    from health.models import Verification
    from health.monitoring.services import verifications

    services.take(ticket.number, by=tina)
    services.done_verify(ticket.number, by=tina)
    verification = Verification.objects.get()
    services.close(ticket.number, by=olga, reason="scrapped")
    claimed = verifications.WORK.take(verification.pk)
    assert claimed is not None
    at = verification.requested_at.timestamp() + 5
    look = make.look(broken, make.gone(), at=type(verification.requested_at).fromtimestamp(at, tz=ago(0).tzinfo))
    assert verifications.decide(claimed, look) == "failed"
    ticket.refresh_from_db()
    assert ticket.status == "closed" and make.health(broken).state == "drained"


def test_what_still_fails_after_a_close_opens_a_new_ticket(broken: Machine, ticket: Ticket, olga: User) -> None:
    services.close(ticket.number, by=olga, reason="hope")
    observation_store.record([make.look(broken, make.gone(), at=ago(30))])
    observation_store.record([make.look(broken, make.gone(), at=ago(10))])
    again = Ticket.objects.exclude(pk=ticket.pk).get()
    assert again.status == "open" and again.part == ticket.part


def test_a_closed_ticket_comes_back_with_its_steps_open(ticket: Ticket, tina: User, olga: User) -> None:
    services.take(ticket.number, by=tina)
    services.tick(ticket.number, 1, by=tina)
    services.close(ticket.number, by=olga, reason="wrong button")
    services.reopen(ticket.number, by=olga, reason="wrong button")
    ticket.refresh_from_db()
    assert ticket.status == "open" and ticket.closed_at is None and ticket.assignee is None
    assert not ticket.steps.filter(done_at__isnull=False).exists()
    services.take(ticket.number, by=tina)
    services.done_verify(ticket.number, by=tina)
    assert look_after(ticket, boot_id="boot-b") == "passed"


@pytest.mark.slow
def test_reopening_beside_an_open_ticket_for_the_same_part_is_refused(
    broken: Machine, ticket: Ticket, olga: User
) -> None:
    services.close(ticket.number, by=olga, reason="hope")
    observation_store.record([make.look(broken, make.xid(at_us=99), boot_id="boot-b", at=ago(10))])
    other = Ticket.objects.exclude(pk=ticket.pk).get()
    with pytest.raises(TicketConflict, match=other.key):
        services.reopen(ticket.number, by=olga, reason="x")


@pytest.mark.slow
def test_a_verification_of_somebody_else_does_not_move_the_ticket(broken: Machine, ticket: Ticket, tina: User) -> None:
    from health.services import request_verification

    services.take(ticket.number, by=tina)
    ticket = services.done_verify(ticket.number, by=tina)
    other = request_verification(broken.pk, fault_ids=[], owner="maintenance", actor="maintenance")
    services.verification_finished(other.pk)
    ticket.refresh_from_db()
    assert ticket.status == "verifying"
    services.verification_finished(ticket.verification_id or 0)
    ticket.refresh_from_db()
    assert ticket.status == "verifying", "it has not finished yet"


@pytest.mark.slow
def test_the_outcome_told_twice_counts_once(broken: Machine, ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    ticket = services.done_verify(ticket.number, by=tina)
    look_after(ticket, boot_id="boot-b")
    changes = ticket.changes.count()
    services.verification_finished(ticket.verification_id or 0)
    assert ticket.changes.count() == changes


def test_every_move_of_the_machine_names_the_ticket(broken: Machine, ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    services.release(ticket.number, by=tina, reason="lunch")
    moves = LifecycleChange.objects.filter(machine=broken, actor="tina")
    assert moves.count() == 2 and all(move.evidence == {"ticket": ticket.key} for move in moves)


def test_a_technicians_write_takes_a_fixed_number_of_queries(
    ticket: Ticket, tina: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(35):
        services.take(ticket.number, by=tina)
    with django_assert_max_num_queries(14):
        services.tick(ticket.number, 1, by=tina)
    with django_assert_max_num_queries(10):
        services.comment(ticket.number, by=tina, text="x")
    assert connection.vendor == "postgresql"


def test_taking_a_ticket_while_the_machine_verifies_itself_puts_it_in_repair(ticket: Ticket, tina: User) -> None:
    """Nobody asked for that look: its outcome must not return a machine that somebody has open."""
    request_verification(ticket.machine_id or 0, fault_ids=[], owner="automation", actor="automation")
    assert make.health(ticket.machine_id or 0).state == "verifying"
    services.take(ticket.number, by=tina)
    assert make.health(ticket.machine_id or 0).state == "repair"
