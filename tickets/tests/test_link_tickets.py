"""Bad links: one ticket each, measured after every step, closed when it is good; what was swapped is on record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from core.models import AuditChange, Role, Site, User
from fabric.models import FabricLink, LinkQuality, Measurement, PortAction, PortPolicy
from fabric.ports.services import control
from fabric.ports.services import orders as port_orders
from fabric.quality.services import measurements
from fabric.tests.hall import load_site
from fabric.tests.small import Orders
from health.models import MachineHealth, Pool
from health.services import sync_machines
from health.tests import factories as make
from inventory.models import Cable, Component, Connector, Installation, StoragePlace
from inventory.services import Refused
from live import events
from live.models import HandlerFailure
from tickets import services
from tickets.models import Ticket
from tickets.services.cabling import clearances, link_tickets
from tickets.tests.conftest import person
from tickets.tests.test_orders import Hall, client_of, post, taken, told

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hall:
    monkeypatch.setattr("core.work.kinds.Progress._beat", lambda self: None)
    made = Hall(load_site(tmp_path, "west"), monkeypatch)
    sync_machines()
    Pool.objects.update(automation="on", max_unavailable_share=1.0, **make.NO_SCHEDULER)
    MachineHealth.objects.update(state="ready", reachability="reachable", last_seen_at=timezone.now())
    made.discover()
    return made


@pytest.fixture
def tina(db: None) -> User:
    return person("tina")


def spine_link(hall: Hall) -> FabricLink:
    return FabricLink.objects.filter(source=hall.source, tier="leaf-spine").order_by("key")[0]


def machine_link(hall: Hall) -> FabricLink:
    return FabricLink.objects.filter(source=hall.source, tier="leaf-machine").order_by("key")[0]


def quality(hall: Hall, link: FabricLink, *, bad: bool = True) -> LinkQuality:
    """What a round of counters left of this link."""
    now = timezone.now()
    return LinkQuality.objects.create(
        site=hall.site, source=hall.source, link=link, since=now, measured_at=now,
        key=f"{link.a_guid}_{link.a_number}:{link.b_guid}_{link.b_number}",
        a_guid=link.a_guid, a_port=link.a_number, b_guid=link.b_guid, b_port=link.b_number,
        state="bad" if bad else "ok", alarm="bad" if bad else "none", bad_since=now if bad else None,
        reason="400 symbol errors an hour at leaf-1 port 33" if bad else "", rates={"1h": {"a": {"symbol": 400}}},
    )  # fmt: skip


def tell(kind: str, row: LinkQuality) -> None:
    with transaction.atomic():
        events.emit(kind, site_id=row.site_id, subject="link", data={"quality": row.pk})
    assert not HandlerFailure.objects.exists(), HandlerFailure.objects.values_list("error")


def bad(hall: Hall, link: FabricLink | None = None) -> Ticket:
    row = quality(hall, link or spine_link(hall))
    tell("link.bad", row)
    return Ticket.objects.get(source_ref=f"link:{row.pk}")


def measured(state: str, *, status: str = "done", owner: str | None = None) -> Measurement:
    """The newest measurement comes to its end."""
    asked = Measurement.objects.filter(status="queued").order_by("-pk")[0]
    asked.state, asked.after = state, {"state": state, "reason": "still 380 an hour" if state == "bad" else ""}
    measurements._end(asked, Measurement.Status(status), "" if status == "done" else "no answer")
    assert not HandlerFailure.objects.exists(), HandlerFailure.objects.values_list("error")
    return asked


def do(ticket: Ticket, kind: str, by: User, swaps: str = "") -> None:
    step = ticket.steps.get(kind=kind, swaps=swaps)
    services.tick(ticket.number, step.number, by=by)
    link_tickets.measure_step(step.pk)


def test_a_bad_link_is_one_ticket_with_the_cheapest_step_first(hall: Hall) -> None:
    ticket = bad(hall)
    link = spine_link(hall)
    assert (ticket.subject, ticket.cable, ticket.link) == ("cable", link.cable, link.key)
    assert ticket.device is not None and ticket.device.kind == "switch" and ticket.order.kind == "link"
    ladder = list(ticket.steps.order_by("number").values_list("kind", "swaps"))
    assert ladder == [
        ("scan", ""), ("clean", ""), ("reseat", ""), ("swap", "optic"), ("swap", "cable"), ("verify", ""),
    ]  # fmt: skip
    assert "400 symbol errors" in ticket.summary and ticket.evidence.get().check_id == "fabric.link"


def test_the_same_news_twice_is_one_ticket_and_the_database_says_so_too(hall: Hall) -> None:
    ticket = bad(hall)
    tell("link.bad", LinkQuality.objects.get())
    assert Ticket.objects.get() == ticket
    with pytest.raises(IntegrityError, match="one_open_ticket_per_link"), transaction.atomic():
        Ticket.objects.create(
            site=hall.site, subject="place", subject_name="x", part="", title="x", link=ticket.link, source="fabric"
        )


@pytest.mark.slow
def test_rates_are_shown_before_and_after_each_step(hall: Hall, tina: User) -> None:
    ticket = taken(bad(hall), tina)
    do(ticket, "clean", tina)
    step = ticket.steps.get(kind="clean")
    assert step.measured["status"] == "queued" and step.measured["before"]["reason"].startswith("400")
    measured("bad")
    step.refresh_from_db()
    assert step.state == "failed" and step.measured["after"]["reason"] == "still 380 an hour"
    assert "Go on with the next step" in told(ticket)
    do(ticket, "reseat", tina)
    measured("ok")
    step = ticket.steps.get(kind="reseat")
    assert step.state == "confirmed" and step.measured["before"] and "Press Resolve and verify" in told(ticket)


def test_a_link_that_is_good_over_the_window_closes_its_ticket(hall: Hall, tina: User) -> None:
    ticket = taken(bad(hall), tina)
    do(ticket, "clean", tina)
    measured("ok")
    services.done_verify(ticket.number, by=tina)
    assert Ticket.objects.get().status == "verifying"
    link_tickets.measure_ticket(ticket.number)
    measured("ok")
    ticket = Ticket.objects.get()
    assert ticket.status == "closed" and ticket.order.look == "passed"


@pytest.mark.slow
@pytest.mark.parametrize(("state", "status"), [("bad", "done"), ("unknown", "done"), ("watch", "done"), ("", "failed")])
def test_what_is_not_good_or_not_known_goes_on(hall: Hall, tina: User, state: str, status: str) -> None:
    ticket = taken(bad(hall), tina)
    services.done_verify(ticket.number, by=tina)
    link_tickets.measure_ticket(ticket.number)
    measured(state, status=status)
    ticket = Ticket.objects.get()
    assert ticket.status == "in_work" and ticket.order.look == "failed" and ticket.closed_at is None


@pytest.mark.slow
def test_a_measurement_of_a_step_does_not_close_the_ticket(hall: Hall, tina: User) -> None:
    ticket = taken(bad(hall), tina)
    do(ticket, "clean", tina)
    services.done_verify(ticket.number, by=tina)
    measured("ok")
    assert Ticket.objects.get().status == "verifying", "it began before the press"
    link_tickets.settle()
    measured("ok")
    assert Ticket.objects.get().status == "closed"


def test_a_measurement_that_was_never_begun_is_begun(hall: Hall, tina: User) -> None:
    ticket = taken(bad(hall), tina)
    services.tick(ticket.number, ticket.steps.get(kind="clean").number, by=tina)
    assert not Measurement.objects.exists()
    link_tickets.settle()
    link_tickets.settle()
    assert Measurement.objects.count() == 1


def test_a_link_that_gets_good_by_itself_closes_what_nobody_took(hall: Hall, tina: User) -> None:
    ticket = bad(hall)
    row = LinkQuality.objects.get()
    LinkQuality.objects.update(bad_since=None, state="ok")
    tell("link.good", row)
    assert Ticket.objects.get().status == "closed"
    LinkQuality.objects.update(bad_since=timezone.now())
    tell("link.bad", row)
    again = Ticket.objects.exclude(pk=ticket.pk).get()
    services.take(again.number, by=tina)
    tell("link.good", row)
    assert Ticket.objects.get(pk=again.pk).status == "in_work" and "Press Resolve and verify" in told(again)


def test_a_link_that_is_good_by_now_opens_nothing(hall: Hall) -> None:
    tell("link.bad", quality(hall, spine_link(hall), bad=False))
    assert not Ticket.objects.exists()


@pytest.mark.slow
def test_a_bad_path_is_proposed_to_be_left_out_and_is_back_when_the_ticket_closes(
    hall: Hall, tina: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = Orders()
    monkeypatch.setitem(control._orders, "ibdiags", orders)
    PortPolicy.objects.create(site=hall.site, automation="on", approval="policy", floor_share=0.5)
    ticket = bad(hall)
    action = PortAction.objects.get()
    assert action.owner == ticket.owner and action.evidence["rates"] and "symbol errors" in action.cause
    port_orders.carry_out()
    assert len(orders.out) == 2
    taken(ticket, tina)
    assert PortAction.objects.count() == 1, "the work needs what is there already"
    services.release(ticket.number, by=tina, reason="shift ends")
    clearances.settle()
    assert port_orders.carry_out() == 0 and len(orders.out) == 2, "it is bad still"
    tell("link.good", LinkQuality.objects.get())
    clearances.settle()
    port_orders.carry_out()
    assert orders.out == set() and Ticket.objects.get().status == "closed"


def test_the_machine_of_a_bad_link_is_drained_before_its_cable_is_touched(hall: Hall, tina: User) -> None:
    ticket = bad(hall, machine_link(hall))
    assert not PortAction.objects.exists()
    clearance = ticket.clearances.get()
    assert clearance.machine_id is not None
    taken(ticket, tina)
    assert MachineHealth.objects.get(pk=clearance.machine_id).state == "drained"
    do(ticket, "clean", tina)


# ---- what was swapped ----


def test_a_swapped_optic_is_a_part_in_its_cage_and_the_old_one_is_suspect(hall: Hall, tina: User) -> None:
    shelf = StoragePlace.objects.create(site=hall.site, name="RMA shelf", takes_removed=True)
    ticket = taken(bad(hall), tina)
    port = spine_link(hall).a_port
    services.swap_connector(ticket.number, by=tina, what="optic", new_serial="OPT1")
    services.swap_connector(ticket.number, by=tina, what="optic", new_serial="OPT2")
    sits = Installation.objects.get(device=port.device, slot=f"Optic {port.cage}", during__endswith=None)
    assert (sits.component.serial, sits.component.kind, sits.ticket) == ("OPT2", "optic", ticket.key)
    old = Component.objects.get(serial="OPT1")
    assert (old.condition, old.storage) == ("suspect", shelf)
    assert [(swap.old_serial, swap.new_serial) for swap in ticket.swaps.all()] == [("", "OPT1"), ("OPT1", "OPT2")]
    assert ticket.steps.get(swaps="optic").done_at is not None
    with pytest.raises(Refused, match="installed in"):
        services.swap_connector(ticket.number, by=tina, what="optic", end="b", new_serial="OPT2")


def test_a_ticket_of_a_link_names_both_ends_with_the_optics_that_sit_there(hall: Hall, tina: User) -> None:
    ticket = taken(bad(hall), tina)
    link = spine_link(hall)
    assert link.a_port is not None and link.b_port is not None
    services.swap_connector(ticket.number, by=tina, what="optic", end="b", new_serial="OPT1")
    ends = client_of(tina).get(f"/api/tickets/{ticket.key}/").json()["order"]["ends"]
    assert ends == [
        {"end": "a", "text": f"{link.a_port.device.name} cage {link.a_port.cage}", "optic": None},
        {"end": "b", "text": f"{link.b_port.device.name} cage {link.b_port.cage}", "optic": "OPT1"},
    ]


def test_a_swapped_cable_keeps_its_label_and_its_history_has_both_serials(hall: Hall, tina: User) -> None:
    ticket = taken(bad(hall), tina)
    cable = spine_link(hall).cable
    services.swap_connector(ticket.number, by=tina, what="cable", new_serial="CAB1", new_serial_b="CAB1-B")
    plugs = dict(Connector.objects.filter(cable=cable).values_list("side", "serial"))
    assert plugs == {"A": "CAB1", "B": "CAB1-B"} and Cable.objects.get(pk=cable.pk).label == cable.label
    services.swap_connector(ticket.number, by=tina, what="cable", new_serial="CAB2")
    swap = ticket.swaps.order_by("-pk")[0]
    assert (swap.cable, swap.old_serial, swap.new_serial) == (cable, "CAB1 / CAB1-B", "CAB2")
    assert AuditChange.objects.filter(note__startswith=f"{ticket.key}: the cable was swapped").exists()
    other = Cable.objects.filter(site=hall.site).exclude(pk=cable.pk)[0]
    Connector.objects.filter(cable=other, side="A").update(serial="CAB9")
    with pytest.raises(Refused, match=f"connector of cable {other.label}"):
        services.swap_connector(ticket.number, by=tina, what="cable", new_serial="CAB9")


def test_swaps_over_the_api_and_who_may(hall: Hall, tina: User) -> None:
    ticket = taken(bad(hall), tina)
    client = client_of(tina)
    body: dict[str, Any] = client.get(f"/api/tickets/{ticket.key}/").json()
    assert {"recheck", "swap_connector"} <= set(body["may"]) and "swap" not in body["may"]
    cable = spine_link(hall).cable
    assert body["subject"] == {"kind": "cable", "id": cable.pk, "name": cable.label}
    assert body["order"]["link"] == ticket.link
    after = post(client, ticket, "swap-connector", what="optic", new_serial="OPT1", version=body["version"])
    assert after.status_code == 200 and after.json()["swaps"][0]["new_serial"] == "OPT1"
    assert post(client, ticket, "swap-connector", what="laser", new_serial="x").status_code == 400
    assert post(client, ticket, "swap-connector", what="cable", new_serial=" ").status_code == 400
    assert post(client_of(person("tom")), ticket, "swap-connector", what="optic", new_serial="OPT7").status_code == 403
    assert post(client_of(person("vera", Role.VIEWER)), ticket, "swap-connector", what="optic").status_code == 403
    east = Site.objects.create(slug="east", name="EAST")
    fritz = client_of(person("fritz", Role.OPERATOR, east))
    assert post(fritz, ticket, "swap-connector", what="optic", new_serial="OPT7").status_code == 404
