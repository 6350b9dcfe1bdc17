"""Regular expressions that people type in, matched in time proportional to the text.

Python's own engine goes back and tries again: `(a+)+$` against thirty letters keeps a process busy for minutes, and
nothing can interrupt it. Here a pattern, read by Python's parser, becomes a small automaton whose states all advance
together, letter by letter (Thompson's construction), so no text can be slow. What such an automaton cannot do is
refused when the pattern is written: references to groups and looking ahead or behind.

Pure: plain values in and out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

MAX_STATES = 1000  # with texts of at most 2,000 letters under a second of work, however written

_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    _constants.CATEGORY_DIGIT: str.isdigit,
    _constants.CATEGORY_NOT_DIGIT: lambda letter: not letter.isdigit(),
    _constants.CATEGORY_SPACE: str.isspace,
    _constants.CATEGORY_NOT_SPACE: lambda letter: not letter.isspace(),
    _constants.CATEGORY_WORD: lambda letter: letter.isalnum() or letter == "_",
    _constants.CATEGORY_NOT_WORD: lambda letter: not (letter.isalnum() or letter == "_"),
}
_STARTS = (_constants.AT_BEGINNING, _constants.AT_BEGINNING_STRING)
_ENDS = (_constants.AT_END, _constants.AT_END_STRING)


class PatternRefused(ValueError):
    """The pattern is not one, or not one that can be matched letter by letter; the text says which and why."""


class _State(NamedTuple):
    """Either takes one letter (`takes`), or leads on without one, some only at a boundary (`at`)."""

    takes: Callable[[str], bool] | None = None
    at: Any = None
    leads_to: tuple[int, ...] = ()


class Pattern:
    """A pattern that a whole text must match. Raises PatternRefused."""

    def __init__(self, text: str) -> None:
        try:
            parsed = _parser.parse(text)
        except (re.error, OverflowError, RecursionError) as error:
            raise PatternRefused(f"not a regular expression: {error}") from error
        flags = parsed.state.flags
        if flags & (re.LOCALE | re.MULTILINE | re.ASCII):
            raise PatternRefused("of the flags only (?i), (?s) and (?x) are possible")
        self._ignore_case, self._all = bool(flags & re.IGNORECASE), bool(flags & re.DOTALL)
        self._states: list[_State] = [_State()]  # the first is the end
        self._first = self._sequence(parsed, 0)

    def matches(self, text: str) -> bool:
        """Whether the whole text is as the pattern says."""
        now = self._reached([self._first], text, 0)
        for at, letter in enumerate(text):
            taken = [
                self._states[state].leads_to[0]
                for state in now
                if (takes := self._states[state].takes) and takes(letter)
            ]
            now = self._reached(taken, text, at + 1)
            if not now:
                return False
        return 0 in now

    def _reached(self, states: Iterable[int], text: str, at: int) -> set[int]:
        """These states and those they lead to without a letter, at this place of the text."""
        seen: set[int] = set()
        todo = list(states)
        while todo:
            state = todo.pop()
            if state in seen:
                continue
            seen.add(state)
            here = self._states[state]
            if here.takes is None and (here.at is None or _holds(here.at, text, at)):
                todo.extend(here.leads_to)
        return seen

    # ---- construction, from the end to the beginning ----

    def _add(self, state: _State) -> int:
        if len(self._states) >= MAX_STATES:
            raise PatternRefused("too large: counted repetitions multiply")
        self._states.append(state)
        return len(self._states) - 1

    def _sequence(self, nodes: Any, then: int) -> int:
        for node in reversed(list(nodes)):
            then = self._node(node, then)
        return then

    def _node(self, node: tuple[Any, Any], then: int) -> int:
        kind, value = node
        if kind is _constants.BRANCH:
            return self._add(_State(leads_to=tuple(self._sequence(branch, then) for branch in value[1])))
        if kind is _constants.SUBPATTERN:
            _, switched_on, switched_off, inner = value
            if switched_on or switched_off:
                raise PatternRefused("flags hold for the whole pattern: write (?i) at its start")
            return self._sequence(inner, then)
        if kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            return self._repeat(*value, then=then)
        if kind is _constants.AT:
            return self._add(_State(at=value, leads_to=(then,)))
        return self._add(_State(takes=self._letter(kind, value), leads_to=(then,)))

    def _repeat(self, least: int, most: Any, inner: Any, *, then: int) -> int:
        if most is _constants.MAXREPEAT:
            loop = self._add(_State())
            self._states[loop] = _State(leads_to=(self._sequence(inner, loop), then))
            then = loop
        else:
            end = then
            for _ in range(min(most - least, MAX_STATES)):
                then = self._add(_State(leads_to=(self._sequence(inner, then), end)))
        for _ in range(min(least, MAX_STATES)):
            then = self._add(_State(leads_to=(self._sequence(inner, then),)))
        return then

    def _letter(self, kind: Any, value: Any) -> Callable[[str], bool]:
        if kind is _constants.LITERAL:
            wanted = self._cases(value)
            return lambda letter: letter in wanted
        if kind is _constants.NOT_LITERAL:
            unwanted = self._cases(value)
            return lambda letter: letter not in unwanted
        if kind is _constants.ANY:
            return (lambda letter: True) if self._all else (lambda letter: letter != "\n")
        if kind is _constants.IN:
            return self._one_of(value)
        raise PatternRefused("references to groups, looking ahead or behind, and possessive repeats are not possible")

    def _cases(self, code: int) -> frozenset[str]:
        letter = chr(code)
        return frozenset((letter, letter.lower(), letter.upper()) if self._ignore_case else (letter,))

    def _one_of(self, items: list[tuple[Any, Any]]) -> Callable[[str], bool]:
        negate = items[0][0] is _constants.NEGATE
        tests = [self._member(kind, value) for kind, value in items[negate:]]
        return lambda letter: any(test(letter) for test in tests) != negate

    def _member(self, kind: Any, value: Any) -> Callable[[str], bool]:
        if kind is _constants.CATEGORY:
            return _CATEGORIES[value]
        if kind is _constants.RANGE:
            low, high = chr(value[0]), chr(value[1])
            if self._ignore_case:
                return lambda letter: any(low <= case <= high for case in (letter, letter.lower(), letter.upper()))
            return lambda letter: low <= letter <= high
        return self._letter(kind, value)


def _holds(where: Any, text: str, at: int) -> bool:
    if where in _STARTS:
        return at == 0
    if where in _ENDS:
        return at == len(text)
    word = _CATEGORIES[_constants.CATEGORY_WORD]
    boundary = (at > 0 and word(text[at - 1])) != (at < len(text) and word(text[at]))
    return boundary if where is _constants.AT_BOUNDARY else not boundary


@lru_cache(maxsize=256)
def pattern(text: str) -> Pattern:
    """The pattern of this text, made once. Raises PatternRefused."""
    return Pattern(text)
