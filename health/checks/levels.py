"""How much a failing check matters, and the levels of remediation that can help. Pure."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Rung(IntEnum):
    """The ladder, from the least intrusive step up. Automation takes only 1 to 5."""

    NOTE = 0
    SERVICE = 1
    GPU_RESET = 2
    REBOOT = 3
    POWER_CYCLE = 4
    REIMAGE = 5
    TICKET = 6  # a person at the machine: reseat, clean, swap a cable
    SWAP = 7
    RETIRE = 8


class Severity(StrEnum):
    """How much a failing check matters: danger or no work possible, work suffers, somebody should look, only told."""

    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"
    NOTE = "note"
