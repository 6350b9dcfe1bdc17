"""`iblinkinfo`, grouped under node lines or one line for each port (`-l`): every port, those that are down too.

An adapter is known here by the GUID of its port, and in the grouped form a far end only by its LID; `merge` finds the
node where another output tells it, and until then the node stands under that GUID, or under `lid:N`.
"""

from __future__ import annotations

import re
from typing import Any

from core.counts import counted
from fabric.facts import Completeness, NodeKind, Problem, Seen, SeenNode, SeenState
from fabric.formats.common import SPEED_OF_LANE, Ends, Unreadable, complain, lower, padded, port
from fabric.formats.ibnetdiscover import FAILED, node_kind

WHERE = "iblinkinfo"
ADAPTER_NAME = re.compile(r"(mlx\d_|HCA-|ib[spe]?\w*\d|ConnectX|connect-?ib)", re.IGNORECASE)

_GROUP = re.compile(r"(Switch|CA|RT|Router):\s+(?:0x([0-9a-fA-F]{1,16})\s+)?(.*?):\s*$")
_STATE = (
    r"(?P<lid>\d+)\s+(?P<port>\d+)\[\s*\d*\s*\]\s*==\(\s*(?:(?P<width>\d+X)\s+(?P<speed>[\d.]+|\?+|\S+)\s+(?:Gbps)?\s*)?"
    r"(?P<logical>[A-Za-z?]+)/\s*(?P<physical>[A-Za-z?]+)\s*\)==>"
    r"\s*(?:0x(?P<far>[0-9a-fA-F]{1,16})\s+)?(?:(?P<far_lid>\d+)\s+)?(?:(?P<far_port>\d+)\s*)?\[\s*\d*\s*\]"
    r'\s*"(?P<name>.*)"\s*\((?P<could>.*)\)\s*$'
)
_LINE = re.compile(r'\s*(?:0x(?P<guid>[0-9a-fA-F]{1,16})\s+(?:"(?P<own>.*?)"\s+)?)?' + _STATE)
_COULD_WIDTH = re.compile(r"Could be (\d+)X")
_COULD_SPEED = re.compile(r"Could be ([\d.]+) Gbps")
_DETAIL = re.compile(r"==\(.*\)==>")


def speed_name(gbps: str) -> str:
    """`53.125` -> HDR; what no table knows stays as it was printed."""
    return SPEED_OF_LANE.get(gbps, "" if gbps.startswith("?") else gbps)


def read(text: str) -> Seen:
    """Both forms. Raises Unreadable where there is text, but no line of it is iblinkinfo's."""
    lines = text.splitlines()
    if not any(line.strip() for line in lines):
        return Seen(completeness=Completeness.EMPTY)
    if not any(_GROUP.match(line) or _LINE.match(line) for line in lines):
        raise Unreadable([Problem(WHERE, 1, "not an output of iblinkinfo: no line reports a port")])
    return _Reader().read(lines)


class _Reader:
    def __init__(self) -> None:
        self.seen = Seen()
        self.ends = Ends(WHERE)
        self.group: tuple[NodeKind, str, str] | None = None  # kind, GUID where told, name
        self.by_lid: dict[str, str] = {}
        self.met: dict[str, list[Any]] = {}  # GUID -> largest port, name, kind where told, LID
        self.pending: list[tuple[str, str, re.Match[str]]] = []  # far ends known by LID only: near GUID, far LID, line
        self.states: dict[tuple[str, str, str, str, str], SeenState] = {}  # few are different

    def read(self, lines: list[str]) -> Seen:
        for number, line in enumerate(lines, 1):
            match = _LINE.match(line)
            if match:
                self._line(number, match)
                continue
            header = _GROUP.match(line)
            if header:
                kind = {"Switch": NodeKind.SWITCH, "CA": NodeKind.ADAPTER}.get(header[1], NodeKind.ROUTER)
                self.group = (kind, padded(header[2]) if header[2] else "", header[3].rstrip())
            elif FAILED.search(line):
                complain(self.seen, WHERE, number, f"the tool reported: {line.strip()[:200]}")
                lower(self.seen, Completeness.PARTIAL)
            elif _DETAIL.search(line) or line.lstrip().startswith("0x"):
                complain(self.seen, WHERE, number, "not a readable line of a port")
                lower(self.seen, Completeness.TRUNCATED if number == len(lines) else Completeness.PARTIAL)
        self._finish()
        return self.seen

    def _line(self, number: int, match: re.Match[str]) -> None:
        told, own, lid, digits, told_width, told_speed, logical, physical, far, far_lid, far_port, _, could = (
            match.groups()
        )
        kind = None
        if told and own is not None:
            guid, name = padded(told), own.strip()
        elif self.group is not None:
            kind, guid, name = self.group
            guid = padded(told) if told else guid
        else:
            complain(self.seen, WHERE, number, "a port before any node")
            lower(self.seen, Completeness.PARTIAL)
            return
        port_number = int(digits)
        met = self.met.get(guid)
        if met is None:
            self.met[guid] = [port_number, name, kind, lid]
        elif met[0] < port_number:
            met[0] = port_number
        near = port(guid, port_number)
        alike = (logical, physical, told_width, told_speed, could)
        state = self.states.get(alike)
        if state is None:
            width, speed = (told_width or "").lower(), speed_name(told_speed or "")
            state = SeenState(logical, physical, width, speed, *_best(could, width, speed))
            self.states[alike] = state
        self.seen.states[near] = state
        if not far_port:
            return
        if far:
            self.ends.add(near, port(padded(far), int(far_port)), state.width, state.speed)
        elif far_lid:
            self.pending.append((guid, far_lid, match))

    def _nodes(self) -> None:
        """The nodes of all lines, by the largest number of their ports."""
        for guid, (number, name, told, lid) in self.met.items():
            kind = node_kind(told or _kind_of(name, number), name)
            self.seen.nodes[guid] = SeenNode(guid, kind, name, number, "", int(lid))
            self.by_lid[lid] = guid

    def _finish(self) -> None:
        self._nodes()
        for guid, lid, match in self.pending:
            far = self.by_lid.get(lid)
            if far is None:
                far, name = f"lid:{lid}", match["name"].rstrip()
                kind = node_kind(_kind_of(name, int(match["far_port"])), name)
                self.seen.nodes.setdefault(far, SeenNode(far, kind, name, int(match["far_port"]), "", int(lid)))
            width, speed = (match["width"] or "").lower(), speed_name(match["speed"] or "")
            near, other = port(guid, int(match["port"])), port(far, int(match["far_port"]))
            self.ends.add(near, other, width, speed)
            if far.startswith("lid:"):  # it has no line of its own, as with --switches-only
                self.ends.add(other, near, width, speed)
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


def _best(could: str, width: str, speed: str) -> tuple[str, str]:
    wider, faster = _COULD_WIDTH.search(could), _COULD_SPEED.search(could)
    return f"{wider[1]}x" if wider else width, speed_name(faster[1]) if faster else speed


def _kind_of(name: str, number: int) -> NodeKind:
    """`-l` does not tell kinds: an adapter has few ports and a name with its own in it."""
    if number > 2 or name.startswith("MF0;"):
        return NodeKind.SWITCH
    return NodeKind.ADAPTER if ADAPTER_NAME.search(name) else NodeKind.SWITCH
