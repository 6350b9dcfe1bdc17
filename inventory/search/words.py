"""What several words of a query mean together. Pure.

machine_and_part("a05-01 GPU")        a05-01, (gpu)
machine_and_part("gpu 4 hgx-a17-03")  hgx-a17-03, (gpu, 4)
machine_and_part("hall 1")            None: no word names a device
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

SHORTEST_NAME = 3
_WORD = re.compile(r"[^\s·›–()]+")


class PartOfDevice(NamedTuple):
    """The letters of a device's name, and the words that say which of its parts, in lower case."""

    device: str
    part: tuple[str, ...]


def machine_and_part(query: str) -> PartOfDevice | None:
    """The longest word with a digit names the device, the others its part; None where that makes no sense."""
    words = query.split()
    names = [word for word in words if len(word) >= SHORTEST_NAME and any(map(str.isdigit, word))]
    if len(words) < 2 or not names:
        return None
    device = max(names, key=len)
    rest = list(words)
    rest.remove(device)
    return PartOfDevice(device, tuple(word.lower() for word in rest))


def matches(wanted: Sequence[str], *texts: str) -> int | None:
    """How well texts say every wanted word: 0 in full, 1 where one only begins so, None where one is not said.

    A number is meant in full: `GPU 1` is not GPU 10.
    """
    said = {word.lower() for text in texts for word in _WORD.findall(text)}
    rank = 0
    for word in wanted:
        if word in said:
            continue
        if word.isdigit() or not any(each.startswith(word) for each in said):
            return None
        rank = 1
    return rank
