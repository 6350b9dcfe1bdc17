"""`iblinkinfo`, grouped under node lines or one line for each port (`-l`): every port, those that are down too.

An adapter is known here by the GUID of its port, and in the grouped form a far end only by its LID; `merge` finds the
node where another output tells it, and until then the node stands under that GUID, or under `lid:N`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from core.counts import counted
from fabric.facts import Completeness, NodeKind, Problem, Seen, SeenNode, SeenPort, SeenState
from fabric.formats.common import (
    SPEED_OF_LANE,
    Ends,
    Met,
    Rate,
    Unreadable,
    complain,
    lines_of,
    lower,
    padded,
    pieces_of,
    port,
    rows_of,
)
from fabric.formats.ibnetdiscover import FAILED, node_kind

WHERE = "iblinkinfo"
ADAPTER_NAME = re.compile(r"(mlx\d_|HCA-|ib[spe]?\w*\d|ConnectX|connect-?ib)", re.IGNORECASE)

_GROUP = re.compile(r"(Switch|CA|RT|Router):\s+(?:0x([0-9a-fA-F]{1,16})\s+)?(.*?):\s*$")
_TOLD = (
    r"\s*(?:(?P<width>\d+X)\s+(?P<speed>[\d.]+|\?+|\S+)\s+(?:Gbps)?\s*)?"
    r"(?P<logical>[A-Za-z?]+)/\s*(?P<physical>[A-Za-z?]+)\s*"
)
_LINE = re.compile(
    r'\s*(?:0x(?P<guid>[0-9a-fA-F]{1,16})\s+(?:"(?P<own>.*?)"\s+)?)?'
    rf"(?P<lid>\d+)\s+(?P<port>\d+)\[\s*\d*\s*\]\s*==\((?P<told>{_TOLD})\)==>"
    r"\s*(?:0x(?P<far>[0-9a-fA-F]{1,16})\s+)?(?:(?P<far_lid>\d+)\s+)?(?:(?P<far_port>\d+)\s*)?\[\s*\d*\s*\]"
    r'\s*"(?P<name>.*)"(?P<could>\s*\(.*\)\s*)$'
)
_STATE = re.compile(_TOLD)
_HEX = "[0-9a-fA-F]{1,16}"
_LINES = re.compile(
    rf'(0x{_HEX} +"[^"]*" +\d+) +(\d+)\[ *\] '
    r"==\(([^)]*)\)==> *"
    rf'(?:0x({_HEX}) +\d+ +(\d+))?\[ *\] "[^"]*"( \([^)]*\))\n'
    r"|(.+)\n?|\n"
)
"""One line after the other: as `-l` writes it, which is read as by `_LINE`; any other as it is."""
_COULD_WIDTH = re.compile(r"Could be (\d+)X")
_COULD_SPEED = re.compile(r"Could be ([\d.]+) Gbps")
_DETAIL = re.compile(r"==\(.*\)==>")


def speed_name(gbps: str) -> str:
    """`53.125` -> HDR; what no table knows stays as it was printed."""
    return SPEED_OF_LANE.get(gbps, "" if gbps.startswith("?") else gbps)


def read(text: str) -> Seen:
    """Both forms. Raises Unreadable where there is text, but no line of it is iblinkinfo's."""
    if not any(line.strip() for line in lines_of(text)):
        return Seen(completeness=Completeness.EMPTY)
    if not any(_GROUP.match(line) or _LINE.match(line) for line in lines_of(text)):
        raise Unreadable([Problem(WHERE, 1, "not an output of iblinkinfo: no line reports a port")])
    return _Reader().read(text)


class _Far(NamedTuple):
    """The far end of a port as its line tells it, where it tells no GUID."""

    lid: str
    port: int
    name: str


@dataclass(slots=True)
class _Node:
    """What the lines tell of a node. `kind` is None where they do not tell it."""

    guid: str
    name: str
    kind: NodeKind | None
    lid: str
    ports: int = 0  # the largest number that was met


