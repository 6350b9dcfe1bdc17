"""One trouble, one ticket: what is done to a machine is no fault of its cables; a port and its cable are one repair."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from core.models import User
from fabric.models import FabricLink, Finding, LinkQuality
from fabric.quality.services.forgiveness import forgive_links
from fabric.tests.made_faults import inject
from health.models import Fault, FaultEvidence, Incident, MachineHealth, RemediationAction, Verification
from health.monitoring.services import verifications
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from health.tests.test_mass_rounds import Broken
from inventory.models import Port
from inventory.queries import slot_text_of
from live.models import Event, HandlerFailure
from tickets import services, tasks
from tickets.models import Ticket
from tickets.services import incidents
from tickets.services.cabling import same_port, work_orders
from tickets.tests.conftest import ago
from tickets.tests.test_link_tickets import quality, tell
from tickets.tests.test_orders import Hall, hall, olga, quiet, tina, told  # noqa: F401  (fixtures)

pytestmark = pytest.mark.django_db


def power_cycled(machine_id: int, *, ago_s: float = 60, over: bool = False) -> RemediationAction:
    """A power cycle that automation sent."""
    site_id = MachineHealth.objects.values_list("machine__device__site_id", flat=True).get(pk=machine_id)
    now = timezone.now()
    incident = Incident.objects.create(
        site_id=site_id, kind="machine", machine_id=machine_id, title="x", opened_at=ago(ago_s)
    )
    return RemediationAction.objects.create(
        key=f"{machine_id}:{incident.pk}:4:1", machine_id=machine_id, incident=incident, rung=4, remedy="power_cycle",
        attempt=1, planned_by="automation", planned_at=ago(ago_s), granted_at=ago(ago_s), sent_at=ago(ago_s),
        state="confirmed" if over else "sent", deadline=ago(ago_s) + timedelta(minutes=40),
        finished_at=now if over else None, reason="x", lease_until=now,
    )  # fmt: skip


def dark_machine(hall: Hall) -> int:  # noqa: F811
    inject(hall.fabric, "dead_machine")
    hall.discover(ago_s=1000)
    return int(Finding.objects.get().device_ids[0])


def dark_cable(hall: Hall) -> tuple[int, str]:  # noqa: F811
    """A machine's cable without light, seen once: the machine and the slot at its end."""
    hall.fabric.put(("C0001", "a"), None)
    hall.discover(ago_s=1000)
    assert Finding.objects.get().cables == ["C0001"]
    port = Port.objects.get(device__kind="machine", strand_ends__connector__cable__label="C0001")
    return port.device_id, port.slot


def port_down(machine_id: int, slot: str) -> Fault:
    """The machine's own checks see the port of its card dark, twice."""
    down = make.Finding("hca.state", slot, "fail", f"{slot} is Down", "", "hca.link", 2)
    for seconds in (120, 60):
        observation_store.record([make.look(machine_id, down, at=ago(seconds))])
    return Fault.objects.get(machine_id=machine_id, slot=slot)


def machine_of(link: FabricLink) -> int:
    return next(port.device_id for port in (link.a_port, link.b_port) if port and port.device.kind == "machine")


def nothing_failed() -> None:
    assert not HandlerFailure.objects.exists(), HandlerFailure.objects.values_list("error")


# ---- dark because of us ----


def test_a_machine_that_automation_power_cycles_opens_no_ticket_for_its_links(hall: Hall) -> None:  # noqa: F811
    power_cycled(dark_machine(hall))
    hall.discover(ago_s=600)
    finding = Finding.objects.get()
    assert finding.state == "new" and "power" in finding.detail["expected"]["reason"].lower()
    assert not Ticket.objects.exists()


def test_a_machine_that_stays_dark_longer_than_the_power_cycle_may_take_is_news_again(hall: Hall) -> None:  # noqa: F811
    power_cycled(dark_machine(hall), ago_s=4000)
    hall.discover(ago_s=600)
    assert Finding.objects.get().state == "open" and Ticket.objects.get().order.kind == "off"


@pytest.mark.slow
@pytest.mark.parametrize("state", ["remediating", "repair", "provisioning", "maintenance", "rma"])
def test_a_machine_with_hands_on_it_opens_no_ticket_for_its_links(hall: Hall, state: str) -> None:  # noqa: F811
    machine_id = dark_machine(hall)
    MachineHealth.objects.filter(pk=machine_id).update(state=state, state_since=timezone.now())
    hall.discover(ago_s=600)
    assert Finding.objects.get().state == "new" and not Ticket.objects.exists()


