"""From a port along its cable, through patch panels, to the far ends. Pure: plain numbers in, steps out.

A cable joins the ends of its two sides that share a lane. A front port of a patch panel leads to one position of a
rear port, and a cable between two rear ports carries all positions: a walk that goes in at position 7 comes out at
position 7. Positions still to be taken out again are kept as a stack, so that trunks may run inside trunks. A rear port
of one position carries what it is given and adds nothing.

Where one end meets several (a breakout, or a trunk that ends in a port) the walk forks, and each branch goes on alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

# More than this is no cabling but a mistake in the data.
MAX_CABLES = 100  # of one way
MAX_BRANCHING = 2000  # cables of all branches together
MAX_STACK = 8  # trunks in trunks

Stack = tuple[int, ...]
Why = Literal["", "no_cable", "open_cable", "no_pass_through", "no_position", "loop", "too_long"]


class Link(NamedTuple):
    """The cable in a port, the lane of it the port is on, and the ports at the other side of that lane."""

    cable: int
    lane: int
    far: tuple[int, ...]


@dataclass
class Facts:
    """Everything a walk may meet, by port id."""

    kinds: dict[int, str] = field(default_factory=dict)
    positions: dict[int, int] = field(default_factory=dict)  # of rear ports
    links: dict[int, Link] = field(default_factory=dict)
    rear_of: dict[int, tuple[int, int]] = field(default_factory=dict)  # front port -> rear port, position
    fronts_of: dict[int, dict[int, int]] = field(default_factory=dict)  # rear port -> position -> front port

    def is_panel(self, port: int) -> bool:
        return self.kinds.get(port) in ("front", "rear")


class Step(NamedTuple):
    """A port, a cable and the lane one is on, or the panel of the port `id` and the position one passes by."""

    kind: Literal["port", "cable", "panel"]
    id: int
    number: int = 0


@dataclass(frozen=True)
class Path:
    """Steps up to an end, to where it is lost (`why`), or to where it forks into `branches`."""

    steps: tuple[Step, ...]
    why: Why = ""
    branches: tuple[Path, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.why and all(branch.complete for branch in self.branches)

    def ends(self) -> Iterator[int]:
        """The ports at the far ends that are reached."""
        if self.branches:
            for branch in self.branches:
                yield from branch.ends()
        elif not self.why:
            yield self.steps[-1].id

    def lines(self) -> Iterator[tuple[Step, ...]]:
        """The steps to every end that is reached, each from the beginning."""
        if self.branches:
            for branch in self.branches:
                yield from (self.steps + line for line in branch.lines())
        elif not self.why:
            yield self.steps


@dataclass(frozen=True)
class Trace:
    """`out` goes by the port's own cable. `back`, for a port of a patch panel, goes through the panel."""

    port: int
    out: Path
    back: Path | None = None

    @property
    def complete(self) -> bool:
        return self.out.complete and (self.back is None or self.back.complete)

    def ends(self) -> list[int]:
        return [*self.out.ends(), *(self.back.ends() if self.back else ())]


def trace(port: int, facts: Facts) -> Trace:
    """Walk from a port; each path begins with it."""
    start = (Step("port", port),)
    out = _after(start, _Walk(facts).leave(port, (), frozenset()))
    if not facts.is_panel(port):
        return Trace(port, out)
    return Trace(port, out, _after(start, _Walk(facts).through(port, (), frozenset())))


def onward(port: int, stack: Stack, facts: Facts) -> list[tuple[int, int, Stack]] | Why:
    """Through a panel: the ports one comes out at, by which position, with the positions still to be taken out.

    A rear port reached without a position (a trunk that began in a port) leads to all its front ports.
    """
    if facts.kinds[port] == "front":
        if port not in facts.rear_of:
            return "no_pass_through"
        rear, position = facts.rear_of[port]
        return [(rear, position, (*stack, position) if facts.positions.get(rear, 1) > 1 else stack)]
    fronts = facts.fronts_of.get(port, {})
    if not fronts:
        return "no_pass_through"
    if facts.positions.get(port, 1) > 1 and stack:
        *rest, position = stack
        return [(fronts[position], position, tuple(rest))] if position in fronts else "no_position"
    cabled = {position: front for position, front in fronts.items() if front in facts.links}
    return [(front, position, stack) for position, front in sorted((cabled or fronts).items())]


Seen = frozenset[tuple[int, Stack]]


class _Walk:
    """One walk: the facts, and how many steps it may still take."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.left = MAX_BRANCHING

    def leave(self, port: int, stack: Stack, seen: Seen) -> Path:
        """By the cable in a port."""
        self.left -= 1
        if (port, stack) in seen:
            return Path((), "loop")
        if self.left <= 0 or len(seen) >= MAX_CABLES or len(stack) > MAX_STACK:
            return Path((), "too_long")
        link = self.facts.links.get(port)
        if link is None:
            return Path((), "no_cable")
        here = (Step("cable", link.cable, link.lane),)
        if not link.far:
            return Path(here, "open_cable")
        seen |= {(port, stack)}
        return _joined(here, [self.arrive(far, stack, seen) for far in link.far])

    def arrive(self, port: int, stack: Stack, seen: Seen) -> Path:
        here = (Step("port", port),)
        if not self.facts.is_panel(port):
            return Path(here)
        return _after(here, self.through(port, stack, seen))

    def through(self, port: int, stack: Stack, seen: Seen) -> Path:
        """Through the panel a port belongs to, and on by the cable of the port on its other face."""
        ways = onward(port, stack, self.facts)
        if isinstance(ways, str):
            return Path((), ways)
        return _joined(
            (),
            [
                _after((Step("panel", port, position), Step("port", out)), self.leave(out, left, seen))
                for out, position, left in ways
            ],
        )


def _after(steps: tuple[Step, ...], path: Path) -> Path:
    return Path(steps + path.steps, path.why, path.branches)


def _joined(steps: tuple[Step, ...], paths: list[Path]) -> Path:
    return _after(steps, paths[0]) if len(paths) == 1 else Path(steps, "", tuple(paths))
