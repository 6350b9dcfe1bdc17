"""Every inlet some degrees warmer.

At the same flow of air, a GPU warms as much as its inlet. Fans that turn faster then would hold it cooler: what is said
here is a guess from above.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from facility.judgement.limits import SiteLimits
from facility.judgement.readings import STATES, State, Sum, several
from facility.judgement.whatif.answers import Answer, RackAnswer, Trip


@dataclass(frozen=True, slots=True)
class Heat:
    """A machine in its air. `slowdown_c` is of its GPUs' model.

    `gpus_c` has one value for each GPU that it has, None where it is not known.
    """

    device_id: int
    name: str
    rack_id: int | None = None
    inlet_c: float | None = None
    air_class: str = ""
    gpus_c: tuple[float | None, ...] = ()
    slowdown_c: float | None = None


class Warmed(NamedTuple):
    """One machine after its inlet got warmer."""

    inlet_c: float | None
    hottest_c: float | None
    state: State
    why: str


def warmed(heat: Heat, more_c: float, limits: SiteLimits) -> Warmed:
    """GPUs are taken to warm as much as the air."""
    if heat.inlet_c is None:
        return Warmed(None, None, "unknown", "its inlet is not known")
    inlet = heat.inlet_c + more_c
    hottest = max((c for c in heat.gpus_c if c is not None), default=None)
    after = None if hottest is None else hottest + more_c
    return Warmed(inlet, after, *_warm_state(heat, inlet, after, limits))


def _warm_state(heat: Heat, inlet_c: float, hottest_c: float | None, limits: SiteLimits) -> tuple[State, str]:
    slows, recommended = _slows_c(heat, limits), limits.recommended_c(heat.air_class)
    broken = _broken_c(heat, inlet_c, limits)
    if broken is not None:
        name, side = heat.air_class or limits.air_class, "down to" if inlet_c < broken else "up to"
        return "over", f"{inlet_c:.1f} °C at the inlet; {name} allows {side} {broken:.0f} °C"
    if hottest_c is not None and hottest_c >= slows:
        return "over", f"a GPU at {hottest_c:.0f} °C slows down from {slows:.0f} °C"
    if None in heat.gpus_c:
        return "unknown", "a GPU's temperature is not known"
    if hottest_c is not None and hottest_c >= min(slows - limits.gpu_margin_c, limits.gpu_near_c):
        return "near", f"a GPU at {hottest_c:.0f} °C, near {slows:.0f} °C"
    if inlet_c > recommended:
        return "near", f"{inlet_c:.1f} °C at the inlet; {recommended:.0f} °C is recommended"
    return "ok", ""


def _slows_c(heat: Heat, limits: SiteLimits) -> float:
    return heat.slowdown_c if heat.slowdown_c is not None else limits.gpu_near_c


def _broken_c(heat: Heat, inlet_c: float, limits: SiteLimits) -> float | None:
    """The end of the allowable range of its class that this inlet is beyond."""
    air = limits.air(heat.air_class)
    if inlet_c > air.allowable_high_c:
        return air.allowable_high_c
    return air.allowable_low_c if inlet_c < air.allowable_low_c else None


def inlets_warmer(machines: Iterable[Heat], more_c: float, limits: SiteLimits) -> Answer:
    """Every inlet so many degrees warmer (or colder, if negative)."""
    by_rack: dict[int, list[tuple[Heat, Warmed]]] = defaultdict(list)
    trips: list[Trip] = []
    all_of_them = [(heat, warmed(heat, more_c, limits)) for heat in machines]
    for heat, after in all_of_them:
        if heat.rack_id is not None:
            by_rack[heat.rack_id].append((heat, after))
        trips += _beyond(heat, after, limits)
    racks = tuple(_warm_rack(rack, each, limits) for rack, each in sorted(by_rack.items()))
    unknown = tuple(heat.device_id for heat, after in all_of_them if after.state == "unknown")
    ordered = tuple(sorted(trips, key=lambda trip: (-abs(trip.value - trip.limit), trip.name)))
    text = _warm_text(more_c, ordered, all_of_them)
    return Answer(f"inlet {more_c:+.0f} °C", racks, ordered, text, unknown=unknown)


def _beyond(heat: Heat, after: Warmed, limits: SiteLimits) -> Iterator[Trip]:
    """A machine that leaves the range of its class, and one whose GPUs slow down: it may be both."""
    broken = None if after.inlet_c is None else _broken_c(heat, after.inlet_c, limits)
    if after.inlet_c is not None and broken is not None:
        yield Trip("machine", heat.device_id, heat.name, after.inlet_c, broken, "°C", False)
    if after.hottest_c is not None and after.hottest_c >= (slows := _slows_c(heat, limits)):
        yield Trip("gpu", heat.device_id, heat.name, after.hottest_c, slows, "°C", False)


def _warm_rack(rack_id: int, machines: list[tuple[Heat, Warmed]], limits: SiteLimits) -> RackAnswer:
    worst = min(machines, key=lambda each: STATES.index(each[1].state))
    now = min((warmed(heat, 0, limits).state for heat, _ in machines), key=STATES.index)
    before = [heat.inlet_c for heat, _ in machines if heat.inlet_c is not None]
    after = [each.inlet_c for _, each in machines if each.inlet_c is not None]
    of = len(machines)
    hottest = Sum(max(before, default=0.0), len(before), of), Sum(max(after, default=0.0), len(after), of)
    why = f"{worst[0].name}: {worst[1].why}" if worst[1].why else ""
    return RackAnswer(rack_id, worst[1].state, *hottest, None, "°C", why, now)


def _warm_text(more_c: float, trips: Sequence[Trip], machines: Sequence[tuple[Heat, Warmed]]) -> str:
    slowed, outside = ([t for t in trips if t.subject == subject] for subject in ("gpu", "machine"))
    parts = [f"{several(len(outside), 'machine')} outside the allowable range of their class"] if outside else []
    parts += [f"GPUs slow down in {several(len(slowed), 'machine')}"] if slowed else []
    parts += [f"the first is {trips[0].name}"] if trips else ["no machine slows down or leaves its class"]
    unknown = sum(after.state == "unknown" for _, after in machines)
    parts += [f"not known for {several(unknown, 'machine')}"] if unknown else []
    return f"Inlet {more_c:+.0f} °C: {'; '.join(parts)}."
