"""Cables as a hand knows them: bodies with plugs, each plug in a socket. Pure.

A link is what the fabric sees; a body is what moves. A fibre has one link and two plugs, a twin DAC two links and two
plugs that take two ports each, a breakout one wide plug and several narrow ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from fabric.facts import PlannedCable, PlannedPort

Socket = tuple[PlannedPort, ...]  # the ports that one plug takes, in the order of its lanes
Lane = tuple[int, int, int, int]  # plug and position in it at one end, then at the other; smaller end first


@dataclass(frozen=True, slots=True)
class FoundCable:
    """A link that lies where no planned cable is. `id` is unique.

    Links with the same `body` are lanes of one cable, and those with the same plug of it move together; where a body
    has several lanes all of them are given, also the right ones. Without a body, what sits in a cage planned for one
    wide plug is taken to be such a plug. `label` is the planned label as read at both ends, `serials` those of a cable
    whose plugs are fixed to it (DAC, AOC): either says which planned cable this is. `live`: traffic may be on it. A
    plug that hangs is at a port of the device LOOSE.
    """

    id: str
    ends: tuple[PlannedPort, PlannedPort]
    body: str = ""
    plugs: tuple[str, str] = ("", "")
    label: str = ""
    serials: tuple[str, str] = ("", "")
    type: str = ""
    length_m: float | None = None
    live: bool = False


@dataclass(frozen=True, slots=True)
class WantedCable:
    """A planned link that is not there. Of a body with several lanes all links are given, also those that are there."""

    label: str
    ends: tuple[PlannedPort, PlannedPort]
    body: str = ""
    plugs: tuple[str, str] = ("", "")
    serials: tuple[str, str] = ("", "")
    type: str = ""
    length_m: float | None = None

    @classmethod
    def of(cls, cable: PlannedCable) -> WantedCable:
        plugs = (cable.a_plug, cable.b_plug)
        return cls(cable.label, cable.ends, cable.body, plugs, cable.serials, cable.type, cable.length_m)


@dataclass(frozen=True, slots=True)
class FoundBody:
    """A cable that is there."""

    links: tuple[FoundCable, ...]
    plugs: tuple[Socket, ...]
    lanes: tuple[Lane, ...]  # only those that are lit

    @property
    def id(self) -> str:
        return self.links[0].id


@dataclass(frozen=True, slots=True)
class WantedBody:
    """A cable that should be there."""

    links: tuple[WantedCable, ...]
    plugs: tuple[Socket, ...]
    lanes: tuple[Lane, ...]


LOOSE = "(loose)"  # the device of a plug that hangs; its ports are numbered as one likes
PLAIN: tuple[Lane, ...] = ((0, 0, 1, 0),)
_STRAIGHT, _TURNED = (0, 1), (1, 0)


def fits(found: FoundBody, wanted: WantedBody) -> list[tuple[int, ...]]:
    """The ways to use a cable as a wanted one: for each of its plugs the number of the wanted plug. Empty: it cannot
    be, its plugs or lanes are of another kind. A cable may have dark plugs that are not known."""
    if found.lanes == PLAIN == wanted.lanes and len(found.plugs[0]) == len(wanted.plugs[0]) == 1:
        return [_STRAIGHT, _TURNED]
    lanes = set(wanted.lanes)
    return [
        way
        for way in permutations(range(len(wanted.plugs)), len(found.plugs))
        if all(len(found.plugs[at]) == len(wanted.plugs[to]) for at, to in enumerate(way))
        and all(_lane((way[a], i), (way[b], j)) in lanes for a, i, b, j in found.lanes)
    ]


def _lane(one: tuple[int, int], other: tuple[int, int]) -> Lane:
    first, second = sorted((one, other))
    return (*first, *second)


def wanted_bodies(cables: Iterable[WantedCable]) -> list[WantedBody]:
    """Wanted links gathered into cables, in the order of their first link."""
    bodies: dict[object, list[WantedCable]] = defaultdict(list)
    for at, cable in enumerate(cables):
        bodies[cable.body or at].append(cable)
    found = []
    for links in bodies.values():
        plugs, lanes = _shape([(link.ends, link.plugs) for link in links])
        found.append(WantedBody(tuple(links), plugs, lanes))
    return found


def found_bodies(
    cables: Sequence[FoundCable], wanted: Sequence[WantedBody], apart: Collection[str] = ()
) -> list[FoundBody]:
    """Found links gathered into cables: by their body where it is told, else by the wide cages they sit in. Those
    whose id is in `apart` are cables of their own."""
    wide = {port: socket for body in wanted for socket in body.plugs if len(socket) > 1 for port in socket}
    told: dict[str, list[FoundCable]] = defaultdict(list)
    untold: dict[object, list[FoundCable]] = defaultdict(list)
    for cable in cables:
        if cable.id in apart:
            untold[cable.id].append(cable)
        elif cable.body:
            told[cable.body].append(cable)
        else:
            untold[_guess(cable, wide)].append(cable)
    bodies = [FoundBody(tuple(links), *_shape([(link.ends, link.plugs) for link in links])) for links in told.values()]
    guessed: list[FoundBody] = []
    for key, links in untold.items():
        guessed += [_plain(links[0])] if isinstance(key, str) else _wide_body(links, wide)
    plugged = Counter(port for body in (*bodies, *guessed) for socket in body.plugs for port in socket)
    for body in guessed:
        if any(plugged[port] > 1 for socket in body.plugs for port in socket):  # no wide plug: another sits beside it
            bodies += [_plain(link) for link in body.links]
        else:
            bodies.append(body)
    return bodies


def _plain(link: FoundCable) -> FoundBody:
    return FoundBody((link,), ((link.ends[0],), (link.ends[1],)), PLAIN)


def _guess(cable: FoundCable, wide: Mapping[PlannedPort, Socket]) -> object:
    """What links of one body have in common: the pair of cages of a twin, the wide cage of a breakout."""
    a, b = (wide.get(end) for end in cable.ends)
    if a is None and b is None:
        return cable.id
    if a is not None and b is not None:
        return frozenset((a, b))
    return a or b


def _wide_body(links: list[FoundCable], wide: Mapping[PlannedPort, Socket]) -> list[FoundBody]:
    """The links of one wide cage as one cable. A far end outside of the planned cages counts as a wide plug when the
    links sit there side by side as they do here, else as a plug of its own each."""
    sides = []
    for link in links:
        near, far = link.ends if link.ends[0] in wide else link.ends[::-1]
        sides.append((wide[near], wide[near].index(near), far))
    sockets = {socket for socket, _, _ in sides}
    if len(sockets) > 1:  # a twin seen from either side: start from the smaller cage
        first = min(sockets)
        sides = [(s, at, far) if s == first else (first, first.index(far), s[at]) for s, at, far in sides]
    here = sides[0][0]
    if len({at for _, at, _ in sides}) < len(sides):
        return [_plain(link) for link in links]
    far_wide = wide.get(sides[0][2])
    if far_wide is None:
        beside = {PlannedPort(far.device, far.port - at) for _, at, far in sides}
        if len(links) == len(here) and len(beside) == 1 and len(links) > 1:
            start = beside.pop()
            far_wide = tuple(PlannedPort(start.device, start.port + at) for at in range(len(here)))
    if far_wide is not None:
        lanes = tuple(sorted((0, at, 1, far_wide.index(far)) for _, at, far in sides))
        return [FoundBody(tuple(links), (here, far_wide), lanes)]
    ends = sorted((at, far) for _, at, far in sides)
    lanes = tuple((0, at, number, 0) for number, (at, _) in enumerate(ends, start=1))
    return [FoundBody(tuple(links), (here, *((far,) for _, far in ends)), lanes)]


def _shape(
    links: Sequence[tuple[tuple[PlannedPort, PlannedPort], tuple[str, str]]],
) -> tuple[tuple[Socket, ...], tuple[Lane, ...]]:
    """Sockets and lanes of links that are one cable. Plugs are told apart by name; where names are missing or alike at
    both sides, the ends at one side are one plug."""
    if len(links) == 1:
        (a, b), _ = links[0]
        return ((a,), (b,)), PLAIN
    names = [{plugs[side] for _, plugs in links} for side in (0, 1)]
    by_name = "" not in names[0] | names[1] and not names[0] & names[1]
    start = links[0][0][0].device
    members: dict[tuple[int, str], list[PlannedPort]] = defaultdict(list)
    for ends, plugs in links:
        turned = not by_name and ends[0].device != start and ends[1].device == start
        for side in (0, 1):
            at = 1 - side if turned else side
            members[0 if by_name else side, plugs[at]].append(ends[at])
    sockets = [tuple(sorted(ports)) for ports in members.values()]
    where = {port: (number, at) for number, socket in enumerate(sockets) for at, port in enumerate(socket)}
    return tuple(sockets), tuple(sorted(_lane(where[ends[0]], where[ends[1]]) for ends, _ in links))
