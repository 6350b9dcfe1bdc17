"""What kinds of UFM events mean: how severe, which are never dropped, which belong together. Pure.

The kinds are rows of `ufm_events.csv`. `basis` says where a row comes from: `manual` is the list of traps and events in
the manual of the UFM appliance 4.18, `guide` NVIDIA's InfiniBand cluster operation guide, `code` the handling in
imbue-ai/cluster-health (MIT, 2024) of the events of UFM 6.1x. Codes differ between versions of UFM, so an event whose
code is not listed, or whose name says something graver than its code, is understood by its name.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from pathlib import Path

VERSION = "2026-1"
FILE = Path(__file__).with_name("ufm_events.csv")


class Severity(StrEnum):
    """As UFM has them, the worst first."""

    CRITICAL = "critical"
    MINOR = "minor"
    WARNING = "warning"
    INFO = "info"


class Keep(StrEnum):
    """Every event is kept. `incident`: it opens one; `always`: and it is told by name however large the burst."""

    KEPT = "kept"
    INCIDENT = "incident"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Kind:
    code: int
    name: str
    severity: Severity
    keep: Keep
    group: str
    clears: frozenset[int] = frozenset()
    basis: str = ""


@dataclass(frozen=True, slots=True)
class FabricEvent:
    """One event as a source told it. `id` is the source's own number; `guid` and `port` where it names one."""

    id: str
    at: datetime
    code: int
    name: str
    severity: str = ""
    guid: str = ""
    port: int | None = None
    device: str = ""
    text: str = ""


@cache
def kinds() -> Mapping[int, Kind]:
    with FILE.open(newline="") as file:
        return {
            int(row["code"]): Kind(
                int(row["code"]),
                row["name"],
                Severity(row["severity"]),
                Keep(row["keep"]),
                row["group"],
                frozenset(int(code) for code in row["clears"].split(";") if code),
                row["basis"],
            )
            for row in csv.DictReader(file)
        }


# What a name says, whatever its code: words that must all be in it, what it is, and its group. The first that fits.
NAMED: tuple[tuple[tuple[str, ...], Keep, Severity, str], ...] = (
    (("switch", "down"), Keep.ALWAYS, Severity.CRITICAL, "device"),
    (("switch", "critical"), Keep.ALWAYS, Severity.CRITICAL, "device"),
    (("temperature",), Keep.ALWAYS, Severity.WARNING, "temperature"),
    (("duplicat", "cable"), Keep.ALWAYS, Severity.CRITICAL, "cable"),
    (("duplicat", "guid"), Keep.ALWAYS, Severity.CRITICAL, "device"),
    (("duplicat", "node"), Keep.ALWAYS, Severity.CRITICAL, "device"),
    (("module", "fault"), Keep.ALWAYS, Severity.CRITICAL, "device"),
)


def severity_of(text: str) -> Severity | None:
    """UFM's word for a severity; None when it is none that we know."""
    return next((each for each in Severity if each == text.strip().lower()), None)


def kind_of(event: FabricEvent) -> Kind:
    """What an event means. A kind that nobody listed opens an incident unless its source calls it information."""
    listed = kinds().get(event.code)
    told = severity_of(event.severity)
    words = event.name.lower()
    for needed, keep, severity, group in NAMED:
        if all(word in words for word in needed):
            if listed is not None and listed.keep is Keep.ALWAYS:
                return listed
            return Kind(event.code, event.name, told or severity, keep, group, basis="name")
    if listed is not None:
        return listed
    severity = told or Severity.WARNING
    keep = Keep.KEPT if severity is Severity.INFO else Keep.INCIDENT
    return Kind(event.code, event.name or f"event {event.code}", severity, keep, "other", basis="source")


def worst(severities: list[Severity]) -> Severity:
    order = list(Severity)
    return min(severities, key=order.index, default=Severity.INFO)
