"""How a case with a vendor goes on, and when its failed part is owed. Pure."""

from __future__ import annotations

from datetime import date, timedelta
from enum import StrEnum


class Vendor(StrEnum):
    DELL = "dell"
    NVIDIA = "nvidia"
    SUPERMICRO = "supermicro"
    HPE = "hpe"
    LENOVO = "lenovo"
    GENERIC = "generic"


class State(StrEnum):
    DRAFT = "draft"
    SENT = "sent"
    ACCEPTED = "accepted"
    SHIPPED = "shipped"
    ARRIVED = "arrived"
    RETURNED = "returned"
    DENIED = "denied"
    CLOSED = "closed"


class Event(StrEnum):
    SEND = "send"
    ACCEPT = "accept"
    SHIP = "ship"
    ARRIVE = "arrive"
    RETURN = "return"
    DENY = "deny"
    ASK_AGAIN = "ask_again"
    CLOSE = "close"


class NotAllowed(Exception):
    """The state of the case does not allow that; the text is a sentence."""


TABLE: dict[State, dict[Event, State]] = {
    State.DRAFT: {Event.SEND: State.SENT, Event.CLOSE: State.CLOSED},
    # Some vendors ship without saying first that they will.
    State.SENT: {
        Event.ACCEPT: State.ACCEPTED, Event.SHIP: State.SHIPPED, Event.DENY: State.DENIED, Event.CLOSE: State.CLOSED,
    },
    State.ACCEPTED: {Event.SHIP: State.SHIPPED, Event.DENY: State.DENIED, Event.CLOSE: State.CLOSED},
    State.SHIPPED: {Event.ARRIVE: State.ARRIVED, Event.CLOSE: State.CLOSED},
    State.ARRIVED: {Event.RETURN: State.RETURNED, Event.CLOSE: State.CLOSED},
    State.RETURNED: {Event.CLOSE: State.CLOSED},
    State.DENIED: {Event.ASK_AGAIN: State.SENT, Event.CLOSE: State.CLOSED},
    State.CLOSED: {},
}  # fmt: skip

NEEDS_REASON = frozenset({Event.DENY, Event.ASK_AGAIN, Event.CLOSE})
"""Events that say nothing by themselves: whoever causes them says why."""
OPEN = tuple(state.value for state in State if state is not State.CLOSED)
OWED = (State.SHIPPED.value, State.ARRIVED.value)
"""The vendor has sent a part, and the failed one has not gone back."""
MOST_DENIALS = {Vendor.DELL: 3}
"""Denied more often than this, a dispatch is not asked for again: a new one is made (TechDirect self-dispatch)."""


def next_state(state: str, event: Event, *, vendor: str = "", denials: int = 0) -> State:
    """Raises NotAllowed."""
    after = TABLE[State(state)].get(event)
    if after is None:
        raise NotAllowed(f"A case that is {state} takes no {event.value.replace('_', ' ')}.")
    most = MOST_DENIALS.get(Vendor(vendor)) if vendor else None
    if event is Event.ASK_AGAIN and most is not None and denials > most:
        raise NotAllowed(f"It was denied {denials} times: close it and open a new case.")
    return after


def allowed(state: str, *, vendor: str = "", denials: int = 0) -> list[str]:
    """The events that a case takes now, in the order of the table."""
    found = []
    for event in TABLE[State(state)]:
        try:
            next_state(state, event, vendor=vendor, denials=denials)
        except NotAllowed:
            continue
        found.append(event.value)
    return found


def return_due(shipped: date, days: int) -> date:
    """The day by which the failed part must be with the vendor."""
    return shipped + timedelta(days=days)


def days_overdue(state: str, due: date | None, today: date, *, owed: bool = True) -> int:
    """Days since the failed part should have gone back; 0 where it has, or none is owed."""
    if due is None or not owed or state not in OWED:
        return 0
    return max(0, (today - due).days)
