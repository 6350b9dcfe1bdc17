"""What Ironic's provision states mean. Pure.

Source: `ironic/common/states.py` of Ironic 39.0.0, whose transitions were watched with its fake and Redfish drivers. A
state that is in no table here is of a later Ironic, and means that nobody knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Means(StrEnum):
    """What a provision state means to whoever wants something of the node."""

    ENROLLED = "enrolled"
    """Ironic has its record, and did not reach its BMC yet, or no more."""
    MANAGEABLE = "manageable"
    FREE = "free"
    RUNS = "runs"
    WORKING = "working"
    """Ironic is at it: wait."""
    HELD = "held"
    """Somebody stopped Ironic in the middle: only they let it go on."""
    UNDONE = "undone"
    """Inspecting, cleaning or adopting failed: back to `manageable`."""
    SPENT = "spent"
    """A deployment or something after it failed, or it is in rescue: it must be undeployed before anything else."""
    UNKNOWN = "unknown"


INSPECT_FAILED, CLEAN_FAILED, DEPLOY_FAILED = "inspect failed", "clean failed", "deploy failed"
_M = Means
MEANING: Mapping[str, Means] = {
    "enroll": _M.ENROLLED,
    "verifying": _M.WORKING,
    "manageable": _M.MANAGEABLE,
    "inspecting": _M.WORKING,
    "inspect wait": _M.WORKING,
    INSPECT_FAILED: _M.UNDONE,
    "available": _M.FREE,
    "cleaning": _M.WORKING,
    "clean wait": _M.WORKING,
    "clean hold": _M.HELD,
    CLEAN_FAILED: _M.UNDONE,
    "deploying": _M.WORKING,
    "wait call-back": _M.WORKING,
    "deploy hold": _M.HELD,
    DEPLOY_FAILED: _M.SPENT,
    "active": _M.RUNS,
    "deleting": _M.WORKING,
    "error": _M.SPENT,
    "rescue": _M.SPENT,
    "rescuing": _M.WORKING,
    "rescue wait": _M.WORKING,
    "rescue failed": _M.SPENT,
    "unrescuing": _M.WORKING,
    "unrescue failed": _M.SPENT,
    "adopting": _M.WORKING,
    "adopt failed": _M.UNDONE,
    "servicing": _M.WORKING,
    "service wait": _M.WORKING,
    "service hold": _M.HELD,
    "service failed": _M.SPENT,
}


def meaning(state: str) -> Means:
    return MEANING.get(state, Means.UNKNOWN)