def test_a_machine_that_its_bmc_says_is_off_opens_no_ticket_for_a_day(hall: Hall) -> None:  # noqa: F811
    machine_id = dark_machine(hall)
    MachineHealth.objects.filter(pk=machine_id).update(power="off")
    hall.discover(ago_s=600)
    assert not Ticket.objects.exists()
    MachineHealth.objects.filter(pk=machine_id).update(last_seen_at=ago(90_000))
    hall.discover(ago_s=300)
    assert Ticket.objects.count() == 1


@pytest.mark.slow
def test_a_ticket_that_was_open_already_closes_and_says_why(hall: Hall) -> None:  # noqa: F811
    machine_id = dark_machine(hall)
    hall.discover(ago_s=600)
    ticket = Ticket.objects.get()
    MachineHealth.objects.filter(pk=machine_id).update(state="repair", state_since=timezone.now())
    look = hall.discover(ago_s=300)
    assert look.counts["findings_closed"] == 1, "closed is closed, whatever the reason"
    ticket.refresh_from_db()
    assert ticket.status == "closed" and "Its machine is dark for a reason: it is in repair." in told(ticket)
    nothing_failed()


def test_a_switch_that_is_off_is_news_whatever_is_done_to_a_machine_behind_it(hall: Hall) -> None:  # noqa: F811
    inject(hall.fabric, "dead_switch")
    hall.discover(ago_s=1000)
    MachineHealth.objects.update(state="repair", state_since=timezone.now())
    hall.discover(ago_s=600)
    assert Finding.objects.filter(kind="device_off", state="open").exists() and Ticket.objects.exists()


def test_a_reboot_is_not_held_against_the_links_of_its_machine(hall: Hall) -> None:  # noqa: F811
    hall.discover()
    links = FabricLink.objects.filter(source=hall.source, tier="leaf-machine").order_by("key")
    machine_id = machine_of(links[0])
    row, other = quality(hall, links[0]), quality(hall, next(each for each in links if machine_of(each) != machine_id))
    power_cycled(machine_id, over=True)
    now = timezone.now()
    assert forgive_links(hall.source, now) == 1
    assert LinkQuality.objects.get(pk=row.pk).evaluated_from == now
    assert LinkQuality.objects.get(pk=other.pk).evaluated_from is None


# ---- a port and its cable ----


@pytest.mark.slow
def test_a_dark_cable_joins_the_ticket_of_the_card_it_ends_at(hall: Hall) -> None:  # noqa: F811
    machine_id, slot = dark_cable(hall)
    fault = port_down(machine_id, slot)
    ticket = Ticket.objects.get()
    assert ticket.source == "fault" and ticket.fault_links.get().fault == fault
    hall.discover(ago_s=600)
    assert Finding.objects.get().state == "open" and Ticket.objects.get() == ticket
    assert "The fabric shows the same: " in told(ticket)
    assert ticket.evidence.filter(source="fabric").count() == 1
    hall.discover(ago_s=300)
    work_orders.open_what_is_left()
    assert Ticket.objects.count() == 1 and ticket.evidence.filter(source="fabric").count() == 1
    nothing_failed()


@pytest.mark.slow
def test_a_card_whose_port_is_dark_joins_the_ticket_of_its_cable(hall: Hall) -> None:  # noqa: F811
    machine_id, slot = dark_cable(hall)
    hall.discover(ago_s=600)
    ticket = Ticket.objects.get()
    assert ticket.source == "fabric"
    fault = port_down(machine_id, slot)
    assert Ticket.objects.get() == ticket and ticket.fault_links.get().fault == fault
    assert f"The machine shows the same: {slot_text_of(machine_id, slot)}: " in told(ticket)
    assert ticket.evidence.filter(check_id="hca.state").exists()
    nothing_failed()


