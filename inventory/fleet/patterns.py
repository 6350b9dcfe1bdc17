"""Ranges and names of the fleet file.

`A{01..08}` is A01 to A08 (the zeros stand), `{1..16}/{1..2}` counts the last range fastest, `$word` takes a value of
a table, and `{rack}`, `{n}`, `{i}` (with a width as in `{n:02}`) are filled in for each device or cable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import product

MAX_EXPANSION = 200_000

_RANGE = re.compile(r"\{(\d+)\.\.(\d+)\}")
_WORD = re.compile(r"\$([a-z_]+)")
_FIELD = re.compile(r"\{([a-z]+)(?::(0?\d+))?\}")


class PatternError(ValueError):
    """A pattern that cannot be expanded; the text says why."""


@lru_cache(maxsize=4096)
def expand(pattern: str) -> tuple[str, ...]:
    """Every text a pattern stands for, the last range counting fastest. Raises PatternError."""
    parts = _RANGE.split(pattern)
    spans = [_span(parts[at], parts[at + 1], pattern) for at in range(1, len(parts), 3)]
    total = 1
    for span in spans:
        total *= len(span)
        if total > MAX_EXPANSION:
            raise PatternError(f"{pattern!r} stands for more than {MAX_EXPANSION} names")
    texts = parts[0::3]
    if not spans:
        return (pattern,)
    return tuple(
        "".join(text + number for text, number in zip(texts, (*numbers, ""), strict=True))
        for numbers in product(*spans)
    )


def _span(first: str, last: str, pattern: str) -> list[str]:
    if int(last) < int(first):
        raise PatternError(f"{pattern!r} counts down: write the smaller number first")
    if int(last) - int(first) >= MAX_EXPANSION:
        raise PatternError(f"{pattern!r} stands for more than {MAX_EXPANSION} names")
    width = len(first) if first.startswith("0") else 0
    return [str(number).zfill(width) for number in range(int(first), int(last) + 1)]


def expand_all(patterns: str | Iterable[str]) -> list[str]:
    """Expand one pattern or several, in their order."""
    if isinstance(patterns, str):
        patterns = [patterns]
    return [name for pattern in patterns for name in expand(pattern)]


def substitute(text: str, values: Mapping[str, str]) -> str:
    """Put table values in the place of `$word`. Raises PatternError for a word no table has."""

    def value_of(match: re.Match[str]) -> str:
        try:
            return values[match[1]]
        except KeyError:
            raise PatternError(f"{text!r}: no table gives ${match[1]}") from None

    return _WORD.sub(value_of, text)


def fill(pattern: str, values: Mapping[str, str | int]) -> str:
    """Fill `{rack}`, `{n:02}` and the like. Raises PatternError for an unknown word."""

    def value_of(match: re.Match[str]) -> str:
        name, width = match[1], match[2]
        if name not in values:
            raise PatternError(f"{pattern!r}: {{{name}}} is not one of {', '.join(sorted(values))}")
        value = values[name]
        if width:
            if not isinstance(value, int):
                raise PatternError(f"{pattern!r}: {{{name}}} is no number")
            return str(value).rjust(int(width), "0" if width.startswith("0") else " ")
        return str(value)

    return _FIELD.sub(value_of, pattern)


def u_positions(value: float | str | Iterable[float | str]) -> list[float]:
    """U positions from `5`, `5.5`, `"3..34"` or a list of these. Raises PatternError."""
    if isinstance(value, (int, float)):
        if not 1 <= value <= 200 or value * 2 != int(value * 2):
            raise PatternError(f"U {value:g} is not a whole or half unit from 1")
        return [float(value)]
    if isinstance(value, str):
        span = re.fullmatch(r"(\d+)\.\.(\d+)", value.strip())
        if span:
            if int(span[2]) < int(span[1]):
                raise PatternError(f"U {value!r} counts down: write the lower unit first")
            if int(span[2]) > 200:
                raise PatternError(f"U {value!r} is higher than any rack")
            return [position for u in range(int(span[1]), int(span[2]) + 1) for position in u_positions(u)]
        if not re.fullmatch(r"\d+(\.\d+)?", value.strip()):
            raise PatternError(f"U {value!r} is no unit and no range such as 3..34")
        return u_positions(float(value))
    return [position for item in value for position in u_positions(item)]
