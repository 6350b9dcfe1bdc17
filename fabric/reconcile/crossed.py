"""Twin cables whose lanes are crossed. Pure.

Both plugs sit in the cages that the plan has, but lane 1 of one end comes out as lane 2 at the other. No plug can be
moved to put that right: the cable itself is wrong, or its two fibres are in each other's place in a connector.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabric.facts import PlannedCable, PlannedPort
from fabric.reconcile.clean import Book
from fabric.reconcile.wiring import Wiring


@dataclass(frozen=True, slots=True)
class Crossed:
    """A cable with crossed lanes: all its planned links, and those that are lit otherwise."""

    body: str
    cables: tuple[PlannedCable, ...]
    lit: tuple[tuple[PlannedPort, PlannedPort], ...]


def crossed_lanes(book: Book, wiring: Wiring) -> list[Crossed]:
    """Cables between the right two cages with a lane that leads to another lane of the same cable."""
    bodies = {cable.body for cable in wiring.missing if cable.body}
    lanes: dict[str, list[PlannedCable]] = {}
    for cable in book.plan.cables:
        if cable.body in bodies:
            lanes.setdefault(cable.body, []).append(cable)
    found = []
    for body, cables in lanes.items():
        if len(cables) < 2 or len({(cable.a_plug, cable.b_plug) for cable in cables}) > 1:
            continue
        near, far = {cable.a for cable in cables}, {cable.b for cable in cables}
        lit = tuple((cable.a, end) for cable in cables if (end := wiring.found(cable.a)) is not None)
        back = [end for port in far if (end := wiring.found(port)) is not None]
        stays = all(end in far for _, end in lit) and all(end in near for end in back)
        if stays and any(book.far(*a) != end for a, end in lit):
            found.append(Crossed(body, tuple(cables), lit))
    return found
