"""Work orders: from a finding to moved cables, and a discovery that proves it. On a real site and a made fabric."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from core.models import Role, Site, User
from fabric.discovery.services import discoveries
from fabric.discovery.services.readers import CaptureParts, SourceUnreadable
from fabric.facts import PlannedPort
from fabric.models import Capture, Discovery, FabricLink, FabricSource, Finding, PortAction, PortPolicy
from fabric.ports.services import control
from fabric.ports.services import orders as port_orders
from fabric.tests.hall import fabric_of, load_site, parts, source_of
from fabric.tests.made import Made
from fabric.tests.made_faults import inject
from fabric.tests.small import Orders
from fabric.wiring.services import findings
from health.models import Hold, MachineHealth, Pool, Verification
from health.services import sync_machines
from health.tests import factories as make
from inventory.models import Device
from live import events
from live.models import Event, HandlerFailure
from tickets import services
from tickets.models import Clearance, Step, Ticket
from tickets.orders import move_title
from tickets.services import NotYours, TicketConflict
from tickets.services.cabling import clearances, port_checks
from tickets.tests.conftest import person

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.work.kinds.Progress._beat", lambda self: None)  # it has a connection of its own


class Hall:
    """A site, its fabric, and the source that reads it."""

    def __init__(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site = site
        self.fabric: Made = fabric_of(site)
        self.source: FabricSource = source_of(site, kind="ibdiags")
        self.trouble: Exception | None = None
        for module in ("discoveries", "spot_checks"):
            monkeypatch.setattr(f"fabric.discovery.services.{module}.read_source", self.read)

    def read(self, source: FabricSource) -> CaptureParts:
        if self.trouble is not None:
            raise self.trouble
        return CaptureParts(parts(self.fabric))

    def discover(self, *, ago_s: float | None = None) -> Discovery:
        """One look; with `ago_s` as if it had been taken so long ago."""
        found = Discovery.objects.filter(source=self.source, status="queued").first()
        if found is None:
            found = discoveries.start(FabricSource.objects.get(pk=self.source.pk), by="test")
        if ago_s is not None:
            capture = discoveries.keep(self.source, parts(self.fabric))
            Capture.objects.filter(pk=capture.pk).update(at=timezone.now() - timedelta(seconds=ago_s))
            Discovery.objects.filter(pk=found.pk).update(capture=capture)
        done = discoveries.run(found.pk)
        assert done is not None and not HandlerFailure.objects.exists(), HandlerFailure.objects.values_list("error")
        return done

    def confirm(self) -> None:
        """Two looks long enough apart that what they show opens."""
        self.discover(ago_s=1000)
        self.discover(ago_s=600)

    def hand(self, move: dict[str, Any], into: tuple[str, int] | None = None) -> None:
        """Do a move as it says, or put the plug somewhere else."""
        take, put = move["take_from"], move["put_into"]
        if take is not None:
            plug = self.fabric.taken[PlannedPort(take["device"], take["port"])]
        else:
            loose = [plug for plug, socket in self.fabric.plugs.items() if socket is None]
            (plug,) = [plug for plug in loose if self._stays(plug) == (move["stays"]["device"], move["stays"]["port"])]
        where = into or ((put["device"], put["port"]) if put is not None else None)
        self.fabric.put(plug, (PlannedPort(*where),) if where is not None else None)

    def _stays(self, plug: Any) -> tuple[str, int] | None:
        (other,) = [each for each in self.fabric.bodies[plug[0]] if each != plug]
        socket = self.fabric.plugs[other]
        return tuple(socket[0]) if socket else None  # type: ignore[return-value]


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hall:
    made = Hall(load_site(tmp_path, "west"), monkeypatch)
    sync_machines()
    Pool.objects.update(automation="on", max_unavailable_share=1.0, **make.NO_SCHEDULER)
    MachineHealth.objects.update(state="ready", reachability="reachable", last_seen_at=timezone.now())
    return made


@pytest.fixture
def tina(db: None) -> User:
    return person("tina")


@pytest.fixture
def olga(db: None) -> User:
    return person("olga", Role.OPERATOR)


def moves_of(ticket: Ticket) -> list[Step]:
    return list(ticket.steps.exclude(move=None).order_by("number"))


def told(ticket: Ticket) -> str:
    return "\n".join(ticket.changes.values_list("text", flat=True))


def fresh(ticket: Ticket) -> Ticket:
    return Ticket.objects.get(pk=ticket.pk)


def swapped(hall: Hall) -> Ticket:
    """A pair of swapped cables and their order."""
    inject(hall.fabric, "swap")
    hall.confirm()
    return Ticket.objects.get()


def taken(ticket: Ticket, by: User) -> Ticket:
    services.take(ticket.number, by=by)
    clearances.settle()
    return fresh(ticket)


def work(hall: Hall, ticket: Ticket, by: User) -> None:
    """All moves as they say, each ticked and looked at."""
    for step in moves_of(ticket):
        assert step.move is not None
        hall.hand(step.move)
        services.tick(ticket.number, step.number, by=by)
        port_checks.check_step(step.pk)


# ---- opening ----


def test_a_finding_becomes_one_order_with_its_moves_in_order(hall: Hall) -> None:
    ticket = swapped(hall)
    finding = Finding.objects.get()
    assert (ticket.finding, ticket.site, ticket.source, ticket.status) == (finding, hall.site, "fabric", "open")
    assert ticket.title == finding.title and ticket.priority == "P2"
    assert ticket.order.kind == "moves" and ticket.order.version == 1 and ticket.order.cables == finding.cables
    kinds = list(ticket.steps.order_by("number").values_list("kind", flat=True))
    assert kinds[0] == "scan" and kinds[-1] == "verify" and kinds.count("move") == len(finding.detail["moves"]) == 3
    assert [step.move["n"] for step in moves_of(ticket) if step.move] == [1, 2, 3]
    first = moves_of(ticket)[0]
    assert first.title.startswith("Pull ") and "rack A" in first.detail and "cage" in first.detail
    assert ticket.evidence.get().check_id == "fabric.swapped_pair"


def test_the_same_news_twice_is_one_ticket_and_the_database_says_so_too(hall: Hall) -> None:
    ticket = swapped(hall)
    finding = Finding.objects.get()
    for _ in range(2):
        with transaction.atomic():
            events.emit("finding.opened", site_id=hall.site.pk, subject="f", data={"finding": finding.pk})
    assert Ticket.objects.get() == ticket and not HandlerFailure.objects.exists()
    with pytest.raises(IntegrityError, match="one_open_ticket_per_finding"), transaction.atomic():
        Ticket.objects.create(site=hall.site, subject="place", subject_name="x", part="", title="x", finding=finding)


def test_a_new_finding_opens_nothing_until_it_is_confirmed(hall: Hall) -> None:
    inject(hall.fabric, "swap")
    hall.discover()
    assert Finding.objects.get().state == "new" and not Ticket.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "order", "kinds"),
    [
        ("dead_machine", "off", {"check", "reseat"}),
        ("exchanged_machines", "checks", {"check"}),
        ("missing", "unlit", {"check", "reseat", "clean", "swap"}),
        ("slow_link", "unlit", {"reseat", "clean", "swap"}),
        ("wrong_port", "moves", {"move"}),
        ("extra", "moves", {"move"}),
    ],
)
def test_each_kind_of_trouble_is_one_ticket_of_its_own_kind(
    hall: Hall, fault: str, order: str, kinds: set[str]
) -> None:
    inject(hall.fabric, fault)
    hall.confirm()
    ticket = Ticket.objects.get()
    assert ticket.order.kind == order
    found = set(ticket.steps.values_list("kind", flat=True))
    assert kinds <= found and {"scan", "verify"} <= found


def test_nobody_is_sent_for_a_name(hall: Hall) -> None:
    inject(hall.fabric, "misnamed")
    hall.confirm()
    assert Finding.objects.filter(state="open").exists() and not Ticket.objects.exists()


def test_a_device_that_is_off_is_its_own_subject(hall: Hall) -> None:
    inject(hall.fabric, "dead_machine")
    hall.confirm()
    ticket = Ticket.objects.get()
    assert ticket.subject == "machine" and ticket.machine is not None and ticket.about[1] in ticket.title


def test_a_link_without_light_is_about_its_cable_and_a_new_one_comes_last(hall: Hall) -> None:
    inject(hall.fabric, "missing")
    hall.confirm()
    ticket = Ticket.objects.get()
    assert ticket.subject == "cable" and ticket.cable is not None and ticket.device is not None
    assert ticket.device.kind == "switch"
    ladder = list(ticket.steps.exclude(kind__in=["scan", "verify"]).order_by("number").values_list("kind", "swaps"))
    assert ladder == [("check", ""), ("reseat", ""), ("clean", ""), ("swap", "optic"), ("swap", "cable")]


# ---- working ----


def test_an_order_is_followed_to_the_end_and_proven_by_a_discovery(hall: Hall, tina: User) -> None:
    ticket = taken(swapped(hall), tina)
    work(hall, ticket, tina)
    assert [step.state for step in moves_of(ticket)] == ["confirmed"] * 3
    assert hall.fabric.difference() == ([], [])
    services.done_verify(ticket.number, by=tina)
    assert fresh(ticket).status == "verifying" and fresh(ticket).order.look == "waiting"
    done = hall.discover()
    ticket = fresh(ticket)
    assert ticket.status == "closed" and ticket.order.look == "passed"
    assert done.started_at is not None and done.started_at >= (ticket.order.look_asked_at or timezone.now())
    assert ticket.steps.get(kind="verify").done_at is not None
    assert Finding.objects.get().state == "closed"


def test_moves_are_ticked_in_their_order(hall: Hall, tina: User) -> None:
    ticket = taken(swapped(hall), tina)
    first, second, third = moves_of(ticket)
    with pytest.raises(TicketConflict, match=f"Step {first.number} comes first"):
        services.tick(ticket.number, second.number, by=tina)
    services.tick(ticket.number, first.number, by=tina)
    services.tick(ticket.number, second.number, by=tina)
    with pytest.raises(TicketConflict, match=f"Step {second.number} was done after it"):
        services.tick(ticket.number, first.number, by=tina, done=False)
    services.tick(ticket.number, second.number, by=tina, done=False)
    assert moves_of(ticket)[1].state == "todo" and third.state == "todo"
    with pytest.raises(NotYours):
        services.tick(ticket.number, second.number, by=person("tom"))


@pytest.mark.slow
def test_a_plug_in_the_wrong_port_is_seen_and_stops_the_order(hall: Hall, tina: User) -> None:
    inject(hall.fabric, "cycle")
    hall.confirm()
    ticket = taken(Ticket.objects.get(), tina)
    first, second, third = moves_of(ticket)[:3]
    for step in (first, second):
        assert step.move is not None
        into = None
        if step is second:
            into = (step.move["put_into"]["device"], 63)  # a free port, not the one that was meant
        hall.hand(step.move, into)
        services.tick(ticket.number, step.number, by=tina)
        port_checks.check_step(step.pk)
    second.refresh_from_db()
    assert second.state == "failed" and "no light" in second.outcome_text
    with pytest.raises(TicketConflict, match=f"Step {second.number} was checked and is not right"):
        services.tick(ticket.number, third.number, by=tina)
    assert second.move is not None
    plug = hall.fabric.taken[PlannedPort(second.move["put_into"]["device"], 63)]
    hall.fabric.put(plug, (PlannedPort(second.move["put_into"]["device"], second.move["put_into"]["port"]),))
    services.recheck(ticket.number, second.number, by=tina)
    port_checks.check_step(second.pk)
    second.refresh_from_db()
    assert second.state == "confirmed"
    services.tick(ticket.number, third.number, by=tina)


def test_ports_that_cannot_be_looked_at_are_not_known_neither_right_nor_wrong(hall: Hall, tina: User) -> None:
    ticket = taken(swapped(hall), tina)
    step = moves_of(ticket)[0]
    hall.trouble = SourceUnreadable("port 22 refuses connections")
    services.tick(ticket.number, step.number, by=tina)
    assert not port_checks.check_step(step.pk)
    step.refresh_from_db()
    assert step.state == "done" and "refuses connections" in step.outcome_text and step.check_asked_at is None


@pytest.mark.slow
def test_a_check_that_was_overtaken_says_nothing(hall: Hall, tina: User) -> None:
    ticket = taken(swapped(hall), tina)
    step = moves_of(ticket)[0]
    services.tick(ticket.number, step.number, by=tina)
    services.tick(ticket.number, step.number, by=tina, done=False)
    assert not port_checks.check_step(step.pk)
    step.refresh_from_db()
    assert step.state == "todo" and step.outcome_text == ""


# ---- the look that decides ----


def test_a_discovery_that_still_shows_it_puts_the_ticket_back_to_work_with_evidence(hall: Hall, tina: User) -> None:
    ticket = taken(swapped(hall), tina)
    services.done_verify(ticket.number, by=tina)
    evidence = ticket.evidence.count()
    hall.discover()
    ticket = fresh(ticket)
    assert ticket.status == "in_work" and ticket.order.look == "failed" and ticket.evidence.count() > evidence
    assert "still shows" in ticket.order.look_text


@pytest.mark.slow
def test_a_discovery_that_began_before_the_press_does_not_count(hall: Hall, tina: User) -> None:
    ticket = taken(swapped(hall), tina)
    work(hall, ticket, tina)
    running = discoveries.start(hall.source, by="beat")
    assert discoveries.claim(running.pk) is not None
    services.done_verify(ticket.number, by=tina)
    with transaction.atomic():
        claimed = Discovery.objects.select_related("source").get(pk=running.pk)
        capture = discoveries.keep(hall.source, parts(hall.fabric))
        Discovery.objects.filter(pk=claimed.pk).update(capture=capture, lease=None, status="queued")
    assert discoveries.run(running.pk) is not None
    assert fresh(ticket).status == "verifying", "it began too early, although it shows it right"
    assert Discovery.objects.filter(status="queued").count() == 1, "the next one was asked for at once"
    hall.discover()
    assert fresh(ticket).status == "closed"


@pytest.mark.slow
def test_a_discovery_that_tells_nothing_closes_nothing(hall: Hall, tina: User) -> None:
    ticket = taken(swapped(hall), tina)
    work(hall, ticket, tina)
    services.done_verify(ticket.number, by=tina)
    hall.trouble = SourceUnreadable("nobody answers")
    hall.discover()
    ticket = fresh(ticket)
    assert ticket.status == "in_work" and "is inconclusive: nobody answers" in ticket.order.look_text


@pytest.mark.slow
def test_a_look_that_got_lost_is_asked_for_again(hall: Hall, tina: User) -> None:
    ticket = taken(swapped(hall), tina)
    work(hall, ticket, tina)
    services.done_verify(ticket.number, by=tina)
    Discovery.objects.filter(status="queued").delete()
    port_checks.settle()
    assert Discovery.objects.filter(status="queued").count() == 1
    hall.discover()
    assert fresh(ticket).status == "closed"


def test_what_a_discovery_shows_right_before_anybody_took_it_closes(hall: Hall) -> None:
    ticket = swapped(hall)
    for step in moves_of(ticket):
        assert step.move is not None
        hall.hand(step.move)
    hall.discover()
    assert fresh(ticket).status == "closed" and "shows it right" in told(ticket)


@pytest.mark.slow
def test_who_works_on_it_is_told_and_presses_the_button(hall: Hall, tina: User) -> None:
    ticket = taken(swapped(hall), tina)
    work(hall, ticket, tina)
    hall.discover()
    assert fresh(ticket).status == "in_work" and "Press Resolve and verify" in told(ticket)
    services.done_verify(ticket.number, by=tina)
    hall.discover()
    assert fresh(ticket).status == "closed"


# ---- reality changed ----


@pytest.mark.slow
def test_another_reality_replaces_what_is_to_be_done_and_keeps_what_was(hall: Hall, tina: User) -> None:
    inject(hall.fabric, "cycle")
    hall.confirm()
    ticket = taken(Ticket.objects.get(), tina)
    first = moves_of(ticket)[0]
    assert first.move is not None
    hall.hand(first.move)
    services.tick(ticket.number, first.number, by=tina)
    hall.hand({**first.move, "take_from": None, "put_into": first.move["take_from"]})  # somebody put it back
    hall.discover()
    ticket = fresh(ticket)
    assert ticket.order.version >= 2 and "Planned again (version 2)" in told(ticket)
    steps = moves_of(ticket)
    assert steps[0].pk == first.pk and steps[0].done_at is not None and steps[0].order_version == 1
    assert {step.order_version for step in steps[1:]} == {ticket.order.version}
    for step in steps[1:]:
        assert step.move is not None
        hall.hand(step.move)
        services.tick(ticket.number, step.number, by=tina)
    services.done_verify(ticket.number, by=tina)
    hall.discover()
    assert fresh(ticket).status == "closed" and Ticket.objects.count() == 1


@pytest.mark.slow
def test_a_discovery_in_the_middle_of_the_work_leaves_the_plan_as_it_is(hall: Hall, tina: User) -> None:
    inject(hall.fabric, "cycle")
    hall.confirm()
    ticket = taken(Ticket.objects.get(), tina)
    for step in moves_of(ticket)[:2]:
        assert step.move is not None
        hall.hand(step.move)
        services.tick(ticket.number, step.number, by=tina)
    hall.discover()
    rest = [step.move["put_into"] for step in moves_of(ticket)[2:] if step.move]
    assert rest and Ticket.objects.count() == 1 and fresh(ticket).status == "in_work"
    for step in moves_of(fresh(ticket)):
        if step.done_at is None and step.move is not None:
            hall.hand(step.move)
            services.tick(ticket.number, step.number, by=tina)
    assert hall.fabric.difference() == ([], [])


def test_what_is_accepted_needs_no_hands(hall: Hall) -> None:
    ticket = swapped(hall)
    findings.accept(Finding.objects.get().pk, reason="moves in June", by="olga")
    assert fresh(ticket).status == "closed" and "moves in June" in told(ticket)


# ---- before a live link is touched ----


def live_machines(ticket: Ticket) -> list[int]:
    return list(ticket.clearances.exclude(machine=None).values_list("machine_id", flat=True))


def swap_at_a_leaf(hall: Hall, *, leaf: str = "leaf-1", ports: tuple[int, int] = (1, 3)) -> Ticket:
    """Two cables of one switch exchanged."""
    one, other = (hall.fabric.taken[PlannedPort(leaf, port)] for port in ports)
    sockets = [hall.fabric.plugs[plug] for plug in (one, other)]
    hall.fabric.put(one, None)
    hall.fabric.put(other, None)
    hall.fabric.put(one, sockets[1])
    hall.fabric.put(other, sockets[0])
    hall.confirm()
    return Ticket.objects.get()


def test_machines_are_drained_when_work_begins_and_return_when_it_is_over(hall: Hall, tina: User) -> None:
    ticket = swap_at_a_leaf(hall)
    machines = live_machines(ticket)
    assert len(machines) == 2 and not Hold.objects.exists(), "nobody works on it yet"
    taken(ticket, tina)
    assert set(Hold.objects.filter(lifted_at=None).values_list("owner", flat=True)) == {ticket.owner}
    assert set(MachineHealth.objects.filter(pk__in=machines).values_list("state", flat=True)) == {"drained"}
    work(hall, ticket, tina)
    services.done_verify(ticket.number, by=tina)
    hall.discover()
    assert fresh(ticket).status == "closed"
    clearances.settle()
    clearances.settle()
    assert not Hold.objects.filter(lifted_at=None).exists()
    assert set(Verification.objects.values_list("machine_id", flat=True)) == set(machines), "and are verified"
    assert not ticket.clearances.exclude(state=Clearance.State.LIFTED).exists()


def test_whoever_has_the_order_open_hears_that_its_machines_are_out_of_service(hall: Hall, tina: User) -> None:
    """The page waits for it in front of a rack: without the news it says "still in service" until it is loaded anew."""
    ticket = swap_at_a_leaf(hall)
    services.take(ticket.number, by=tina)
    before = Event.objects.filter(kind="ticket.changed").count()
    clearances.settle()
    assert Event.objects.filter(kind="ticket.changed", data__key=ticket.key).count() == before + 2, "one a machine"
    clearances.settle()
    assert Event.objects.filter(kind="ticket.changed").count() == before + 2, "and nothing when nothing is new"


@pytest.mark.slow
def test_over_the_pools_budget_the_machine_stays_and_its_cable_too(hall: Hall, tina: User, olga: User) -> None:
    ticket = swap_at_a_leaf(hall)
    Pool.objects.update(max_unavailable_share=0.0)
    taken(ticket, tina)
    assert not Hold.objects.exists()
    step = moves_of(ticket)[0]
    with pytest.raises(TicketConflict, match=r"still in service .* disruption budget"):
        services.tick(ticket.number, step.number, by=tina)
    services.tick(ticket.number, step.number, by=olga, operator=True)
    assert "although" in told(ticket)
    Pool.objects.update(max_unavailable_share=1.0)
    clearances.settle()
    assert Hold.objects.filter(owner=ticket.owner).exists(), "asked again"


def test_a_dry_run_drains_nothing_and_an_operators_drain_is_enough(hall: Hall, tina: User) -> None:
    ticket = swap_at_a_leaf(hall)
    Pool.objects.update(automation="dry_run")
    taken(ticket, tina)
    step = moves_of(ticket)[0]
    with pytest.raises(TicketConflict, match="dry run"):
        services.tick(ticket.number, step.number, by=tina)
    MachineHealth.objects.update(state="maintenance")
    services.tick(ticket.number, step.number, by=tina)


@pytest.mark.slow
def test_given_back_unfinished_nothing_stays_out_of_service(hall: Hall, tina: User) -> None:
    ticket = swap_at_a_leaf(hall)
    taken(ticket, tina)
    services.release(ticket.number, by=tina, reason="shift ends")
    clearances.settle()
    assert not Hold.objects.filter(lifted_at=None).exists()
    taken(ticket, tina)
    assert Hold.objects.filter(lifted_at=None).count() == 2, "and again for who takes it next"


def ufm(hall: Hall, monkeypatch: pytest.MonkeyPatch, **policy: Any) -> Orders:
    orders = Orders()
    monkeypatch.setitem(control._orders, "ibdiags", orders)
    PortPolicy.objects.create(
        site=hall.site, **{"automation": "on", "approval": "policy", "budget": 20, "floor_share": 0.5, **policy}
    )
    return orders


def test_links_between_switches_are_isolated_for_the_work_and_given_back(
    hall: Hall, tina: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = ufm(hall, monkeypatch)
    ticket = swap_at_a_leaf(hall, ports=(33, 35))
    taken(ticket, tina)
    assert port_orders.carry_out() == 2 and len(orders.out) == 4, "both ends of two links"
    work(hall, ticket, tina)
    services.done_verify(ticket.number, by=tina)
    hall.discover()
    assert fresh(ticket).status == "closed"
    clearances.settle()
    port_orders.carry_out()
    assert orders.out == set() and not PortAction.objects.exclude(state="free").exists()


def test_below_the_floor_no_link_is_touched(hall: Hall, tina: User, monkeypatch: pytest.MonkeyPatch) -> None:
    orders = ufm(hall, monkeypatch, floor_share=1.0)
    ticket = swap_at_a_leaf(hall, ports=(33, 35))
    taken(ticket, tina)
    assert port_orders.carry_out() == 0 and not orders.given
    with pytest.raises(TicketConflict, match="needed"):
        services.tick(ticket.number, moves_of(ticket)[0].number, by=tina)


def test_without_a_source_that_isolates_the_floor_still_holds(hall: Hall, tina: User) -> None:
    PortPolicy.objects.create(site=hall.site, floor_share=1.0)
    ticket = swap_at_a_leaf(hall, ports=(33, 35))
    taken(ticket, tina)
    step = moves_of(ticket)[0]
    with pytest.raises(TicketConflict, match="needed"):
        services.tick(ticket.number, step.number, by=tina)
    PortPolicy.objects.update(floor_share=0.5)
    clearances.settle()
    services.tick(ticket.number, step.number, by=tina)
    assert "It goes dark when it is pulled" in told(ticket)


def test_closing_without_proof_asks_what_becomes_of_disabled_links(
    hall: Hall, tina: User, olga: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inventory.services import Refused

    orders = ufm(hall, monkeypatch)
    ticket = swap_at_a_leaf(hall, ports=(33, 35))
    taken(ticket, tina)
    port_orders.carry_out()
    with pytest.raises(Refused, match="Say enable or keep"):
        services.close(ticket.number, by=olga, reason="later")
    services.close(ticket.number, by=olga, reason="later", ports="keep")
    clearances.settle()
    port_orders.carry_out()
    assert len(orders.out) == 4 and set(PortAction.objects.values_list("owner", flat=True)) == {"person:olga"}


# ---- over the API ----


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, ticket: Ticket, action: str, **body: Any) -> Any:
    return client.post(f"/api/tickets/{ticket.key}/{action}/", body, "application/json")


def test_the_api_shows_subject_moves_states_and_what_must_be_out_of_use(hall: Hall, tina: User) -> None:
    ticket = taken(swap_at_a_leaf(hall), tina)
    client = client_of(tina)
    body = client.get(f"/api/tickets/{ticket.key}/").json()
    leaf = Device.objects.get(name="leaf-1")
    assert body["subject"] == {"kind": "switch", "id": leaf.pk, "name": "leaf-1"} and body["machine"] is None
    assert body["place"]["rack"] == "A03" and body["place"]["walk"] is not None
    move = next(step for step in body["steps"] if step["kind"] == "move")
    assert move["state"] == "todo" and move["move"]["take_from"]["device"] == "leaf-1" and not move["checking"]
    assert move["move"]["take_from"]["cage"] == 1
    assert body["order"]["version"] == 1 and [row["clear"] for row in body["order"]["clearances"]] == [True, True]
    after = post(client, ticket, f"steps/{move['number']}", version=body["version"]).json()
    assert next(step for step in after["steps"] if step["kind"] == "move")["checking"]
    assert post(client, ticket, f"steps/{move['number']}/recheck").status_code == 200
    assert post(client, ticket, "steps/1/recheck").status_code == 409, "a label has no ports"
    assert post(client, ticket, "steps/99/recheck").status_code == 404
    listed = client.get("/api/tickets/?subject=switch&search=leaf-1").json()
    assert [row["key"] for row in listed["results"]] == [ticket.key]
    assert client.get(f"/api/tickets/?device={leaf.pk}").json()["count"] == 1


def test_a_finding_shows_its_ticket(hall: Hall, tina: User) -> None:
    ticket = swapped(hall)
    body = client_of(tina).get(f"/api/fabric/findings/{ticket.finding_id}/").json()
    assert body["ticket"] == {"id": ticket.pk, "key": ticket.key, "title": ticket.title, "status": "open"}


def test_viewers_and_other_sites_have_no_hand_in_it(hall: Hall, tina: User) -> None:
    ticket = taken(swap_at_a_leaf(hall), tina)
    step = moves_of(ticket)[0].number
    vera = client_of(person("vera", Role.VIEWER))
    assert post(vera, ticket, f"steps/{step}/recheck").status_code == 403
    other = Site.objects.create(slug="east", name="EAST")
    fritz = client_of(person("fritz", Role.OPERATOR, other))
    assert fritz.get("/api/tickets/").json()["count"] == 0
    assert post(fritz, ticket, f"steps/{step}/recheck").status_code == 404
    tom = client_of(person("tom"))
    assert post(tom, ticket, f"steps/{step}/recheck").status_code == 403


@pytest.mark.slow
def test_orders_of_two_sites_do_not_meet(hall: Hall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = swap_at_a_leaf(hall)
    east = Hall(load_site(tmp_path, "east", "e-"), monkeypatch)
    inject(east.fabric, "swap")
    east.confirm()
    second = Ticket.objects.exclude(pk=first.pk).get()
    assert second.site == east.site and second.order.source == east.source
    assert Event.objects.filter(kind="ticket.changed", site_id=east.site.pk).exists()
    assert not set(first.order.cables) & set(second.order.cables)


@pytest.mark.slow
def test_the_detail_of_an_order_takes_a_fixed_number_of_queries(
    hall: Hall, tina: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    ticket = taken(swap_at_a_leaf(hall), tina)
    client = client_of(tina)
    client.get(f"/api/tickets/{ticket.key}/")
    with django_assert_max_num_queries(27):  # five of the desk, two of its runbook, its photos
        client.get(f"/api/tickets/{ticket.key}/")


@pytest.mark.slow
def test_links_of_the_order_carry_the_light_again(hall: Hall, tina: User) -> None:
    ticket = taken(swap_at_a_leaf(hall), tina)
    work(hall, ticket, tina)
    services.done_verify(ticket.number, by=tina)
    hall.discover()
    assert set(FabricLink.objects.values_list("state", flat=True)) == {"correct"}


def test_the_title_of_a_move_says_the_cage_and_without_one_the_port() -> None:
    out = {"device": "leaf-01", "port": 22, "cage": 11, "half": "lower"}
    into = {"device": "leaf-02", "port": 5, "cage": 5, "half": ""}
    bare = {"device": "0xb83fd20300b9ec00", "port": 7, "cage": None}
    assert move_title({"cable": "C1", "take_from": out, "put_into": into}) == (
        "Move C1 from leaf-01 cage 11 lower to leaf-02 cage 5"
    )
    assert move_title({"cable": "", "take_from": bare}) == "Pull a cable out of 0xb83fd20300b9ec00 port 7"
    assert move_title({"cable": "C1", "put_into": out}) == "Plug C1, the one that hangs, into leaf-01 cage 11 lower"
