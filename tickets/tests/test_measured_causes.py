"""A feed or a cooling unit that fails by its meters is one incident with one ticket, whatever hangs on it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

import pytest

from core.models import User
from health import services as health
from health.machines.calls import AUTOMATION
from health.models import Fault, Incident, MachineHealth, SiteAutomation, Verification
from health.monitoring.services.sweeps import observation_store
from health.remediation import hooks
from health.remediation.services import automation
from health.remediation.services.causes import alike, mass
from health.services import Cause, MeasuredCause
from health.tests import factories as make
from inventory.models import Machine
from live.models import HandlerFailure
from tickets import services
from tickets.models import Ticket
from tickets.tests.conftest import ago

pytestmark = pytest.mark.django_db
Commits = Callable[..., Any]
DEAD = make.Finding("docker", "docker", "fail", "PSU 2: no input voltage", "", "psu.lost", 3)
HOT = make.Finding("docker", "docker", "fail", "Inlet 44 °C", "", "inlet.hot", 3)


@pytest.fixture
def machines(settings: Any) -> list[Machine]:
    settings.CONFIRM_DELAY_S = 15
    found = make.make_machines(16, automation="dry_run")
    SiteAutomation.objects.update(cause_machines=2)
    observation_store.record([make.look(machine, at=ago(400)) for machine in found])
    return found


@pytest.fixture
def doubt(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Machines whose feed may be dead, as its meters say."""
    doubtful: set[int] = set()

    def in_doubt(site_id: int, machine_ids: Collection[int], now: datetime) -> set[int]:
        return doubtful & set(machine_ids)

    monkeypatch.setattr(hooks.supply_in_doubt, "_values", [in_doubt])
    return doubtful


def fail(machines: list[Machine], *findings: make.Finding, seconds_ago: float = 60) -> None:
    for at in (ago(seconds_ago), ago(seconds_ago - 30)):
        observation_store.record([make.look(machine, *findings, at=at) for machine in machines])


def site_of(machines: list[Machine]) -> int:
    return int(machines[0].device.site_id)


def dead_feed(machines: list[Machine], name: str = "a03-a") -> MeasuredCause:
    ids = frozenset(machine.pk for machine in machines)
    return MeasuredCause(Cause("feed", name), f"Feed {name} carries nothing: {len(ids)} machines", "It died.", ids)


def active() -> list[Ticket]:
    return list(Ticket.objects.filter(status__in=["open", "in_work", "verifying"]).order_by("number"))


