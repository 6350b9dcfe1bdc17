"""The node-name-map of infiniband-diags and opensm: `0x900a840300448ba0 "leaf-1"`, one node a line."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fabric.facts import Problem
from fabric.formats.common import Unreadable, padded

WHERE = "node-name-map"
_LINE = re.compile(r'(?:0x)?([0-9a-fA-F]{1,16})\s+(?:"([^"]*)"|(\S.*?))\s*(?:#.*)?$')
_HOST = re.compile(r"([a-z0-9_-]+)((?:\.[a-z0-9_-]*[a-z][a-z0-9_-]*)+)", re.IGNORECASE)
_UNFIT = re.compile(r'["\x00-\x1f]')


def without_domain(host: str) -> str:
    """`gpu-1.hall.example.com` -> `gpu-1`; empty where no domain follows (`sw1.2`, `10.0.0.1`)."""
    match = _HOST.fullmatch(host)
    return match[1] if match else ""


def read(text: str) -> dict[str, str]:
    """GUID -> name. Raises Unreadable, with every bad line, for what is no entry or names a GUID twice."""
    names: dict[str, str] = {}
    problems: list[Problem] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        match = _LINE.match(line)
        if match is None:
            problems.append(Problem(WHERE, number, "not an entry: a GUID and a name in quotes are expected"))
            continue
        guid, name = padded(match[1]), (match[2] if match[2] is not None else match[3]).strip()
        if names.get(guid, name) != name:
            problems.append(Problem(WHERE, number, f"{guid} has another name further up: {names[guid]}"))
        names[guid] = name
    if problems:
        raise Unreadable(problems)
    return names


def write(names: Mapping[str, str], heading: str = "") -> str:
    """The file, sorted by name. Quotes and control characters, which no tool can read back, are left out of names."""
    lines = [f"# {line}" for line in heading.splitlines()]
    ordered = sorted(names.items(), key=lambda item: (item[1], item[0]))
    lines += [f'0x{guid} "{_UNFIT.sub("", name)}"' for guid, name in ordered]
    return "\n".join(lines) + "\n"
