"""What a finding is. Pure values; `findings` makes them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from fabric.facts import PlannedPort

LONGEST_KEY = 180


class Kind(StrEnum):
    WRONG_PORT = "wrong_port"
    SWAPPED_PAIR = "swapped_pair"
    CYCLE = "cycle"
    CHAIN = "chain"
    MISSING = "missing"
    EXTRA = "extra"
    DARK = "dark"
    CROSSED_LANES = "crossed_lanes"
    AREA_OFF = "area_off"
    DEVICE_OFF = "device_off"
    EXCHANGED_DEVICES = "exchanged_devices"
    DEVICE_AT_OTHER_PLACE = "device_at_other_place"
    DUPLICATE_NAME = "duplicate_name"
    STRANGER = "stranger"
    MISNAMED = "misnamed"
    UNNAMED = "unnamed"
    ADAPTER_NAMES = "adapter_names"
    PLAN_ERROR = "plan_error"
    SLOW_LINK = "slow_link"
    NARROW_LINK = "narrow_link"
    STALE_ENDS = "stale_ends"


class Severity(StrEnum):
    CRITICAL = "critical"  # a switch is off
    HIGH = "high"  # traffic goes wrong or not at all
    LOW = "low"  # nothing is lost yet


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. `key` is made of planned devices and labels, so that the same trouble keeps it over
    time. `moves` are numbers of steps, `checks` say what tells possible causes apart, in the order to try."""

    kind: Kind
    key: str
    severity: Severity
    title: str
    text: str
    devices: tuple[str, ...] = ()
    ports: tuple[PlannedPort, ...] = ()
    cables: tuple[str, ...] = ()
    moves: tuple[int, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[str, ...] = ()


def told_apart(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings with a key of its own each, whatever they were made of: the second of a key gets a number."""
    used: set[str] = set()
    for finding in findings:
        each, number = finding.key, 1
        while each in used:
            number += 1
            each = f"{finding.key}#{number}"
        used.add(each)
        yield finding if each == finding.key else replace(finding, key=each)


def key(kind: str, *parts: str) -> str:
    """`kind:part+part`; a long one ends in a digest, so that it still fits a column and is still the same each time."""
    text = f"{kind}:{'+'.join(parts)}".replace("\0", "�")  # which no database keeps
    if len(text) <= LONGEST_KEY:
        return text
    return f"{text[: LONGEST_KEY - 17]}~{hashlib.sha256(text.encode()).hexdigest()[:16]}"
