"""Steps that are not believed but proven: the right machine by its label, a swap by the new serial. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

PROVEN = ("scan", "swap")
SHORTEST = 4
TAIL = 6
"""The last characters of a serial that tell machines apart: what one reads aloud or types at a rack."""
_BLANK = re.compile(r"[\s\x00-\x1f]+")


@dataclass(frozen=True)
class Proof:
    """What came with a tick: the label or the new part's serial as it was read, or the reason why nothing was."""

    label: str = ""
    skip: str = ""


def label_names(label: str, names: Iterable[str | None]) -> bool:
    """Whether a label is one of these names, or the last six characters or more of one. The dashboard's `labelMatches`
    is the same, so that a wrong machine is told before the request."""
    seen = _BLANK.sub("", label).lower()
    if len(seen) < SHORTEST:
        return False
    known = [name.lower() for name in names if name]
    return any(name == seen or (len(seen) >= TAIL and name.endswith(seen)) for name in known)
