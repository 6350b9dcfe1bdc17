"""What stands in the racks, what it hangs on, and what cools it. Plain values; places are in rack units.

A machine without any cord here is powered from elsewhere: its cords are not known, and it never goes dark.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Literal

Kind = Literal["machine", "switch"]
VENDORS = ("apc", "raritan", "sentry", "eaton", "vertiv")
"""Makers of rack PDUs whose tables the hall has."""
BANKS = 6


@dataclass(frozen=True)
class RackPlan:
    """`top_down`: U1 is the highest unit."""

    name: str
    room: str = ""
    row: str = ""
    height_u: int = 48
    top_down: bool = False

    def span(self, from_u: float, to_u: float) -> tuple[float, float]:
        """Units by their printed numbers, both included, as heights above the floor of the rack."""
        low, high = sorted((from_u, to_u))
        return (self.height_u - high, self.height_u - low + 1) if self.top_down else (low - 1, high)


@dataclass(frozen=True)
class Cord:
    """From a supply to an outlet of a PDU."""

    supply: str
    pdu: str
    outlet: str


@dataclass(frozen=True)
class DevicePlan:
    """`low` and `high` are heights in the rack, in units. `supplies` also lists those without a cord."""

    name: str
    kind: Kind
    rack: str
    low: float
    high: float
    planned_w: float
    gpus: int = 0
    gpu_limit_w: float = 700.0
    supplies: tuple[str, ...] = ()
    supply_rated_w: float | None = None
    cords: tuple[Cord, ...] = ()


@dataclass(frozen=True)
class FeedPlan:
    """`voltage_v` is between phases where there are three."""

    name: str
    side: str = ""
    voltage_v: float = 415.0
    current_a: float = 100.0
    phases: int = 3

    @property
    def capacity_w(self) -> float:
        return self.voltage_v * self.current_a * (sqrt(3) if self.phases == 3 else 1)

    @property
    def outlet_v(self) -> float:
        """Between a phase and neutral."""
        return self.voltage_v / sqrt(3) if self.phases == 3 else self.voltage_v


@dataclass(frozen=True)
class PduPlan:
    """`outlets` in their order: the device counts them from 1. They take turns on its banks, and banks on phases."""

    name: str
    rack: str
    feed: str
    vendor: str = "apc"
    outlets: tuple[str, ...] = ()
    bank_a: float = 63.0

    @property
    def banks(self) -> int:
        return min(BANKS, max(1, len(self.outlets)))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Outlet to its place, from 0."""
        return {name: number for number, name in enumerate(self.outlets)}


@dataclass(frozen=True)
class CoolingPlan:
    """A unit that makes cold water for coolers at these racks, each behind a manifold of its own."""

    name: str
    room: str
    racks: tuple[str, ...]
    capacity_w: float
    pumps: int = 2


@dataclass(frozen=True)
class HeatPlan:
    site: str
    racks: tuple[RackPlan, ...]
    devices: tuple[DevicePlan, ...]
    feeds: tuple[FeedPlan, ...]
    pdus: tuple[PduPlan, ...]
    cooling: tuple[CoolingPlan, ...]
