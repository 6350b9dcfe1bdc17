"""What a mass failure is called: its title, and how well its cause explains it. Pure."""

from __future__ import annotations

from health.remediation.causes import CONTACT, SITE, Alike, Shared
from health.remediation.types import Cause

_KINDS = {
    "management": "management switch",
    "cooling": "cooling unit",
    "rollout": "new",
}


def cause_words(cause: Cause) -> str:
    """Such as `rack A17`, `new Kernel 6.8.0-49` or `no known common cause`."""
    if cause.kind == SITE:
        return "no known common cause"
    return f"{_KINDS.get(cause.kind, cause.kind)} {cause.key}"


def what_words(kind: Alike) -> str:
    """What all the machines have: `lost contact` or `fail with Xid 79`."""
    if kind.fault_class == CONTACT:
        return "lost contact"
    return f"fail alike: {kind.code or kind.fault_class}"


def title(kind: Alike, cause: Cause, machines: int) -> str:
    """Such as `153 machines lost contact: row A (Hall 1)`."""
    return f"{machines} machine{'' if machines == 1 else 's'} {what_words(kind)}: {cause_words(cause)}"


def explanation(kind: Alike, shared: Shared) -> str:
    """How well the cause explains it, and what else may."""
    also = ", ".join(cause_words(each) for each in shared.also)
    if shared.cause.kind == SITE:
        words = (
            f"{shared.share:.0%} of the site's machines are affected, and no rack, switch, feed or version explains it."
        )
        words += f" Part of it: {also}." if also else ""
        where = "the network between Rackside and the machines" if kind.fault_class == CONTACT else "a bad rule"
        return f"{words} It may also be {where} or a change that is not recorded here."
    words = f"{shared.share:.0%} of the machines of {cause_words(shared.cause)} are affected"
    words += f", {shared.explains:.0%} of those that fail alike."
    return f"{words} It could as well be: {also}." if also else words
