"""Everything that is judged of a site once a minute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from facility.findings.known import Told
from facility.judgement import cooling, gpus, liquid, machines, power
from facility.judgement.air import RackAir, rise_c_per_min
from facility.judgement.kinds import Finding
from facility.judgement.limits import SiteLimits
from facility.judgement.measured import MeasuredGraph
from facility.overview.air import (
    Models,
    Piped,
    Warming,
    caps_of,
    cooling_units,
    detectors_of,
    gpus_of,
    racks_air,
    strange_pipes,
    warming,
    where,
)
from facility.overview.last import SENSOR_KINDS, Last, Unheard, silent
from inventory.elevation.read import read as read_racks

Warms = tuple[cooling.Place, str]
"""A place, and what is warmed there."""


class Judged(NamedTuple):
    """What is wrong, and what that was made of: for those that are not seen any more."""

    found: list[Finding]
    told: Told


def judged(
    site_id: int, graph: MeasuredGraph, last: Sequence[Last], unheard: Sequence[Unheard], pipes: Mapping[int, Piped],
    models: Models, limits: SiteLimits, now: datetime,
) -> Judged:  # fmt: skip
    """What is wrong with power, air and liquid of a site, and which meters say nothing."""
    racks = racks_air(read_racks(list(graph.readings.racks)), graph, last)
    units, detectors = cooling_units(last, pipes, graph), detectors_of(last, pipes, graph)
    rises = _rises(warming(last, limits, now), {rack.rack_id: rack for rack in racks}, graph, pipes, limits)
    wanted_cap_w = caps_of(models)
    found = [
        *power.findings(graph, limits),
        *machines.findings(graph, limits, wanted_cap_w),
        *cooling.findings(racks, limits),
        *gpus.near_findings(gpus_of(graph, models), limits),
        *liquid.findings(units, limits),
        *liquid.leaks_at(detectors),
        *strange_pipes(pipes),
        *silent(site_id, unheard, now),
        *_rise_findings(rises, limits),
    ]
    air = {machine.device_id: machine for rack in racks for machine in rack.machines}
    not_steady = frozenset((place.kind, place.id, what) for (place, what), rise in rises.items() if rise is None)
    leaks = {(str(place.kind), place.id): each for place, each in detectors.items()}
    return Judged(found, Told(graph, limits, wanted_cap_w, air, {unit.id: unit for unit in units}, not_steady, leaks))


def _rises(
    told: Sequence[Warming], racks: Mapping[int, RackAir], graph: MeasuredGraph, pipes: Mapping[int, Piped],
    limits: SiteLimits,
) -> dict[Warms, float | None]:  # fmt: skip
    """How fast each warms; None where its thermometers do not say."""
    found: dict[Warms, float | None] = {}
    for each in told:
        place = _place(each.meter, racks, graph, pipes)
        if place is not None:
            rise, before = rise_c_per_min(each.series, limits, each.window_s), found.get((place, each.what))
            found[place, each.what] = max((speed for speed in (rise, before) if speed is not None), default=None)
    return found


def _rise_findings(rises: Mapping[Warms, float | None], limits: SiteLimits) -> Iterator[Finding]:
    """Of each place the fastest rise: its sensors warm together."""
    fastest: dict[cooling.Place, tuple[float, str]] = {}
    for (place, what), rise in rises.items():
        if rise is not None:
            fastest[place] = max(fastest.get(place, (rise, what)), (rise, what))
    for place, (rise, what) in fastest.items():
        found = cooling.rise_finding(place, what, rise, limits)
        if found is not None:
            yield found


def _place(
    meter: Last, racks: Mapping[int, RackAir], graph: MeasuredGraph, pipes: Mapping[int, Piped]
) -> cooling.Place | None:
    """A cooling unit is one of its own, wherever it stands; other sensors are those of their rack or room. The inside
    of a switch is neither's.
    """
    if meter.meter_id in pipes:
        unit = pipes[meter.meter_id]
        return cooling.Place("cooling_unit", meter.meter_id, unit.name, room_id=unit.room_id)
    if meter.kind in SENSOR_KINDS and meter.device_id in graph.devices:
        return None
    if meter.rack_id is not None:
        return cooling.place_of(racks[meter.rack_id]) if meter.rack_id in racks else None
    return where(meter, graph) if meter.room_id is not None else None
