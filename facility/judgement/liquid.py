"""Liquid loops: flow, temperatures, dew point, leaks and the valve to close, filters and pumps. Pure.

A cooling unit drives loops; a secondary loop feeds racks through manifolds, each behind a valve.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import median
from typing import Any, NamedTuple

from facility.facts import Health
from facility.judgement.cooling import Place
from facility.judgement.kinds import Finding
from facility.judgement.limits import LIQUID_CLASSES, SiteLimits

KW_PER_LPM_K = 0.0697  # water: 4.18 kJ/(kg K) × 1 kg/l / 60 s; a quarter of glycol carries about 6 % less
ENOUGH_MANIFOLDS = 4
ENOUGH_PUMPS = 3
STANDS = 0.02
"""Of the flow on the other side of the exchanger, or of the fastest manifold beside it: less is a valve that is shut,
or a pump that stands."""

PRIMARY, SECONDARY = "primary", "secondary"
"""Loops of a cooling unit."""


@dataclass(frozen=True, slots=True)
class Manifold:
    """What flows to some racks."""

    name: str
    flow_lpm: float | None = None
    rack_ids: tuple[int, ...] = ()


class Pump(NamedTuple):
    """`health` is one of `Health`, as the unit says; None where it does not."""

    name: str
    speed_percent: float | None
    health: float | None = None


class Filter(NamedTuple):
    name: str
    differential_kpa: float | None
    health: float | None = None
    service_h: float | None = None
    rated_h: float | None = None


class Leak(NamedTuple):
    """`wet` is None where the detector says nothing: not dry."""

    detector: str
    wet: bool | None


@dataclass(frozen=True, slots=True)
class Plumbing:
    """Which manifold a detector lies under, and which valve closes a manifold. What is missing closes the unit."""

    manifold_of: Mapping[str, str]
    valve_of: Mapping[str, str]
    main_valve: str = ""

    def valve(self, detector: str) -> tuple[str, str]:
        """The manifold and the valve to close for a leak there; both empty where nobody wrote it down."""
        manifold = self.manifold_of.get(detector, "")
        return manifold, self.valve_of.get(manifold, self.main_valve)


@dataclass(frozen=True, slots=True)
class CoolingUnit:
    """A CDU with the loop that it supplies, and the flow on both sides of its exchanger. `dew_point_c` is of the air
    around its pipes; `dew_point_at` says which sensor of its room tells it, where the unit does not."""

    id: int
    name: str
    supply_c: float | None = None
    return_c: float | None = None
    flow_lpm: float | None = None
    dew_point_c: float | None = None
    liquid_class: str = ""
    manifolds: tuple[Manifold, ...] = ()
    pumps: tuple[Pump, ...] = ()
    filters: tuple[Filter, ...] = ()
    leaks: tuple[Leak, ...] = ()
    plumbing: Plumbing = Plumbing({}, {})
    room_id: int | None = None
    primary_lpm: float | None = None
    secondary_lpm: float | None = None
    dew_point_at: str = ""


def heat_kw(flow_lpm: float | None, supply_c: float | None, return_c: float | None) -> float | None:
    """What the liquid carries away."""
    if flow_lpm is None or supply_c is None or return_c is None:
        return None
    return KW_PER_LPM_K * flow_lpm * (return_c - supply_c)


def dew_point_c(air_c: float | None, humidity_percent: float | None) -> float | None:
    """By Magnus' formula, with the constants of Alduchov and Eskridge (1996): within 0.4 % of the vapour pressure from
    -40 to 50 °C. None where one is not known; a hygrometer that tells 0 % is broken.
    """
    if air_c is None or not humidity_percent:
        return None
    gamma = log(humidity_percent / 100) + 17.625 * air_c / (243.04 + air_c)
    return 243.04 * gamma / (17.625 - gamma)


def dew_margin_c(unit: CoolingUnit) -> float | None:
    """How far its pipes are from dripping."""
    return None if unit.supply_c is None or unit.dew_point_c is None else unit.supply_c - unit.dew_point_c


def expected_lpm(manifold: Manifold, all_of_them: Sequence[Manifold]) -> float | None:
    """The median of the unit's others, if they are four or more. Others that stand say nothing."""
    others = _beside(manifold, all_of_them)
    return median(others) or None if len(others) >= ENOUGH_MANIFOLDS else None


def fastest_lpm(manifold: Manifold, all_of_them: Sequence[Manifold]) -> float | None:
    """Of the unit's others, however few they are; None where none is known to flow."""
    return max(_beside(manifold, all_of_them), default=0) or None


