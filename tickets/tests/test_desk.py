"""What a shift does with one ticket: on the real service, against a real database."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Role, Site, User
from health.models import Fault, SchedulerJob, SchedulerMachine, SchedulerSource
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from inventory.models import Component, Machine, StoragePlace
from inventory.services import Refused
from tickets import services
from tickets.desk import policies, rounds
from tickets.desk import services as desk
from tickets.desk.facts import facts_of
from tickets.models import Ticket
from tickets.services import NotYours, TicketConflict
from tickets.tests.conftest import ago, break_gpu, look_after, person

pytestmark = pytest.mark.django_db


def now(ticket: Ticket) -> Ticket:
    return Ticket.objects.get(pk=ticket.pk)


def texts(ticket: Ticket) -> list[str]:
    return list(ticket.changes.values_list("text", flat=True))


def scheduler(machine: Machine, *, jobs: int = 0) -> SchedulerSource:
    """A scheduler that answers and names this machine, with so many jobs on it."""
    source, _ = SchedulerSource.objects.get_or_create(
        site_id=machine.device.site_id,
        defaults={"kind": "slurm", "state": SchedulerSource.State.GOOD, "last_read_at": timezone.now()},
    )
    SchedulerMachine.objects.create(
        source=source,
        name=machine.device.name,
        machine=machine,
        closed=True,
        answers=True,
        state="drained",
        jobs=jobs,
        since=ago(60),
    )
    for number in range(jobs):
        SchedulerJob.objects.create(
            source=source, job_id=str(number + 1), state="RUNNING", started_at=ago(600), machine_ids=[machine.pk],
            machine_count=1,
        )  # fmt: skip
    return source


# ---- priority ----


def test_a_new_ticket_has_a_priority_with_its_reason_a_queue_and_a_due_time(ticket: Ticket) -> None:
    assert ticket.priority == "P1"  # nobody says what runs there, so its class decides
    assert ticket.priority_line == "P1: 8 GPUs out, jobs not known, spares in Hall 1 not known, no spare part here"
    assert ticket.queue == "hands"
    assert ticket.due_at == ticket.opened_at + timedelta(hours=4)


def test_the_priority_follows_what_it_costs_now(ticket: Ticket, broken: Machine) -> None:
    source = scheduler(broken)
    rounds.follow(timezone.now() + timedelta(minutes=10))
    assert now(ticket).priority == "P2"
    assert now(ticket).priority_line == "P2: 8 GPUs out, no spare part here"
    assert "Priority P1 to P2. P2: 8 GPUs out, no spare part here" in texts(ticket)
    SchedulerJob.objects.create(
        source=source, job_id="7", state="RUNNING", started_at=ago(60), machine_ids=[broken.pk], machine_count=1
    )
    rounds.follow(timezone.now() + timedelta(minutes=20))
    assert now(ticket).priority == "P1" and "1 job hurt" in now(ticket).priority_line


def test_a_spare_part_on_the_shelf_is_counted(ticket: Ticket) -> None:
    shelf = StoragePlace.objects.create(site_id=ticket.site_id, name="shelf 1")
    Component.objects.create(site_id=ticket.site_id, kind="gpu", vendor="NVIDIA", serial="S1", storage=shelf)
    suspect = {"condition": Component.Condition.SUSPECT, "storage": shelf}
    Component.objects.create(site_id=ticket.site_id, kind="gpu", vendor="NVIDIA", serial="S2", **suspect)
    assert facts_of([ticket])[ticket.pk].spare_parts == 1


def test_a_priority_set_by_hand_stays_until_it_is_given_back(ticket: Ticket, broken: Machine, olga: User) -> None:
    desk.set_priority(ticket.number, by=olga, priority="P3", reason="spare hall is empty anyway")
    assert now(ticket).priority == "P3" and "spare hall is empty anyway (Olga)" in now(ticket).priority_line
    scheduler(broken, jobs=1)
    rounds.follow(timezone.now() + timedelta(minutes=10))
    assert now(ticket).priority == "P3"
    desk.set_priority(ticket.number, by=olga, priority=None)
    rounds.follow(timezone.now() + timedelta(minutes=20))
    assert now(ticket).priority == "P1"


@pytest.mark.slow
def test_what_many_tickets_cost_takes_as_many_statements_as_one() -> None:
    for machine in make.make_machines(2):  # a third with alike faults would be a mass failure
        observation_store.record([make.look(machine, make.xid(), make.gone(), make.xid(gpu=1, at_us=5), at=ago(60))])
    tickets = list(Ticket.objects.select_related("incident"))
    assert len(tickets) == 4

    def statements(some: list[Ticket]) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert set(facts_of(some)) == {ticket.pk for ticket in some}
        return len(captured)

    assert statements(tickets) == statements(tickets[:1]) <= 14


def test_a_round_is_bounded_and_the_next_one_takes_the_rest(ticket: Ticket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "MOST_AT_ONCE", 1)
    later = timezone.now() + timedelta(minutes=10)
    first = now(ticket).ranked_at
    rounds.follow(later)
    assert now(ticket).ranked_at == later != first
    assert rounds.follow(later + timedelta(seconds=60)) == 0
    assert now(ticket).ranked_at == later  # too fresh to be asked again


# ---- due ----


def test_the_hours_of_the_site_decide_and_a_change_reaches_open_tickets(ticket: Ticket) -> None:
    policies.set_policy(ticket.site_id, p1_hours=2)
    rounds.follow()
    assert now(ticket).due_at == ticket.opened_at + timedelta(hours=2)


def test_a_working_day_of_minutes_is_refused(ticket: Ticket) -> None:
    with pytest.raises(Refused, match="an hour"):
        policies.set_policy(ticket.site_id, work_from="08:00", work_until="08:30")


# ---- acknowledge, assign, queue, watch ----


def test_the_first_who_acknowledges_counts(ticket: Ticket, tina: User, olga: User) -> None:
    desk.acknowledge(ticket.number, by=tina)
    desk.acknowledge(ticket.number, by=olga)
    assert now(ticket).acknowledged_by == tina and texts(ticket).count("Acknowledged") == 1


def test_taking_a_ticket_acknowledges_it_and_reopening_asks_again(ticket: Ticket, tina: User, olga: User) -> None:
    services.take(ticket.number, by=tina)
    assert now(ticket).acknowledged_by == tina
    services.close(ticket.number, by=olga, reason="replaced under warranty")
    services.reopen(ticket.number, by=olga, reason="it is back")
    fresh = now(ticket)
    assert fresh.acknowledged_at is None and fresh.counted_from is not None
    assert fresh.due_at == fresh.counted_from + timedelta(hours=4)


def test_an_operator_assigns_to_a_technician_of_the_site_only(ticket: Ticket, tina: User, olga: User) -> None:
    desk.assign(ticket.number, by=olga, to=tina.pk)
    assert now(ticket).assignee == tina and now(ticket).status == "open"
    elsewhere = person("ewa", Role.TECHNICIAN, Site.objects.create(slug="far", name="Far"))
    for nobody in (elsewhere.pk, person("vic", Role.VIEWER).pk, 10**9):
        with pytest.raises(Refused, match="No technician"):
            desk.assign(ticket.number, by=olga, to=nobody)
    desk.assign(ticket.number, by=olga, to=None)
    assert now(ticket).assignee is None


def test_work_in_progress_can_be_handed_to_another_but_not_to_nobody(ticket: Ticket, tina: User, olga: User) -> None:
    services.take(ticket.number, by=tina)
    desk.assign(ticket.number, by=olga, to=person("tom").pk)
    assert now(ticket).status == "in_work" and now(ticket).assignee == person("tom")
    with pytest.raises(TicketConflict, match="release it"):
        desk.assign(ticket.number, by=olga, to=None)


def test_a_ticket_moved_by_hand_stays_in_that_queue(ticket: Ticket, tina: User) -> None:
    desk.move(ticket.number, by=tina, queue="vendor", reason="module is under warranty")
    rounds.follow(timezone.now() + timedelta(minutes=10))
    assert now(ticket).queue == "vendor" and "Queue hands to vendor: module is under warranty" in texts(ticket)


def test_a_rule_of_the_site_moves_open_tickets_that_nobody_moved(ticket: Ticket) -> None:
    policies.set_policy(ticket.site_id, queue_rules=[{"classes": "gpu.*", "queue": "vendor"}])
    rounds.follow()
    assert now(ticket).queue == "vendor"


# ---- snooze ----


def test_a_snoozed_ticket_comes_back_by_itself(ticket: Ticket, tina: User) -> None:
    until = timezone.now() + timedelta(hours=2)
    desk.snooze(ticket.number, by=tina, until=until, reason="part arrives at noon")
    rounds.follow(until - timedelta(seconds=1))
    assert now(ticket).snoozed_until == until
    rounds.follow(until)
    assert now(ticket).snoozed_until is None and "Back from snooze: its time has come" in texts(ticket)


def test_it_comes_back_at_once_when_another_fault_is_found(ticket: Ticket, broken: Machine, tina: User) -> None:
    desk.snooze(ticket.number, by=tina, until=timezone.now() + timedelta(hours=2), reason="part arrives at noon")
    observation_store.record([make.look(broken, make.xid(), make.gone(), make.nvlink(), at=ago(30))])
    observation_store.record([make.look(broken, make.xid(), make.gone(), make.nvlink(), at=ago(10))])
    if ticket.fault_links.count() == now(ticket).snoozed_faults:
        pytest.fail("the second fault did not join the ticket")
    assert now(ticket).snoozed_until is None
    assert "Back from snooze: another fault was found" in texts(ticket)


def test_it_comes_back_when_it_costs_more(ticket: Ticket, broken: Machine, tina: User) -> None:
    source = scheduler(broken)
    rounds.follow(timezone.now() + timedelta(minutes=10))
    desk.snooze(ticket.number, by=tina, until=timezone.now() + timedelta(hours=5), reason="quiet night")
    SchedulerJob.objects.create(
        source=source, job_id="7", state="RUNNING", started_at=ago(60), machine_ids=[broken.pk], machine_count=1
    )
    rounds.follow(timezone.now() + timedelta(minutes=20))
    assert now(ticket).snoozed_until is None and now(ticket).priority == "P1"


@pytest.mark.parametrize("hours", [-1, 24 * 31])
def test_nobody_snoozes_into_the_past_or_for_ever(ticket: Ticket, tina: User, hours: int) -> None:
    with pytest.raises(Refused, match="at most 30 days"):
        desk.snooze(ticket.number, by=tina, until=timezone.now() + timedelta(hours=hours), reason="x")


# ---- a second pair of eyes ----


def come_back(ticket: Ticket, by: User, operator: User, times: int) -> None:
    for _ in range(times):
        if now(ticket).status == "open":
            services.take(ticket.number, by=by)
        services.close(ticket.number, by=operator, reason="looks good")
        services.reopen(ticket.number, by=operator, reason="it is back")


def test_a_third_reopening_needs_another_technician(ticket: Ticket, tina: User, olga: User) -> None:
    come_back(ticket, tina, olga, 2)
    services.take(ticket.number, by=tina)
    services.done_verify(ticket.number, by=tina)
    look_after(ticket, make.gone())
    assert now(ticket).status == "in_work" and now(ticket).reopened == 3
    with pytest.raises(TicketConflict, match="came back 3 times: another technician"):
        services.done_verify(ticket.number, by=tina)
    with pytest.raises(TicketConflict, match="came back 3 times"):
        services.done_verify(ticket.number, by=olga, operator=True)
    with pytest.raises(NotYours):
        desk.confirm(ticket.number, by=tina, note="I looked again")
    desk.confirm(ticket.number, by=person("tom"), note="seated, pins are straight")
    services.done_verify(ticket.number, by=tina)
    assert now(ticket).status == "verifying" and now(ticket).second_by == person("tom")


def test_who_takes_it_in_place_of_the_first_is_the_second_pair(ticket: Ticket, tina: User, olga: User) -> None:
    come_back(ticket, tina, olga, 3)
    services.take(ticket.number, by=tina)
    with pytest.raises(TicketConflict, match="came back"):
        services.done_verify(ticket.number, by=tina)
    services.release(ticket.number, by=tina, reason="needs a second pair of eyes")
    services.take(ticket.number, by=person("tom"))
    assert services.done_verify(ticket.number, by=person("tom")).status == "verifying"


def test_whom_it_is_handed_to_is_the_second_pair_too(ticket: Ticket, tina: User, olga: User) -> None:
    come_back(ticket, tina, olga, 3)
    services.take(ticket.number, by=tina)
    desk.assign(ticket.number, by=olga, to=person("tom").pk)
    assert services.done_verify(ticket.number, by=person("tom")).status == "verifying"


@pytest.mark.slow
def test_each_further_reopening_asks_for_it_again(ticket: Ticket, tina: User, olga: User) -> None:
    come_back(ticket, tina, olga, 3)
    services.take(ticket.number, by=person("tom"))
    services.done_verify(ticket.number, by=person("tom"))
    look_after(ticket, make.gone())
    with pytest.raises(TicketConflict, match="came back 4 times"):
        services.done_verify(ticket.number, by=person("tom"))
    with pytest.raises(TicketConflict, match="needs no second"):
        desk.confirm(break_again().number, by=tina, note="x")


def break_again() -> Ticket:
    machine = make.make_machines()[0]
    observation_store.record([make.look(machine, make.xid(), make.gone(), at=ago(50))])
    return Ticket.objects.filter(machine=machine).get()


# ---- two at once ----


def at_once(*works: Callable[[], object]) -> list[Any]:
    gate, results = threading.Barrier(len(works)), [None] * len(works)

    def run(at: int, work: Callable[[], object]) -> None:
        try:
            gate.wait(5)
            results[at] = work()  # type: ignore[call-overload]
        except Exception as error:
            results[at] = error  # type: ignore[call-overload]
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


@pytest.mark.django_db(transaction=True)
def test_of_two_who_close_the_same_ticket_one_wins_and_the_other_is_told() -> None:
    break_gpu()
    ticket, people = Ticket.objects.get(), [person("olga", Role.OPERATOR), person("otto", Role.OPERATOR)]
    results = at_once(
        *(lambda by=by: services.close(ticket.number, by=by, reason=f"seen by {by}", version=1) for by in people)
    )
    (told,) = [result for result in results if isinstance(result, TicketConflict)]
    assert "changed meanwhile" in told.reason and sum(isinstance(result, Ticket) for result in results) == 1
    assert ticket.changes.filter(event="close").count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_who_resolve_and_verify_the_same_ticket_one_wins_and_the_other_is_told() -> None:
    break_gpu()
    ticket, tina = Ticket.objects.get(), person("tina")
    services.take(ticket.number, by=tina)
    others = [tina, person("olga", Role.OPERATOR)]
    results = at_once(*(lambda by=by: services.done_verify(ticket.number, by=by, operator=True) for by in others))
    (told,) = [result for result in results if isinstance(result, TicketConflict)]
    assert "is verifying" in told.reason and now(ticket).status == "verifying"


# ---- evidence ----


@pytest.mark.slow
def test_evidence_of_the_opening_stays_however_often_it_repeats(ticket: Ticket, broken: Machine) -> None:
    first = set(ticket.evidence.values_list("pk", flat=True))
    fault = Fault.objects.filter(ticket_links__ticket=ticket, led_by=None).get()
    for number in range(60):
        observation_store.record([make.look(broken, make.xid(at_us=9_000_000 + number), at=ago(50 - number / 2))])
    assert fault.pk and ticket.evidence.count() <= 30
    assert first <= set(ticket.evidence.values_list("pk", flat=True))
    assert now(ticket).evidence_count >= ticket.evidence.count()
