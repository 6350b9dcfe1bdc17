"""`ibqueryerrors`: the counters of ports that are over their thresholds.

A run that finds nothing still prints its summary. Without the subnet manager the tool prints nothing at all and exits
with 0: no summary means no data, never a clean fabric.
"""

from __future__ import annotations

import re

from fabric.facts import Completeness, Problem, Seen
from fabric.formats.reading import Unreadable, complain, lower, padded, port

WHERE = "ibqueryerrors"
_PORT = re.compile(r"\s*GUID 0x([0-9a-fA-F]{1,16}) port (\d+|ALL):\s*(.*)$")
_COUNTER = re.compile(r"\[(\w+) == (\d+)[^\]]*\]")
_SUMMARY = re.compile(r"## Summary: \d+ nodes checked")
_PORTS_CHECKED = re.compile(r"##\s+(\d+) ports checked")


def read(text: str) -> Seen:
    """Counters by port; `port ALL` (their sum) is left out. Raises Unreadable for another tool's output."""
    seen = Seen()
    if not text.strip():
        seen.completeness = Completeness.EMPTY
        return seen
    lines = text.splitlines()
    summary = ports_checked = False
    found = 0
    for number, line in enumerate(lines, 1):
        match = _PORT.match(line)
        if match:
            found += 1
            counters = {name: int(value) for name, value in _COUNTER.findall(match[3])}
            if not counters and match[2] != "ALL":
                complain(seen, WHERE, number, "the line breaks off before any counter")
                lower(seen, Completeness.TRUNCATED)
            elif match[2] != "ALL":
                seen.counters[port(padded(match[1]), int(match[2]))] = counters
        elif _SUMMARY.match(line):
            summary = True
        elif _PORTS_CHECKED.match(line):
            ports_checked = True
    if not found and not summary:
        raise Unreadable([Problem(WHERE, 1, "not an output of ibqueryerrors: neither a port nor its summary")])
    if not (summary and ports_checked):
        complain(seen, WHERE, len(lines), "the summary at its end is missing: the output breaks off")
        lower(seen, Completeness.TRUNCATED)
    return seen
