"""A generated password for one BMC, and which one is in force after a change. Pure.

The order that keeps everybody from being locked out: the new password is stored, then sent, then used to sign in, and
only then it takes the place of the old one. Where nobody knows whether it was written, both are tried, once each in a
round, and rounds lie minutes apart: AccountService locks after a few wrong passwords in a row (DSP0268).
"""

from __future__ import annotations

import secrets
import string
from enum import StrEnum

LENGTH = 16
"""What every BMC takes: AMI's of older boards take 16, IPMI 2.0 takes 20."""
LETTERS = "abcdefghjkmnpqrstuvwxyz"
CAPITALS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
DIGITS = "23456789"
SIGNS = "-_."
"""Three that no BMC refuses and no shell, URL or CSV file gives a meaning to."""
MOST_ROUNDS = 3
FEWEST_TRIES = 3
"""An account that is locked after fewer wrong passwords is not changed: one round may need two."""


def generate() -> str:
    """16 characters, at least one of each class, without those that are read as others; 94 bits."""
    classes = (LETTERS, CAPITALS, DIGITS, SIGNS)
    chosen = [secrets.choice(each) for each in classes]
    chosen += [secrets.choice("".join(classes)) for _ in range(LENGTH - len(classes))]
    secrets.SystemRandom().shuffle(chosen)
    first = next(n for n, letter in enumerate(chosen) if letter in string.ascii_letters)  # a sign would be an option
    chosen[0], chosen[first] = chosen[first], chosen[0]
    return "".join(chosen)


def why_not(shortest: int, longest: int, locks_after: int) -> str:
    """Why this account's password is not changed, by what its service demands (0: nothing); empty when it is."""
    if shortest > LENGTH or 0 < longest < LENGTH:
        return f"the BMC takes passwords of {shortest or 1} to {longest or 'any number of'} characters, not of {LENGTH}"
    if 0 < locks_after < FEWEST_TRIES:
        return f"the BMC locks the account after {locks_after} wrong passwords: that leaves no room to find out"
    return ""


class Answer(StrEnum):
    """What a BMC said to one password."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    SILENT = "silent"
    UNTRIED = "untried"


class Verdict(StrEnum):
    NEW = "new"
    OLD = "old"
    NEITHER = "neither"
    UNKNOWN = "unknown"


def verdict(new: Answer, old: Answer, *, written: bool, rounds: int) -> Verdict:
    """Which password is in force, in the `rounds`-th round of trying (0: right after the change).

    `written`: the BMC took the new one, or nobody knows. Then that the old one still opens proves nothing at once, as a
    BMC may need a moment for a change; it does in a later round.
    """
    if new is Answer.ACCEPTED:
        return Verdict.NEW
    if old is Answer.ACCEPTED:
        return Verdict.OLD if not written or (rounds > 0 and new is Answer.REFUSED) else Verdict.UNKNOWN
    if old is Answer.REFUSED and (new is Answer.REFUSED or not written):
        return Verdict.NEITHER
    return Verdict.UNKNOWN
