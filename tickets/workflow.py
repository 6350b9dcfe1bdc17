"""The workflow of a repair ticket: its states, what may happen to it, and who may do what. Pure: no database, no clock.

The table is the whole policy; `docs/tickets.md` draws it, and a test keeps drawing and table equal. *Resolve and
verify* never closes a ticket: a passing look that is newer than the press does.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Status(StrEnum):
    OPEN = "open"
    IN_WORK = "in_work"
    VERIFYING = "verifying"
    CLOSED = "closed"


class TicketEvent(StrEnum):
    TAKE = "take"
    RELEASE = "release"
    VERIFY = "verify"
    PASS = "pass"  # the verification that was asked for shows that the fault is gone
    FAIL = "fail"  # ... or that it is not
    RESOLVED = "resolved"  # something else showed it: the fault cleared by itself, the run succeeded
    CLOSE = "close"  # an operator closes without a proof, with a reason
    REOPEN = "reopen"


_S, _E = Status, TicketEvent

TRANSITIONS: dict[tuple[Status, TicketEvent], Status] = {
    (_S.OPEN, _E.TAKE): _S.IN_WORK,
    (_S.OPEN, _E.RESOLVED): _S.CLOSED,
    (_S.OPEN, _E.CLOSE): _S.CLOSED,
    (_S.IN_WORK, _E.RELEASE): _S.OPEN,
    (_S.IN_WORK, _E.VERIFY): _S.VERIFYING,
    (_S.IN_WORK, _E.RESOLVED): _S.CLOSED,
    (_S.IN_WORK, _E.CLOSE): _S.CLOSED,
    (_S.VERIFYING, _E.PASS): _S.CLOSED,
    (_S.VERIFYING, _E.FAIL): _S.IN_WORK,
    (_S.VERIFYING, _E.RESOLVED): _S.CLOSED,
    (_S.VERIFYING, _E.CLOSE): _S.CLOSED,
    (_S.CLOSED, _E.REOPEN): _S.OPEN,
}

ACTIVE = (Status.OPEN, Status.IN_WORK, Status.VERIFYING)
ACTIVE_STATUSES = [status.value for status in ACTIVE]
HANDS_ON = (Status.IN_WORK, Status.VERIFYING)
"""Somebody stands at the machine: its light is on, and it stays out of service."""


class NotAllowed(Exception):
    """The workflow does not allow this event in this state."""

    def __init__(self, status: str, event: str) -> None:
        super().__init__(f"a ticket that is {status.replace('_', ' ')} cannot {event}")
        self.status, self.event = status, event


def allowed(status: str, event: str) -> bool:
    try:
        return (Status(status), TicketEvent(event)) in TRANSITIONS
    except ValueError:
        return False


def next_status(status: str, event: str) -> Status:
    """The status that follows. Raises NotAllowed, also for words that are no status or event."""
    if not allowed(status, event):
        raise NotAllowed(status, event)
    return TRANSITIONS[Status(status), TicketEvent(event)]


def may(
    status: str, *, technician: bool, operator: bool, mine: bool, has_slot: bool, cabling: bool = False
) -> list[str]:
    """What a person may do with a ticket now, in the words of the API.

    `mine`: the ticket is assigned to that person. Work on another's ticket needs an operator, but every technician may
    give it back (a shift ends), which asks for a reason. A swap needs a part that sits in a slot,
    a look at ports and a swapped plug a ticket about cabling.
    """
    if not technician:
        return []
    actions = ["comment"]
    if status == Status.OPEN:
        actions.append("take")
    if status == Status.IN_WORK:
        actions.append("release")
        if mine or operator:
            actions += ["step", "verify", *(["swap"] if has_slot else []), "take_part"]
            actions += ["recheck", "swap_connector"] if cabling else []
    if operator:
        actions.append("reopen" if status == Status.CLOSED else "close")
    return actions


def kept(ids: Iterable[int], first: int, latest: int) -> tuple[list[int], list[int]]:
    """Split ids (oldest first) into those kept, the first and the latest ones, and those in between."""
    found = list(ids)
    if len(found) <= first + latest:
        return found, []
    cut = len(found) - latest
    return found[:first] + found[cut:], found[first:cut]