@pytest.mark.slow
def test_what_the_machine_shows_later_is_taken_over_once_and_the_same_again_is_no_news(
    hall: Hall,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine_id, slot = dark_cable(hall)
    hall.discover(ago_s=600)
    fault = port_down(machine_id, slot)
    ticket, taken = Ticket.objects.get(), []
    take = same_port.take_over_evidence
    monkeypatch.setattr(same_port, "take_over_evidence", lambda ticket: taken.append(take(ticket)) or taken[-1])
    FaultEvidence.objects.create(fault=fault, at=ago(1), check_id="hca.state", part=slot, verdict="fail", message="x")
    before = Event.objects.count()
    same_port.join_fault(ticket, fault)
    assert taken == [1] and Event.objects.count() == before + 1
    same_port.join_fault(ticket, fault)
    assert taken == [1, 0] and Event.objects.count() == before + 1


def test_a_bad_link_joins_the_ticket_of_the_card_it_ends_at(hall: Hall) -> None:  # noqa: F811
    hall.discover()
    link = FabricLink.objects.filter(source=hall.source, tier="leaf-machine").order_by("key")[0]
    port = next(port for port in (link.a_port, link.b_port) if port and port.device.kind == "machine")
    port_down(port.device_id, port.slot)
    tell("link.bad", quality(hall, link))
    ticket = Ticket.objects.get()
    assert ticket.source == "fault" and "The fabric finds its link bad" in told(ticket)


@pytest.mark.slow
def test_the_silent_machine_and_its_dark_links_are_one_ticket(hall: Hall) -> None:  # noqa: F811
    machine_id = dark_machine(hall)
    for seconds in (120, 60):
        observation_store.record([make.look(machine_id, heard=False, at=ago(seconds))])
    ticket = Ticket.objects.get()
    hall.discover(ago_s=600)
    assert Ticket.objects.get() == ticket and "The fabric shows the same" in told(ticket)


def test_a_machine_that_many_were_lost_with_and_its_dark_links_are_on_their_one_ticket(hall: Hall) -> None:  # noqa: F811
    machine_id = dark_machine(hall)
    site_id = MachineHealth.objects.values_list("machine__device__site_id", flat=True).get(pk=machine_id)
    lost = Incident.objects.create(
        site_id=site_id, kind="shared", cause_kind="rack", cause="R1", fault_class="machine.unreachable", title="lost"
    )
    lost.members.create(machine_id=machine_id)
    ticket = incidents.follow_incident(lost.pk)
    assert ticket is not None
    hall.discover(ago_s=600)
    assert Ticket.objects.get() == ticket and "The fabric shows the same" in told(ticket)
    nothing_failed()


@pytest.mark.slow
def test_a_finding_that_outlives_the_ticket_it_joined_gets_its_own(hall: Hall, olga: User) -> None:  # noqa: F811
    machine_id, slot = dark_cable(hall)
    port_down(machine_id, slot)
    first = Ticket.objects.get()
    hall.discover(ago_s=600)
    services.close(first.number, by=olga, reason="the card is fine")
    work_orders.open_what_is_left()
    second = Ticket.objects.exclude(pk=first.pk).get()
    assert second.finding == Finding.objects.get() and second.order.kind == "unlit"


def test_one_that_cannot_be_opened_or_looked_at_keeps_none_of_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    opened, verified = Broken(), Broken()
    monkeypatch.setattr(work_orders, "left_without_ticket", lambda: [1, 2])
    monkeypatch.setattr(work_orders, "faults_left_behind", lambda: [3, 4])
    monkeypatch.setattr(work_orders, "open_order", opened)
    monkeypatch.setattr(work_orders, "after_the_cable", verified)
    work_orders.open_what_is_left()
    assert (opened.others, verified.others) == ([2], [4])


def test_a_chore_that_goes_wrong_keeps_none_of_those_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for place in ("cabling.clearances.settle", "incidents.settle_all", "cabling.port_checks.settle"):
        monkeypatch.setattr(f"tickets.services.{place}", Broken(about=lambda: "it"))
    monkeypatch.setattr(work_orders, "open_what_is_left", lambda: done.append("what is left"))
    tasks.settle_orders()
    assert done == ["what is left"]


def test_after_the_cable_is_right_the_card_is_verified_and_its_machine_returns(hall: Hall) -> None:  # noqa: F811
    machine_id, slot = dark_cable(hall)
    hall.discover(ago_s=600)
    ticket = Ticket.objects.get()
    port_down(machine_id, slot)
    assert make.health(machine_id).state == "drained"
    Finding.objects.update(state="closed", closed_at=timezone.now())
    services.finding_closed(Finding.objects.get().pk)
    ticket.refresh_from_db()
    assert ticket.status == "closed"
    work_orders.open_what_is_left()
    work_orders.open_what_is_left()
    verification = Verification.objects.get()
    claimed = verifications.WORK.take(verification.pk)
    assert claimed is not None
    up = make.Finding("hca.state", slot, "ok", "up")
    look = make.look(machine_id, up, at=verification.requested_at + timedelta(seconds=5))
    assert verifications.decide(claimed, look) == "passed"
    assert make.health(machine_id).state == "ready"
