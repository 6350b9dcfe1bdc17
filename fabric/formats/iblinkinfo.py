"""`iblinkinfo`, grouped under node lines or one line for each port (`-l`): every port, those that are down too.

An adapter is known here by the GUID of its port, and in the grouped form a far end only by its LID; `merge` finds the
node where another output tells it, and until then the node stands under that GUID, or under `lid:N`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from core.counts import counted
from fabric.facts import Completeness, NodeKind, Problem, Seen, SeenNode, SeenPort, SeenState
from fabric.formats.common import SPEED_OF_LANE, Ends, Unreadable, complain, lower, padded, port
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
_STATE, _COULD = re.compile(_TOLD), re.compile(r"\s*\(.*\)\s*")
_GUID, _NUMBER = re.compile(r"\s*0x([0-9a-fA-F]{1,16})\s*"), re.compile(r"(\d+)\[")
_COULD_WIDTH = re.compile(r"Could be (\d+)X")
_COULD_SPEED = re.compile(r"Could be ([\d.]+) Gbps")
_NO_FAR = ["[", "]"]  # what stands for the far end of a port that is down
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
    return Reader().read(lines)


class _Far(NamedTuple):
    """The far end of a port as its line tells it, where it tells no GUID."""

    lid: str
    port: int
    name: str


Told = tuple[str, int, str, NodeKind | None, str, SeenState, SeenPort | None]
"""A line: GUID, port, name, kind where it is told, LID, state, the far end where its GUID is told."""


class Reader:
    """`usual` and `unusual` take one line apart; `read` does what follows."""

    def __init__(self) -> None:
        self.seen = Seen()
        self.ends = Ends(WHERE)
        self.group: tuple[NodeKind, str, str] | None = None  # kind, GUID where told, name
        self.by_lid: dict[str, str] = {}
        self.met: dict[str, list[Any]] = {}  # GUID -> largest port, name, kind where told, LID
        self.pending: list[tuple[SeenPort, _Far, SeenState]] = []  # far ends known by LID only
        # what was read before, by how it is written: GUIDs, numbers of ports, states
        self.guids: dict[str, str] = {}
        self.numbers: dict[str, int] = {}
        self.states: dict[tuple[str, str], SeenState] = {}

    def read(self, lines: list[str]) -> Seen:
        met, states, ends, new = self.met, self.seen.states, self.ends.far, tuple.__new__
        for number, line in enumerate(lines, 1):
            told = self.usual(line) or self.unusual(line, number, last=number == len(lines))
            if told is None:
                continue
            guid, at, name, kind, lid, state, far = told
            known = met.get(guid)
            if known is None:
                met[guid] = [at, name, kind, lid]
            elif known[0] < at:
                known[0] = at
            near = new(SeenPort, (guid, at))
            states[near] = state
            if far is not None:
                end = (far, state.width, state.speed)
                if ends.setdefault(near, end) is not end:
                    self.ends.add(near, *end)
        self._finish()
        return self.seen

    def usual(self, line: str) -> Told | None:
        """A line as `-l` writes it, taken apart by its quotes; None for any other.

        It reads what `_LINE` reads, at a third of the cost: all but the port is written as on some line before.
        """
        parts = line.split('"')
        if len(parts) != 5:
            return None
        head, own, middle, _, could = parts
        place, _, rest = middle.partition("==(")
        told, _, beyond = rest.partition(")==>")
        near, far = place.split(), beyond.split()
        if len(near) != 3 or near[2] != "]" or not near[0].isdecimal() or not head[-1:] == " " == place[0]:
            return None
        guid = self.guids.get(head) or self._guid(head)
        number = self.numbers.get(near[1]) or self._number(near[1])
        state = self.states.get((told, could)) or self._state(told, could)
        if not guid or not number or state is None:
            return None
        if far == _NO_FAR:
            return guid, number, own.strip(), None, near[0], state, None
        if len(far) != 4 or far[3] != "]" or not far[1].isdecimal():
            return None
        far_guid = self.guids.get(far[0]) or self._guid(far[0])
        far_number = self.numbers.get(far[2]) or self._number(far[2])
        if not far_guid or not far_number:
            return None
        return guid, number, own.strip(), None, near[0], state, port(far_guid, far_number)

    def unusual(self, line: str, number: int, *, last: bool) -> Told | None:
        """A line of any form; None where it tells of no port."""
        match = _LINE.match(line)
        if match:
            return self._matched(number, match)
        header = _GROUP.match(line)
        if header:
            kind = {"Switch": NodeKind.SWITCH, "CA": NodeKind.ADAPTER}.get(header[1], NodeKind.ROUTER)
            self.group = (kind, padded(header[2]) if header[2] else "", header[3].rstrip())
        elif FAILED.search(line):
            complain(self.seen, WHERE, number, f"the tool reported: {line.strip()[:200]}")
            lower(self.seen, Completeness.PARTIAL)
        elif _DETAIL.search(line) or line.lstrip().startswith("0x"):
            complain(self.seen, WHERE, number, "not a readable line of a port")
            lower(self.seen, Completeness.TRUNCATED if last else Completeness.PARTIAL)
        return None

    def _guid(self, text: str) -> str:
        """The GUID of `0x900a840300448ba0 `; empty for anything else."""
        match = _GUID.fullmatch(text)
        if match is None:
            return ""
        guid = self.guids[text] = padded(match[1])
        return guid

    def _number(self, text: str) -> int:
        """`12[` -> 12; 0 for anything else."""
        match = _NUMBER.fullmatch(text)
        if match is None:
            return 0
        number = self.numbers[text] = int(match[1])
        return number

    def _state(self, told: str, could: str) -> SeenState | None:
        match = _STATE.fullmatch(told)
        if match is None or not _COULD.fullmatch(could):
            return None
        width, speed = (match["width"] or "").lower(), speed_name(match["speed"] or "")
        state = SeenState(match["logical"], match["physical"], width, speed, *_best(could, width, speed))
        self.states[told, could] = state
        return state

    def _matched(self, number: int, match: re.Match[str]) -> Told | None:
        kind = None
        if match["guid"] and match["own"] is not None:
            guid, name = padded(match["guid"]), match["own"].strip()
        elif self.group is not None:
            kind, guid, name = self.group
            guid = padded(match["guid"]) if match["guid"] else guid
        else:
            complain(self.seen, WHERE, number, "a port before any node")
            lower(self.seen, Completeness.PARTIAL)
            return None
        written = match["told"], match["could"]
        state = self.states.get(written) or self._state(*written)
        assert state is not None, "both are parts of the pattern"
        at, far_at = int(match["port"]), int(match["far_port"] or 0)
        far = None
        if match["far_port"] and match["far"]:
            far = port(padded(match["far"]), far_at)
        elif match["far_port"] and match["far_lid"]:
            far_end = _Far(match["far_lid"], far_at, match["name"].rstrip())
            self.pending.append((port(guid, at), far_end, state))
        return guid, at, name, kind, match["lid"], state, far

    def _nodes(self) -> None:
        """The nodes of all lines, by the largest number of their ports."""
        for guid, (number, name, told, lid) in self.met.items():
            kind = node_kind(told or _kind_of(name, number), name)
            self.seen.nodes[guid] = SeenNode(guid, kind, name, number, "", int(lid))
            self.by_lid[lid] = guid

    def _finish(self) -> None:
        self._nodes()
        for near, told, state in self.pending:
            far = self.by_lid.get(told.lid)
            if far is None:
                far = f"lid:{told.lid}"
                kind = node_kind(_kind_of(told.name, told.port), told.name)
                self.seen.nodes.setdefault(far, SeenNode(far, kind, told.name, told.port, "", int(told.lid)))
            other = port(far, told.port)
            self.ends.add(near, other, state.width, state.speed)
            if far.startswith("lid:"):  # it has no line of its own, as with --switches-only
                self.ends.add(other, near, state.width, state.speed)
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
