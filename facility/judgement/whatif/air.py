"""Every inlet some degrees warmer.

Two laws that hold well enough for a question: at the same flow of air, a GPU warms as much as its inlet; and the flow
that holds a GPU at its temperature grows as the distance between GPU and inlet shrinks, while the power of the fans
grows with its cube.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from facility.judgement.limits import SiteLimits
from facility.judgement.readings import STATES, State, Sum, several
from facility.judgement.whatif.answers import Answer, RackAnswer, Trip


@dataclass(frozen=True, slots=True)
class Heat:
    """A machine in its air. `fans_w` is what all its fans draw now; `slowdown_c` is of its GPUs' model.

    `gpus_c` has one value for each GPU that it has, None where it is not known.
    """

    device_id: int
    name: str
    rack_id: int | None = None
    inlet_c: float | None = None
    air_class: str = ""
    gpus_c: tuple[float | None, ...] = ()
    slowdown_c: float | None = None
    fan_rpm: float | None = None
    fan_max_rpm: float | None = None
    fans_w: float | None = None


class Warmed(NamedTuple):
    """One machine after its inlet got warmer. `fan_ratio` is of its speed now."""

    inlet_c: float | None
    hottest_c: float | None
    fan_ratio: float | None
    extra_fans_w: float | None
    state: State
    why: str


def warmed(heat: Heat, more_c: float, limits: SiteLimits) -> Warmed:
    """Fans speed up until GPUs are as warm as before, or until they turn as fast as they can; then GPUs get warmer.

    Without a fan's speed and its highest, GPUs are taken to warm as much as the air: a guess from above.
    """
    if heat.inlet_c is None:
        return Warmed(None, None, None, None, "unknown", "its inlet is not known")
    inlet = heat.inlet_c + more_c
    hottest = max((c for c in heat.gpus_c if c is not None), default=None)
    ratio = _fan_ratio(heat, hottest, more_c)
    after = None
    if hottest is not None:
        after = inlet + (hottest - heat.inlet_c) / (ratio or 1.0)
    extra = None if ratio is None or heat.fans_w is None else heat.fans_w * (ratio**3 - 1)
    state, why = _warm_state(heat, inlet, after, limits)
    return Warmed(inlet, after, ratio, extra, state, why)


def _fan_ratio(heat: Heat, hottest_c: float | None, more_c: float) -> float | None:
    """How much faster fans must turn so that the hottest GPU stays as it is; at most what they can."""
    if hottest_c is None or heat.inlet_c is None or not heat.fan_rpm or not heat.fan_max_rpm:
        return None
    most = max(1.0, heat.fan_max_rpm / heat.fan_rpm)
    left = hottest_c - heat.inlet_c - more_c
    return most if left <= 0 else min(most, max((hottest_c - heat.inlet_c) / left, 0.0))


def _warm_state(heat: Heat, inlet_c: float, hottest_c: float | None, limits: SiteLimits) -> tuple[State, str]:
    air = limits.air(heat.air_class)
    name = heat.air_class or limits.air_class
    slows = heat.slowdown_c if heat.slowdown_c is not None else limits.gpu_near_c
    if inlet_c > air.allowable_high_c:
        return "over", f"{inlet_c:.1f} °C at the inlet; {name} allows {air.allowable_high_c:.0f} °C"
    if hottest_c is not None and hottest_c >= slows:
        return "over", f"a GPU at {hottest_c:.0f} °C slows down from {slows:.0f} °C"
    if None in heat.gpus_c:
        return "unknown", "a GPU's temperature is not known"
    if hottest_c is not None and hottest_c >= min(slows - limits.gpu_margin_c, limits.gpu_near_c):
        return "near", f"a GPU at {hottest_c:.0f} °C, near {slows:.0f} °C"
    if inlet_c > air.recommended_high_c:
        return "near", f"{inlet_c:.1f} °C at the inlet; {air.recommended_high_c:.0f} °C is recommended"
    return "ok", ""


def inlets_warmer(machines: Iterable[Heat], more_c: float, limits: SiteLimits) -> Answer:
    """Every inlet so many degrees warmer (or colder, if negative)."""
    by_rack: dict[int, list[tuple[Heat, Warmed]]] = defaultdict(list)
    trips: list[Trip] = []
    all_of_them = [(heat, warmed(heat, more_c, limits)) for heat in machines]
    for heat, after in all_of_them:
        if heat.rack_id is not None:
            by_rack[heat.rack_id].append((heat, after))
        if after.state == "over" and after.inlet_c is not None:
            trips.append(_hot_trip(heat, after, limits))
    racks = tuple(_warm_rack(rack, each) for rack, each in sorted(by_rack.items()))
    fans = [after.extra_fans_w for _, after in all_of_them]
    extra = sum(watts for watts in fans if watts is not None) if any(watts is not None for watts in fans) else None
    unknown = tuple(heat.device_id for heat, after in all_of_them if after.state == "unknown")
    ordered = tuple(sorted(trips, key=lambda trip: (trip.limit - trip.value, trip.name)))
    text = _warm_text(more_c, ordered, all_of_them, extra, len([watts for watts in fans if watts is None]))
    return Answer(f"inlet {more_c:+.0f} °C", racks, ordered, text, unknown=unknown, extra_fans_w=extra)


def _hot_trip(heat: Heat, after: Warmed, limits: SiteLimits) -> Trip:
    air = limits.air(heat.air_class)
    inlet = after.inlet_c or 0.0
    if inlet > air.allowable_high_c:
        return Trip("machine", heat.device_id, heat.name, inlet, air.allowable_high_c, "°C", False, after.why)
    slows = heat.slowdown_c if heat.slowdown_c is not None else limits.gpu_near_c
    return Trip("gpu", heat.device_id, heat.name, after.hottest_c or 0.0, slows, "°C", False, after.why)


def _warm_rack(rack_id: int, machines: list[tuple[Heat, Warmed]]) -> RackAnswer:
    worst = min(machines, key=lambda each: STATES.index(each[1].state))
    before = [heat.inlet_c for heat, _ in machines if heat.inlet_c is not None]
    after = [each.inlet_c for _, each in machines if each.inlet_c is not None]
    of = len(machines)
    hottest = Sum(max(before, default=0.0), len(before), of), Sum(max(after, default=0.0), len(after), of)
    why = f"{worst[0].name}: {worst[1].why}" if worst[1].why else ""
    return RackAnswer(rack_id, worst[1].state, *hottest, None, "°C", why)


def _warm_text(
    more_c: float,
    trips: Sequence[Trip],
    machines: Sequence[tuple[Heat, Warmed]],
    fans_w: float | None,
    unknown_fans: int,
) -> str:
    slowed, outside = ([t for t in trips if t.subject == subject] for subject in ("gpu", "machine"))
    parts = [f"{several(len(outside), 'machine')} outside the allowable range of their class"] if outside else []
    parts += [f"GPUs slow down in {several(len(slowed), 'machine')}"] if slowed else []
    parts += [f"the first is {trips[0].name}"] if trips else ["no machine slows down or leaves its class"]
    unknown = sum(after.state == "unknown" for _, after in machines)
    parts += [f"not known for {several(unknown, 'machine')}"] if unknown else []
    if fans_w is not None:
        some = f" ({several(unknown_fans, 'machine')} not counted)" if unknown_fans else ""
        parts.append(f"fans draw {fans_w / 1000:+.1f} kW{some}")
    return f"Inlet {more_c:+.0f} °C: {'; '.join(parts)}."
