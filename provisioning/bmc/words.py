"""What is done to BMCs, and how their passwords, settings and firmware stand. Pure."""

from __future__ import annotations

from enum import StrEnum


class BmcAction(StrEnum):
    PASSWORD = "password"
    SETTINGS = "settings"
    FIRMWARE = "firmware"


class PasswordState(StrEnum):
    """Of one machine's BMC. Without a record it has the login that several machines share."""

    OWN = "own"
    CHANGING = "changing"  # a password was sent, or is being tried; which one is in force is not known yet
    KEPT = "kept"  # the last change failed, the password from before is in force
    REFUSED = "refused"  # the BMC takes no password that we know: somebody changed it


class Comparison(StrEnum):
    """A setting or a version beside the one that is wanted."""

    SAME = "same"
    DIFFERS = "differs"
    PENDING = "pending"  # the wanted value waits for the next start of the machine
    MISSING = "missing"  # the BMC does not tell it


NEEDS_DRAIN = {
    BmcAction.PASSWORD: "",
    BmcAction.SETTINGS: "a change of BIOS and BMC settings",
    BmcAction.FIRMWARE: "an update of firmware",
}
"""What needs a machine out of service, in the words of a refusal; empty: it does not."""
