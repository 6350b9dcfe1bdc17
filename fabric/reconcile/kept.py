"""The cables behind some moves as plain values: kept with a work order, so that it can be judged and planned again by
what a hand holds, whatever the look that it came from. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fabric.facts import PlannedPort
from fabric.reconcile.cables import PLAIN, FoundBody, FoundCable, WantedCable
from fabric.reconcile.moves import Component, Move, StepKind

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kept:
    """A plan of moves with the cables it was made from, as `check_steps` and `replan` take them."""

    found: tuple[FoundCable, ...]
    wanted: tuple[WantedCable, ...]
    moves: tuple[Move, ...]

    @property
    def ports(self) -> set[PlannedPort]:
        """Every port that the moves, or the cables behind them, are about."""
        ends = {end for link in self.found for end in link.ends}
        ends |= {end for link in self.wanted for end in link.ends}
        return ends | {port for move in self.moves for port in (*move.takes, *move.puts, move.stays)}


def keep(components: Iterable[Component], moves: Sequence[Move]) -> Json:
    """JSON values of the cables of these components, and of which of their connectors each move takes; moves are
    numbered from 1 in the order given."""
    parts = list(components)
    return {
        "found": [_found(body, link) for part in parts for body in part.cables for link in body.links],
        "wanted": [
            _link(link) | {"label": link.label} for part in parts for body in part.places for link in body.links
        ],
        "connectors": [[number, move.found, move.plug] for number, move in enumerate(moves, start=1)],
    }


def read(kept: Mapping[str, Any], moves: Iterable[Mapping[str, Any]]) -> Kept:
    """What `keep` wrote, with the moves of that plan as a finding shows them, but those without a connector."""
    plugs = {number: (found, plug) for number, found, plug in kept.get("connectors", ())}
    return Kept(
        tuple(
            FoundCable(link["id"], **_of(link), label=link["label"], live=link["live"])
            for link in kept.get("found", ())
        ),
        tuple(WantedCable(link["label"], **_of(link)) for link in kept.get("wanted", ())),
        tuple(_move(move, *plugs[move["n"]]) for move in moves if move.get("n") in plugs),
    )


def _found(body: FoundBody, link: FoundCable) -> Json:
    """A plain cable is told to be one, so that nobody guesses what else may be in its cage."""
    plain = body.lanes == PLAIN and all(len(socket) == 1 for socket in body.plugs)
    told = {"id": link.id, "label": link.label, "live": link.live}
    return _link(link) | told | {"body": link.body or (link.id if plain else "")}


def _link(link: FoundCable | WantedCable) -> Json:
    return {
        "ends": [list(end) for end in link.ends],
        "body": link.body,
        "connectors": list(link.plugs),
        "serials": list(link.serials),
        "type": link.type,
        "length_m": link.length_m,
    }


def _of(link: Mapping[str, Any]) -> Json:
    a, b = (PlannedPort(device, port) for device, port in link["ends"])
    return {
        "ends": (a, b),
        "body": link["body"],
        "plugs": tuple(link["connectors"]),
        "serials": tuple(link["serials"]),
        "type": link["type"],
        "length_m": link["length_m"],
    }


def _move(move: Mapping[str, Any], found: str, plug: int) -> Move:
    takes, puts = (tuple(_port(end) for end in move[side]) for side in ("takes", "puts"))
    return Move(
        n=move["n"],
        kind=StepKind(move["kind"]),
        cable=move["cable"],
        take_from=takes[0] if takes else None,
        put_into=puts[0] if puts else None,
        component=0,
        price=0.0,
        found=found,
        plug=plug,
        cables=tuple(move["cables"]),
        takes=takes,
        puts=puts,
        stays=_port(move["stays"]),
        drains=tuple((_port(one), _port(other)) for one, other in move["drains"]),
        printed=tuple(move.get("printed", ())),
    )


def _port(end: Mapping[str, Any]) -> PlannedPort:
    return PlannedPort(end["device"], end["port"])
