"""What MAAS's states of a machine and of a script mean. Pure.

Source: `NODE_STATUS` and `SCRIPT_STATUS` as MAAS's API documentation lists them, 3.0 to 3.8. A number in none of these
tables is of a later MAAS, and means that nobody knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum


class Status(IntEnum):
    """`status` of a machine."""

    NEW = 0
    COMMISSIONING = 1
    FAILED_COMMISSIONING = 2
    MISSING = 3
    READY = 4
    RESERVED = 5
    DEPLOYED = 6
    RETIRED = 7
    BROKEN = 8
    DEPLOYING = 9
    ALLOCATED = 10
    FAILED_DEPLOYMENT = 11
    RELEASING = 12
    FAILED_RELEASING = 13
    DISK_ERASING = 14
    FAILED_DISK_ERASING = 15
    RESCUE_MODE = 16
    ENTERING_RESCUE_MODE = 17
    FAILED_ENTERING_RESCUE_MODE = 18
    EXITING_RESCUE_MODE = 19
    FAILED_EXITING_RESCUE_MODE = 20
    TESTING = 21
    FAILED_TESTING = 22


class Means(StrEnum):
    """What a state means to whoever wants something of the machine."""

    BARE = "bare"
    """Known, and nothing was done with it, or what was done failed: it can be commissioned."""
    FREE = "free"
    HELD = "held"
    """Somebody has it, nothing runs on it."""
    RUNS = "runs"
    WORKING = "working"
    """MAAS is at it: wait."""
    SPENT = "spent"
    """A deployment or a release failed: it must be released before anything else."""
    BROKEN = "broken"
    RESCUE = "rescue"
    GONE = "gone"
    UNKNOWN = "unknown"


_S, _M = Status, Means
MEANING: Mapping[Status, Means] = {
    _S.NEW: _M.BARE,
    _S.COMMISSIONING: _M.WORKING,
    _S.FAILED_COMMISSIONING: _M.BARE,
    _S.MISSING: _M.GONE,
    _S.READY: _M.FREE,
    _S.RESERVED: _M.HELD,
    _S.DEPLOYED: _M.RUNS,
    _S.RETIRED: _M.GONE,
    _S.BROKEN: _M.BROKEN,
    _S.DEPLOYING: _M.WORKING,
    _S.ALLOCATED: _M.HELD,
    _S.FAILED_DEPLOYMENT: _M.SPENT,
    _S.RELEASING: _M.WORKING,
    _S.FAILED_RELEASING: _M.SPENT,
    _S.DISK_ERASING: _M.WORKING,
    _S.FAILED_DISK_ERASING: _M.SPENT,
    _S.RESCUE_MODE: _M.RESCUE,
    _S.ENTERING_RESCUE_MODE: _M.WORKING,
    _S.FAILED_ENTERING_RESCUE_MODE: _M.RESCUE,
    _S.EXITING_RESCUE_MODE: _M.WORKING,
    _S.FAILED_EXITING_RESCUE_MODE: _M.RESCUE,
    _S.TESTING: _M.WORKING,
    _S.FAILED_TESTING: _M.BARE,
}


def meaning(status: int) -> Means:
    return MEANING[Status(status)] if status in MEANING else Means.UNKNOWN


SCRIPT_FAILED: Mapping[int, str] = {
    3: "failed",
    4: "timed out",
    5: "aborted",
    8: "failed to install",
    11: "failed to apply its network",
}
"""`status` of a script's result that is bad. Pending (0), running (1), passed (2), degraded (6), installing (7),
skipped (9) and applying its network (10) are not."""
