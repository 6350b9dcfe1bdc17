"""Work orders whose plugs are wide: twin DACs and breakouts, and what remains after a surprise in the middle."""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Role, Site, User
from fabric.facts import PlannedPort
from fabric.models import FabricSource
from fabric.planned import Planned
from fabric.reconcile.prices import Prices
from fabric.tests.hall import source_of
from fabric.tests.made import Made, Plug, Shape, Socket, made
from tickets import services
from tickets.models import Step, Ticket
from tickets.services.cabling import port_checks
from tickets.tests.conftest import person
from tickets.tests.test_orders import Hall, fresh, moves_of, quiet, told

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]
__all__ = ["quiet"]

TWINS = Shape(machines=9, rails=2, radix=16, twins=True)
BREAKOUTS = Shape(machines=9, rails=2, radix=16, breakouts=True)


class WideHall(Hall):
    """A made fabric whose plan is told by the plan alone: nothing of it is in the inventory."""

    def __init__(self, shape: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site = Site.objects.create(slug="wide", name="WIDE")
        self.fabric: Made = made(shape)
        self.source: FabricSource = source_of(self.site, kind="ibdiags", guard_percent=90)
        self.trouble = None
        planned = Planned(self.fabric.plan)
        prices = Prices(places={name: device.place for name, device in self.fabric.plan.devices.items()})
        for module in ("fabric.wiring.services.reconciliation", "tickets.services.cabling.remaining_moves"):
            monkeypatch.setattr(f"{module}.plan_of", lambda source: (planned, prices))
        for module in ("discoveries", "spot_checks"):
            monkeypatch.setattr(f"fabric.discovery.services.{module}.read_source", self.read)

    def circle(self) -> list[Plug]:
        """Three wide plugs, each where the next belongs."""
        wide = [plug for plug, socket in self.fabric.plugs.items() if len(socket or ()) == 2]
        bodies = list(dict.fromkeys(plug[0] for plug in wide))[:3]
        plugs = [next(plug for plug in wide if plug[0] == body) for body in bodies]
        sockets = [self.fabric.plugs[plug] for plug in plugs]
        for plug in plugs:
            self.fabric.put(plug, None)
        for plug, socket in zip(plugs, sockets[1:] + sockets[:1], strict=True):
            self.fabric.put(plug, socket)
        return plugs

    def free(self) -> Socket:
        """A cage that nothing is planned for."""
        devices = {device for device, _ in self.fabric.taken}
        cages = (
            (PlannedPort(name, at), PlannedPort(name, at + 1)) for name in sorted(devices) for at in range(1, 16, 2)
        )
        return next(
            cage
            for cage in cages
            if "mlx" not in cage[0].device
            and not any(port in self.fabric.taken or port in self.fabric.planned_at for port in cage)
        )

    def wide_hand(self, move: dict[str, Any], into: Socket | None = None) -> Plug:
        """Do a move with all lanes of its plug; returns the plug."""
        takes, puts = (tuple(PlannedPort(e["device"], e["port"]) for e in move[side]) for side in ("takes", "puts"))
        if takes:
            plug = self.fabric.taken[takes[0]]
            assert self.fabric.plugs[plug] == takes, "the whole plug"
        else:
            (plug,) = [plug for plug, socket in self.fabric.plugs.items() if socket is None]
        self.fabric.put(plug, into or puts or None)
        return plug


@pytest.fixture
def olga(db: None) -> User:
    return person("olga", Role.OPERATOR)


def do(hall: WideHall, step: Step, by: User, into: Socket | None = None) -> None:
    """Do a move, tick it, and have it looked at. An operator does not wait for links to be isolated."""
    assert step.move is not None
    hall.wide_hand(step.move, into)
    services.tick(step.ticket.number, step.number, by=by, operator=True)
    port_checks.check_step(step.pk)
    step.refresh_from_db()


def pending(ticket: Ticket) -> list[Step]:
    return [step for step in moves_of(ticket) if step.done_at is None]


@pytest.mark.slow
@pytest.mark.parametrize("shape", [TWINS, BREAKOUTS], ids=["twins", "breakouts"])
def test_a_wide_plug_moves_whole_and_one_that_hangs_is_put_in_after_a_surprise(
    shape: Shape, olga: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = WideHall(shape, monkeypatch)
    plugs = hall.circle()
    hall.confirm()
    ticket = Ticket.objects.get()
    services.take(ticket.number, by=olga)
    first, second, *_ = moves_of(ticket)
    assert len(moves_of(ticket)) == 4 and all(
        len(step.move["takes"] or step.move["puts"]) == 2 for step in moves_of(ticket)
    )
    do(hall, first, olga)
    assert first.state == "confirmed" and first.move is not None and first.move["put_into"] is None
    hanging = next(plug for plug in plugs if hall.fabric.plugs[plug] is None)
    do(hall, second, olga, into=hall.free())
    assert second.state == "failed" and "no light" in second.outcome_text
    hall.discover()

    assert fresh(ticket).order.version == 2 and "Planned again (version 2)" in told(ticket), "by the surprise"
    assert "leads to" in told(ticket)
    rest = [step.move for step in pending(ticket) if step.move is not None]
    assert [len(move["puts"]) for move in rest] == [2, 2, 2], "no plug is pulled that need not be, and all move whole"
    assert [move["take_from"] is None for move in rest].count(True) == 1, "the one that hangs is put in"
    assert "hangs loose" in pending(ticket)[-1].detail
    for step in pending(ticket):
        do(hall, step, olga)
        assert step.state == "confirmed", step.outcome_text
    assert hall.fabric.plugs[hanging] is not None and hall.fabric.difference() == ([], [])
    services.done_verify(ticket.number, by=olga)
    hall.discover()
    assert fresh(ticket).status == "closed" and Ticket.objects.count() == 1


def test_a_discovery_while_a_wide_plug_hangs_is_no_surprise(olga: User, monkeypatch: pytest.MonkeyPatch) -> None:
    hall = WideHall(TWINS, monkeypatch)
    hall.circle()
    hall.confirm()
    ticket = Ticket.objects.get()
    services.take(ticket.number, by=olga)
    do(hall, moves_of(ticket)[0], olga)
    hall.discover()
    assert fresh(ticket).order.version == 1
    services.done_verify(ticket.number, by=olga)
    hall.discover()
    ticket = fresh(ticket)
    assert ticket.status == "in_work" and ticket.order.version == 1, "pressed too early: the rest stays planned"
    for step in pending(ticket):
        do(hall, step, olga)
    assert hall.fabric.difference() == ([], [])


def test_a_plug_in_the_port_of_another_cable_brings_that_cable_into_the_order(
    olga: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = WideHall(TWINS, monkeypatch)
    hall.circle()
    hall.confirm()
    ticket = Ticket.objects.get()
    services.take(ticket.number, by=olga)
    first, second, *_ = moves_of(ticket)
    do(hall, first, olga)
    assert second.move is not None
    ours = {plug[0] for plug in hall.fabric.plugs if hall.fabric.plugs[plug] is None} | set(
        hall.fabric.taken[PlannedPort(second.move["takes"][0]["device"], second.move["takes"][0]["port"])][:1]
    )
    other = next(
        plug
        for plug, socket in reversed(hall.fabric.plugs.items())
        if plug[0] not in ours and len(socket or ()) == 2 and plug[1] == "up"
    )
    taken, spare = hall.fabric.plugs[other], hall.free()
    hall.fabric.put(other, spare)  # somebody makes room for it
    do(hall, second, olga, into=taken)
    hall.discover()
    assert fresh(ticket).order.version == 2
    for step in pending(ticket):
        do(hall, step, olga)
        assert step.state == "confirmed", step.outcome_text
    assert hall.fabric.difference() == ([], [])
