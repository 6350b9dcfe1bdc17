"""The small language of runbooks: `{{ machine }}`, and `{% if drained %}..{% else %}..{% endif %}`. Pure.

A closed set of names and no more: no loops, no calls, no attributes. What is not known is refused when a runbook is
saved, with line and column, so that no ticket ever shows a hole. A state is true, false or not known, and `not` of what
is not known is not known either: only the text after `else` is said then, so a text in `if` never claims too much.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

WORDS: dict[str, str] = {
    "machine": "name of the machine",
    "part": "the part as printed on the chassis, then as the system counts it",
    "serial": "serial of the part that the inventory has in the slot",
    "part_number": "its part number",
    "place": "room, row, rack and unit",
    "feeds": "PDUs, outlets and feeds that its cords go to",
    "advice": "what the check advises",
}
STATES: dict[str, str] = {
    "drained": "the machine is out of service and no job runs on it",
    "in_service": "the machine is in service, or still draining",
    "off": "the machine was seen off by its BMC",
    "on": "the machine was seen on",
    "led_on": "its locating LED was seen on",
    "hot": "this fault can be repaired while jobs run",
    "serial_known": "the inventory has a serial for the part",
}
MOST_NESTED = 5
_TOKEN = re.compile(r"\{\{(?P<word>.*?)\}\}|\{%(?P<tag>.*?)%\}|(?P<open>\{\{|\{%)", re.DOTALL)


class TemplateError(ValueError):
    """What is wrong with a template, and where; line and column count from 1."""

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.line, self.column, self.reason = line, column, reason


@dataclass(frozen=True)
class Facts:
    """What is so now; a state that is missing is not known."""

    words: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, bool | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Condition:
    """Names joined by one of `and` and `or`; True before a name: `not`."""

    joined: str
    names: tuple[tuple[bool, str], ...]

    def holds(self, facts: Facts) -> bool | None:
        values = [_not(facts.states.get(name)) if negated else facts.states.get(name) for negated, name in self.names]
        decisive = self.joined == "or"
        if decisive in values:
            return decisive
        return None if None in values else not decisive


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


@dataclass(frozen=True)
class Word:
    name: str


@dataclass(frozen=True)
class Choice:
    condition: Condition
    yes: tuple[Piece, ...]
    no: tuple[Piece, ...]


Piece = str | Word | Choice


@dataclass
class _Open:
    """An `if` whose end was not seen yet."""

    at: int
    condition: Condition
    before: list[Piece]
    yes: list[Piece] | None = None


@lru_cache(maxsize=2048)
def parse(text: str) -> tuple[Piece, ...]:
    """The pieces of a template. Raises TemplateError."""
    pieces: list[Piece] = []
    opened: list[_Open] = []
    end = 0
    for token in _TOKEN.finditer(text):
        pieces.append(text[end : token.start()])
        end, at = token.end(), token.start()
        if token["open"]:
            raise _error(text, at, f"{token['open']} is not closed")
        if token["word"] is not None:
            pieces.append(Word(_known(text, at, token["word"].strip(), WORDS, "word")))
            continue
        tag, _, rest = token["tag"].strip().partition(" ")
        if tag == "if":
            if len(opened) == MOST_NESTED:
                raise _error(text, at, f"more than {MOST_NESTED} conditions within each other")
            opened.append(_Open(at, _condition(text, at, rest), pieces))
            pieces = []
        elif tag not in ("else", "endif") or rest.strip():
            raise _error(text, at, f"{{% {token['tag'].strip()} %}} is not if, else or endif")
        elif not opened:
            raise _error(text, at, f"{tag} without an if before it")
        elif tag == "else":
            if opened[-1].yes is not None:
                raise _error(text, at, "a second else")
            opened[-1].yes, pieces = pieces, []
        else:
            last = opened.pop()
            yes, no = (pieces, []) if last.yes is None else (last.yes, pieces)
            pieces = [*last.before, Choice(last.condition, tuple(yes), tuple(no))]
    if opened:
        raise _error(text, opened[-1].at, "if without an endif")
    return tuple(piece for piece in (*pieces, text[end:]) if piece != "")


def _condition(text: str, at: int, written: str) -> Condition:
    tokens = written.split()
    joined = "or" if "or" in tokens else "and"
    if "or" in tokens and "and" in tokens:
        raise _error(text, at, "and with or: use two conditions within each other")
    names = []
    for part in " ".join(tokens).split(f" {joined} "):
        words = part.split()
        negated = words[:1] == ["not"]
        rest = words[1:] if negated else words
        if len(rest) != 1:
            raise _error(text, at, f"{written.strip() or 'if'!r} is no condition: names with not, and, or")
        names.append((negated, _known(text, at, rest[0], STATES, "state")))
    return Condition(joined, tuple(names))


def _known(text: str, at: int, name: str, names: Mapping[str, str], what: str) -> str:
    if name not in names:
        raise _error(text, at, f"{name or 'nothing'!r} is no {what}; known: {', '.join(names)}")
    return name


def _error(text: str, at: int, reason: str) -> TemplateError:
    line = text.count("\n", 0, at) + 1
    return TemplateError(line, at - (text.rfind("\n", 0, at) + 1) + 1, reason)


def render(text: str, facts: Facts, escape: Callable[[str], str] = str) -> str:
    """The text as it is true now; `escape` is done to every word that is filled in. Raises TemplateError."""
    return _said(parse(text), facts, escape)


def _said(pieces: tuple[Piece, ...], facts: Facts, escape: Callable[[str], str]) -> str:
    said = []
    for piece in pieces:
        if isinstance(piece, Choice):
            said.append(_said(piece.yes if piece.condition.holds(facts) else piece.no, facts, escape))
        elif isinstance(piece, Word):
            said.append(escape(facts.words.get(piece.name) or "not known"))
        else:
            said.append(piece)
    return "".join(said)
