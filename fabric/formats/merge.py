"""Several outputs of one look at the fabric made one: nodes known by port or LID found, ends that disagree told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from core.counts import counted
from fabric.facts import Completeness, NodeKind, Seen, SeenLink, SeenNode, SeenPort, SeenState
from fabric.formats.common import Met, complain, lower, port

Pair = tuple[SeenPort, SeenPort]
"""Both ends of a link, the smaller first."""


def merge(parts: Sequence[Seen]) -> Seen:
    """What all parts tell together; earlier parts win where later ones say otherwise of a name.

    A part that is empty, truncated or partial makes the whole partial at least; the whole is empty only where every
    part is, and truncated where all that tell of links are.
    """
    if len(parts) == 1:
        return parts[0]
    whole = Seen()
    for part in parts:
        whole.port_guids.update(part.port_guids)
        whole.problems.extend(part.problems)
    resolve = _Resolver(whole.port_guids, parts)
    whole.origin = resolve.guid(next((part.origin for part in parts if part.origin), ""))
    for part in parts:
        _add_nodes(whole, part, resolve)
    _add_links(whole, parts, resolve)
    for part in parts:
        _add_states(whole, part, resolve)
        for where, cable in part.cables.items():
            whole.cables.setdefault(resolve(where), cable)
        for where, counters in part.counters.items():
            whole.counters.setdefault(resolve(where), {}).update(counters)
    _judge(whole, parts)
    return whole


class _Resolver:
    """The port under the GUID of its node, where some part tells it."""

    def __init__(self, port_guids: dict[str, SeenPort], parts: Sequence[Seen]) -> None:
        self.port_guids = port_guids
        self.nodes = {guid for part in parts if part.port_guids for guid in part.nodes}
        self.parts = parts
        self.known = Met(self._found)  # GUID as it was told -> GUID of the node

    def guid(self, guid: str) -> str:
        """The node's GUID."""
        return self.known[guid]

    def _found(self, guid: str) -> str:
        if guid in self.nodes:
            return guid
        known = self.port_guids.get(guid)
        if known is not None:
            return known.guid
        if guid.startswith("lid:"):
            return self.by_lid.get(int(guid[4:]), guid)
        return guid

    @cached_property
    def by_lid(self) -> dict[int, str]:
        """LID -> GUID of the node, for nodes of which some part tells the LID alone."""
        found: dict[int, str] = {}
        for part in self.parts:
            for node in part.nodes.values():
                if node.lid is not None and not node.guid.startswith("lid:"):
                    found.setdefault(node.lid, self._found(node.guid))
        return found

    def __call__(self, place: SeenPort) -> SeenPort:
        guid = self.guid(place.guid)
        return place if guid == place.guid else port(guid, place.port)


def _add_nodes(whole: Seen, part: Seen, resolve: _Resolver) -> None:
    for node in part.nodes.values():
        guid = resolve.known[node.guid]
        known = whole.nodes.get(guid)
        if known is None:
            whole.nodes[guid] = node if guid == node.guid else node._replace(guid=guid)
        else:
            whole.nodes[guid] = _fuller(known, node)


def _fuller(known: SeenNode, other: SeenNode) -> SeenNode:
    if known.lid is not None and known.system_guid and known.description and known.ports >= other.ports:
        return known
    return SeenNode(
        known.guid,
        known.kind if known.kind is not NodeKind.SWITCH or known.system_guid else other.kind,
        known.description or other.description,
        max(known.ports, other.ports),
        known.system_guid or other.system_guid,
        known.lid if known.lid is not None else other.lid,
        known.counted or other.counted,
    )


