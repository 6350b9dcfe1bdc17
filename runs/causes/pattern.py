"""One row of the table of patterns: what a line of a log says about the end of a run."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from functools import cached_property

SAME = "as its class"


class Strength(enum.IntEnum):
    """How much a line explains. The strongest lines decide; among them the first."""

    NOTE = -1
    """Explains nothing by itself; another line may make it the cause (an interface that was set, a name not found)."""
    FOLLOWER = 0
    """A consequence, whatever else is there: time-outs of the others, signals of the launcher."""
    PEER = 1
    """A peer is gone: its own log says why, where it says anything."""
    RESULT = 2
    """Reports an end whose cause may stand elsewhere: a process killed, a step cancelled."""
    ERROR = 3
    """An error that explains itself: an exception, a CUDA error, a full disk."""
    ROOT = 4
    """What lies beneath an error: the kernel, the scheduler, the file system say what broke."""


@dataclass(frozen=True)
class Pattern:
    """A line matches when it holds every needle, one of `either` where given, and `shape` where given.

    Needles are plain text, compared as written, so that a line is left after one search for most patterns.
    """

    name: str
    cause: str
    strength: Strength
    needles: tuple[str, ...]
    means: str
    sample: str
    """A line as the tool prints it."""
    source: str
    """Tool and version, or where the line was published."""
    either: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    shape: str = ""
    owner: str | None = SAME
    hardware: bool | str | None = SAME

    @cached_property
    def _shape(self) -> re.Pattern[str]:
        return re.compile(self.shape)

    @property
    def triggers(self) -> tuple[str, ...]:
        """Texts of which every such line holds one: what logs are searched for. The longest that do, being rarest."""
        needle = max(self.needles, key=len, default="")
        shortest = min((len(word) for word in self.either), default=0)
        return (needle,) if len(needle) >= shortest else self.either

    def match(self, line: str) -> bool:
        """Whether the line, already without its prefixes, is of this kind."""
        if not all(needle in line for needle in self.needles):
            return False
        if self.either and not any(needle in line for needle in self.either):
            return False
        if self.without and any(needle in line for needle in self.without):
            return False
        return not self.shape or self._shape.search(line) is not None
