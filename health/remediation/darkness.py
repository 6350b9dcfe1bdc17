"""Whether a machine is expected to be dark, so that its links say nothing about cables. Pure.

A reboot, a power cycle, an installation or hands in the machine take its links down. That is no fault of the fabric,
for as long as it may take; when the time is over, dark is dark again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from health.machines.lifecycle import State
from health.machines.sla import LIMITS_S

GRACE = timedelta(minutes=15)  # links train, the machine starts, and the fabric is read once more
OFF = timedelta(hours=24)  # a machine that its BMC says is off
# Hands, an installation or a remedy are on it, for as long as its state may last.
HANDS: Mapping[State, str] = {
    State.PROVISIONING: "it is being installed",
    State.REMEDIATING: "a remedy is in progress",
    State.REPAIR: "it is in repair",
    State.RMA: "it was sent off",
    State.MAINTENANCE: "it is in maintenance",
    State.VERIFYING: "it was just worked on and is being verified",
}


@dataclass(frozen=True)
class PowerAction:
    """A remedy that took the machine dark: until its end, or until its deadline while that is not known."""

    title: str
    sent_at: datetime
    deadline: datetime
    finished_at: datetime | None = None


@dataclass(frozen=True)
class Lights:
    """What is known of one machine.

    seen_at            when it last answered
    maintenance_until  the end that was planned
    returned_at        when it came back to service, where what its links counted on the way is asked about
    """

    state: str
    state_since: datetime
    power: str = "unknown"
    seen_at: datetime | None = None
    maintenance_until: datetime | None = None
    actions: Sequence[PowerAction] = ()
    returned_at: datetime | None = None


@dataclass(frozen=True)
class Excuse:
    reason: str
    until: datetime


def excuse(lights: Lights, now: datetime) -> Excuse | None:
    """Why a machine's links may be dark now, and until when; of several what holds longest. None: they may not."""
    return max((each for each in _all(lights) if each.until > now), key=lambda each: each.until, default=None)


def _all(lights: Lights) -> list[Excuse]:
    found = [
        Excuse(f"{action.title} at {action.sent_at:%H:%M} UTC", (action.finished_at or action.deadline) + GRACE)
        for action in lights.actions
    ]
    if lights.state in HANDS:
        state = State(lights.state)
        planned = lights.maintenance_until if state is State.MAINTENANCE else None
        limit = timedelta(seconds=LIMITS_S[state])
        found.append(Excuse(HANDS[state], (planned or lights.state_since) + limit))
    if lights.returned_at is not None:
        found.append(Excuse("it just returned to service", lights.returned_at + GRACE))
    if lights.power == "off":
        found.append(Excuse("it is powered off", (lights.seen_at or lights.state_since) + OFF))
    return found
