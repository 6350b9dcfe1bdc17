"""The fewest moves of cables that put a fabric right. Pure.

What lies wrong (D: found, not planned) and what is missing (M: planned, not found) share ports, and every port is in at
most one of each. So they fall into alternating paths and circles. A cable kept at one end needs one insertion instead
of two; the most ends are kept by a largest matching between D and M over shared ports, which on a path or circle of k
wrong and m missing cables is min(k, m). That many insertions are needed and suffice, and what lies right is in no
component, so nobody touches it. Among the equally short answers the cheapest is taken.

With twin DACs and breakouts the connector takes the place of the port, see `cables`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from fabric.facts import PlannedPort
from fabric.reconcile.cables import FoundBody, FoundCable, WantedBody, WantedCable, fits, found_bodies, wanted_bodies
from fabric.reconcile.matching import Edge, Worth, best_matching
from fabric.reconcile.order import Plug, Step, StepKind, by_visits, component_steps
from fabric.reconcile.prices import Prices

__all__ = [
    "Component",
    "ComponentKind",
    "FoundCable",
    "Move",
    "MovePlan",
    "StepKind",
    "WantedCable",
    "cables_in",
    "plan_moves",
]


class ComponentKind(StrEnum):
    WRONG_PORT = "wrong_port"
    SWAPPED_PAIR = "swapped_pair"
    CYCLE = "cycle"
    CHAIN = "chain"
    MISSING = "missing"
    EXTRA = "extra"


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a hand. `put_into` None: pull, and let hang (kind `hang`) or take out (kind `remove`); `take_from`
    None: insert the plug that hangs (or, of a cable that was taken out whole, one that lies there).

    `cable` is the planned label that the step fulfils, empty for one that is taken out. A wide plug moves all its
    lanes: `cables`, `takes` and `puts` list them, the single fields are the first of each. `printed`: what may stand on
    the label of the cable that is there now, the likeliest first, for nobody knows which of its ends is the wrong one;
    empty when no plan says anything of its ports. `drains`: live links that this step is the first to take down.
    """

    n: int
    kind: StepKind
    cable: str
    take_from: PlannedPort | None
    put_into: PlannedPort | None
    component: int
    price: float
    found: str  # id of the first link of the cable in hand
    plug: int  # which of its plugs
    cables: tuple[str, ...]
    takes: tuple[PlannedPort, ...]
    puts: tuple[PlannedPort, ...]
    stays: PlannedPort  # a port at the cable's other end, as it is found
    drains: tuple[tuple[PlannedPort, PlannedPort], ...]
    printed: tuple[str, ...] = ()

    @property
    def is_insertion(self) -> bool:
        return self.put_into is not None


@dataclass(frozen=True, slots=True)
class Component:
    """Cables that can only be put right together. `moves` are legal on their own, `n` is their number in the whole."""

    number: int
    kind: ComponentKind
    moves: tuple[Move, ...]
    found: tuple[str, ...]  # ids of all links that lie wrong
    wanted: tuple[str, ...]  # labels of all links that are missing
    new_cables: tuple[str, ...]  # labels that no wrong cable fulfils: unlit, or to be run
    taken_out: tuple[str, ...]  # ids of wrong links that fulfil none
    price: float
    cables: tuple[FoundBody, ...]  # what lies wrong, as a hand holds it
    places: tuple[WantedBody, ...]  # where cables are missing

    @property
    def insertions(self) -> int:
        return sum(move.is_insertion for move in self.moves)


@dataclass(frozen=True, slots=True)
class MovePlan:
    """`moves` in an order that is legal as a whole and grouped by rack visit."""

    components: tuple[Component, ...] = ()
    moves: tuple[Move, ...] = ()

    @property
    def insertions(self) -> int:
        return sum(component.insertions for component in self.components)


def plan_moves(seen: Sequence[FoundCable], wanted: Sequence[WantedCable], *, prices: Prices | None = None) -> MovePlan:
    """The fewest insertions that turn what was seen into what is wanted, the cheapest of the fewest.

    Links in both lists lie right: they are left alone, and only say what else is in the same cable.
    Raises ValueError when a port is in two found or in two wanted links.
    """
    prices = prices or Prices()
    return _Planning(seen, wanted, prices).plan()


def cables_in(seen: Sequence[FoundCable], wanted: Sequence[WantedCable]) -> list[FoundBody]:
    """The cables that the links are taken to be, those that lie right included. The moves' `found` and `plug` name
    these."""
    planning = _Planning(seen, wanted, Prices())
    return [*planning.done, *planning.found]


