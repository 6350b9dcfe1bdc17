"""The tables of kernel lines: what is known to be bad, what is known to be harmless, what nobody has judged yet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from health.checks.kernel_start import is_start_line
from health.checks.tables import rows_of
from health.parsers.kernel_log import is_event
from health.verdicts import Verdict

# What stands behind such a word in a line (a kernel's command line, a mount's options) is never shown or kept.
_SECRET = re.compile(
    r"\b((?:\w*[-_])?(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_]?key|psk)\s*[=:]\s*)(\"[^\"]*\"|\S+)",
    re.IGNORECASE,
)
_VARIABLE = (
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE), "UUID"),
    (re.compile(r"\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b", re.IGNORECASE), "MAC"),
    (re.compile(r"\b(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]\b", re.IGNORECASE), "PCI"),
    (re.compile(r"\b(?:0x)?(?=[0-9a-f]*\d)[0-9a-f]{6,}\b", re.IGNORECASE), "HEX"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "HEX"),
    (re.compile(r"\d+"), "N"),
)


@dataclass(frozen=True)
class KernelRule:
    """A kind of bad line. `fail_at` of them within an hour fail; None leaves it at the verdict of one."""

    name: str
    marker: str
    pattern: re.Pattern[str]
    verdict: Verdict
    fault_class: str | None
    fail_at: int | None
    rail_only: bool
    meaning: str


@cache
def kernel_rules() -> tuple[KernelRule, ...]:
    return tuple(
        KernelRule(
            name=row["rule"],
            marker=row["marker"],
            pattern=re.compile(row["pattern"]),
            verdict=Verdict(row["verdict"]),
            fault_class=row["fault_class"] or None,
            fail_at=int(row["fail_at"]) if row["fail_at"] else None,
            rail_only=row["rail_only"] == "yes",
            meaning=row["meaning"],
        )
        for row in rows_of("kernel_rules.csv")
    )


@lru_cache(maxsize=65_536)
def is_judged(body: str) -> bool:
    """Whether a line without its stamp is one of a healthy start, or judged by a rule or by a check of its own.

    Machines of a fleet say the same things, so the answers are kept.
    """
    return (
        is_start_line(body)
        or is_event(body)
        or any(rule.marker in body and rule.pattern.search(body) for rule in kernel_rules())
    )


def without_secrets(line: str) -> str:
    """The line with passwords and the like replaced."""
    return _SECRET.sub(r"\1[hidden]", line)


@lru_cache(maxsize=65_536)
def shape_of(body: str) -> str:
    """The line with what changes from one time to the next replaced by words; lines of one shape are one kind."""
    body = without_secrets(body)
    for pattern, word in _VARIABLE:
        body = pattern.sub(word, body)
    return " ".join(body.split())[:300]