def _beside(manifold: Manifold, all_of_them: Sequence[Manifold]) -> list[float]:
    return [each.flow_lpm for each in all_of_them if each is not manifold and each.flow_lpm is not None]


def is_manifold(loop: str) -> bool:
    """By its name: no side as a whole, nor one of several connectors to the building. Where a service speaks for
    several units, theirs stands before it: `2:secondary`."""
    name = loop.rpartition(":")[2].lower()
    return name != SECONDARY and not name.startswith(PRIMARY)


def together_lpm(manifolds: Iterable[Manifold]) -> float | None:
    """What flows to all racks; None where a part of it is not known, or there is none."""
    flows = [each.flow_lpm for each in manifolds]
    return sum(each for each in flows if each is not None) if flows and None not in flows else None


def stands(lpm: float | None, other_lpm: float | None) -> bool | None:
    """Whether nothing flows here while something does there; None where that is not known, or nothing flows at all."""
    if lpm is None or other_lpm is None or not (lpm or other_lpm):
        return None
    return lpm < STANDS * other_lpm


def findings(units: Iterable[CoolingUnit], limits: SiteLimits) -> list[Finding]:
    found: list[Finding] = []
    for unit in units:
        found += _leaks(unit)
        found += _flows(unit, limits) + _standing(unit)
        found += _temperatures(unit, limits)
        found += _pumps(unit, limits)
        found += _filters(unit, limits)
    return found


def _leaks(unit: CoolingUnit) -> list[Finding]:
    found = []
    for leak in unit.leaks:
        manifold, valve = unit.plumbing.valve(leak.detector)
        racks = [rack for each in unit.manifolds if each.name == manifold for rack in each.rack_ids]
        values = {"detector": leak.detector, "manifold": manifold, "valve": valve, "racks": racks}
        if leak.wet is None:
            found.append(_finding(unit, "value.unknown", _says_nothing(leak, unit.name), leak.detector, values))
        elif leak.wet:
            close = f"close valve {valve}" if valve else "its valve is not recorded: close the unit"
            at = f" at manifold {manifold}" if manifold else ""
            text = f"Leak at {leak.detector} of {unit.name}{at}: {close}."
            found.append(_finding(unit, "leak", text, leak.detector, values))
    return found


def leaks_at(detectors: Mapping[Place, Iterable[Leak]]) -> list[Finding]:
    """Of detectors that are of no cooling unit: which valve to close, nobody wrote down."""
    found = []
    for place, leaks in detectors.items():
        for leak in leaks:
            if leak.wet is None:
                kind, text = "value.unknown", _says_nothing(leak, place.name)
            elif leak.wet:
                kind, text = "leak", f"Leak at {leak.detector} of {place.name}: find where the water comes from."
            else:
                continue
            values = {"detector": leak.detector, "racks": [] if place.rack_id is None else [place.rack_id]}
            found.append(
                Finding(
                    kind, place.kind, place.id, place.name, text, values, place.rack_id, place.room_id, leak.detector
                )
            )
    return found


def _says_nothing(leak: Leak, name: str) -> str:
    return f"Detector {leak.detector} of {name} says nothing: a leak there would not be seen."


def _flows(unit: CoolingUnit, limits: SiteLimits) -> list[Finding]:
    found = []
    for manifold in unit.manifolds:
        flow, expected = manifold.flow_lpm, expected_lpm(manifold, unit.manifolds)
        fastest = fastest_lpm(manifold, unit.manifolds)
        values: dict[str, Any] = {"flow_lpm": flow, "racks": list(manifold.rack_ids)}
        if flow is not None and expected and flow < expected * limits.flow_percent / 100:
            text = f"{flow:.0f} l/min, {flow / expected * 100:.0f} % of {expected:.0f}"
            values["expected_lpm"] = expected
        elif flow is not None and stands(flow, fastest):
            text = f"{flow:.0f} l/min, while {fastest:.0f} flow through another"
            values["fastest_lpm"] = fastest
        else:
            continue
        text = f"Manifold {manifold.name} of {unit.name}: {text}."
        found.append(_finding(unit, "loop.flow_low", text, manifold.name, values))
    return found


