"""Which remote file systems answer: one line each, `answers|hangs|fails TYPE PATH`, then a last line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from health.checks.parsers import ParseError
from health.checks.probes.state import END_OF_MOUNTS

WHERE = "remote mounts"
_LINE = re.compile(r"^(answers|hangs|fails) (\S+) (\S.*)$")


@dataclass(frozen=True)
class RemoteMount:
    """`state` is answers, hangs (no answer in time) or fails (an error, as a stale handle). `kind` is the type."""

    path: str
    kind: str
    state: str


def parse_remote_mounts(text: str) -> tuple[RemoteMount, ...]:
    """Empty for a machine without any. Raises ParseError unless the last line is there."""
    lines = text.rstrip("\n").split("\n")
    if lines[-1] != END_OF_MOUNTS:
        first = next((line.strip() for line in lines if line.strip()), "no output")
        raise ParseError(WHERE, f"the list of mounts is not whole: {first[:200]}")
    found = [match for line in lines if (match := _LINE.match(line))]
    return tuple(RemoteMount(_plain(each.group(3)), each.group(2), each.group(1)) for each in found)


def _plain(path: str) -> str:
    """A path without the octal signs that the kernel writes for blanks."""
    return re.sub(r"\\([0-7]{3})", lambda sign: chr(int(sign.group(1), 8)), path)
