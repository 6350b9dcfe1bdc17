"""Which planned device each node is: from what is known of it, and from the wiring. Pure.

In a connected fabric with numbered ports one node that is known fixes all others, because nothing but standing still
keeps all port numbers and one node in place. So every node with a name votes for its neighbours: at my port q the plan
has port p of device t. Two votes when the link ends in p, one otherwise. Faults make some votes wrong, so the surest
are accepted first, and all of it is looked at again at the end. What is tied is left unknown.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from operator import itemgetter
from typing import NamedTuple

from fabric.facts import NodeKind, PlannedPort, SeenPort
from fabric.reconcile.clean import Book, Net, adapter_of, machine_of, plain

_MOST = itemgetter(1, 0)  # of votes by device: the most, then the name
SECOND_LOOKS = 6


End = tuple[int, SeenPort]
"""Of a link from one of its nodes: number of the port there, and the port at the far end."""


class Ground(StrEnum):
    """Why a node has its name."""

    KNOWN = "known"  # its GUID is recorded in the inventory
    REPORTED = "reported"  # it says so itself, and nobody else does
    WIRING = "wiring"
    EXCHANGED = "exchanged"  # stands where another device is planned
    LEFT_OVER = "left_over"  # the only one that can be missing there


class Vote(NamedTuple):
    """`agree` of `asked` neighbours say so; `margin` is how far the next best answer is behind, in votes."""

    agree: int
    asked: int
    margin: int


@dataclass(slots=True)
class Naming:
    """The names given so far. Nearly all links of a fabric lie right, and every step asks again which do not: all links
    are gone through once for it, and then only those of nodes whose name or that of a neighbour changed."""

    net: Net = field(repr=False)
    book: Book = field(repr=False)
    names: dict[str, str] = field(default_factory=dict)  # GUID -> planned device
    grounds: dict[str, Ground] = field(default_factory=dict)
    holder: dict[str, str] = field(default_factory=dict)  # planned device -> GUID
    _wrong: dict[str, Sequence[End]] | None = field(default=None, repr=False)  # by GUID, of those that have any
    _changed: set[str] = field(default_factory=set, repr=False)  # GUIDs of which that has to be looked up again

    def give(self, guid: str, device: str, ground: Ground) -> None:
        self._forget(guid)
        self.names[guid], self.grounds[guid], self.holder[device] = device, ground, guid

    def take(self, guid: str) -> None:
        self._forget(guid)
        device = self.names.pop(guid)
        del self.grounds[guid]
        if self.holder.get(device) == guid:
            del self.holder[device]

    def wrong(self, guid: str) -> Sequence[End]:
        """Of the ends of a node those that do not lie as planned, all of them where it has no name."""
        known = self._known_wrong()
        if guid in self._changed:
            self._changed.discard(guid)
            known[guid] = wrong_ends(self.net, self.book, self.names, guid)
        return known.get(guid, ())

    def all_wrong(self) -> dict[str, Sequence[End]]:
        """The same of every node that has such ends."""
        for guid in [*self._changed]:
            self.wrong(guid)
        return {guid: ends for guid, ends in self._known_wrong().items() if ends}

    def _known_wrong(self) -> dict[str, Sequence[End]]:
        if self._wrong is None:
            self._wrong = all_wrong_ends(self.net, self.book, self.names)
        return self._wrong

    def right(self, guid: str) -> int:
        """How many links of a node lie as planned."""
        return len(self.net.ends[guid]) - len(self.wrong(guid))

    def is_present(self, group: str) -> bool:
        """Whether any device of a group was seen."""
        return any(device in self.holder for device in self.book.members[group])

    def _forget(self, guid: str) -> None:
        if self._wrong is not None:
            self._changed.add(guid)
            self._changed.update([far.guid for _, far in self.net.ends[guid]])


def all_wrong_ends(net: Net, book: Book, names: Mapping[str, str]) -> dict[str, Sequence[End]]:
    """By GUID the ends that do not lie as planned. Each link once: a plan says the same of both ends."""
    wrong: defaultdict[str, list[End]] = defaultdict(list)
    plan, nothing = book.ports, dict[int, PlannedPort]()
    for a, b, _, _ in net.links:
        (guid, number), (far_guid, far_number) = a, b
        planned = plan.get(names.get(guid, ""), nothing).get(number)
        if planned is None or planned[1] != far_number or names.get(far_guid) != planned[0]:
            wrong[guid].append((number, b))
            wrong[far_guid].append((far_number, a))
    return dict(wrong)


def wrong_ends(net: Net, book: Book, names: Mapping[str, str], guid: str) -> Sequence[End]:
    """The ends of a node that do not lie as planned, were these the names."""
    name = names.get(guid)
    if not name:
        return net.ends[guid]
    wrong, ports = [], book.ports.get(name, {})
    for end in net.ends[guid]:
        number, far = end
        planned = ports.get(number)
        if planned is None or planned.port != far.port or names.get(far.guid) != planned.device:
            wrong.append(end)
    return wrong


def name_all(net: Net, book: Book, known: Mapping[str, str]) -> Naming:
    """Anchors, then votes, then the second looks."""
    naming = anchors(net, book, known)
    spread(net, book, naming)
    look_again(net, book, naming)
    return naming


def anchors(net: Net, book: Book, known: Mapping[str, str]) -> Naming:
    """Nodes with recorded GUIDs, and those that report a planned name that no other reports."""
    naming = Naming(net, book)
    for guid, device in known.items():
        if guid in net.nodes and device in book.plan.devices and device not in naming.holder:
            naming.give(guid, device, Ground.KNOWN)
    first: dict[str, str] = {}  # device -> the first node that says it is it
    twice: set[str] = set()  # groups
    for guid, device in net.meant.items():
        if book.fits(net.nodes[guid], device) and first.setdefault(device, guid) != guid:
            twice.add(book.group[device])
    for device, guid in first.items():
        if book.group[device] in twice:  # of a machine that is told twice no adapter is an anchor: some may be dark
            continue
        if guid not in naming.names and device not in naming.holder:
            naming.give(guid, device, Ground.REPORTED)
    return naming


def spread(net: Net, book: Book, naming: Naming) -> None:
    """Name what the neighbours agree on, the surest first."""
    _Spreading(net, book, naming).run()


class _Spreading:
    def __init__(self, net: Net, book: Book, naming: Naming) -> None:
        self.net, self.book, self.naming = net, book, naming
        self.votes: dict[str, dict[str, int]] = {}  # GUID -> device -> votes
        self.rivals: dict[str, dict[str, int]] = {}  # device -> GUID -> votes
        self.nameless: dict[str, list[End]] = {}  # GUID -> of its ends those whose far node had no name when it began
        self.waiting: defaultdict[int, deque[tuple[str, str]]] = defaultdict(deque)  # margin -> GUID and device
        self.highest = 0  # no margin above it waits
        self.fitting: dict[str, str] = {}  # GUID -> the device that it was last found to fit

    def run(self) -> None:
        names = self.naming.names
        for guid in self.net.nodes:
            if guid not in names:
                self._first_votes(guid)
        for guid in list(self.votes):
            self._push(guid)
        while (surest := self._surest()) is not None:
            stored, guid, device = surest
            if guid in names or device in self.naming.holder:
                if guid not in names:
                    self._push(guid, below=stored)
                continue
            margin = self._margin(guid, device)
            if margin <= 0:
                continue
            if margin < stored:
                self._push(guid)
                continue
            self.naming.give(guid, device, Ground.WIRING)
            nameless = [end for end in self.nameless[guid] if end[1].guid not in names]
            self._vote(device, nameless)
            for other in dict.fromkeys([far.guid for _, far in nameless]):
                self._push(other)

    def _surest(self) -> tuple[int, str, str] | None:
        """Of those with the highest margin the one that has waited longest: margin, GUID and device."""
        while self.highest > 0:
            waiting = self.waiting[self.highest]
            if waiting:
                return self.highest, *waiting.popleft()
            self.highest -= 1
        return None

    def _first_votes(self, guid: str) -> None:
        """What all neighbours say that have a name now."""
        names, plan, nothing = self.naming.names, self.book.ports, dict[int, PlannedPort]()
        votes: dict[str, int] = {}
        nameless = self.nameless[guid] = []
        for end in self.net.ends[guid]:
            number, (far_guid, far_number) = end
            name = names.get(far_guid)
            if name is None:
                nameless.append(end)
                continue
            planned = plan.get(name, nothing).get(far_number)
            if planned is not None:
                device, port = planned
                votes[device] = votes.get(device, 0) + (2 if port == number else 1)
        if votes:
            self.votes[guid] = votes
        for device, number in votes.items():
            self.rivals.setdefault(device, {})[guid] = number

    def _vote(self, name: str, neighbours: Sequence[End]) -> None:
        """What a node says of its neighbours, now that it has a name: each has the port that is planned at its end."""
        ports, votes, rivals = self.book.ports.get(name, {}), self.votes, self.rivals
        for number, (guid, far_number) in neighbours:
            planned = ports.get(number)
            if planned is None:
                continue
            device, port = planned
            weight = 2 if port == far_number else 1
            mine, theirs = votes.get(guid), rivals.get(device)
            if mine is None:
                mine = votes[guid] = {}
            if theirs is None:
                theirs = rivals[device] = {}
            mine[device] = mine.get(device, 0) + weight
            theirs[guid] = theirs.get(guid, 0) + weight

    def _margin(self, guid: str, device: str) -> int:
        votes, rivals = self.votes[guid], self.rivals[device]
        own = votes[device]
        if len(votes) == len(rivals) == 1:
            return own
        other_devices = max((v for d, v in votes.items() if d != device), default=0)
        names = self.naming.names
        other_nodes = max((v for g, v in rivals.items() if g != guid and g not in names), default=0)
        return own - max(other_devices, other_nodes)

    def _push(self, guid: str, below: int | None = None) -> None:
        votes = self.votes.get(guid)
        if not votes:
            return
        device = next(iter(votes)) if len(votes) == 1 else max(votes.items(), key=_MOST)[0]
        if device in self.naming.holder:
            return
        if self.fitting.get(guid) != device:
            if not self.book.fits(self.net.nodes[guid], device):
                return
            self.fitting[guid] = device
        is_alone = len(votes) == len(self.rivals[device]) == 1
        margin = votes[device] if is_alone else self._margin(guid, device)
        if margin > 0 and (below is None or margin < below):
            self.waiting[margin].append((guid, device))
            if margin > self.highest:
                self.highest = margin


def vote_on(net: Net, book: Book, naming: Naming, guid: str) -> tuple[str, Vote, dict[str, int]]:
    """What all neighbours say of a node: the device with most votes, how sure that is, and all votes."""
    votes: dict[str, int] = {}
    agree: dict[str, int] = {}
    asked = naming.right(guid)
    if asked:
        device = naming.names[guid]
        votes[device], agree[device] = 2 * asked, asked
    for number, far in naming.wrong(guid):
        name = naming.names.get(far.guid)
        if name is None:
            continue
        asked += 1
        planned = book.far(name, far.port)
        if planned is not None:
            votes[planned.device] = votes.get(planned.device, 0) + (2 if planned.port == number else 1)
            agree[planned.device] = agree.get(planned.device, 0) + 1
    if not votes:
        return "", Vote(0, asked, 0), votes
    best = max(votes, key=lambda device: (votes[device], device))
    second = max((value for device, value in votes.items() if device != best), default=0)
    return best, Vote(agree[best], asked, votes[best] - second), votes


def look_again(net: Net, book: Book, naming: Naming) -> None:
    """Names given early, on few votes, against what all neighbours say now."""
    for _ in range(SECOND_LOOKS):
        wrong = []
        for guid, ground in naming.grounds.items():
            if ground is Ground.WIRING and naming.right(guid) * 2 < len(net.ends[guid]):
                best, vote, votes = vote_on(net, book, naming, guid)
                if best != naming.names[guid] and vote.margin > 0 and votes[best] > votes.get(naming.names[guid], 0):
                    wrong.append(guid)
        if not wrong:
            return
        for guid in wrong:
            naming.take(guid)
        spread(net, book, naming)


def left_overs(net: Net, book: Book, naming: Naming) -> None:
    """Adapters without a name that can only be one device.

    Either the others of the same reported machine stand at one place where just this adapter is not found. Or it sits
    in the port of another that is elsewhere, and the circle of cables ends at the one adapter of its name (`localhost
    mlx5_3`) that nobody is.
    """
    nameless = [
        guid
        for guid, node in net.nodes.items()
        if guid not in naming.names and node.kind is not NodeKind.SWITCH and adapter_of(node.description)
    ]
    if not nameless:
        return
    machines = {machine_of(net.nodes[guid].description) for guid in nameless}
    places = _places_of_machines(net, book, naming, tuple(machines))
    for guid in nameless:
        machine, adapter = machine_of(net.nodes[guid].description), adapter_of(net.nodes[guid].description)
        free = [
            device
            for group in places.get(machine, ())
            for device in book.members[group]
            if device not in naming.holder and plain(device).endswith(" " + adapter)
        ]
        if len(free) == 1:
            naming.give(guid, free[0], Ground.LEFT_OVER)
            continue
        device, steps = _follow(net, book, naming, guid)
        fits = device and device not in naming.holder and plain(device).endswith(" " + adapter)
        if fits and steps and (machine not in book.machines or plain(device).startswith(machine + " ")):
            naming.give(guid, device, Ground.LEFT_OVER)


def _places_of_machines(net: Net, book: Book, naming: Naming, machines: tuple[str, ...]) -> dict[str, set[str]]:
    """Of these machines as reported, in plain form, the places where adapters that say so stand."""
    places: dict[str, set[str]] = {}
    for guid, device in naming.names.items():
        description = net.nodes[guid].description
        if plain(description).startswith(machines) and (machine := machine_of(description)):
            places.setdefault(machine, set()).add(book.group[device])
    return places


def _follow(net: Net, book: Book, naming: Naming, guid: str) -> tuple[str, int]:
    """From the port it sits in to whom that is planned for, to the port where that one sits, and so on to the end."""
    steps = 0
    while net.ends[guid] and steps < 64:
        far = net.ends[guid][0][1]
        name = naming.names.get(far.guid)
        planned = book.far(name, far.port) if name else None
        if planned is None:
            return "", steps
        holder = naming.holder.get(planned.device)
        if holder is None:
            return planned.device, steps
        guid, steps = holder, steps + 1
    return "", steps
