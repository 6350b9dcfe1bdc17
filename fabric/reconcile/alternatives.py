"""A cable that nobody planned may serve as one that is missing: offered where it is long enough, never assumed. Pure.

It costs as many insertions as a new cable, so nothing but its length and its label speaks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabric.facts import PlannedCable
from fabric.reconcile.cables import PLAIN, FoundCable
from fabric.reconcile.moves import ComponentKind, MovePlan
from fabric.reconcile.prices import Prices

MOST = 3


def alternatives(unplanned: Sequence[FoundCable], cable: PlannedCable, prices: Prices) -> list[FoundCable]:
    """Of the unplanned cables those that reach where this one is missing, the shortest first.

    None where a length is not known, or the missing one is a lane of a wider cable.
    """
    needed = cable.length_m if cable.length_m is not None else prices.needed_m(*cable.ends)
    if needed is None or cable.body:
        return []
    reach = [link for link in unplanned if link.length_m is not None and link.length_m >= needed]
    fitting = [link for link in reach if not link.type or not cable.type or link.type == cable.type]
    return sorted(fitting, key=lambda link: (link.length_m or 0.0, link.id))[:MOST]


def unplanned(plan: MovePlan) -> Iterator[FoundCable]:
    """Cables between two known devices that no planned link needs."""
    for component in plan.components:
        if component.kind is ComponentKind.EXTRA:
            for body in component.cables:
                if body.lanes == PLAIN and not any(port.device.startswith("0x") for port in body.links[0].ends):
                    yield body.links[0]
