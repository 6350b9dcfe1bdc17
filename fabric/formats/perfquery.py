"""`perfquery`: all counters of one port, or of several runs one after the other. The node is told by its LID only."""

from __future__ import annotations

import re

from fabric.facts import Completeness, Problem, Seen
from fabric.formats.common import Unreadable, complain, lower, padded, port

WHERE = "perfquery"
_HEAD = re.compile(r"# Port (?:extended )?counters: Lid (\d+) port (\d+)", re.IGNORECASE)
_COUNTER = re.compile(r"(\w+):\.+(0x[0-9a-fA-F]+|\d+)\s*$")
NO_COUNTERS = {"PortSelect", "CounterSelect", "CounterSelect2"}


def read(text: str, guid: str = "") -> Seen:
    """Counters by port. The node is `guid` where the caller asked by GUID, else `lid:N`, which `merge` resolves."""
    seen = Seen()
    if not text.strip():
        seen.completeness = Completeness.EMPTY
        return seen
    counters: dict[str, int] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        head = _HEAD.match(line)
        if head:
            counters = seen.counters.setdefault(port(padded(guid) if guid else f"lid:{head[1]}", int(head[2])), {})
            continue
        match = _COUNTER.match(line)
        if match and counters is not None:
            if match[1] not in NO_COUNTERS:
                counters[match[1]] = int(match[2], 16 if match[2].startswith("0x") else 10)
        elif line.strip() and not line.startswith("#"):
            complain(seen, WHERE, number, f"not a counter: {line.strip()[:100]}")
            lower(seen, Completeness.PARTIAL)
    if not seen.counters:
        raise Unreadable([Problem(WHERE, 1, "not an output of perfquery: no line names a LID and a port")])
    if any(not values for values in seen.counters.values()):
        complain(seen, WHERE, 0, "a port without any counter: the output breaks off")
        lower(seen, Completeness.TRUNCATED)
    return seen
