"""`ibnetdiscover`: every node with its live ports, and `ibnetdiscover -p`: one line for each port.

A block starts with vendor and device lines, then the node's head line and one line for each live port. Real files come
through terminal logs: tabs may be lost, blank lines too. A port that is down is not in the plain form at all.
"""

from __future__ import annotations

import re

from core.counts import counted
from fabric.facts import Completeness, NodeKind, Problem, Seen, SeenNode, SeenPort, SeenState
from fabric.formats.common import (
    Ends,
    Met,
    Unreadable,
    complain,
    lines_of,
    lower,
    padded,
    pieces_of,
    port,
    rate,
    rows_of,
)

WHERE = "ibnetdiscover"
KINDS = {"Switch": NodeKind.SWITCH, "Ca": NodeKind.ADAPTER, "Hca": NodeKind.ADAPTER, "Rt": NodeKind.ROUTER}
SHORT_KINDS = {"SW": NodeKind.SWITCH, "CA": NodeKind.ADAPTER, "RT": NodeKind.ROUTER}
AGGREGATION = "aggregation node"

_HEAD = re.compile(
    r'(Switch|Ca|Hca|Rt)\s*(\d+)\s*"[SHR]-([0-9a-fA-F]{1,16})"\s*#\s*"(.*)"(?:.*?port 0 lid\s+(\d+))?[^"]*$'
)
_PORT = re.compile(
    r"\[(\d+)\](?:\[ext \d+\])?(?:\(([0-9a-fA-F]{1,16})\))?\s*"
    r'"[SHR]-([0-9a-fA-F]{1,16})"\[(\d+)\](?:\[ext \d+\])?(?:\(([0-9a-fA-F]{1,16})\))?\s*(.*)$'
)
_LINES = re.compile(
    r"\[(\d+)\](?:\(([0-9a-fA-F]{1,16})\))?[ \t]*"
    r'"[SHR]-([0-9a-fA-F]{1,16})"\[(\d+)\](?:\(([0-9a-fA-F]{1,16})\))?[ \t]*'
    r'# (?(2)lid (\d+) lmc \d+ )"[^"]*" lid \d+ (\d+x(?:[A-Z]+\d*|\?+))\n'
    r"|(?:(?:vendid|devid|switchguid|caguid|rtguid)=[0-9a-fA-Fx()]*)?\n"
    r"|sysimgguid=0x([0-9a-fA-F]{1,16})\n|(.+)\n?"
)
"""One line after the other: that of a port as the tool writes it, which is read as by `_PORT`, at a third of the cost;
one that says nothing; one with the GUID of a system; any other as it is."""
_NEW = tuple.__new__  # of a named tuple: a third of the cost of calling it
_RATE = re.compile(r"\d+x(?:[A-Z]+\d*|\?+)$")
_FULL_RATE = re.compile(r"(\d+x[A-Z]+\d*)\s+s=\d+ w=\d+.*$")
_LID = re.compile(r"lid\s+(\d+)")
_SAYS_NOTHING = re.compile(r"(?:vendid|devid|switchguid|caguid|rtguid)=[0-9a-fA-Fx()]*$")
_SYSTEM = re.compile(r"sysimgguid=(?:0x)?([0-9a-fA-F]{1,16})")
_FLAT = re.compile(
    r"(SW|CA|RT)\s+(\d+)\s+(\d+)\s+0x([0-9a-fA-F]{1,16})\s+(\d+x)\s+(\S+)"
    r"(?:\s+-\s+(SW|CA|RT)\s+(\d+)\s+(\d+)\s+0x([0-9a-fA-F]{1,16})\s+\(\s*'(.*)'\s+-\s+'(.*)'\s*\)|\s+'(.*)')\s*$"
)
_ORIGIN = re.compile(r"# Initiated from node (?:0x)?([0-9a-fA-F]{1,16})\b")
FAILED = re.compile(r"(fail|error|timed? ?out|ibwarn|ibpanic)", re.IGNORECASE)
_LOOKS_LIKE_PORT = re.compile(r'\[\d+\]|(Switch|Ca|Hca|Rt)\s*\d+\s*"')


def node_kind(kind: NodeKind, description: str) -> NodeKind:
    """The aggregation node inside a switch shows itself as an adapter."""
    if kind is NodeKind.ADAPTER and AGGREGATION in description.lower():
        return NodeKind.AGGREGATION
    return kind


