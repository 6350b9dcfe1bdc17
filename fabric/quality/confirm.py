"""When a link counts as bad, and when as good again: one window may be a coincidence, the second is not. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from fabric.quality.judge import Judgement, State

EVENTS = frozenset({"link_downed", "integrity_errors", "overruns"})
"""What is counted by the piece: each is a fact, and need not happen again to be believed at the second look."""


class Alarm(StrEnum):
    NONE = "none"
    SUSPECTED = "suspected"  # bad once
    BAD = "bad"  # bad in a second window too
    RECOVERING = "recovering"  # ok once after bad


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a link stands, and since when it was first seen so."""

    alarm: Alarm = Alarm.NONE
    since: datetime | None = None


def follow(standing: Standing, judgement: Judgement, newest: State, at: datetime, window: timedelta) -> Standing:
    """Where a link stands after one more judgement.

    `newest` is what the readings since the last look say alone: a burst of errors that a long window still holds is
    not seen a second time. Unknown changes nothing: neither does it confirm nor does it clear.
    """
    if judgement.state is State.UNKNOWN:
        return standing
    due = standing.since is not None and at - standing.since >= window
    if judgement.state is State.BAD:
        again = newest in (State.BAD, State.WATCH) or any(m.name in EVENTS for m in judgement.at_worst())
        match standing.alarm:
            case Alarm.NONE:
                return Standing(Alarm.SUSPECTED, at)
            case Alarm.SUSPECTED if due and again:
                return Standing(Alarm.BAD, at)
            case Alarm.RECOVERING:
                return Standing(Alarm.BAD, at)
            case _:
                return standing
    match standing.alarm:
        case Alarm.SUSPECTED:
            return Standing()
        case Alarm.BAD:
            return Standing(Alarm.RECOVERING, at)
        case Alarm.RECOVERING if due:
            return Standing()
        case _:
            return standing
