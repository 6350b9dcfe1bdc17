"""Which events of a machine's log are new. Pure.

A report repeats every line the log still holds. The cursor remembers boot and monotonic time of the newest event read,
and the keys of those near it, because lines written by two CPUs may stand a moment out of order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

OUT_OF_ORDER_US = 5_000_000
MAX_KEYS = 200


@dataclass(frozen=True)
class Cursor:
    """Read up to `at_us` of boot `boot_id`; the default has read nothing."""

    boot_id: str = ""
    at_us: int = -1
    recent: tuple[str, ...] = ()


def is_event(finding: Any) -> bool:
    """Whether a finding reports something that happened, as against an event check that saw nothing."""
    return finding.kind == "event" and finding.event_at_us is not None


def key_of(finding: Any) -> str:
    return str(finding.event_key or f"{finding.check}|{finding.part}|{finding.event_at_us}")[:MAX_KEYS]


def is_after(cursor: Cursor, boot_id: str, finding: Any) -> bool:
    """Whether the event happened after the cursor, by boot and time alone."""
    return boot_id != cursor.boot_id or finding.event_at_us > cursor.at_us


def is_new(cursor: Cursor, boot_id: str, finding: Any) -> bool:
    if is_after(cursor, boot_id, finding):
        return True
    return finding.event_at_us > cursor.at_us - OUT_OF_ORDER_US and key_of(finding) not in cursor.recent


def advance(cursor: Cursor, boot_id: str, findings: Iterable[Any]) -> Cursor:
    """The cursor after these findings were read. A new boot starts a new log."""
    events = [finding for finding in findings if is_event(finding)]
    base = cursor if boot_id == cursor.boot_id else Cursor(boot_id)
    newest = max([base.at_us, *(finding.event_at_us for finding in events)])
    near = [key_of(finding) for finding in events if finding.event_at_us > newest - OUT_OF_ORDER_US]
    keys = dict.fromkeys([*(base.recent if newest - base.at_us < OUT_OF_ORDER_US else ()), *near])
    return Cursor(boot_id, newest, tuple(keys)[-MAX_KEYS:])
