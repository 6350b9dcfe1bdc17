"""Which levels of an escalation are due. Pure: it remembers nothing, so a crash changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Level:
    """`channels` are those of its target now: none when nobody is on call, or who is has no channel."""

    number: int
    after_min: int
    channels: tuple[int, ...]
    who: str = ""


@dataclass(frozen=True)
class Call:
    """A level that is due. `instead` says which levels before it reached nobody."""

    level: Level
    instead: tuple[int, ...] = ()


def due(levels: Sequence[Level], waiting_since: datetime, now: datetime, called: Collection[int] = ()) -> list[Call]:
    """Levels to call now, without those that were called. One that reaches nobody passes its turn to the next at once:
    a gap in the rota must not be silence."""
    calls: list[Call] = []
    skipped: list[int] = []
    earlier = False
    for level in sorted(levels, key=lambda level: level.number):
        reached = waiting_since + timedelta(minutes=level.after_min) <= now
        if not reached and not earlier:
            break
        if level.number in called:
            skipped, earlier = [], False
        elif not level.channels:
            skipped.append(level.number)
            earlier = True
        else:
            calls.append(Call(level, tuple(skipped)))
            skipped, earlier = [], False
    return calls
