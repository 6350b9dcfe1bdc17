"""The one place that puts values into command lines for a shell (POSIX sh, and bash alike).

Everything that is sent to a machine as text goes through `word`, `operand` or `line`: what a value says is one word of
the command and never syntax. Values are checked when they are stored as well; this is what holds when that was passed
by.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
SHOWN = 60


class UnsafeWord(ValueError):
    """A value that cannot be a word of a command line; the text shows it and says why."""


def word(value: object) -> str:
    """The value as exactly one word. Raises UnsafeWord for control characters: NUL ends a command, a line break a line
    of a script."""
    text = str(value)
    if _CONTROL.search(text):
        raise UnsafeWord(f"{text[:SHOWN]!r} holds a control character")
    return shlex.quote(text)


def operand(value: object) -> str:
    """A word that a tool cannot take for an option or for nothing. Raises UnsafeWord."""
    text = str(value)
    if not text or text.startswith("-"):
        raise UnsafeWord(f"{text[:SHOWN]!r} is empty or reads like an option")
    return word(text)


def line(words: Iterable[object]) -> str:
    """A command line out of its words."""
    return " ".join(word(each) for each in words)


def literal(text: str) -> str:
    """A text of a script of ours as one word, in quotes whatever it holds."""
    return "'" + text.replace("'", "'\"'\"'") + "'"


def in_json(text: str) -> str:
    """The text as it stands between the quotes of a JSON string: ASCII, on one line."""
    return json.dumps(text)[1:-1]
