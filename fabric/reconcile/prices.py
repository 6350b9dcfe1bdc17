"""What a move costs: how far a hand carries the plug, whether the cable reaches, how many live links are drained first.

Prices only choose between solutions with equally few insertions; they never buy an additional one. A price of infinity
forbids: that cable is taken out and a new one is run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from fabric.facts import NOWHERE, Place, PlannedPort

RackKey = tuple[str, str]  # room and rack: racks of two rooms may share a name


@dataclass(frozen=True, slots=True)
class LengthTable:
    """The cable lengths of a site, in metres.

    `between` has the length between two racks, in either order, as measured along the trays. Elsewhere it is the way
    along x and y, and `slack_m` for going up and down the racks.
    """

    between: Mapping[tuple[RackKey, RackKey], float] = field(default_factory=dict)
    slack_m: float = 4.0

    def metres(self, one: Place, other: Place) -> float | None:
        """What a cable between two places needs, or None when neither the table nor the floor plan knows."""
        a, b = (one.room, one.rack), (other.room, other.rack)
        listed = self.between.get((a, b), self.between.get((b, a)))
        if listed is not None:
            return listed
        if one.x is None or one.y is None or other.x is None or other.y is None or one.room != other.room:
            return None
        return abs(one.x - other.x) + abs(one.y - other.y) + self.slack_m


@dataclass(frozen=True, slots=True)
class Prices:
    """All of it can be set. With `per_metre` the way between known places is priced by its length, else by class."""

    same_device: float = 1.0
    same_rack: float = 2.0
    same_row: float = 5.0
    elsewhere: float = 20.0
    per_metre: float | None = None
    too_short: float = 100.0
    wrong_type: float = math.inf
    drain: float = 10.0  # for each live link
    places: Mapping[str, Place] = field(default_factory=dict)  # by planned device
    lengths: LengthTable = field(default_factory=LengthTable)
    absent: frozenset[str] = frozenset()  # planned devices nobody saw: nothing is plugged into what may not be there

    def place(self, port: PlannedPort) -> Place:
        return self.places.get(port.device, NOWHERE)

    def way(self, one: PlannedPort, other: PlannedPort) -> float:
        """The price of carrying a plug from one port to another."""
        if other.device in self.absent:
            return math.inf
        if one.device == other.device:
            return self.same_device
        a, b = self.place(one), self.place(other)
        same_rack = bool(a.rack) and (a.room, a.rack) == (b.room, b.rack)
        if same_rack:
            return self.same_device if a.u is not None and a.u == b.u else self.same_rack
        if self.per_metre is not None:
            metres = self.lengths.metres(a, b)
            if metres is not None:
                return max(self.same_rack, metres * self.per_metre)
        if a.row and (a.room, a.row) == (b.room, b.row):
            return self.same_row
        return self.elsewhere

    def needed_m(self, one: PlannedPort, other: PlannedPort) -> float | None:
        """The length that a cable between two ports needs, or None when nothing is known of it."""
        return self.lengths.metres(self.place(one), self.place(other))