def _add_links(whole: Seen, parts: Sequence[Seen], resolve: _Resolver) -> None:
    """Links that two parts tell differently are doubtful: the fabric changed between the two looks."""
    links = _Links()
    doubtful: dict[Pair, SeenLink] = {}
    for part in parts:
        links.add(part.links, resolve)
        for link in part.doubtful:
            a, b = sorted((resolve(link.a), resolve(link.b)))
            doubtful[a, b] = SeenLink(a, b, link.width, link.speed)
    against = links.against
    if against or doubtful:
        for link in links.told():
            if link.a in against or link.b in against:
                doubtful[link.a, link.b] = link
            else:
                whole.links.append(link)
                doubtful.pop((link.a, link.b), None)
    else:
        whole.links = links.told()
    whole.doubtful = list(doubtful.values())
    if against:
        complain(whole, "together", 0, f"the outputs disagree about {counted(len(against), 'port')}: ask again")


class _Links:
    """Links as they are told, each once; `against` are ports that were told to lead to two places.

    Nearly all are told again by each part just as before, so each is found by its ports and not by both together.
    """

    def __init__(self) -> None:
        self.links: list[SeenLink] = []
        self.first: dict[SeenPort, SeenLink] = {}  # by port the first that was told there
        self.others: dict[Pair, SeenLink] = {}  # those that contradict the first of one of their ports
        self.fuller: dict[Pair, SeenLink] = {}  # in place of those that were told without their width
        self.against: set[SeenPort] = set()

    def add(self, links: Iterable[SeenLink], resolve: _Resolver) -> None:
        first, known_guids = self.first, resolve.known
        for link in links:
            a, b, _, _ = link
            a_guid, b_guid = known_guids[a[0]], known_guids[b[0]]
            is_same = a_guid == a[0] and b_guid == b[0]
            if not is_same:
                a, b = port(a_guid, a[1]), port(b_guid, b[1])
                if b < a:
                    a, b = b, a
            known = first.get(a)
            if known is not None and known is first.get(b):
                if not known.width:
                    self._fill(known, link)
                continue
            found = link if is_same else SeenLink(a, b, link.width, link.speed)
            if known is None and b not in first:
                first[a] = first[b] = found
                self.links.append(found)
            else:
                self._contradict(found)

    def told(self) -> list[SeenLink]:
        """All of them in the order in which they were first told."""
        if not self.fuller:
            return self.links
        return [self.fuller.get(link[:2], link) for link in self.links]

    def _fill(self, known: SeenLink, link: SeenLink) -> None:
        ends = known[:2]
        if not self.fuller.get(ends, known).width:
            self.fuller[ends] = SeenLink(*ends, link.width, link.speed)

    def _contradict(self, link: SeenLink) -> None:
        ends = link[:2]
        known = self.others.get(ends)
        if known is not None:
            self._fill(known, link)
            return
        self.others[ends] = link
        self.links.append(link)
        for end in ends:
            self.against.update(ends, self.first.setdefault(end, link)[:2])


def _joined(known: SeenState, state: SeenState) -> SeenState:
    return SeenState(
        known.logical or state.logical,
        known.physical or state.physical,
        known.width or state.width,
        known.speed or state.speed,
        known.best_width or state.best_width,
        known.best_speed or state.best_speed,
    )


def _add_states(whole: Seen, part: Seen, resolve: _Resolver) -> None:
    states, known_guids = whole.states, resolve.known
    for where, state in part.states.items():
        told, number = where
        guid = known_guids[told]
        place = where if guid == told else port(guid, number)
        first = states.setdefault(place, state)
        if first is not state:
            states[place] = _joined(first, state)


def _judge(whole: Seen, parts: Sequence[Seen]) -> None:
    states = [part.completeness for part in parts]
    telling = [part.completeness for part in parts if part.links or part.doubtful or part.nodes]
    if all(state is Completeness.EMPTY for state in states):
        whole.completeness = Completeness.EMPTY
    elif telling and all(state is Completeness.TRUNCATED for state in telling):
        whole.completeness = Completeness.TRUNCATED
    elif any(state is not Completeness.COMPLETE for state in states) or whole.doubtful:
        lower(whole, Completeness.PARTIAL)