@dataclass(slots=True)
class _Group:
    """A component while it is worked on: numbers of found and wanted bodies."""

    found: list[int] = field(default_factory=list)
    wanted: list[int] = field(default_factory=list)


class _Planning:
    def __init__(self, seen: Sequence[FoundCable], wanted: Sequence[WantedCable], prices: Prices) -> None:
        self.prices = prices
        _each_port_once([link.ends for link in seen], "found")
        _each_port_once([link.ends for link in wanted], "wanted")
        planned = {frozenset(link.ends) for link in wanted}
        self.right = {ends for link in seen if (ends := frozenset(link.ends)) in planned}
        self.wanted: list[WantedBody] = []
        self.found: list[FoundBody] = []
        self.done: list[FoundBody] = []
        self._settle(list(seen), list(wanted))
        self.ways: dict[Edge, tuple[int, ...]] = {}
        self.costs: dict[Edge, float] = {}
        self.pairs: dict[int, int] = {}
        self.meant: dict[int, int] = {}
        self.planned_at = {end: link.label for body in self.wanted for link in body.links for end in link.ends}

    def _settle(self, seen: list[FoundCable], wanted: list[WantedCable]) -> None:
        """Gather links into cables and leave out what is done: a cable with all its links right, and what it fulfils
        of the plan. What cannot be one planned cable, though a link of it lies right, counts as cables of their own,
        so that the right one stays."""
        apart: set[str] = set()
        while True:
            self.wanted = wanted_bodies(wanted)
            self.found = found_bodies(seen, self.wanted, apart)
            right = [body for body in self.found if all(frozenset(link.ends) in self.right for link in body.links)]
            done = {frozenset(link.ends) for body in right for link in body.links}
            self.done += right
            misfits = {link.id for body in self.found if self._is_misfit(body, done) for link in body.links}
            if not done and not misfits:
                return
            apart |= misfits
            seen = [link for link in seen if frozenset(link.ends) not in done]
            wanted = [link for link in wanted if frozenset(link.ends) not in done]

    def _is_misfit(self, body: FoundBody, done: set[frozenset[PlannedPort]]) -> bool:
        right = [ends for link in body.links if (ends := frozenset(link.ends)) in self.right - done]
        if len(body.links) == 1 or not right:
            return False
        meant = [one for one in self.wanted if any(frozenset(link.ends) in right for link in one.links)]
        return not any(self._judge(body, one, way)[0][0] for one in meant for way in fits(body, one))

    def plan(self) -> MovePlan:
        worth = self._worth()
        self.pairs = dict(best_matching(worth))
        groups = self._groups(worth)
        steps = [component_steps(self._plugs(group), number) for number, group in enumerate(groups)]
        ordered = by_visits(steps, self._visit)
        moves = self._moves(ordered)
        by_component: dict[int, list[Move]] = defaultdict(list)
        for move in moves:
            by_component[move.component].append(move)
        components = tuple(
            self._component(number, group, steps[number], tuple(by_component[number]))
            for number, group in enumerate(groups)
        )
        return MovePlan(components, tuple(moves))

    # Which cable becomes which

    def _worth(self) -> dict[Edge, Worth]:
        """What speaks for each pair: links kept right, plugs kept in place, a label that stays true, the price."""
        at_socket = {socket: number for number, body in enumerate(self.wanted) for socket in body.plugs}
        self.meant = meant = self._meant()
        worth: dict[Edge, Worth] = {}
        for number, found in enumerate(self.found):
            near = {at_socket[socket] for socket in found.plugs if socket in at_socket}
            if number in meant:
                near.add(meant[number])
            for other in near:
                best = max(
                    (self._judge(found, self.wanted[other], way) for way in fits(found, self.wanted[other])),
                    default=None,
                )
                if best is None or not math.isfinite(best[1]):
                    continue
                (kept_links, kept_plugs), cost, way = best
                self.ways[number, other], self.costs[number, other] = way, -cost
                worth[number, other] = (kept_links, kept_plugs, int(meant.get(number) == other), round(cost * 1000))
        return worth

    def _meant(self) -> dict[int, int]:
        """Cables whose label or serials say which planned cable they are. Told twice, it says nothing."""
        labels = {link.label: number for number, body in enumerate(self.wanted) for link in body.links}
        serials = {
            tuple(sorted(link.serials)): number
            for number, body in enumerate(self.wanted)
            for link in body.links
            if all(link.serials)
        }
        meant: dict[int, int] = {}
        for number, body in enumerate(self.found):
            says = {labels.get(link.label) for link in body.links if link.label}
            says |= {serials.get(tuple(sorted(link.serials))) for link in body.links if all(link.serials)}
            target = says.pop() if len(says) == 1 else None
            if target is not None and fits(body, self.wanted[target]):
                meant[number] = target
        times = Counter(meant.values())
        return {number: target for number, target in meant.items() if times[target] == 1}

    def _judge(
        self, found: FoundBody, wanted: WantedBody, way: tuple[int, ...]
    ) -> tuple[tuple[int, int], float, tuple[int, ...]]:
        """(links that stay right, plugs that stay), the price below zero, the way itself: more is better."""
        stays = [take == wanted.plugs[to] for take, to in zip(found.plugs, way, strict=True)]
        right = sum(
            stays[a] and stays[b] and frozenset((found.plugs[a][i], found.plugs[b][j])) in self.right
            for a, i, b, j in found.lanes
        )
        moved = [
            (take, wanted.plugs[to]) for take, to in zip(found.plugs, way, strict=True) if take != wanted.plugs[to]
        ]
        price = sum(self.prices.way(take[0], into[0]) for take, into in moved)
        price += self.prices.drain * sum(link.live for link in found.links)
        types = {link.type for link in found.links} - {""}, {link.type for link in wanted.links} - {""}
        if not right and types[0] and types[1] and types[0] != types[1]:
            price += self.prices.wrong_type
        if self._too_short(found, wanted):
            price += self.prices.too_short
        return (right, sum(stays)), -price, way

    def _too_short(self, found: FoundBody, wanted: WantedBody) -> bool:
        lengths = [link.length_m for link in found.links if link.length_m is not None]
        if not lengths:
            return False
        first = wanted.links[0]
        needed = first.length_m if first.length_m is not None else self.prices.needed_m(*first.ends)
        return needed is not None and min(lengths) < needed

    # What belongs together

    def _groups(self, edges: Iterable[Edge]) -> list[_Group]:
        """Bodies that share a port, or of which one is meant for the other, in the order of their smallest port."""
        union = _Union()
        for number, found in enumerate(self.found):
            union.join([("found", number), *(port for socket in found.plugs for port in socket)])
        for number, wanted in enumerate(self.wanted):
            union.join([("wanted", number), *(port for socket in wanted.plugs for port in socket)])
        for one, other in edges:
            union.join([("found", one), ("wanted", other)])
        groups: dict[object, _Group] = defaultdict(_Group)
        for number in range(len(self.found)):
            groups[union.top(("found", number))].found.append(number)
        for number in range(len(self.wanted)):
            groups[union.top(("wanted", number))].wanted.append(number)
        return sorted(groups.values(), key=self._smallest_port)

    def _smallest_port(self, group: _Group) -> PlannedPort:
        bodies = [self.found[number].plugs for number in group.found]
        bodies += [self.wanted[number].plugs for number in group.wanted]
        return min(port for plugs in bodies for socket in plugs for port in socket)

    def _plugs(self, group: _Group) -> list[Plug]:
        plugs = []
        for number in group.found:
            body, target = self.found[number], self.pairs.get(number)
            wanted = None if target is None else self.wanted[target]
            for at, take in enumerate(body.plugs):
                into = None if target is None or wanted is None else wanted.plugs[self.ways[number, target][at]]
                plugs.append(Plug(body, take, into, wanted))
        return plugs

    # What is said of it

    def _visit(self, step: Step) -> tuple[str, ...]:
        """The rack where the step is done: that of the port a plug goes into, else of the one it leaves."""
        plug = step.plug
        port = plug.take[0] if step.kind in (StepKind.HANG, StepKind.REMOVE) or not plug.into else plug.into[0]
        place = self.prices.place(port)
        return (place.room, place.row, place.rack) if place.rack else ("", "", port.device)

    def _moves(self, steps: Sequence[Step]) -> list[Move]:
        down: set[str] = set()  # links taken down already
        numbers = {id(body): number for number, body in enumerate(self.found)}
        moves = []
        for n, step in enumerate(steps, start=1):
            plug = step.plug
            number = plug.body.plugs.index(plug.take)
            lanes = [(link, ends) for link, ends in _lanes_at(plug.body, number)]
            drains = tuple(link.ends for link, _ in lanes if link.live and link.id not in down)
            down.update(link.id for link, _ in lanes)
            takes = () if step.kind is StepKind.INSERT else plug.take
            puts = plug.into if step.kind in (StepKind.MOVE, StepKind.INSERT) and plug.into else ()
            labels = _labels_at(plug)
            way = self.prices.way(plug.take[0], plug.into[0]) if puts and plug.into else 0.0
            moves.append(
                Move(
                    n=n,
                    kind=step.kind,
                    cable=labels[0] if labels else "",
                    take_from=takes[0] if takes else None,
                    put_into=puts[0] if puts else None,
                    component=step.component,
                    price=way + self.prices.drain * len(drains),
                    found=plug.body.id,
                    plug=number,
                    cables=labels,
                    takes=takes,
                    puts=puts,
                    stays=lanes[0][1],
                    drains=drains,
                    printed=self._printed(numbers[id(plug.body)], plug, labels),
                )
            )
        return moves

    def _printed(self, number: int, plug: Plug, fulfils: tuple[str, ...]) -> tuple[str, ...]:
        """What may be printed on a cable: its label where it is known, else what the plan has at either of its ends,
        that which the move makes true first."""
        known = tuple(link.label for link in plug.body.links if link.label)
        if not known and number in self.meant:
            known = tuple(link.label for link in self.wanted[self.meant[number]].links)
        if known:
            return (" and ".join(dict.fromkeys(known)),)
        ends = [tuple(self.planned_at.get(end, "") for end in socket) for socket in plug.body.plugs]
        said = [tuple(dict.fromkeys(filter(None, labels))) for labels in ends]
        said.sort(key=lambda labels: labels != fulfils)
        return tuple(dict.fromkeys(" and ".join(labels) for labels in said if labels))

    def _component(self, number: int, group: _Group, steps: Sequence[Step], moves: tuple[Move, ...]) -> Component:
        fulfilled = {self.pairs[one] for one in group.found if one in self.pairs}
        return Component(
            number=number,
            kind=_kind(len(group.found), len(group.wanted), steps),
            moves=moves,
            found=tuple(link.id for one in group.found for link in self.found[one].links),
            wanted=tuple(link.label for one in group.wanted for link in self.wanted[one].links),
            new_cables=tuple(
                link.label for one in group.wanted if one not in fulfilled for link in self.wanted[one].links
            ),
            taken_out=tuple(link.id for one in group.found if one not in self.pairs for link in self.found[one].links),
            price=sum(self.costs[one, self.pairs[one]] for one in group.found if one in self.pairs),
            cables=tuple(self.found[one] for one in group.found),
            places=tuple(self.wanted[one] for one in group.wanted),
        )


