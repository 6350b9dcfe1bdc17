"""Lines that healthy machines print while they start: whole lines, those of health/checks/data/kernel_allow.csv."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

from health.checks.tables import rows_of

# What differs between two healthy machines. Hexadecimal words hold a digit, but for the short ones of PCI addresses.
_DIFFERS = (
    re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE),
    re.compile(r"\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b", re.IGNORECASE),
    re.compile(r"\b(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]\b", re.IGNORECASE),
    re.compile(r"\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]+\b", re.IGNORECASE),
    re.compile(r"(?<!\w)[a-f]{2}(?=[-\]:])|(?<=[-:])[a-f]{2}(?!\w)"),
    re.compile(r"\d+"),
)
# "2 out of 2" is whole, "1 out of 2" is not.
_ALL_OF_THEM = re.compile(r"\b(\d+) out of \1\b")
# A placeholder never covers one of these, so no error hides behind the beginning of a harmless line.
TROUBLE = re.compile(
    r"(?i)fail|error|\bfault|time[ds]?[ -]?out|fatal|panic|critical|corrupt|abort|\bdown\b|\blost\b|\bdead|hung\b|"
    r"stall|unable|cannot|can't|could ?n[o']t|denied|refus|invalid|degrad|reset|uncorrect|overheat|throttl|"
    r"too (?:hot|many|high)|exceed|violat|mismatch|unresponsive|not respond|read-only|exhaust|unrecover|broken|\bBUG\b|"
    r"\bWARNING\b|\boops|lockup|blocked|offline|evict|mis(?:sing|behav)|insufficient|unsupported|unexpected|killed|stuck"
)
_PLACEHOLDER = re.compile(r"<(word|text|any)>")
_STANDS_FOR = {"word": r"(\S+)", "text": r"(.+)", "any": r".+"}


@cache
def _lines() -> tuple[frozenset[str], dict[str, tuple[re.Pattern[str], ...]]]:
    """Lines without a placeholder, and patterns of those with one by the line's first word ("" where that is one)."""
    exact: set[str] = set()
    open_ones: dict[str, list[re.Pattern[str]]] = defaultdict(list)
    for row in rows_of("kernel_allow.csv"):
        line = _same(row["line"])
        if not _PLACEHOLDER.search(line):
            exact.add(line)
            continue
        first = line.split(" ", 1)[0]
        open_ones["" if "<" in first else first].append(re.compile(_pattern(line)))
    return frozenset(exact), {first: tuple(patterns) for first, patterns in open_ones.items()}


def _pattern(line: str) -> str:
    pieces = _PLACEHOLDER.split(line)
    return "".join(_STANDS_FOR[piece] if n % 2 else re.escape(piece) for n, piece in enumerate(pieces))


def _same(line: str) -> str:
    """The line with one sign for all that differs from machine to machine."""
    line = _ALL_OF_THEM.sub("all out of all", line)
    for pattern in _DIFFERS:
        line = pattern.sub("N", line)
    return " ".join(line.split())


def is_start_line(body: str) -> bool:
    """Whether a line without its stamp is, from its first to its last word, one that healthy machines print."""
    line = _same(body)
    exact, open_ones = _lines()
    if line in exact:
        return True
    candidates = (*open_ones.get(line.split(" ", 1)[0], ()), *open_ones.get("", ()))
    return any(
        (found := pattern.fullmatch(line)) and not any(TROUBLE.search(each) for each in found.groups())
        for pattern in candidates
    )
