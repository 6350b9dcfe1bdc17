"""`ibqueryerrors`: the counters of ports that are over their thresholds.

A run that finds nothing still prints its summary. Without the subnet manager the tool prints nothing at all and exits
with 0: no summary means no data, never a clean fabric.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from fabric.facts import Completeness, Problem, Seen
from fabric.formats.common import Unreadable, complain, lower, padded, port

WHERE = "ibqueryerrors"
_PORT = re.compile(r"\s*GUID 0x([0-9a-fA-F]{1,16}) port (\d+|ALL):\s*(.*)$")
_COUNTER = re.compile(r"\[(\w+) == (\d+)[^\]]*\]")
_SUMMARY = re.compile(r"## Summary: (\d+) nodes checked")
_PORTS_CHECKED = re.compile(r"##\s+(\d+) ports checked")
_THRESHOLDS = re.compile(r"## Thresholds:(.*)$")
_THRESHOLD = re.compile(r"\[(\w+) = (\d+)\]")
_SUPPRESSED = re.compile(r"## Suppressed:(.*)$")
LISTED = (
    "SymbolErrorCounter", "LinkErrorRecoveryCounter", "LinkDownedCounter", "PortRcvErrors",
    "PortRcvRemotePhysicalErrors", "PortRcvSwitchRelayErrors", "PortXmitDiscards", "PortXmitConstraintErrors",
    "PortRcvConstraintErrors", "LocalLinkIntegrityErrors", "ExcessiveBufferOverrunErrors", "VL15Dropped",
)  # fmt: skip
"""What it prints of a port where the value is above the threshold."""


class Checked(NamedTuple):
    """What the last lines say: how many nodes were looked at, and which counters are 0 where they are not printed."""

    nodes: int
    zeros: tuple[str, ...]


def checked(text: str) -> Checked | None:
    """None when the last lines are missing. Without its thresholds nothing is known of what was left out."""
    nodes, ports, zeros, suppressed = None, False, None, ""
    for line in text[-4000:].splitlines():
        if match := _SUMMARY.match(line):
            nodes = int(match[1])
        elif _PORTS_CHECKED.match(line):
            ports = True
        elif match := _THRESHOLDS.match(line):
            above = {name for name, value in _THRESHOLD.findall(match[1]) if int(value)}
            zeros = tuple(name for name in LISTED if name not in above)
        elif match := _SUPPRESSED.match(line):
            suppressed = match[1]
    if nodes is None or not ports:
        return None
    return Checked(nodes, tuple(name for name in zeros or () if name not in suppressed))


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
