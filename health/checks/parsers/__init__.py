"""Typed readings of what tools print. Every parser takes text and returns frozen dataclasses or raises ParseError."""

from __future__ import annotations

import json
import re
from typing import Any

# Machines of a fleet print the same lines, so what one means is worked out once and kept. Of a longer line (no tool's)
# only so much is read, and kept.
LONGEST_LINE = 400
_DOCUMENT = re.compile(r"^[{\[]", re.MULTILINE)


class ParseError(ValueError):
    """An output that cannot be read: `where` is the tool or the place in its output, `reason` says what is wrong."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.where = where
        self.reason = reason


def json_in(text: str) -> Any:
    """The JSON document of an output; lines of complaint may stand before it and behind it. Raises ValueError or
    RecursionError where there is none, or it is cut off."""
    start = _DOCUMENT.search(text)
    document, _ = json.JSONDecoder().raw_decode(text, start.start() if start else 0)
    return document
