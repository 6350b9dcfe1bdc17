"""Regular expressions that people type in, matched in time proportional to the text.

Python's own engine goes back and tries again: `(a+)+$` against thirty letters keeps a process busy for minutes, and
nothing can interrupt it. RE2 advances all possibilities together, letter by letter, so no text can be slow. What it
cannot do is refused when the pattern is written: references to groups and looking ahead or behind.

A pattern means what it means to Python: letters and digits of every script are letters and digits, which RE2 says in
other words; only a word boundary (\\b) knows letters of ASCII alone. Pure: plain values in and out.
"""

from __future__ import annotations

import re
from functools import lru_cache

import re2

# What Python means outside and inside of brackets; `[\W]` and `[\S]` are RE2's own, of ASCII.
_OUTSIDE = {
    "d": r"\p{Nd}", "D": r"\P{Nd}", "w": r"[\p{L}\p{N}_]", "W": r"[^\p{L}\p{N}_]",
    "s": r"[\s\v\p{Z}]", "S": r"[^\s\v\p{Z}]", "Z": r"\z",
}  # fmt: skip
_INSIDE = {"d": r"\p{Nd}", "D": r"\P{Nd}", "w": r"\p{L}\p{N}_", "s": r"\s\v\p{Z}"}
_FLAGS = re.compile(r"\(\?([aiLmsux]+)\)")
_LOCAL_FLAGS = re.compile(r"(?:[^\\]|^)\(\?[aiLmsux-]+:")


class PatternRefused(ValueError):
    """The pattern is not one, or not one that can be matched letter by letter; the text says which and why."""


class Pattern:
    """A pattern that a whole text must match. Raises PatternRefused."""

    def __init__(self, text: str) -> None:
        if any(set(flags) - set("isu") for flags in _FLAGS.findall(text)):
            raise PatternRefused("of the flags only (?i) and (?s) are possible")
        if _LOCAL_FLAGS.search(text):
            raise PatternRefused("flags hold for the whole pattern: write (?i) at its start")
        options = re2.Options()
        options.log_errors = False
        try:
            self._compiled = re2.compile(_in_words_of_re2(text), options)
        except re2.error as error:
            raise PatternRefused(_why(text, str(error))) from error

    def matches(self, text: str) -> bool:
        """Whether the whole text is as the pattern says; half of a character is no text."""
        try:
            return self._compiled.fullmatch(text) is not None
        except UnicodeEncodeError:
            return False


def _in_words_of_re2(text: str) -> str:
    """The same pattern with what Python means by its classes; (?u) is what it means anyway."""
    written, inside, at = [], False, 0
    while at < len(text):
        letter = text[at]
        if letter == "\\" and at + 1 < len(text):
            named = _INSIDE if inside else _OUTSIDE
            written.append(named.get(text[at + 1], text[at : at + 2]))
            at += 2
            continue
        if letter == "[" and not inside:
            inside = True
            # A bracket that comes first is a letter like others.
            first = re.compile(r"\[\^?\]?").match(text, at)
            written.append(first.group().replace("]", "\\]") if first else letter)
            at = first.end() if first else at + 1
            continue
        inside = inside and letter != "]"
        written.append("\\[" if inside and letter == "[" else letter)
        at += 1
    return "".join(written).replace("(?u)", "")


def _why(text: str, said: str) -> str:
    """Python's words, which name the place, where it reads no pattern either."""
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        return f"not a regular expression: {error}"
    if "repetition size" in said or "too large" in said:
        return "too large: counted repetitions multiply"
    return "references to groups, looking ahead or behind, and possessive repeats are not possible"


@lru_cache(maxsize=256)
def pattern(text: str) -> Pattern:
    """The pattern of this text, made once. Raises PatternRefused."""
    return Pattern(text)
