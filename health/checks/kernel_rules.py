"""The tables of kernel lines: what is known to be bad, what is known to be harmless, what nobody has judged yet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from health.checks.kernel_start import is_start_line
from health.checks.parsers.kernel_log import is_event
from health.checks.tables import rows_of
from health.checks.verdicts import Verdict

# What stands behind such a word in a line (a kernel's command line, a mount's options) is never shown or kept.
_SECRET = re.compile(
    r"\b((?:\w*[-_])?(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_]?key|psk)\s*[=:]\s*)(\"[^\"]*\"|\S+)",
    re.IGNORECASE,
)
_PCI = r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?"
# What the patterns of the table write short; a pattern of several forms names their addresses pci2 and pci3.
_SHORT = {
    "{pci}": f"(?P<pci>{_PCI})",
    "{pci2}": f"(?P<pci2>{_PCI})",
    "{pci3}": f"(?P<pci3>{_PCI})",
    "{nvme}": r"nvme(?P<nvme>\d+)",
    "{dev}": r"(?P<dev>[\w-]+)",
    "{hca}": r"(?P<hca>mlx5_\w+)",
}
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
    """A kind of bad line. Of one device within an hour `warn_at` warn and `fail_at` fail; None leaves it at the verdict
    of one. `action` is empty where the fault class says what to do. `other_class` is that of disks that are no NVMe
    drives; `healed_by` finds the line that takes one back, `named_by` the one that tells the device of a report."""

    name: str
    markers: tuple[str, ...]
    pattern: re.Pattern[str]
    verdict: Verdict
    fault_class: str | None
    warn_at: int | None
    fail_at: int | None
    rail_only: bool
    meaning: str
    action: str
    source: str
    other_class: str | None
    healed_by: re.Pattern[str] | None
    named_by: re.Pattern[str] | None

    def may_be_in(self, text: str) -> bool:
        """Whether a search is worth its while."""
        return any(map(text.__contains__, self.markers))

    def find(self, body: str) -> re.Match[str] | None:
        """The match in a line without its stamp."""
        return self.pattern.search(body) if self.may_be_in(body) else None

    def heals(self, body: str) -> re.Match[str] | None:
        """The match in a line that says it is well again."""
        return self.healed_by.search(body) if self.healed_by else None


def _spelled_out(pattern: str) -> str:
    for short, long in _SHORT.items():
        pattern = pattern.replace(short, long)
    return pattern


def _compiled(pattern: str | None) -> re.Pattern[str] | None:
    return re.compile(_spelled_out(pattern)) if pattern else None


@cache
def kernel_rules() -> tuple[KernelRule, ...]:
    return tuple(
        KernelRule(
            name=row["rule"],
            markers=tuple(row["marker"].split("|")),
            pattern=re.compile(_spelled_out(row["pattern"])),
            verdict=Verdict(row["verdict"]),
            fault_class=row["fault_class"] or None,
            warn_at=int(row["warn_at"]) if row["warn_at"] else None,
            fail_at=int(row["fail_at"]) if row["fail_at"] else None,
            rail_only=row["rail_only"] == "yes",
            meaning=row["meaning"],
            action=row["action"],
            source=row["source"],
            other_class=row["other_class"] or None,
            healed_by=_compiled(row["healed_by"]),
            named_by=_compiled(row["named_by"]),
        )
        for row in rows_of("kernel_rules.csv")
    )


@lru_cache(maxsize=65_536)
def is_judged(body: str) -> bool:
    """Whether a line without its stamp is one of a healthy start, or judged by a rule or by a check of its own.

    Machines of a fleet say the same things, so the answers are kept.
    """
    return is_start_line(body) or is_event(body) or any(rule.find(body) or rule.heals(body) for rule in kernel_rules())


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