class _Union:
    """Sets that grow together."""

    def __init__(self) -> None:
        self.above: dict[object, object] = {}

    def top(self, thing: object) -> object:
        root = thing
        while (above := self.above.setdefault(root, root)) != root:
            root = above
        while thing != root:
            self.above[thing], thing = root, self.above[thing]
        return root

    def join(self, things: Sequence[object]) -> None:
        first = self.top(things[0])
        for thing in things[1:]:
            self.above[self.top(thing)] = first


def _each_port_once(links: Iterable[tuple[PlannedPort, PlannedPort]], what: str) -> None:
    ports = [port for ends in links for port in ends]
    twice = next((port for port, times in Counter(ports).items() if times > 1), None)
    if twice is not None:
        raise ValueError(f"port {twice.port} of {twice.device} is in two {what} links")


def _lanes_at(body: FoundBody, plug: int) -> list[tuple[FoundCable, PlannedPort]]:
    """The links through a plug, each with its port at the other plug."""
    by_ends: Mapping[frozenset[PlannedPort], FoundCable] = {frozenset(link.ends): link for link in body.links}
    lanes = []
    for a, i, b, j in body.lanes:
        if plug in (a, b):
            link = by_ends[frozenset((body.plugs[a][i], body.plugs[b][j]))]
            lanes.append((link, body.plugs[b][j] if plug == a else body.plugs[a][i]))
    return lanes


def _labels_at(plug: Plug) -> tuple[str, ...]:
    """The planned labels of the lanes that a plug fulfils at its new socket."""
    if plug.wanted is None or plug.into is None:
        return ()
    ports = set(plug.into)
    return tuple(link.label for link in plug.wanted.links if ports & set(link.ends))


def _kind(found: int, wanted: int, steps: Sequence[Step]) -> ComponentKind:
    if not found:
        return ComponentKind.MISSING
    if not wanted:
        return ComponentKind.EXTRA
    if found == wanted == 1:
        return ComponentKind.WRONG_PORT
    if found == wanted and sum(step.kind is StepKind.HANG for step in steps) == 1 and len(steps) == found + 1:
        return ComponentKind.SWAPPED_PAIR if found == 2 else ComponentKind.CYCLE
    return ComponentKind.CHAIN