def read(text: str) -> Seen:
    """Both forms. Raises Unreadable where there is text, but no line of it is ibnetdiscover's."""
    if not any(line.strip() and not line.startswith("#") for line in lines_of(text)):
        return Seen(completeness=Completeness.EMPTY)
    for line in lines_of(text):
        if _FLAT.match(line.strip()):
            return _Flat().read(text.splitlines())
        if _HEAD.match(line.strip()):
            return _Blocks().read(text)
    first = next(number for number, line in enumerate(lines_of(text), 1) if line.strip() and not line.startswith("#"))
    raise Unreadable([Problem(WHERE, first, "not an output of ibnetdiscover: no line names a switch or an adapter")])


class _Blocks:
    """The plain form: reads line by line into `seen`."""

    def __init__(self) -> None:
        self.seen = Seen()
        self.ends = Ends(WHERE)
        self.guid = ""
        self.adapter = False
        self.system = ""
        self.bad_line = 0
        self.rates: dict[str, tuple[str, str]] = {}  # by the word for it; few are different
        # parts of usual lines, by how they are written
        self.usual_rates = Met(rate)
        self.guids = Met(padded)
        self.numbers: Met[str, int] = Met(int)

    def read(self, text: str) -> Seen:
        number = 0
        for piece in pieces_of(text):
            rows = rows_of(_LINES, piece)
            if rows:
                number = self._rows(number, rows)
            else:
                for line in piece.splitlines():
                    number += 1
                    self._line(number, line)
        if self.bad_line == number and not text.endswith("\n"):
            lower(self.seen, Completeness.TRUNCATED)
        self._finish()
        return self.seen

    def _rows(self, number: int, rows: list[tuple[str, ...]]) -> int:
        """Nearly all lines are ports as the tool writes them; returns the number of the last line."""
        ends, port_guids, guids, rates = self.ends.far, self.seen.port_guids, self.guids, self.usual_rates
        numbers, usual, new, guid = self.numbers, self.ends.usual, _NEW, self.guid
        for near_number, own_guid, peer, far_number, far_guid, lid, word, system, other in rows:
            number += 1
            if not peer:
                if other:
                    self._line(number, other)
                    guid = self.guid
                elif system:
                    self.system = padded(system)
                continue
            if not guid:
                self._bad(number, "a port before any node")
                continue
            near = new(SeenPort, (guid, numbers[near_number]))
            far = new(SeenPort, (guids[peer], numbers[far_number]))
            rate = rates[word]
            if rate is not usual or ends.setdefault(near, far) is not far:
                self.ends.add(near, far, rate)
            if far_guid:
                port_guids[padded(far_guid)] = far
            if own_guid and self.adapter:
                port_guids[padded(own_guid)] = near
                self._lid(lid)
        return number

    def _line(self, number: int, raw: str) -> None:
        """A line of any form."""
        line = raw if raw.startswith("[") else self._no_port(number, raw)
        if not line:
            return
        match = _PORT.match(line)
        if match is None or not self.guid:
            self._bad(number, "not a readable line of a port" if self.guid else "a port before any node")
            return
        near_number, own_guid, peer, far_number, far_guid, rest = match.groups()
        told = self.rates.get(rest[rest.rfind(" ") + 1 :]) or self._rate(rest)
        if told is None:
            self._bad(number, "the line breaks off before width and speed")
            return
        near, far = port(self.guid, int(near_number)), port(padded(peer), int(far_number))
        self.ends.add(near, far, told)
        if far_guid:
            self.seen.port_guids[padded(far_guid)] = far
        if own_guid and self.adapter:
            self.seen.port_guids[padded(own_guid)] = near
            lid = _LID.search(rest)
            self._lid(lid[1] if lid else "")

    def _no_port(self, number: int, line: str) -> str:
        """Take a line that does not begin as a port's; returns that of a port with blanks before it, else nothing."""
        if not line:
            return ""
        sign = line[0]
        if sign in "SCHR":
            self._head(number, line)
        elif sign == "#":
            origin = _ORIGIN.match(line)
            if origin:
                self.seen.origin = padded(origin[1])
        elif not _SAYS_NOTHING.match(line):
            return self._other(number, line.strip())
        return ""

    def _lid(self, lid: str) -> None:
        """The LID of an adapter is told with its port."""
        node = self.seen.nodes[self.guid]
        if lid and node.lid is None:
            self.seen.nodes[self.guid] = _NEW(SeenNode, (*node[:5], int(lid), node.counted))

    def _rate(self, rest: str) -> tuple[str, str] | None:
        """Width and speed, at the end of a line; None where they are not there."""
        word = rest[rest.rfind(" ") + 1 :].rstrip() or rest.rstrip().rpartition(" ")[2]
        told = rate(word)
        if told[0] or _RATE.match(word):
            self.rates[word] = told
            return told
        full = _FULL_RATE.search(rest)
        return rate(full[1]) if full else None

    def _head(self, number: int, line: str) -> None:
        match = _HEAD.match(line.rstrip())
        if match is None:
            self._bad(number, "not a readable head line of a node")
            self.guid = ""
            return
        word, ports, digits, description, lid = match.groups()
        self.guid, self.adapter = padded(digits), word != "Switch"
        if self.guid in self.seen.nodes:
            self._bad(number, f"a second block of node {self.guid}")
        kind = node_kind(KINDS[word], description)
        told = (
            self.guid, kind, description.rstrip(), int(ports), self.system or self.guid, int(lid) if lid else None, True
        )  # fmt: skip
        self.seen.nodes[self.guid] = _NEW(SeenNode, told)
        self.system = ""

    def _other(self, number: int, line: str) -> str:
        system = _SYSTEM.match(line)
        if system:
            self.system = padded(system[1])
        elif _LOOKS_LIKE_PORT.match(line):
            if line[0] == "[":
                return line
            self._head(number, line)
        elif line and FAILED.search(line):
            complain(self.seen, WHERE, number, f"the tool reported: {line[:200]}")
            lower(self.seen, Completeness.PARTIAL)
        return ""

    def _bad(self, number: int, reason: str) -> None:
        self.bad_line = number
        complain(self.seen, WHERE, number, reason)
        lower(self.seen, Completeness.PARTIAL)

    def _finish(self) -> None:
        """A link is told by both ends: an end without its node's block means that the file breaks off."""
        self.ends.fold(self.seen)
        nodes, last = self.seen.nodes, self.guid
        absent = {end.guid for link in self.seen.doubtful for end in link[:2] if end.guid not in nodes}
        if absent:
            complain(
                self.seen,
                WHERE,
                0,
                f"the output breaks off: {counted(len(absent), 'node is', 'nodes are')} named and not described",
            )
            lower(self.seen, Completeness.TRUNCATED)
        elif any(last in (link.a.guid, link.b.guid) for link in self.seen.doubtful) and last not in {
            near.guid for near in self.ends.far
        }:
            complain(self.seen, WHERE, 0, f"the output breaks off in the block of node {last}")
            lower(self.seen, Completeness.TRUNCATED)
        elif self.seen.doubtful:
            complain(
                self.seen,
                WHERE,
                0,
                f"{counted(len(self.seen.doubtful), 'link is', 'links are')} reported by one end "
                "and not, or otherwise, by the other",
            )
            lower(self.seen, Completeness.PARTIAL)


