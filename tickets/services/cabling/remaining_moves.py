"""What remains of a work order's moves when cables lie otherwise than those that were done explain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from fabric.facts import Plan, PlannedCable, PlannedPort
from fabric.models import FabricLink, FabricSource
from fabric.ports.queries import USABLE
from fabric.reconcile.cables import WantedCable
from fabric.reconcile.kept import Kept, keep, read
from fabric.reconcile.replan import LinksNow, check_steps, replan
from fabric.wiring.queries.plans import plan_of
from fabric.wiring.services.words import move_dicts
from tickets.models import Step, WorkOrder


@dataclass(frozen=True)
class Rest:
    """What is still to be done: moves as a finding shows them, the cables behind them, labels that stay dark; and why
    it was planned again."""

    moves: list[dict[str, Any]]
    cabling: dict[str, Any]
    unlit: list[str]
    because: tuple[str, ...]


def in_hand(order: WorkOrder) -> tuple[Kept, set[int]]:
    """The present plan of an order, and the numbers of its moves that were done."""
    rows = Step.objects.filter(ticket_id=order.pk, order_version=order.version).exclude(move=None)
    steps = [(step.move or {}, step.done_at is not None) for step in rows.order_by("number")]
    return read(order.cabling, [move for move, _ in steps]), {move["n"] for move, done in steps if done}


def rest_in_hand(order: WorkOrder) -> Rest | None:
    """The rest of the moves, from where the plugs are by now. None when the moves that were done explain all that the
    newest believed discovery saw: then the plan stays."""
    kept, done = in_hand(order)
    source = order.source
    if source is None or not done:
        return None
    far = far_ends(source.pk, kept.ports)
    checked = check_steps(kept.found, kept.wanted, kept.moves, done, far)
    return _plan(source, kept, done, far, checked.surprises) if checked.changed else None


def _plan(source: FabricSource, kept: Kept, done: set[int], far: LinksNow, because: tuple[str, ...]) -> Rest:
    planned, prices = plan_of(source)
    more = _come_into_play(planned.plan, kept, far)
    now = {**far_ends(source.pk, {end for cable in more for end in cable.ends}), **far}
    wanted = [*kept.wanted, *(WantedCable.of(cable) for cable in more)]
    again = replan(kept.found, wanted, kept.moves, done, now, prices=prices)
    ours = {cable.label for cable in kept.wanted}
    unlit = [label for each in again.components for label in each.new_cables if label in ours]
    return Rest(move_dicts(again.moves, planned), keep(again.components, again.moves), unlit, because)


def _come_into_play(plan: Plan, kept: Kept, far: LinksNow) -> list[PlannedCable]:
    """Planned links at ports that plugs were found at, beyond those of the order; of wide plugs all lanes."""
    ports = kept.ports | {end for end in far.values() if end is not None}
    ours = {cable.label for cable in kept.wanted}
    touched = {cable.label for cable in plan.cables if not ports.isdisjoint(cable.ends)}
    bodies = {cable.body for cable in plan.cables if cable.body and cable.label in touched}
    return [
        cable for cable in plan.cables if cable.label not in ours and (cable.label in touched or cable.body in bodies)
    ]


def far_ends(source_id: int, ports: Iterable[PlannedPort]) -> dict[PlannedPort, PlannedPort | None]:
    """What these ports lead to, as the newest believed discovery saw it; None: no light."""
    far: dict[PlannedPort, PlannedPort | None] = dict.fromkeys(ports)
    devices = {port.device for port in far}
    links = FabricLink.objects.filter(source_id=source_id, state__in=(*USABLE, FabricLink.State.UNKNOWN))
    rows = links.filter(Q(a_name__in=devices) | Q(b_name__in=devices))
    for a_name, a_number, b_name, b_number in rows.values_list("a_name", "a_number", "b_name", "b_number"):
        a, b = PlannedPort(a_name, a_number), PlannedPort(b_name, b_number)
        far |= {near: other for near, other in ((a, b), (b, a)) if near in far}
    return far
