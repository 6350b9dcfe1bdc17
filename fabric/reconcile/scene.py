"""What findings are made of, and the small words they share. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fabric.facts import PlannedPort, Seen
from fabric.reconcile.cables import FoundCable
from fabric.reconcile.clean import Book, Net
from fabric.reconcile.crossed import Crossed
from fabric.reconcile.misnamed import Rename
from fabric.reconcile.moves import Component, MovePlan
from fabric.reconcile.naming import Naming
from fabric.reconcile.plan_errors import PlanError
from fabric.reconcile.prices import Prices
from fabric.reconcile.slow import Slow
from fabric.reconcile.wiring import Wiring, link_id
from fabric.reconcile.words import CageOf, Spots, no_cage


@dataclass(slots=True)
class Scene:
    """All that findings are made of. `asked`: components that wait for an answer, without moves. `recorded`: devices
    of the GUIDs on record."""

    seen: Seen
    net: Net
    book: Book
    naming: Naming
    wiring: Wiring
    plan: MovePlan
    asked: tuple[Component, ...]
    renames: Sequence[Rename]
    slow: Sequence[Slow]
    recorded: Mapping[str, str]
    prices: Prices
    errors: Sequence[PlanError]
    crossed: Sequence[Crossed]
    cage_of: CageOf = no_cage
    unplanned: Sequence[FoundCable] = ()
    lying: dict[str, tuple[PlannedPort, PlannedPort]] = field(default_factory=dict)  # by id of the link

    def __post_init__(self) -> None:
        self.lying = {link_id(link): (a, b) for a, b, link in self.wiring.wrong}

    @property
    def spots(self) -> Spots:
        return Spots(self.book.plan, self.cage_of)

    @property
    def own(self) -> str:
        """What the node that the capture was taken from is called; empty where the tool does not tell."""
        return self.naming.names.get(self.seen.origin) or (f"0x{self.seen.origin}" if self.seen.origin else "")


def port_text(port: PlannedPort) -> str:
    return f"{port.device} port {port.port}"


def few(names: Iterable[str], most: int = 6) -> str:
    """`a, b and 3 more`"""
    names = list(names)
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