class _Flat:
    """`-p`: the GUID of a line is that of the port, for an adapter not that of its node; `merge` resolves it."""

    def __init__(self) -> None:
        self.seen = Seen()
        self.ends = Ends(WHERE)

    def read(self, lines: list[str]) -> Seen:
        for number, raw in enumerate(lines, 1):
            line = raw.strip()
            if not line or line.startswith("#"):
                continue
            match = _FLAT.match(line)
            if match is None:
                complain(self.seen, WHERE, number, "not a readable line of a port")
                lower(self.seen, Completeness.TRUNCATED if number == len(lines) else Completeness.PARTIAL)
                continue
            self._line(match)
        self.ends.fold(self.seen)
        if self.seen.doubtful:
            complain(
                self.seen,
                WHERE,
                0,
                f"{counted(len(self.seen.doubtful), 'link is', 'links are')} reported by one end only, or in two ways",
            )
            lower(self.seen, Completeness.PARTIAL if self.ends.against else Completeness.TRUNCATED)
        return self.seen

    def _line(self, match: re.Match[str]) -> None:
        kind, lid, number, guid, width, speed = match.group(1, 2, 3, 4, 5, 6)
        far_kind, _far_lid, far_number, far_guid, near_name, _far_name, alone = match.group(7, 8, 9, 10, 11, 12, 13)
        near = port(padded(guid), int(number))
        description = (near_name if far_kind else alone).rstrip()
        node = self.seen.nodes.get(near.guid)
        ports = max(int(number), node.ports if node else 0)
        self.seen.nodes[near.guid] = SeenNode(
            near.guid, node_kind(SHORT_KINDS[kind], description), description, ports, "", int(lid)
        )
        if far_kind:
            self.seen.states[near] = SeenState("Active", "LinkUp", *rate(width + speed))
            self.ends.add(near, port(padded(far_guid), int(far_number)), rate(width + speed))
        else:
            self.seen.states[near] = SeenState("Down", "")
