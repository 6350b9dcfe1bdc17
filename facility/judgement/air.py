"""Air at the front and the back of racks: heights, temperatures and how they differ. Pure.

°C throughout. Heights are rack units from the bottom, 1 first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from facility.judgement.limits import SiteLimits
from facility.judgement.readings import total

SAME_HEIGHT_U = 2
NEIGHBOURS = 2  # racks to each side in the same row


@dataclass(frozen=True, slots=True)
class MachineAir:
    """`fans_rpm` by name of the fan. `fans_w` is what all of them draw. `gpus_w` is that of each GPU that was read,
    `hottest_gpu_c` the warmest of them; `planned_w` is what its model draws at most.
    """

    device_id: int
    name: str
    bottom_u: int
    height_u: int
    model: str = ""
    air_class: str = ""
    inlet_c: float | None = None
    power_w: float | None = None
    fans_rpm: Mapping[str, float | None] = field(default_factory=dict)
    fans_w: float | None = None
    gpus_w: tuple[float | None, ...] = ()
    hottest_gpu_c: float | None = None
    planned_w: float | None = None

    @property
    def middle_u(self) -> float:
        return self.bottom_u + (self.height_u - 1) / 2

    @property
    def heat_w(self) -> float | None:
        """What its fans carry away, without what they draw themselves: that of its GPUs, where it has any; else all of
        it. None where a part of it is not known.
        """
        return total(self.gpus_w).value if self.gpus_w else self.power_w


@dataclass(frozen=True, slots=True)
class RackAir:
    """`open_u` are units at the front with neither device nor blanking panel; `position` is its place in its row."""

    rack_id: int
    name: str
    room_id: int | None = None
    row: str = ""
    position: int = 0
    machines: tuple[MachineAir, ...] = ()
    open_u: frozenset[int] = frozenset()


class Point(NamedTuple):
    """One measured temperature of the front of a rack."""

    at_u: float
    temperature_c: float
    name: str
    device_id: int | None = None


# ---- values ----


def profile(rack: RackAir) -> list[Point]:
    """The front of a rack from the bottom up: inlets of machines at their middle."""
    points = [
        Point(machine.middle_u, machine.inlet_c, machine.name, machine.device_id)
        for machine in rack.machines
        if machine.inlet_c is not None
    ]
    return sorted(points, key=lambda point: (point.at_u, point.name))


def coolest_c(rack: RackAir) -> float | None:
    """What reaches the rack before anything returns to it: the coolest of its front."""
    return min((point.temperature_c for point in profile(rack)), default=None)


def rise_c_per_min(
    series: Sequence[tuple[float, float | None]], limits: SiteLimits, window_s: float | None = None
) -> float | None:
    """How fast a temperature rises: (seconds, °C) in the window before the last value; the usual one, if none is given.

    The median slope of all pairs: one wrong value in five does not move it. None with fewer than four values, or where
    they cover less than half of the window.
    """
    known = [(at, value) for at, value in series if value is not None]
    if not known:
        return None
    last = max(at for at, _ in known)
    window_s = window_s or limits.rise_window_s
    near = sorted(pair for pair in known if pair[0] >= last - window_s)
    if len(near) < 4 or near[-1][0] - near[0][0] < window_s / 2:
        return None
    slopes = [(b - a) / (t - s) for i, (s, a) in enumerate(near) for t, b in near[i + 1 :] if t > s]
    return median(slopes) * 60 if slopes else None


def neighbours_c(rack: RackAir, racks: Iterable[RackAir], at_u: float) -> list[float]:
    """What was measured at this height in up to two racks to each side of the same row."""
    beside = [
        other
        for other in racks
        if other.rack_id != rack.rack_id
        and (other.room_id, other.row) == (rack.room_id, rack.row)
        and abs(other.position - rack.position) <= NEIGHBOURS
    ]
    return [p.temperature_c for other in beside for p in profile(other) if abs(p.at_u - at_u) <= SAME_HEIGHT_U]