class _Reader:
    def __init__(self) -> None:
        self.seen = Seen()
        self.ends = Ends(WHERE)
        self.group: tuple[NodeKind, str, str] | None = None  # kind, GUID where told, name
        self.by_lid: dict[str, str] = {}
        self.nodes: dict[str, _Node] = {}  # by GUID
        self.pending: list[tuple[SeenPort, _Far, SeenState]] = []  # far ends known by LID only
        self.bad_line = 0
        # parts of usual lines, by how they are written
        self.near_nodes = Met(self._near_node)
        self.numbers: Met[str, int] = Met(int)
        self.guids = Met(padded)
        self.states = Met(self._usual_state)
        self.rates: dict[Rate, Rate] = {}

    def read(self, text: str) -> Seen:
        number = 0
        for piece in pieces_of(text):
            rows = rows_of(_LINES, piece)
            if rows:
                number = self._rows(number, rows, piece)
            else:
                for line in piece.splitlines():
                    number += 1
                    self._line(number, line)
        if number == self.bad_line > 0:
            lower(self.seen, Completeness.TRUNCATED)
        self._finish()
        return self.seen

    def _rows(self, number: int, rows: list[tuple[str, ...]], piece: str) -> int:
        """Nearly all parts of nearly all lines are written as on some line before; returns the number of the last."""
        before = number
        near_nodes, numbers, guids, states = self.near_nodes, self.numbers, self.guids, self.states
        seen_states, ends, usual, new = self.seen.states, self.ends.far, self.ends.usual, tuple.__new__
        for near_node, near_number, told, far_guid, far_number, could, other in rows:
            number += 1
            if not near_node:
                if other:
                    self._line(number, other)
                continue
            state, rate = states[told, could]
            if state is None:
                self._line(number, piece.splitlines()[number - before - 1])
                continue
            node, at = near_nodes[near_node], numbers[near_number]
            if node.ports < at:
                node.ports = at
            near = new(SeenPort, (node.guid, at))
            seen_states[near] = state
            if far_guid:
                far = new(SeenPort, (guids[far_guid], numbers[far_number]))
                if rate is not usual or ends.setdefault(near, far) is not far:
                    self.ends.add(near, far, rate)
        return number

    def _line(self, number: int, line: str) -> None:
        """A line of any form."""
        match = _LINE.match(line)
        if match:
            self._matched(number, match)
            return
        header = _GROUP.match(line)
        if header:
            kind = {"Switch": NodeKind.SWITCH, "CA": NodeKind.ADAPTER}.get(header[1], NodeKind.ROUTER)
            self.group = (kind, padded(header[2]) if header[2] else "", header[3].rstrip())
        elif FAILED.search(line):
            complain(self.seen, WHERE, number, f"the tool reported: {line.strip()[:200]}")
            lower(self.seen, Completeness.PARTIAL)
        elif _DETAIL.search(line) or line.lstrip().startswith("0x"):
            self.bad_line = number
            complain(self.seen, WHERE, number, "not a readable line of a port")
            lower(self.seen, Completeness.PARTIAL)

    def _near_node(self, text: str) -> _Node:
        """The node of `0x900a840300448ba0 "leaf-1"     12`."""
        guid, name, lid = text.split('"')
        return self._node(padded(guid.rstrip()), name.strip(), None, lid.lstrip())

    def _usual_state(self, written: tuple[str, str]) -> tuple[SeenState | None, Rate]:
        """With its width and speed, of which there is one object for all that run alike. None for what is no state."""
        told, could = written
        if not _STATE.fullmatch(told):
            return None, ("", "")
        state = _state(told, could)
        rate = state.width, state.speed
        return state, self.rates.setdefault(rate, rate)

    def _node(self, guid: str, name: str, kind: NodeKind | None, lid: str) -> _Node:
        """As its first line tells of it."""
        node = self.nodes.get(guid)
        if node is None:
            node = self.nodes[guid] = _Node(guid, name, kind, lid)
        return node

    def _matched(self, number: int, match: re.Match[str]) -> None:
        kind = None
        if match["guid"] and match["own"] is not None:
            guid, name = padded(match["guid"]), match["own"].strip()
        elif self.group is not None:
            kind, guid, name = self.group
            guid = padded(match["guid"]) if match["guid"] else guid
        else:
            complain(self.seen, WHERE, number, "a port before any node")
            lower(self.seen, Completeness.PARTIAL)
            return
        state = _state(match["told"], match["could"])
        at, far_at = int(match["port"]), int(match["far_port"] or 0)
        node = self._node(guid, name, kind, match["lid"])
        node.ports = max(node.ports, at)
        near = port(node.guid, at)
        self.seen.states[near] = state
        if match["far_port"] and match["far"]:
            self.ends.add(near, port(padded(match["far"]), far_at), state[2:4])
        elif match["far_port"] and match["far_lid"]:
            self.pending.append((near, _Far(match["far_lid"], far_at, match["name"].rstrip()), state))

    def _nodes(self) -> None:
        """The nodes of all lines, by the largest number of their ports."""
        new = tuple.__new__
        for guid, node in self.nodes.items():
            kind = node_kind(node.kind or _kind_of(node.name, node.ports), node.name)
            self.seen.nodes[guid] = new(SeenNode, (guid, kind, node.name, node.ports, "", int(node.lid), False))
            self.by_lid[node.lid] = guid

    def _finish(self) -> None:
        self._nodes()
        for near, told, state in self.pending:
            far = self.by_lid.get(told.lid)
            if far is None:
                far = f"lid:{told.lid}"
                kind = node_kind(_kind_of(told.name, told.port), told.name)
                self.seen.nodes.setdefault(far, SeenNode(far, kind, told.name, told.port, "", int(told.lid)))
            other = port(far, told.port)
            self.ends.add(near, other, state[2:4])
            if far.startswith("lid:"):  # it has no line of its own, as with --switches-only
                self.ends.add(other, near, state[2:4])
        self.ends.fold(self.seen)
        if self.seen.doubtful:
            absent = any(end.guid not in self.seen.nodes for link in self.seen.doubtful for end in link[:2])
            complain(
                self.seen,
                WHERE,
                0,
                f"{counted(len(self.seen.doubtful), 'link is', 'links are')} reported by one end only, or in two ways",
            )
            lower(self.seen, Completeness.TRUNCATED if absent else Completeness.PARTIAL)


@lru_cache(maxsize=4096)
def _state(told: str, could: str) -> SeenState:
    """Of what `_LINE` reads as such."""
    match = _STATE.fullmatch(told)
    assert match, "it is a part of the pattern"
    width, speed = (match["width"] or "").lower(), speed_name(match["speed"] or "")
    return SeenState(match["logical"], match["physical"], width, speed, *_best(could, width, speed))


def _best(could: str, width: str, speed: str) -> tuple[str, str]:
    wider, faster = _COULD_WIDTH.search(could), _COULD_SPEED.search(could)
    return f"{wider[1]}x" if wider else width, speed_name(faster[1]) if faster else speed


def _kind_of(name: str, number: int) -> NodeKind:
    """`-l` does not tell kinds: an adapter has few ports and a name with its own in it."""
    if number > 2 or name.startswith("MF0;"):
        return NodeKind.SWITCH
    return NodeKind.ADAPTER if ADAPTER_NAME.search(name) else NodeKind.SWITCH