def test_a_dead_feed_is_one_ticket_from_the_minute_in_which_its_meters_say_so(
    machines: list[Machine], django_capture_on_commit_callbacks: Commits
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        health.follow_measured_causes(site_of(machines), [dead_feed(machines[:4])])
    (ticket,) = active()
    assert (ticket.title, ticket.priority) == ("Feed a03-a carries nothing: 4 machines", "P1")
    assert (ticket.subject_name, ticket.queue) == ("a03-a", "hands") and "It died." in ticket.summary
    assert ticket.steps.first().title == "Check power feed a03-a"
    with django_capture_on_commit_callbacks(execute=True):
        fail(machines[:4], DEAD)
        automation.round_of(site_of(machines))
    assert [each.pk for each in active()] == [ticket.pk], "supplies that die with it have no ticket of their own"
    assert set(ticket.fault_links.values_list("fault__machine", flat=True)) == {each.pk for each in machines[:4]}
    assert Incident.objects.get(closed_at=None).members.filter(recovered_at=None).count() == 4
    assert not HandlerFailure.objects.exists()


def test_a_supply_elsewhere_and_another_fault_on_the_feed_keep_their_own_tickets(
    machines: list[Machine], django_capture_on_commit_callbacks: Commits
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        health.follow_measured_causes(site_of(machines), [dead_feed(machines[:4])])
        fail([machines[7]], DEAD)
        fail([machines[0]], make.gone())
    assert {each.fault_class for each in active()} == {"feed.lost", "psu.lost", "gpu.gone"}


def test_tickets_and_mass_failures_that_opened_before_the_meters_said_so_become_part_of_it(
    machines: list[Machine], django_capture_on_commit_callbacks: Commits
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        fail(machines[:4], DEAD)
        automation.round_of(site_of(machines))
    before = active()
    assert before and all(each.fault_class == "psu.lost" for each in before)
    with django_capture_on_commit_callbacks(execute=True):
        health.follow_measured_causes(site_of(machines), [dead_feed(machines[:4])])
    (ticket,) = active()
    assert ticket.fault_class == "feed.lost" and ticket.fault_links.count() == 4
    assert Incident.objects.get(closed_at=None).fault_class == "feed.lost"


def test_a_supply_waits_for_its_meters_while_its_feed_may_be_dead_and_no_longer_than_they_need(
    machines: list[Machine], doubt: set[int], django_capture_on_commit_callbacks: Commits
) -> None:
    doubt |= {machine.pk for machine in machines[:4]}
    with django_capture_on_commit_callbacks(execute=True):
        fail(machines[:5], DEAD)
        automation.round_of(site_of(machines))
    assert [each.machine for each in active()] == [machines[4]], "that one's feed is known to carry"
    with django_capture_on_commit_callbacks(execute=True):
        health.follow_measured_causes(site_of(machines), [dead_feed(machines[:3])])
        automation.round_of(site_of(machines))
    assert {each.fault_class for each in active()} == {"psu.lost", "feed.lost"} and len(active()) == 2
    Fault.objects.filter(machine=machines[3]).update(confirmed_at=ago(alike.PATIENCE.total_seconds() + 1))
    with django_capture_on_commit_callbacks(execute=True):
        automation.round_of(site_of(machines))
    assert {each.machine for each in active()} == {None, machines[4], machines[3]}


def test_it_is_over_when_its_meters_say_that_it_works_and_its_machines_pass(
    machines: list[Machine], django_capture_on_commit_callbacks: Commits
) -> None:
    site = site_of(machines)
    with django_capture_on_commit_callbacks(execute=True):
        health.follow_measured_causes(site, [dead_feed(machines[:4])])
        fail(machines[:4], DEAD)
        observation_store.record([make.look(machine, at=ago(5)) for machine in machines[:4]])
        automation.round_of(site)
    assert len(active()) == 1, "machines pass on their other feed, and it is dead all the same"
    with django_capture_on_commit_callbacks(execute=True):
        health.follow_measured_causes(site, [])
        automation.round_of(site)
    assert active() == []
    assert Incident.objects.get().close_reason == "its meters say that it works, all 4 machines pass again"


def test_drained_machines_are_looked_at_once_their_feed_is_back_those_in_maintenance_are_left_alone(
    machines: list[Machine], django_capture_on_commit_callbacks: Commits
) -> None:
    site = site_of(machines)
    with django_capture_on_commit_callbacks(execute=True):
        health.follow_measured_causes(site, [dead_feed(machines[:4])])
        fail(machines[:4], DEAD)
    incident = Incident.objects.get(closed_at=None)
    MachineHealth.objects.filter(pk=machines[0].pk).update(state="maintenance")
    MachineHealth.objects.filter(pk=machines[1].pk).update(state="drained")
    mass.verify(incident.pk, actor=AUTOMATION)
    assert set(Verification.objects.values_list("machine_id", flat=True)) == {each.pk for each in machines[1:4]}


def test_while_machines_fail_it_goes_on_though_its_feed_is_back(
    machines: list[Machine], django_capture_on_commit_callbacks: Commits
) -> None:
    site = site_of(machines)
    with django_capture_on_commit_callbacks(execute=True):
        health.follow_measured_causes(site, [dead_feed(machines[:4])])
        fail(machines[:4], DEAD)
        health.follow_measured_causes(site, [])
        automation.round_of(site)
    assert len(active()) == 1
    with django_capture_on_commit_callbacks(execute=True):
        observation_store.record([make.look(machine, at=ago(0)) for machine in machines[:4]])
        automation.round_of(site)
    assert active() == []


def test_a_person_who_ends_it_has_peace_until_the_feed_worked_in_between(
    machines: list[Machine], django_capture_on_commit_callbacks: Commits, olga: User
) -> None:
    site = site_of(machines)
    with django_capture_on_commit_callbacks(execute=True):
        health.follow_measured_causes(site, [dead_feed(machines[:4])])
        health.close_incident(Incident.objects.get().pk, by=olga.get_username(), reason="it is off on purpose")
        health.follow_measured_causes(site, [dead_feed(machines[:4])])
    assert not Incident.objects.filter(closed_at=None).exists()
    with django_capture_on_commit_callbacks(execute=True):
        health.follow_measured_causes(site, [])
        health.follow_measured_causes(site, [dead_feed(machines[:4])])
    assert Incident.objects.filter(closed_at=None).count() == 1


def test_what_is_unchanged_writes_nothing_and_nothing_that_fails_costs_one_query(
    machines: list[Machine], django_assert_num_queries: Any, django_capture_on_commit_callbacks: Commits
) -> None:
    site = site_of(machines)
    with django_assert_num_queries(1):
        health.follow_measured_causes(site, [])
    health.follow_measured_causes(site, [dead_feed(machines[:4])])
    with django_capture_on_commit_callbacks() as news:
        health.follow_measured_causes(site, [dead_feed(machines[:4])])
    assert not news


def test_heat_behind_a_failing_cooling_unit_is_on_its_ticket(
    machines: list[Machine], django_capture_on_commit_callbacks: Commits
) -> None:
    ids = frozenset(machine.pk for machine in machines[:8])
    unit = MeasuredCause(Cause("cooling", "cdu-a"), "cdu-a, 8 machines: Too little coolant flows", "0 l/min.", ids)
    with django_capture_on_commit_callbacks(execute=True):
        health.follow_measured_causes(site_of(machines), [unit])
        fail(machines[:8], HOT)
        automation.round_of(site_of(machines))
    (ticket,) = active()
    assert ticket.steps.first().title == "Check cooling unit cdu-a" and ticket.fault_links.count() == 8


def test_its_ticket_goes_back_to_whoever_says_it_is_mended_while_the_meters_deny_it(
    machines: list[Machine], olga: User, django_capture_on_commit_callbacks: Commits
) -> None:
    site = site_of(machines)
    with django_capture_on_commit_callbacks(execute=True):
        health.follow_measured_causes(site, [dead_feed(machines[:4])])
    (ticket,) = active()
    with django_capture_on_commit_callbacks(execute=True):
        services.take(ticket.number, by=olga)
        services.done_verify(ticket.number, by=olga, note="breaker closed")
    Incident.objects.update(verify_by=ago(1))
    with django_capture_on_commit_callbacks(execute=True):
        automation.round_of(site)
    ticket.refresh_from_db()
    assert ticket.status == "in_work"
    assert ticket.changes.last().text == "Verification failed: meters still say that it fails"
