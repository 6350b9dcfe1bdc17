"""A patch field that refuses what a hand cannot or must not do, to try move plans on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fabric.facts import PlannedPort
from fabric.reconcile.cables import FoundCable, WantedCable
from fabric.reconcile.moves import Move, StepKind, cables_in

Ends = frozenset[PlannedPort]


class Illegal(AssertionError):
    """A step that cannot be done, or must not."""


class PatchField:
    """Sockets and the plugs in them. A cable is known by the id of its first link."""

    def __init__(self, seen: Sequence[FoundCable], wanted: Sequence[WantedCable] = ()) -> None:
        self.bodies = {body.id: body for body in cables_in(seen, wanted)}
        self.at: dict[tuple[str, int], tuple[PlannedPort, ...]] = {}
        self.taken: dict[PlannedPort, tuple[str, int]] = {}
        self.most_hanging = 0
        for body in self.bodies.values():
            for number, socket in enumerate(body.plugs):
                self._plug((body.id, number), socket)

    def _plug(self, plug: tuple[str, int], socket: tuple[PlannedPort, ...]) -> None:
        for port in socket:
            if port in self.taken:
                raise Illegal(f"{port} is occupied by {self.taken[port]}")
        self.at[plug] = socket
        self.taken.update(dict.fromkeys(socket, plug))

    def _pull(self, plug: tuple[str, int]) -> None:
        for port in self.at.pop(plug):
            del self.taken[port]

    def hanging(self) -> int:
        """Cables with some plugs in and some out."""
        partly = 0
        for name, body in self.bodies.items():
            inside = sum((name, number) in self.at for number in range(len(body.plugs)))
            partly += 0 < inside < len(body.plugs)
        return partly

    def do(self, move: Move) -> None:
        if move.takes:
            plug = self.taken.get(move.takes[0])
            if plug != (move.found, move.plug) or self.at[plug] != move.takes:
                raise Illegal(f"step {move.n}: {move.takes} does not hold {move.found}")
            self._pull(plug)
        else:
            plug = (move.found, move.plug)
            if plug in self.at:
                raise Illegal(f"step {move.n}: plug {move.plug} of {move.found} does not hang")
        if move.puts:
            self._plug(plug, move.puts)
        elif move.kind not in (StepKind.HANG, StepKind.REMOVE):
            raise Illegal(f"step {move.n}: a {move.kind} without a target")
        self.most_hanging = max(self.most_hanging, self.hanging())

    def links(self) -> set[Ends]:
        """The links there are now, of cables that are plugged in."""
        found = set()
        for name, body in self.bodies.items():
            for a, i, b, j in body.lanes:
                if (name, a) in self.at and (name, b) in self.at:
                    found.add(frozenset((self.at[name, a][i], self.at[name, b][j])))
        return found


def apply(seen: Sequence[FoundCable], wanted: Sequence[WantedCable], moves: Iterable[Move]) -> PatchField:
    """The field after all moves; raises Illegal at the first step that cannot be done."""
    field = PatchField(seen, wanted)
    for move in moves:
        field.do(move)
        if field.hanging() > 1:
            raise Illegal(f"step {move.n}: two cables hang")
    return field
