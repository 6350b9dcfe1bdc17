"""When a password that a BMC refused is sent to it again by itself. Pure.

BMCs lock an account after a few wrong passwords (`AccountLockoutThreshold`; three is the smallest that vendors ship).
Then nobody gets in, with the right one neither. So a login is sent twice at most: once more after a while, because an
account that was only locked, or a BMC that was just starting, takes it then; and after that never again by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

MOST_TRIES = 2
AGAIN_AFTER = timedelta(minutes=30)
"""Longer than an account stays locked (`AccountLockoutDuration`: ten minutes as shipped) and its count is kept."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A login as it was sent: which credential, to which address."""

    credential: int
    address: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """How often a BMC refused this login, and when last."""

    sent: Sent
    times: int
    at: datetime


def standing(refusal: Refusal | None, wanted: Sent, changed_at: datetime, now: datetime) -> str:
    """Why this login is not sent now; empty: it may be. `changed_at`: when the password of the credential was set."""
    if refusal is None or refusal.sent != wanted or changed_at > refusal.at:
        return ""
    said = f"the BMC refused the user name or password at {refusal.at:%Y-%m-%d %H:%M} UTC"
    if refusal.times >= MOST_TRIES:
        return f"{said}; it is sent no more until another one is given, or somebody asks again"
    again = refusal.at + AGAIN_AFTER
    return f"{said}; it is sent once more at {again:%H:%M} UTC" if now < again else ""


def counted(refusal: Refusal | None, sent: Sent) -> int:
    """How often this login is refused with the refusal that has just come."""
    return refusal.times + 1 if refusal is not None and refusal.sent == sent else 1
