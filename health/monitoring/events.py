"""Which events of a machine's log are new. Pure.

A report repeats every line the log still holds. The cursor remembers boot and monotonic time of the newest event read,
and the keys of those near it, because lines written by two CPUs may stand a moment out of order.

The BMC's log knows no boot and its clock may be wrong: its entries count by when they were read, in microseconds since
1970 (`event_log` of a finding says which log it is of).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

OUT_OF_ORDER_US = 5_000_000
MAX_KEYS = 200
BMC = "bmc"


@dataclass(frozen=True)
class Cursor:
    """Read up to `at_us` of boot `boot_id`, and up to `bmc_at_us` of the BMC's log; the default has read nothing."""

    boot_id: str = ""
    at_us: int = -1
    recent: tuple[str, ...] = ()
    bmc_at_us: int = -1


def is_event(finding: Any) -> bool:
    """Whether a finding reports something that happened, as against an event check that saw nothing."""
    return finding.kind == "event" and finding.event_at_us is not None


def key_of(finding: Any) -> str:
    return str(finding.event_key or f"{finding.check}|{finding.part}|{finding.event_at_us}")[:MAX_KEYS]


def is_of_bmc(finding: Any) -> bool:
    return getattr(finding, "event_log", "") == BMC


def is_after(cursor: Cursor, boot_id: str, finding: Any) -> bool:
    """Whether the event happened after the cursor, by boot and time alone."""
    if is_of_bmc(finding):
        return bool(finding.event_at_us > cursor.bmc_at_us)
    return boot_id != cursor.boot_id or finding.event_at_us > cursor.at_us


def is_new(cursor: Cursor, boot_id: str, finding: Any) -> bool:
    if is_after(cursor, boot_id, finding):
        return True
    if is_of_bmc(finding):  # those of one read have one time, and a read is stored whole or not at all
        return False
    return finding.event_at_us > cursor.at_us - OUT_OF_ORDER_US and key_of(finding) not in cursor.recent


def advance(cursor: Cursor, boot_id: str, findings: Iterable[Any]) -> Cursor:
    """The cursor after these findings were read. A new boot starts a new kernel log."""
    told = [finding for finding in findings if is_event(finding)]
    bmc_at_us = max([cursor.bmc_at_us, *(finding.event_at_us for finding in told if is_of_bmc(finding))])
    events = [finding for finding in told if not is_of_bmc(finding)]
    # A look that did not hear the machine has no boot, and says nothing of the kernel log.
    base = cursor if boot_id == cursor.boot_id or not boot_id else Cursor(boot_id)
    newest = max([base.at_us, *(finding.event_at_us for finding in events)])
    near = [key_of(finding) for finding in events if finding.event_at_us > newest - OUT_OF_ORDER_US]
    keys = dict.fromkeys([*(base.recent if newest - base.at_us < OUT_OF_ORDER_US else ()), *near])
    return Cursor(base.boot_id, newest, tuple(keys)[-MAX_KEYS:], bmc_at_us)
