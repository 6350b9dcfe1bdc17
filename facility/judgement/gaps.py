"""Open gaps in the front of a rack: which to close with a blanking panel, in which order, and what it brings.

The model is simple on purpose, and its numbers are a forecast that the measurement after the work replaces:

* What a machine takes in above the coolest air of its rack has returned from behind.
* It returned through the open gaps near the machine, and by other ways (over the top, past the rails). A gap counts
  with its height in units, and less with distance: to 1/e at six units. Hot air rises: a gap above a machine counts
  half of one below it. The other ways together count as much as half a unit right beside the machine.
* A closed gap lets nothing through.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import NamedTuple

from facility.judgement.air import MachineAir, Point, RackAir, coolest_c, profile
from facility.judgement.readings import several

REACH_U = 6.0
ABOVE = 0.5
OTHER_WAYS_U = 0.5
NEAR_U = 8  # further away a gap is not named as the way of warm air
FELT_C = 0.3  # less is below what a sensor tells apart


class Gap(NamedTuple):
    """Open units, both ends included."""

    from_u: int
    to_u: int

    @property
    def height_u(self) -> int:
        return self.to_u - self.from_u + 1


@dataclass(frozen=True, slots=True)
class GapAdvice:
    """Close `from_u` to `to_u` with panels of `panel_u` units in all.

    `benefit_c` is the mean over `machines`, those that feel it; `fans_w` what their fans draw less (cube law), None
    where nobody knows what they draw.
    """

    from_u: int
    to_u: int
    panel_u: int
    benefit_c: float
    machines: tuple[int, ...]
    fans_w: float | None = None

    def text(self) -> str:
        where = f"U{self.from_u}-{self.to_u}" if self.panel_u > 1 else f"U{self.from_u}"
        fans = f", fans −{self.fans_w:.0f} W" if self.fans_w else ""
        cooler = f"−{self.benefit_c:.1f} °C at {several(len(self.machines), 'machine')}"
        return f"Close {where} with {self.panel_u}U of panels: {cooler}{fans}."


def gaps_of(open_u: Iterable[int]) -> list[Gap]:
    """Neighbouring open units together, from the bottom up."""
    found: list[Gap] = []
    for unit in sorted(set(open_u)):
        if found and found[-1].to_u == unit - 1:
            found[-1] = Gap(found[-1].from_u, unit)
        else:
            found.append(Gap(unit, unit))
    return found


def gaps_near(open_u: Iterable[int], spans: Sequence[tuple[int, int]]) -> list[Gap]:
    """Gaps within reach of any of these machines (lowest and highest unit of each)."""
    return [gap for gap in gaps_of(open_u) if any(_distance_u(gap, low, high) <= NEAR_U for low, high in spans)]


def gaps_to_close(rack: RackAir) -> list[GapAdvice]:
    """By benefit, summed over the machines that feel it. Gaps that nobody would feel are left out."""
    advice = []
    for gap in gaps_of(rack.open_u):
        felt = {
            machine.device_id: less
            for machine in rack.machines
            if (less := benefit_c(rack, machine, [gap])) is not None and less >= FELT_C
        }
        if felt:
            mean = sum(felt.values()) / len(felt)
            advice.append(
                GapAdvice(gap.from_u, gap.to_u, gap.height_u, mean, tuple(felt), _fans_saved_w(rack.machines, felt))
            )
    return sorted(advice, key=lambda each: (-each.benefit_c * len(each.machines), each.from_u))


def benefit_c(rack: RackAir, machine: MachineAir, closed: Iterable[Gap]) -> float | None:
    """How much cooler its inlet gets with these gaps closed; None where its inlet is not known."""
    if machine.inlet_c is None:
        return None
    return _benefit_c(rack, machine.bottom_u, machine.bottom_u + machine.height_u - 1, machine.inlet_c, closed)


def profile_after(rack: RackAir, closed: Sequence[Gap] | None = None) -> list[Point]:
    """The profile with these gaps closed, all of them by default: for the picture."""
    spans = {each.device_id: (each.bottom_u, each.bottom_u + each.height_u - 1) for each in rack.machines}
    gaps = gaps_of(rack.open_u) if closed is None else closed
    after = []
    for point in profile(rack):
        low, high = spans.get(point.device_id or 0, (round(point.at_u), round(point.at_u)))
        less = _benefit_c(rack, low, high, point.temperature_c, gaps)
        after.append(point._replace(temperature_c=point.temperature_c - less))
    return after


def _benefit_c(rack: RackAir, low_u: int, high_u: int, inlet_c: float, closed: Iterable[Gap]) -> float:
    coolest = coolest_c(rack)
    above_c = 0.0 if coolest is None else inlet_c - coolest
    every = sum(_weight(gap, low_u, high_u) for gap in gaps_of(rack.open_u)) + OTHER_WAYS_U
    return max(0.0, above_c) * sum(_weight(gap, low_u, high_u) for gap in closed) / every


def _weight(gap: Gap, low_u: int, high_u: int) -> float:
    near = gap.height_u * exp(-_distance_u(gap, low_u, high_u) / REACH_U)
    return near * (ABOVE if gap.from_u > high_u else 1.0)


def _distance_u(gap: Gap, low_u: int, high_u: int) -> int:
    """Units between a gap and a machine: none where they touch."""
    return max(0, gap.from_u - high_u - 1, low_u - gap.to_u - 1)


def _fans_saved_w(machines: Iterable[MachineAir], felt: Mapping[int, float]) -> float | None:
    """Flow that holds a GPU at its temperature falls as its inlet gets further away; power with its cube."""
    saved = []
    for machine in machines:
        less, inlet_c, hot_c = felt.get(machine.device_id), machine.inlet_c, machine.hottest_gpu_c
        if less and machine.fans_w is not None and inlet_c is not None and hot_c is not None and hot_c > inlet_c:
            ratio = (hot_c - inlet_c) / (hot_c - inlet_c + less)
            saved.append(machine.fans_w * (1 - ratio**3))
    return sum(saved) if saved else None
