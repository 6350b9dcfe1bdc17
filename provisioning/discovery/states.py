"""How far the question to one address is. Pure."""

from __future__ import annotations

from enum import StrEnum


class BmcState(StrEnum):
    WAITING = "waiting"
    ASKING = "asking"
    """A worker is at it. Of one that is lost it is asked again."""
    READ = "read"
    REFUSED = "refused"
    """It refused the user name or password; nobody tries another one by guess."""
    NO_LOGIN = "no_login"
    """No stored password may be sent there; what it tells anybody is known."""
    CHANGED = "changed"
    """It presents another certificate than the one its machine is known by; it was sent no password."""
    UNREACHABLE = "unreachable"
    NOT_BMC = "not_bmc"
    """Something answers that does not speak Redfish."""
    FAILED = "failed"
    """It speaks Redfish and gave no usable answer."""
    INTERRUPTED = "interrupted"
    """Workers were lost while they signed in: nobody knows how many passwords it refused, so it is left alone."""


OPEN = (BmcState.WAITING, BmcState.ASKING)
ANSWERS = (BmcState.READ, BmcState.REFUSED, BmcState.NO_LOGIN, BmcState.CHANGED, BmcState.FAILED, BmcState.INTERRUPTED)
"""Those in which something that speaks Redfish stands behind the address."""
WORDS = {
    BmcState.WAITING: "not asked yet",
    BmcState.ASKING: "being asked",
    BmcState.REFUSED: "its BMC refused the password",
    BmcState.NO_LOGIN: "no password may be sent to its BMC",
    BmcState.CHANGED: "its BMC presents another certificate than the known one",
    BmcState.UNREACHABLE: "nothing answers at this address",
    BmcState.NOT_BMC: "what answers does not speak Redfish",
    BmcState.FAILED: "its BMC gave no usable answer",
    BmcState.INTERRUPTED: "workers were lost while they signed in; start another discovery",
}
