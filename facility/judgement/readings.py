"""What was measured, as plain values, and sums that say how much of them is known.

A value that is missing, late or impossible is None here; whoever fills these in has its reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Literal, NamedTuple

State = Literal["ok", "near", "over", "unknown"]
STATES: tuple[State, ...] = ("over", "unknown", "near", "ok")  # worst first
ENOUGH_PEERS = 8
MAD_TO_SIGMA = 1.4826  # of a normal distribution
SIGMAS = 5


class Sum(NamedTuple):
    """A sum of `of` values of which `known` are known: `at_least` is the sum of those, never presented as the whole."""

    at_least: float
    known: int
    of: int

    @property
    def value(self) -> float | None:
        """The whole; None while a part of it is missing."""
        return self.at_least if self.of and self.known == self.of else None

    def kw(self) -> str:
        """As people read it: `≥ 12.3 kW (3 of 4 measured)`."""
        if not self.known:
            return "not known"
        text = f"{self.at_least / 1000:.1f} kW"
        return text if self.value is not None else f"≥ {text} ({self.known} of {self.of} measured)"


def total(values: Iterable[float | None]) -> Sum:
    listed = list(values)
    known = [value for value in listed if value is not None]
    return Sum(sum(known), len(known), len(listed))


def added(sums: Iterable[Sum]) -> Sum:
    """Sums of sums: parts of nothing count as one that is missing."""
    at_least, known, of = 0.0, 0, 0
    for each in sums:
        at_least, known, of = at_least + each.at_least, known + each.known, of + max(each.of, 1)
    return Sum(at_least, known, of)


def best(*sums: Sum) -> Sum:
    """The same thing measured in several ways, best way first: the first whole one, else the highest lower bound."""
    for each in sums:
        if each.value is not None:
            return each
    return max(sums, key=lambda each: each.at_least, default=Sum(0, 0, 0))


def state_of(load: Sum, limit: float | None, near_percent: float) -> State:
    """A lower bound can be over a limit, never safely below it."""
    if limit is None or not load.known:
        return "unknown"
    if load.at_least > limit:
        return "over"
    if load.at_least >= limit * near_percent / 100:
        return "near"
    return "ok" if load.value is not None else "unknown"


def away_from_peers(value: float, peers: Sequence[float], percent: float) -> tuple[float, float] | None:
    """Median of its peers and how many percent it is away, if that is more than their spread explains.

    More than five sigmas by the median absolute deviation, and more than `percent`, so that peers that agree to the
    watt do not make a watt a finding. With fewer than eight peers nobody can tell.
    """
    if len(peers) < ENOUGH_PEERS:
        return None
    middle = median(peers)
    spread = MAD_TO_SIGMA * median(abs(peer - middle) for peer in peers)
    off = value - middle
    if middle <= 0 or abs(off) <= max(SIGMAS * spread, middle * percent / 100):
        return None
    return middle, off / middle * 100


def several(count: int, noun: str) -> str:
    """`1 machine`, `3 machines`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


# ---- what a PDU and a machine measure ----


@dataclass(frozen=True, slots=True)
class PhaseReading:
    name: str
    current_a: float | None = None
    power_w: float | None = None


@dataclass(frozen=True, slots=True)
class BreakerReading:
    name: str
    current_a: float | None = None
    rated_a: float | None = None


@dataclass(frozen=True, slots=True)
class OutletReading:
    """`recorded` says whether the inventory has a cord in it; `inlet_id` is the port at its other end."""

    name: str
    power_w: float | None = None
    recorded: bool = False
    inlet_id: int | None = None


@dataclass(frozen=True, slots=True)
class PduReading:
    """`inlets_w` has one value for each inlet that the PDU has."""

    pdu_id: int
    inlets_w: tuple[float | None, ...] = ()
    phases: tuple[PhaseReading, ...] = ()
    breakers: tuple[BreakerReading, ...] = ()
    outlets: tuple[OutletReading, ...] = ()


@dataclass(frozen=True, slots=True)
class SupplyReading:
    """`inlet_id` is the port of the inventory that its cord goes into, if it is known. `dead`: what its BMC says of it;
    None where it says nothing. One that is `absent` may be a bay that was never filled."""

    name: str
    power_w: float | None = None
    inlet_id: int | None = None
    dead: bool | None = None
    absent: bool = False

    @property
    def carries_w(self) -> float | None:
        """As measured; a dead one of which no watts are told carries none."""
        return 0.0 if self.power_w is None and self.dead else self.power_w


@dataclass(frozen=True, slots=True)
class GpuReading:
    name: str
    power_w: float | None = None
    limit_w: float | None = None
    temperature_c: float | None = None


@dataclass(frozen=True, slots=True)
class MachineReading:
    """`power_w` is what its BMC measures; `gpu_load` is the mean of its GPUs from 0 to 1; at `slowdown_c` the clocks of
    the first of them fall."""

    device_id: int
    model: str = ""
    power_w: float | None = None
    gpu_load: float | None = None
    supplies: tuple[SupplyReading, ...] = ()
    gpus: tuple[GpuReading, ...] = ()
    slowed_hot: float | None = None
    slowed_capped: float | None = None
    slowed_braked: float | None = None
    slowdown_c: float | None = None


@dataclass(frozen=True, slots=True)
class RackFacts:
    id: int
    name: str
    limit_w: float | None = None
    row: str = ""
    room_id: int | None = None


LoadKey = tuple[str, int, str]
"""What carries a load: `rack`, `pdu`, `phase`, ... with its id, and the name of a phase or breaker of that PDU."""


@dataclass(frozen=True)
class Readings:
    """By id of PDU, device and rack. What is not in here was not measured. `peaks`: the most of a day, in W or A."""

    pdus: Mapping[int, PduReading] = field(default_factory=dict)
    machines: Mapping[int, MachineReading] = field(default_factory=dict)
    racks: Mapping[int, RackFacts] = field(default_factory=dict)
    rooms: Mapping[int, str] = field(default_factory=dict)
    others: Mapping[int, MachineReading] = field(default_factory=dict)  # switches that tell of their supplies
    peaks: Mapping[LoadKey, float] = field(default_factory=dict)
