"""What follows when a fault is confirmed: from a note to a drain at once. Pure.

The class of a fault says it (`data/fault_classes.csv`), a site may say otherwise, and so many of a class on one
machine may ask for more. Unknown is never harmless: a class that nobody knows is drained.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Response(StrEnum):
    """From the mildest to the hardest, in the words of schedulers.

    note       shown on the machine; no ticket, and it goes on working
    ticket     a repair ticket; the machine stays in service
    cordon     no new jobs; it returns by itself when its checks pass again
    drain      no new jobs, out of service when the running one ended; only a verification brings it back
    drain_now  as drain, before every other drain, with an urgent ticket: whatever runs there is in danger

    Nothing of this ends a job: that is left to whoever runs it.
    """

    NOTE = "note"
    TICKET = "ticket"
    CORDON = "cordon"
    DRAIN = "drain"
    DRAIN_NOW = "drain_now"

    @property
    def rank(self) -> int:
        """The larger the harder."""
        return _RANKS[self]

    @property
    def takes_out(self) -> bool:
        """Whether the machine gets no new jobs."""
        return self.rank >= _RANKS[Response.CORDON]

    @property
    def opens_ticket(self) -> bool:
        return self is not Response.NOTE


_RANKS: dict[Response, int] = {response: rank for rank, response in enumerate(Response)}
UNKNOWN_CLASS = Response.DRAIN
IN_SERVICE: tuple[Response, ...] = tuple(response for response in Response if not response.takes_out)
"""Responses that leave the machine to its jobs."""
TAKES_OUT_FOR_GOOD: tuple[Response, ...] = (Response.DRAIN, Response.DRAIN_NOW)
"""Responses that only a verification ends."""


def hardest(responses: Iterable[Response], default: Response = Response.NOTE) -> Response:
    return max(responses, key=lambda response: response.rank, default=default)


@dataclass(frozen=True)
class Escalation:
    """With `count` confirmed faults of a class or more, in different slots of one machine, each responds as `then`."""

    count: int
    then: Response

    def __post_init__(self) -> None:
        if self.count < 2:
            raise ValueError("an escalation counts from 2 on")


@dataclass(frozen=True)
class Rule:
    """What holds for a class on one machine: the table's line, or what the site put in its place."""

    response: Response = UNKNOWN_CLASS
    escalation: Escalation | None = None


@dataclass(frozen=True)
class Standing:
    """An open fault as far as its response goes; `leader` is the key of the fault that it is evidence of."""

    slot: str
    fault_class: str
    confirmed: bool
    leader: tuple[str, str] | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.slot, self.fault_class


def respond(faults: Iterable[Standing], rules: Mapping[str, Rule]) -> dict[tuple[str, str], Response]:
    """What each open fault of one machine asks for, by (slot, class). A leader asks for the hardest of its group.

    Only what is confirmed counts: for the number of a class, and for what a leader takes over.
    """
    faults = list(faults)
    slots: dict[str, set[str]] = defaultdict(set)
    for fault in faults:
        if fault.confirmed:
            slots[fault.fault_class].add(fault.slot)
    own = {fault.key: _own(rules.get(fault.fault_class, Rule()), len(slots[fault.fault_class])) for fault in faults}
    found = dict(own)
    for fault in faults:
        if fault.confirmed and fault.leader in found:
            found[fault.leader] = hardest((found[fault.leader], own[fault.key]))
    return found


def _own(rule: Rule, count: int) -> Response:
    if rule.escalation is None or count < rule.escalation.count:
        return rule.response
    return hardest((rule.response, rule.escalation.then))
