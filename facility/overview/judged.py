"""Everything that is judged of a site once a minute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from facility.judgement import cooling, gpus, liquid, machines, power
from facility.judgement.air import RackAir, rise_c_per_min
from facility.judgement.kinds import Finding
from facility.judgement.limits import SiteLimits
from facility.judgement.measured import MeasuredGraph
from facility.overview.air import Models, Piped, Warming, cooling_units, gpus_of, racks_air, strange_pipes, warming
from facility.overview.last import Last, Unheard, silent
from inventory.elevation.read import read as read_racks


def judged(
    site_id: int, graph: MeasuredGraph, last: Sequence[Last], unheard: Sequence[Unheard], pipes: Mapping[int, Piped],
    models: Models, limits: SiteLimits, now: datetime,
) -> list[Finding]:  # fmt: skip
    """What is wrong with power, air and liquid of a site, and which meters say nothing."""
    racks = racks_air(read_racks(list(graph.readings.racks)), graph, last)
    return [
        *power.findings(graph, limits),
        *machines.findings(graph, limits, {slug: each.cap_w for slug, each in models.items() if each.cap_w}),
        *cooling.findings(racks, limits),
        *gpus.near_findings(gpus_of(graph, models), limits),
        *liquid.findings(cooling_units(last, pipes), limits),
        *strange_pipes(pipes),
        *silent(site_id, unheard, now),
        *_rises(warming(last, limits, now), {rack.rack_id: rack for rack in racks}, graph, pipes, limits),
    ]


def _rises(
    told: Sequence[Warming], racks: Mapping[int, RackAir], graph: MeasuredGraph, pipes: Mapping[int, Piped],
    limits: SiteLimits,
) -> Iterator[Finding]:  # fmt: skip
    """Of each place the fastest rise: its sensors warm together."""
    fastest: dict[cooling.Place, tuple[float, str]] = {}
    for each in told:
        rise = rise_c_per_min(each.series, limits, each.window_s)
        place = _place(each.meter, racks, graph, pipes)
        if rise is not None and place is not None:
            what = each.what or "the air"
            fastest[place] = max(fastest.get(place, (rise, what)), (rise, what))
    for place, (rise, what) in fastest.items():
        found = cooling.rise_finding(place, what, rise, limits)
        if found is not None:
            yield found


def _place(
    meter: Last, racks: Mapping[int, RackAir], graph: MeasuredGraph, pipes: Mapping[int, Piped]
) -> cooling.Place | None:
    """A cooling unit is one of its own, wherever it stands; other sensors are those of their rack or room."""
    if meter.meter_id in pipes:
        unit = pipes[meter.meter_id]
        return cooling.Place("cooling_unit", meter.meter_id, unit.name, room_id=unit.room_id)
    if meter.rack_id is not None:
        return cooling.place_of(racks[meter.rack_id]) if meter.rack_id in racks else None
    if meter.room_id is not None:
        return cooling.Place("room", meter.room_id, graph.readings.rooms[meter.room_id], room_id=meter.room_id)
    return None
