"""What can be decided about a machine in MAAS or Ironic, and what either is told because of our states. Pure.

A step looks, decides on one thing, and looks again: what was ordered twice, or by a worker that was lost, is met as the
state that it led to. What a step must know of its beginning (`Memory`) is stored before its first order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from health.machines.lifecycle import State
from provisioning.identity import both_orders
from provisioning.steps import FailureClass

Memory = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Order:
    """`operation`: one of the service's own."""

    operation: StrEnum


@dataclass(frozen=True, slots=True)
class Remember:
    """To be stored before anything is ordered."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class Wait:
    """`works`: the service is at it, so what ran on the machine runs no more."""

    text: str
    works: bool = False


@dataclass(frozen=True, slots=True)
class Reached:
    text: str


@dataclass(frozen=True, slots=True)
class Lost:
    """It cannot succeed any more. `asks`: the service has more to say about why."""

    failure: FailureClass
    text: str
    asks: bool = False


Decision = Order | Remember | Wait | Reached | Lost


def contradiction(who: str, seen_serial: str, seen_uuid: str, *, serial: str, uuid: UUID | None) -> str:
    """How what `who` has of a machine contradicts the inventory; empty when it does not, or knows neither."""
    seen = seen_serial.strip().upper()
    if serial and seen not in ("", "UNKNOWN") and seen != serial.upper():
        return f"the inventory has serial {serial}, {who} has {seen_serial}"
    try:
        told = both_orders(UUID(seen_uuid))
    except ValueError:
        return ""
    if uuid is not None and uuid not in told:
        return f"the inventory has system UUID {uuid}, {who} has {seen_uuid}"
    return ""


# ---- outside of runs ----


class Kind(StrEnum):
    """What is written to it because of the state of a machine here. To Ironic, broken is maintenance."""

    MARK_BROKEN = "mark_broken"
    MARK_FIXED = "mark_fixed"
    RELEASE = "release"


IN_REPAIR = frozenset({State.TRIAGE, State.REPAIR, State.RMA})


def wish(state: str, last: str, *, cancelled: bool) -> Kind | None:
    """What it should be told now; None when nothing, or when it was told. `last`: what it was told last.

    `cancelled`: the machine's newest run was of this service and was cancelled.
    """
    wanted: Kind | None = None
    if state in IN_REPAIR:
        wanted = Kind.MARK_BROKEN
    elif state == State.READY and last == Kind.MARK_BROKEN:
        wanted = Kind.MARK_FIXED
    elif state == State.RETIRED or (state == State.NEW and cancelled):
        wanted = Kind.RELEASE
    return None if wanted == last else wanted


def still_wanted(kind: Kind, state: str) -> bool:
    """Whether a write that was planned is still right for the machine's state."""
    return wish(state, "" if kind is not Kind.MARK_FIXED else Kind.MARK_BROKEN, cancelled=True) is kind


class Verdict(StrEnum):
    SEND = "send"
    LATER = "later"
    NEEDLESS = "needless"
    HELD_BACK = "held_back"


Due = tuple[Verdict, str]
"""Whether it is still right to write something, and the reason where it is not."""