def _standing(unit: CoolingUnit) -> list[Finding]:
    """One side of the exchanger stands while the other flows: no cold water comes to it, or none goes on to racks."""
    racks = sorted({rack for manifold in unit.manifolds for rack in manifold.rack_ids})
    values = {"primary_lpm": unit.primary_lpm, "secondary_lpm": unit.secondary_lpm, "racks": racks}
    if stands(unit.primary_lpm, unit.secondary_lpm):
        kw = heat_kw(unit.flow_lpm, unit.supply_c, unit.return_c)
        text = f"The primary loop of {unit.name} stands still: {unit.primary_lpm:.0f} l/min"
        text += f" for {kw:.0f} kW." if kw and kw >= 1 else "."
        return [_finding(unit, "loop.flow_low", text, PRIMARY, values)]
    if stands(unit.secondary_lpm, unit.primary_lpm):
        text = f"The secondary loop of {unit.name} stands still: {unit.secondary_lpm:.0f} l/min"
        text += f", while {unit.primary_lpm:.0f} flow on the primary side."
        return [_finding(unit, "loop.flow_low", text, SECONDARY, values)]
    return []


def _temperatures(unit: CoolingUnit, limits: SiteLimits) -> list[Finding]:
    found = []
    margin = dew_margin_c(unit)
    if margin is not None and margin < limits.dew_margin_c:
        where = f"{abs(margin):.1f} °C {'above' if margin >= 0 else 'below'} the dew point"
        of_air = f"of the air {f'at {unit.dew_point_at}' if unit.dew_point_at else 'around it'}"
        text = f"{unit.name} supplies {unit.supply_c:.1f} °C, {where} {of_air}."
        values: dict[str, Any] = {"supply_c": unit.supply_c, "dew_point_c": unit.dew_point_c}
        found.append(_finding(unit, "loop.dew_point", text, "", values))
    if unit.supply_c is not None and unit.dew_point_c is None:
        text = f"The dew point around {unit.name} is not known: neither the unit nor a sensor of its room tells it, or"
        text += " temperature and humidity together."
        found.append(_finding(unit, "value.unknown", text, "dew point", {"supply_c": unit.supply_c}))
    most = LIQUID_CLASSES.get(unit.liquid_class)
    if most is not None and unit.supply_c is not None and unit.supply_c > most:
        text = f"{unit.name} supplies {unit.supply_c:.1f} °C; class {unit.liquid_class} allows {most:.0f} °C."
        values = {"supply_c": unit.supply_c, "class": unit.liquid_class}
        found.append(_finding(unit, "loop.class", text, "", values))
    return found


def _pumps(unit: CoolingUnit, limits: SiteLimits) -> list[Finding]:
    """Those of which the unit says that they failed, and those that stand and are not in reserve."""
    speeds = [each.speed_percent for each in unit.pumps if each.speed_percent is not None]
    running = [speed for speed in speeds if speed >= limits.pump_percent]
    found = []
    for pump in unit.pumps:
        stands_still = pump.speed_percent is not None and pump.speed_percent < limits.pump_percent
        # One in reserve would run where no other does, or another one runs as fast as it can. Of three that run it may
        # be the reserve, if the unit says that it is well.
        is_spared = len(running) < ENOUGH_PUMPS or pump.health == Health.OK
        may_rest = is_spared and 0 < max(running, default=0) < limits.pump_full_percent
        failed = pump.health == Health.CRITICAL
        if failed or (stands_still and not may_rest):
            text = f"Pump {pump.name} of {unit.name}{' stands still' if stands_still else ''}"
            text += ": the unit says that it failed." if failed else "."
            found.append(_finding(unit, "pump.failed", text, pump.name, _values(pump)))
    return found


def _filters(unit: CoolingUnit, limits: SiteLimits) -> list[Finding]:
    found = []
    for each in unit.filters:
        why = []
        if each.differential_kpa is not None and each.differential_kpa > limits.filter_kpa:
            why.append(f"{each.differential_kpa:.0f} kPa, more than {limits.filter_kpa:.0f}")
        if each.health in (Health.WARNING, Health.CRITICAL):
            why.append(f"the unit calls it {Health(int(each.health)).name.lower()}")
        if each.service_h is not None and each.rated_h and each.service_h > each.rated_h:
            why.append(f"{each.service_h:.0f} hours at work, made for {each.rated_h:.0f}")
        if why:
            text = f"Filter {each.name} of {unit.name}: {'; '.join(why)}."
            found.append(_finding(unit, "filter.dirty", text, each.name, _values(each)))
    return found


def _values(part: Pump | Filter) -> dict[str, Any]:
    return {name: value for name, value in part._asdict().items() if name != "name"}


def _finding(unit: CoolingUnit, kind: str, text: str, part: str, values: Mapping[str, Any]) -> Finding:
    return Finding(kind, "cooling_unit", unit.id, unit.name, text, values, None, unit.room_id, part)
