"""Queries with places for what a run is called: checked when a site stores them, filled when they are sent. Pure.

A place stands within a text of PromQL, `job_id="{job}"`, and a value never gets out of it: it is escaped for the text,
and for the regular expression where the text is one (`=~`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

FIELDS = ("job", "run", "name", "user", "attempt")
MACHINES = "machines"
"""Of queries about GPUs: the names of machines as alternatives of a regular expression."""
LONGEST = 2000
_PARTS = re.compile(r'#[^\n]*|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`[^`]*`|["\'`]', re.DOTALL)
_COMMENT = re.compile(r"#[^\n]*")
_PLACE = re.compile(r"\{([a-z_]+)\}")
_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")


class NoTemplate(ValueError):
    """Why a text cannot be used as a query."""


class NotKnown(ValueError):
    """A query names what is not known of a run."""


class _Text(NamedTuple):
    """A text of PromQL with its quotes, and whether it is a regular expression."""

    start: int
    end: int
    is_pattern: bool


def checked(text: str, *, of_gpu: bool) -> str:
    """A query as it is kept; empty: not asked for. Raises NoTemplate."""
    text = text.strip()
    if len(text) > LONGEST:
        raise NoTemplate(f"at most {LONGEST:,} characters")
    if any(ord(each) < 32 and each not in "\n\t" for each in text):
        raise NoTemplate("no control characters")
    known = (MACHINES,) if of_gpu else FIELDS
    outside = 0
    for each in _texts(text):
        _none_outside(text[outside : each.start], known)
        outside = each.end
        for name in _PLACE.findall(text[each.start : each.end]):
            if name not in known:
                raise NoTemplate(f"{{{name}}} is not known; known are {', '.join(known)}")
            if text[each.start] == "`":
                raise NoTemplate(f"{{{name}}} within back quotes cannot be filled: use double ones")
            if name == MACHINES and not each.is_pattern:
                raise NoTemplate(f"{{{name}}} is a regular expression: put it behind =~")
    _none_outside(text[outside:], known)
    return text


def names_in(text: str) -> set[str]:
    return {name for each in _texts(text) for name in _PLACE.findall(text[each.start : each.end])}


def filled(text: str, told: Mapping[str, str | Sequence[str]]) -> str:
    """The query with what is known put in; a list is one of several. Raises NotKnown where a value is empty."""
    parts, at = [], 0
    for each in _texts(text):
        quote, is_pattern = text[each.start], each.is_pattern

        def put(place: re.Match[str], quote: str = quote, is_pattern: bool = is_pattern) -> str:
            value = told.get(place[1], "")
            if not value:
                raise NotKnown(f"the query names {{{place[1]}}}, which is not known of this run")
            if isinstance(value, str):
                return _escaped(_as_pattern(value) if is_pattern else value, quote)
            return "|".join(_escaped(_as_pattern(one), quote) for one in value)

        parts += [text[at : each.start], _PLACE.sub(put, text[each.start : each.end])]
        at = each.end
    return "".join([*parts, text[at:]])


def _texts(text: str) -> Iterator[_Text]:
    for found in _PARTS.finditer(text):
        if found[0].startswith("#"):
            continue
        if len(found[0]) == 1:
            raise NoTemplate("a quote is not closed")
        before = text[: found.start()].rstrip()
        yield _Text(found.start(), found.end(), before.endswith(("=~", "!~")))


def _none_outside(text: str, known: Sequence[str]) -> None:
    if found := next((name for name in _PLACE.findall(_COMMENT.sub("", text)) if name in known), None):
        raise NoTemplate(f'put {{{found}}} within quotes, such as job_id="{{{found}}}"')


def _as_pattern(value: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", value)


def _escaped(value: str, quote: str) -> str:
    value = value.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return "".join(each if each.isprintable() else _code(each) for each in value)


def _code(each: str) -> str:
    number = ord(each)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
