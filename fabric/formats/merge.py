"""Several outputs of one look at the fabric made one: nodes known by port or LID found, ends that disagree told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.counts import counted
from fabric.facts import Completeness, NodeKind, Seen, SeenLink, SeenNode, SeenPort, SeenState
from fabric.formats.common import complain, lower, port


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


class _Known(dict[str, str]):
    """GUID as it was told -> GUID of the node, each found once."""

    def __init__(self, find: Callable[[str], str]) -> None:
        super().__init__()
        self.find = find

    def __missing__(self, guid: str) -> str:
        found = self[guid] = self.find(guid)
        return found


class _Resolver:
    """The port under the GUID of its node, where some part tells it."""

    def __init__(self, port_guids: dict[str, SeenPort], parts: Sequence[Seen]) -> None:
        self.port_guids = port_guids
        self.nodes = {guid for part in parts if part.port_guids for guid in part.nodes}
        self.by_lid: dict[int, str] = {}
        for part in parts:
            for node in part.nodes.values():
                if node.lid is not None and not node.guid.startswith("lid:"):
                    self.by_lid.setdefault(node.lid, self._found(node.guid))
        self.known = _Known(self._found)

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

    def __call__(self, place: SeenPort) -> SeenPort:
        guid = self.guid(place.guid)
        return place if guid == place.guid else port(guid, place.port)


def _add_nodes(whole: Seen, part: Seen, resolve: _Resolver) -> None:
    for node in part.nodes.values():
        guid = resolve.guid(node.guid)
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
    far: dict[SeenPort, SeenPort] = {}
    links: dict[tuple[SeenPort, SeenPort], SeenLink] = {}
    against: set[SeenPort] = set()
    doubtful: dict[tuple[SeenPort, SeenPort], SeenLink] = {}
    known_guids = resolve.known
    for part in parts:
        for link in part.links:
            a, b = link.a, link.b
            is_same = known_guids[a.guid] == a.guid and known_guids[b.guid] == b.guid
            if not is_same:
                a, b = sorted((resolve(a), resolve(b)))
            known = links.get((a, b))
            if known is not None:
                if not known.width:
                    links[a, b] = SeenLink(a, b, link.width, link.speed)
                continue
            told = far.setdefault(a, b), far.setdefault(b, a)
            if told != (b, a):
                against.update((a, b, *told))
            links[a, b] = link if is_same else SeenLink(a, b, link.width, link.speed)
        for link in part.doubtful:
            a, b = sorted((resolve(link.a), resolve(link.b)))
            doubtful[a, b] = SeenLink(a, b, link.width, link.speed)
    if against or doubtful:
        for ends, link in links.items():
            if link.a in against or link.b in against:
                doubtful[ends] = link
            else:
                whole.links.append(link)
                doubtful.pop(ends, None)
    else:
        whole.links = list(links.values())
    whole.doubtful = list(doubtful.values())
    if against:
        complain(whole, "together", 0, f"the outputs disagree about {counted(len(against), 'port')}: ask again")


def _add_states(whole: Seen, part: Seen, resolve: _Resolver) -> None:
    states, known_guids = whole.states, resolve.known
    for where, state in part.states.items():
        place = where if known_guids[where.guid] == where.guid else resolve(where)
        first = states.setdefault(place, state)
        if first is not state:
            states[place] = _joined(first, state)


def _joined(known: SeenState, state: SeenState) -> SeenState:
    return SeenState(
        known.logical or state.logical,
        known.physical or state.physical,
        known.width or state.width,
        known.speed or state.speed,
        known.best_width or state.best_width,
        known.best_speed or state.best_speed,
    )


def _judge(whole: Seen, parts: Sequence[Seen]) -> None:
    states = [part.completeness for part in parts]
    telling = [part.completeness for part in parts if part.links or part.doubtful or part.nodes]
    if all(state is Completeness.EMPTY for state in states):
        whole.completeness = Completeness.EMPTY
    elif telling and all(state is Completeness.TRUNCATED for state in telling):
        whole.completeness = Completeness.TRUNCATED
    elif any(state is not Completeness.COMPLETE for state in states) or whole.doubtful:
        lower(whole, Completeness.PARTIAL)
