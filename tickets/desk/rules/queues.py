"""Whose queue a ticket stands in, by rule. Pure: no database, no clock.

What a site says comes first, then what the ticket is about, then its class of fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import NamedTuple

from health.checks.faults import FAULT_CLASSES
from provisioning.failures.owners import OWNERS, Owner
from provisioning.steps import FailureClass


class Queue(StrEnum):
    HANDS = "hands"
    """A technician at the rack."""
    VENDOR = "vendor"
    NETWORK = "network"
    OWN = "own"
    """Whoever runs the service: software, settings, passwords."""


class Rule(NamedTuple):
    """What a site says: `classes` is a class of fault or a pattern with `*`, such as `gpu.*`."""

    classes: str
    queue: Queue


class Subject(NamedTuple):
    """What the rules look at."""

    fault_class: str
    subject: str = "machine"
    source: str = "fault"
    cause: str = ""
    """Of an incident: what its machines have in common."""


OF_OWNERS: Mapping[Owner, Queue] = {
    Owner.HANDS: Queue.HANDS,
    Owner.VENDOR: Queue.VENDOR,
    Owner.NETWORK: Queue.NETWORK,
    Owner.OPERATOR: Queue.OWN,
}
OF_CAUSES: Mapping[str, Queue] = {
    "switch": Queue.NETWORK,
    "management": Queue.NETWORK,
    "rollout": Queue.OWN,
    "site": Queue.OWN,
    "rack": Queue.HANDS,
    "row": Queue.HANDS,
    "room": Queue.HANDS,
    "feed": Queue.HANDS,
    "cooling": Queue.HANDS,
}
OF_CLASSES: Mapping[str, Queue] = {
    # boards that only the vendor opens
    "nvswitch.fatal": Queue.VENDOR,
    "pcie.switch": Queue.VENDOR,
    # the link is up, the subnet manager is not
    "hca.fabric": Queue.NETWORK,
}
BY_HAND = frozenset({"hca.failing", "pcie.error"})
"""Their procedure is the general one, and yet something is reseated."""
FROM_A_DESK = frozenset({"inspect", "reset-gpu", "firmware", "bmc-password"})
"""Runbooks that ask for nobody at the rack."""


def queue_of(ticket: Subject, rules: Sequence[Rule] = ()) -> Queue:
    """The queue of a ticket; what nobody knows goes to hands on site, where somebody looks at it."""
    for rule in rules:
        if fnmatchcase(ticket.fault_class, rule.classes):
            return Queue(rule.queue)
    if ticket.cause:
        return OF_CAUSES.get(ticket.cause, Queue.HANDS)
    if ticket.subject == "switch":
        return Queue.NETWORK
    if ticket.fault_class.startswith("provisioning."):
        return _of_failure(ticket.fault_class.partition(".")[2])
    if ticket.fault_class in OF_CLASSES:
        return OF_CLASSES[ticket.fault_class]
    known = FAULT_CLASSES.get(ticket.fault_class)
    from_desk = known is not None and known.steps in FROM_A_DESK and ticket.fault_class not in BY_HAND
    return Queue.OWN if from_desk else Queue.HANDS


def _of_failure(name: str) -> Queue:
    try:
        return OF_OWNERS[OWNERS[FailureClass(name)]]
    except (ValueError, KeyError):
        return Queue.HANDS
