"""What nobody may move before a question is answered. Pure.

A stranger with a name is somebody's; the node that a capture was taken from is how the fabric is seen at all; and a
line of the plan that cannot be says nothing of where a cable belongs. What hangs together with one of these is set
aside: it is told with the question, and no move is made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from fabric.facts import PlannedPort
from fabric.reconcile.clean import Net, is_factory
from fabric.reconcile.moves import Component, ComponentKind, Move, MovePlan

STRANGE = "0x"


def is_strange(port: PlannedPort) -> bool:
    """Whether it is of a node that has no place in the plan."""
    return port.device.startswith(STRANGE)


def guid_of(port: PlannedPort) -> str:
    return port.device.removeprefix(STRANGE)


def has_name(net: Net, guid: str) -> bool:
    """Whether somebody gave it one."""
    return not is_factory(net.nodes[guid].description)


def asked_components(
    plan: MovePlan, net: Net, origin: str, names: dict[str, str], ports: Collection[PlannedPort]
) -> set[int]:
    """Numbers of the components that wait for an answer. `ports`: those that a doubtful line of the plan is about."""
    own = names.get(origin) or f"{STRANGE}{origin}"

    def asks(component: Component) -> bool:
        ends = [end for body in component.cables for link in body.links for end in link.ends]
        if any(end in ports for end in ends):
            return True
        if any(is_strange(end) and (has_name(net, guid_of(end)) or end.device == own) for end in ends):
            return True
        return component.kind is ComponentKind.EXTRA and any(end.device == own for end in ends)

    return {component.number for component in plan.components if asks(component)}


def without(plan: MovePlan, numbers: Collection[int]) -> tuple[MovePlan, tuple[Component, ...]]:
    """The plan without these components, its moves counted anew, and the components without moves."""
    if not numbers:
        return plan, ()
    kept = [move for move in plan.moves if move.component not in numbers]
    renumber = {move.n: n for n, move in enumerate(kept, start=1)}

    def counted(moves: Iterable[Move]) -> tuple[Move, ...]:
        return tuple(replace(move, n=renumber[move.n]) for move in moves)

    components = tuple(
        replace(each, moves=counted(each.moves)) for each in plan.components if each.number not in numbers
    )
    set_aside = tuple(replace(each, moves=()) for each in plan.components if each.number in numbers)
    return MovePlan(components, counted(kept)), set_aside


def touching(components: Iterable[Component], is_mine: Callable[[PlannedPort], bool]) -> list[Component]:
    """The components with a cable at such a port."""
    return [
        each
        for each in components
        if any(is_mine(end) for body in each.cables for link in body.links for end in link.ends)
    ]
